//! From a folder to a site, at the start and whenever the build changes.

use std::{sync::Arc, thread};

use super::{routes::Shared, site::Site};
use crate::{
    config::Config,
    dist::{Bodies, Dist, DistError, build_name},
    forms::Forms,
};

/// Loads the build that `config` names; bytes that `known` holds are not read again.
pub(crate) fn load(config: &Config, known: &Bodies) -> Result<Site, DistError> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(8);
    let dist = Dist::load(&config.dist, known, threads)?;
    if let Some(configured) = &config.site_url
        && *configured != dist.manifest.site_url
    {
        let built_for = dist.manifest.site_url;
        return Err(DistError::OtherSite { built_for, configured: configured.clone() });
    }
    let part = |name: &str, locale| dist.parts.get(name, Some(locale));
    let forms =
        Forms::load(&dist.manifest.site_url, part).map_err(|problem| DistError::Unsound(problem.to_string()))?;
    Site::new(dist, forms).map_err(|_| DistError::Unsound("a route cannot be prepared".to_owned()))
}

/// Loads the build again and puts it in force as a whole; a build that cannot be served changes nothing.
pub(crate) fn reload(config: &Config, shared: &Shared) {
    let old = shared.site.load_full();
    if build_name(&config.dist).as_ref() == Some(&old.build) {
        tracing::debug!(build = old.build, "the build is in force already");
        return;
    }
    match load(config, &old.bodies) {
        Ok(site) => {
            tracing::info!(build = site.build, "a new build is in force");
            shared.site.store(Arc::new(site));
            shared.metrics.reloaded();
        }
        Err(error) => {
            tracing::error!(dist = %config.dist.display(), kept = old.build, "a build was refused: {error}");
            shared.metrics.refused_reload();
        }
    }
}

/// What `sidecar check-config` says about a build that can be served.
pub(crate) fn check(config: &Config) -> Result<String, DistError> {
    let site = load(config, &Bodies::default())?;
    Ok(format!("the configuration is right; {} holds build {}", config.dist.display(), site.build))
}
