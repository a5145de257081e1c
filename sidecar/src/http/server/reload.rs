//! Turns a folder into a site, at the start and whenever the build changes.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::Arc,
    thread,
};

use contract::manifest::{Abilities, Manifest, Missing};
use forms::Forms;

use crate::{
    build,
    build::{Contents, DistError, Occasion, Plan, build_name},
    config::Config,
    http::{
        routes,
        site::{Site, SiteIndex},
        state::AppState,
    },
    services::{ResolvedConfig, ServicesError},
};

/// Loads the build that `config` names. Bytes that are in `known` are not read again.
pub(crate) fn load(config: &Config, known: &Contents, abilities: Abilities) -> Result<Site, DistError> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(8);
    let prepare = |manifest: Manifest, missing, plan: &mut Plan| match &config.site_url {
        Some(configured) if *configured != manifest.site_url => {
            Err(DistError::OtherSite { built_for: manifest.site_url, configured: configured.clone() })
        }
        _ => SiteIndex::of(manifest, missing, plan, routes::paths()).map_err(DistError::from),
    };
    let dist = build::load(&config.dist, known, threads, abilities, prepare)?;
    let part = |name: &str, locale| dist.parts.get(name, Some(locale));
    let forms = Forms::load(&dist.prepared.url, part).map_err(|problem| DistError::Unsound(problem.to_string()))?;
    Site::new(dist, forms, abilities)
}

/// Takes over the build in the folder.
pub(super) struct Reloading {
    config: Arc<Config>,
    state: Arc<AppState>,
    /// Why the last build was refused, if it was.
    refusal: Option<String>,
}

impl Reloading {
    pub(super) fn new(config: Arc<Config>, state: Arc<AppState>) -> Self {
        Self { config, state, refusal: None }
    }

    /// Returns the folder of the build.
    pub(super) fn folder(&self) -> PathBuf {
        self.config.dist.clone()
    }

    /// Loads the build again and puts it in force as a whole; a build that cannot be served changes nothing. Returns
    /// whether the build in force is that of the folder. A retry that is refused for the same reason is not logged
    /// again.
    pub(super) fn reload(&mut self, occasion: Occasion) -> bool {
        // Whatever happens to one build, the next one is looked at.
        catch_unwind(AssertUnwindSafe(|| self.take_over(occasion))).unwrap_or_else(|_| {
            tracing::error!(dist = %self.config.dist.display(), "checking a build ended early");
            self.state.metrics.refused();
            false
        })
    }

    fn take_over(&mut self, occasion: Occasion) -> bool {
        let Self { config, state, refusal } = self;
        let old = state.site.load_full();
        if build_name(&config.dist).as_ref() == Some(&old.build) {
            if occasion == Occasion::Asked {
                // The request may be about something else that changed.
                let what = "this build is already in force; settings and the trust list are read only at the start";
                tracing::info!(build = old.build, "{what}");
            }
            *refusal = None;
            return true;
        }
        let start = state.clock.nanoseconds();
        match load(config, &old.contents, state.abilities) {
            Ok(site) => {
                state.metrics.loaded(state.clock.nanoseconds().saturating_sub(start));
                let site = Arc::new(site);
                state.registrar.offer(site.offers.clone());
                state.site.store(Arc::clone(&site));
                tracing::info!(build = site.build, "a new build is in force");
                say_narrowed(config, &site);
                *refusal = None;
                true
            }
            Err(error) => {
                let error = Some(error.to_string());
                if occasion != Occasion::Again || *refusal != error {
                    let (dist, reason) = (config.dist.display(), error.as_deref().unwrap_or_default());
                    tracing::error!(%dist, kept = old.build, "a build was refused: {reason}");
                    state.metrics.refused();
                }
                *refusal = error;
                false
            }
        }
    }
}

/// Logs that less is honoured than was built, and what to do.
pub(super) fn say_narrowed(config: &Config, site: &Site) {
    if let Some(wider) = wider(config, site) {
        tracing::warn!("{wider}; until then such requests are refused");
    }
}

fn wider(config: &Config, site: &Site) -> Option<CheckError> {
    site.missing.map(|missing| CheckError::Wider { missing, trust: config.registration.trust.clone() })
}

/// Returns what `sidecar check-config` says about a build that can be served.
pub(crate) fn check(config: &Config) -> Result<String, CheckError> {
    let resolved = ResolvedConfig::of(config).map_err(CheckError::Services)?;
    resolved.check().map_err(CheckError::Services)?;
    let abilities = resolved.abilities();
    let site = load(config, &Contents::default(), abilities).map_err(CheckError::Dist)?;
    resolved.check_reach(config, &site.url).map_err(CheckError::Services)?;
    if let Some(wider) = wider(config, &site) {
        return Err(wider);
    }
    Ok(format!("the configuration is valid; {} contains build {}", config.dist.display(), site.build))
}

/// Why a configuration is not right.
#[derive(Debug)]
pub(crate) enum CheckError {
    Dist(DistError),
    Services(ServicesError),
    /// A copy of the build would offer more than this service honours.
    Wider {
        missing: Missing,
        /// The file that names no provider, if there is one.
        trust: Option<PathBuf>,
    },
}

impl fmt::Display for CheckError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dist(error) => error.fmt(out),
            Self::Services(error) => error.fmt(out),
            Self::Wider { missing, trust } => {
                out.write_str(
                    "the build offers more than this service honours, so a copy of it would promise too much",
                )?;
                if missing.providers {
                    let remedy = match trust {
                        Some(file) => format!("{} names none: add one", file.display()),
                        None => "set MECELLE_TRUST".to_owned(),
                    };
                    write!(
                        out,
                        "; no agent provider is trusted ({remedy}, or remove id-jag from `assertion_types` in the \
                         content's site.toml)"
                    )?;
                }
                if missing.mail {
                    out.write_str(
                        "; without mail nobody can claim what agents register (set MECELLE_MAIL, or leave \
                         `identity_types` in the content's site.toml empty)",
                    )?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for CheckError {}
