//! Loads build and settings: at the start, whenever the build changes, and on `SIGHUP`.

use std::{
    error::Error,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::Arc,
    thread,
};

use contract::manifest::{Abilities, Manifest};
use forms::Forms;
use registration::registrar::Rules;
use settings::ConfigError;

use crate::{
    config::{Config, SettingsChanges},
    http::{
        rate_limit::RateLimits,
        routes,
        site::{ServedSite, SiteIndex},
        state::AppState,
    },
    log,
    published::{self, Contents, DistError, LoadPlan, Occasion, build_name},
    services::{ResolvedConfig, ServicesError},
};

use super::start_error::StartError;

/// Loads the build that `config` names. Bytes that the `former` site holds are not read again, and its limits keep what
/// clients have used.
pub(crate) fn load(
    config: &Config,
    former: Option<&ServedSite>,
    abilities: Abilities,
) -> Result<ServedSite, DistError> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(8);
    let prepare = |manifest: Manifest, missing, plan: &mut LoadPlan| match &config.site_url {
        Some(configured) if *configured != manifest.site_url => {
            let setting = config.settings.name("site_url");
            Err(DistError::OtherSite { built_for: manifest.site_url, configured: configured.clone(), setting })
        }
        _ => SiteIndex::of(manifest, missing, plan, routes::paths()).map_err(DistError::from),
    };
    let unknown = Contents::default();
    let known = former.map_or(&unknown, |site| &site.contents);
    let dist = published::load(&config.dist, known, threads, abilities, prepare).map_err(|error| match error {
        DistError::NoManifest { path, source, .. } => {
            DistError::NoManifest { setting: config.settings.name("dist"), path, source }
        }
        other => other,
    })?;
    let part = |name: &str, locale| dist.parts.get(name, Some(locale));
    let forms = Forms::load(&dist.prepared.url, part).map_err(|problem| DistError::Unsound(problem.to_string()))?;
    ServedSite::new(dist, forms, abilities, RateLimits::new(config.limits, former.map(|site| &site.limits)))
}

/// Checks `config` and loads its build: a start, `sidecar check-config` and `SIGHUP` reject the same.
pub(super) fn check_and_load(
    config: &Config,
    former: Option<&ServedSite>,
) -> Result<(ResolvedConfig, ServedSite), StartError> {
    let (resolved, site) = prepare(config, former)?;
    resolved.check()?;
    Ok((resolved, site))
}

/// Checks and loads what a running service needs; mail setting and secret file are needed only at a start.
fn prepare(config: &Config, former: Option<&ServedSite>) -> Result<(ResolvedConfig, ServedSite), StartError> {
    let resolved = ResolvedConfig::of(config)?;
    let site = load(config, former, resolved.abilities())?;
    resolved.check_reach(config, &site.url)?;
    Ok((resolved, site))
}

/// Reads the configuration as it is now.
pub(super) type ReadConfig = Box<dyn Fn() -> Result<Config, ConfigError> + Send>;

/// Reloads the build and, on `SIGHUP`, the settings.
pub(super) struct Reloading {
    /// The settings in force.
    config: Config,
    read: ReadConfig,
    state: Arc<AppState>,
    /// The error of the last reload, if it failed.
    error: Option<String>,
    /// Whether the last build was rejected and is retried.
    is_retried: bool,
    /// Whether settings wait for that build.
    has_settings: bool,
}

/// A build and settings that are applied together.
struct PreparedReload {
    config: Config,
    rules: Rules,
    site: ServedSite,
    /// The keys that differ, if the settings were read.
    changes: Option<SettingsChanges>,
}

/// Why a reload changes nothing.
struct ReloadError {
    text: String,
    /// Whether the build is at fault, which may still be incomplete.
    is_of_build: bool,
}

impl From<StartError> for ReloadError {
    fn from(error: StartError) -> Self {
        Self { text: error.to_string(), is_of_build: matches!(error, StartError::Dist(_)) }
    }
}

impl Reloading {
    pub(super) fn new(config: Config, read: ReadConfig, state: Arc<AppState>) -> Self {
        Self { config, read, state, error: None, is_retried: false, has_settings: false }
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.config.dist.clone()
    }

    /// Reloads build and settings together; on any error nothing changes. Returns `false` if the build is to be
    /// retried. A retry that fails for the same reason is not logged again.
    pub(super) fn reload(&mut self, occasion: Occasion) -> bool {
        // A panic must not end the watcher.
        catch_unwind(AssertUnwindSafe(|| self.take_over(occasion))).unwrap_or_else(|_| {
            tracing::error!(dist = %self.config.dist.display(), "a reload panicked: the build in force stays");
            self.state.metrics.count_refusal();
            false
        })
    }

    fn take_over(&mut self, occasion: Occasion) -> bool {
        let (old, is_requested) = (self.state.site.load_full(), occasion == Occasion::Requested || self.has_settings);
        if !is_requested && build_name(&self.config.dist).as_ref() == Some(&old.build) {
            self.clear_error();
            return true;
        }
        let start = self.state.clock.nanoseconds();
        let prepared = if is_requested { self.prepare_all(&old) } else { self.prepare_build(&old) };
        match prepared {
            Ok(next) => {
                let (clock, metrics) = (&self.state.clock, &self.state.metrics);
                metrics.count_reload(
                    clock.nanoseconds().saturating_sub(start),
                    clock.now().millis().unsigned_abs() / 1000,
                );
                self.apply(next, &old);
                self.clear_error();
                true
            }
            Err(ReloadError { text, is_of_build }) => {
                if occasion != Occasion::Retry || self.error.as_ref() != Some(&text) {
                    let (what, rest) = match (is_of_build, is_requested) {
                        (true, false) => ("a build was refused", ""),
                        (true, true) => (
                            "a build was refused",
                            "; nothing was taken over: the settings follow once the build is complete",
                        ),
                        (false, _) => (
                            "the settings were refused",
                            "; nothing was taken over: correct this, then send SIGHUP again",
                        ),
                    };
                    tracing::error!(dist = %self.config.dist.display(), kept = old.build, "{what}: {text}{rest}");
                    self.state.metrics.count_refusal();
                }
                self.error = Some(text);
                // An incomplete build may become complete by itself, and its settings are applied then. Wrong settings
                // need another signal.
                self.has_settings = is_requested && is_of_build;
                self.is_retried |= is_of_build;
                !self.is_retried
            }
        }
    }

    /// Clears the last error, and logs that a rejected build can be used.
    fn clear_error(&mut self) {
        (self.error, self.has_settings) = (None, false);
        if mem::take(&mut self.is_retried) {
            tracing::info!(build = self.state.site.load().build, "the build in the folder can be used again");
        }
    }

    /// Loads the build under the settings in force.
    fn prepare_build(&self, old: &ServedSite) -> Result<PreparedReload, ReloadError> {
        let (config, rules) = (self.config.clone(), self.state.registrar.rules());
        let site = load(&config, Some(old), rules.abilities).map_err(StartError::Dist)?;
        let rules = Rules { offers: site.offers.clone(), ..(*rules).clone() };
        Ok(PreparedReload { config, rules, site, changes: None })
    }

    /// Loads the build and the current settings.
    fn prepare_all(&self, old: &ServedSite) -> Result<PreparedReload, ReloadError> {
        let read = (self.read)().map_err(|error| StartError::Services(ServicesError::Config(error)))?;
        let (config, mut changes) = self.config.renewed(&read);
        let (resolved, site) = prepare(&config, Some(old))?;
        let restarted = if changes.fixed.is_empty() {
            resolved.check().map_err(StartError::from)?;
            None
        } else {
            let judged = check_and_load(&read, Some(&site)).map_err(|error| {
                let text = format!("a restart with the new `{}` would fail: {error}", changes.fixed.join("`, `"));
                ReloadError { text, is_of_build: false }
            });
            Some(judged?.0)
        };
        if let Some(path) = restarted.as_ref().unwrap_or(&resolved).lost_secret() {
            let name = read.settings.name("secret_file");
            let path = path.display();
            tracing::warn!(
                "{name}: {path} is missing; put a copy there, or links and codes become invalid at the next restart"
            );
        }
        let former = self.state.registrar.rules();
        let (known, trust) = (former.providers.as_deref(), resolved.trust());
        let is_same_list = known.map_or_else(|| trust.is_empty(), |known| known.is_of(trust));
        if !is_same_list && !changes.taken_over.contains(&"trust") {
            changes.taken_over.insert(0, "trust");
        }
        let rules = resolved.rules(config.limits.registration, &site.url, site.offers.clone(), known);
        Ok(PreparedReload { config, rules, site, changes: Some(changes) })
    }

    fn apply(&mut self, next: PreparedReload, old: &ServedSite) {
        let PreparedReload { config, rules, site, changes } = next;
        let site = Arc::new(site);
        // Change the log first, so that the lines about the reload follow the new settings.
        if config.log != self.config.log {
            log::change(config.log);
        }
        self.state.registrar.set_rules(rules);
        self.state.site.store(Arc::clone(&site));
        if site.build != old.build {
            tracing::info!(build = site.build, "a new build is in force");
        }
        if let Some(SettingsChanges { taken_over, fixed, overridden }) = changes {
            const TAKEN_OVER: &str = "trust list, limits and log settings were taken over";
            match &taken_over[..] {
                [] => tracing::info!(build = site.build, "{TAKEN_OVER}; none of them has changed"),
                keys => tracing::info!(build = site.build, changed = keys.join(", "), "{TAKEN_OVER}"),
            }
            if !fixed.is_empty() {
                tracing::warn!(settings = fixed.join(", "), "these settings have changed too, but need a restart");
            }
            if !overridden.is_empty() {
                let settings = overridden.join(", ");
                tracing::warn!(settings, "these settings have changed in the file, but variables override them");
            }
        }
        warn_narrowed_offers(&config, &site);
        self.config = config;
    }
}

/// Warns if the service honours less than the build offers.
pub(super) fn warn_narrowed_offers(config: &Config, site: &ServedSite) {
    if let Some(wider) = narrowed_offers(config, site) {
        tracing::warn!("{wider}; until then such requests are refused");
    }
}

/// Returns the output of `sidecar check-config`.
pub(crate) fn check(config: &Config) -> Result<String, Box<dyn Error>> {
    let (_, site) = check_and_load(config, None)?;
    match narrowed_offers(config, &site) {
        Some(wider) => Err(wider.into()),
        None => Ok(format!("the configuration is valid; {} contains build {}", config.dist.display(), site.build)),
    }
}

/// Returns the origin of the build's site.
pub(crate) fn site_url(config: &Config) -> Result<String, Box<dyn Error>> {
    Ok(prepare(config, None)?.1.url)
}

/// Returns a message, with the remedy, about what the build offers but this service does not honour.
fn narrowed_offers(config: &Config, site: &ServedSite) -> Option<String> {
    let missing = site.missing?;
    let providers = missing.providers.then(|| {
        let remedy = match &config.registration.trust {
            Some(file) => format!("add one to {}", file.display()),
            None => format!("set {}", config.settings.name("trust")),
        };
        format!(
            "; no agent provider is trusted ({remedy}, or remove id-jag from `assertion_types` in the content's site.toml)"
        )
    });
    let mail = missing.mail.then(|| {
        let name = config.settings.name("mail");
        format!(
            "; without mail, registrations cannot be claimed (set {name}, or leave `identity_types` in the content's \
             site.toml empty)"
        )
    });
    let (providers, mail) = (providers.unwrap_or_default(), mail.unwrap_or_default());
    Some(format!("the build offers more than this service honours{providers}{mail}"))
}
