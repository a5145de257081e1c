//! Turns a folder and settings into what is in force, at the start, whenever the build changes and on `SIGHUP`.

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
        site::{Site, SiteIndex},
        state::AppState,
    },
    log,
    published::{self, Contents, DistError, LoadPlan, Occasion, build_name},
    services::{ResolvedConfig, ServicesError},
};

use super::start_error::StartError;

/// Loads the build that `config` names. Bytes that the `former` site holds are not read again, and what clients have
/// used of its limits stays used.
pub(crate) fn load(config: &Config, former: Option<&Site>, abilities: Abilities) -> Result<Site, DistError> {
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
    Site::new(dist, forms, abilities, RateLimits::new(config.limits, former.map(|site| &site.limits)))
}

/// Judges `config` as a whole, and loads its build as [`load`] does: a start, `sidecar check-config` and `SIGHUP`
/// refuse the same.
pub(super) fn check_and_load(config: &Config, former: Option<&Site>) -> Result<(ResolvedConfig, Site), StartError> {
    let (resolved, site) = prepare(config, former)?;
    resolved.check()?;
    Ok((resolved, site))
}

/// Does the same for a service that runs, and no longer needs what its settings for a start name.
fn prepare(config: &Config, former: Option<&Site>) -> Result<(ResolvedConfig, Site), StartError> {
    let resolved = ResolvedConfig::of(config)?;
    let site = load(config, former, resolved.abilities())?;
    resolved.check_reach(config, &site.url)?;
    Ok((resolved, site))
}

/// Reads the configuration as it is now.
pub(super) type ReadConfig = Box<dyn Fn() -> Result<Config, ConfigError> + Send>;

/// Takes over the build in the folder and, on `SIGHUP`, the settings.
pub(super) struct Reloading {
    /// The settings in force.
    config: Config,
    read: ReadConfig,
    state: Arc<AppState>,
    /// Why the last reload failed, if it did.
    error: Option<String>,
    /// Whether a build was refused that may become whole.
    is_retried: bool,
    /// Whether settings are to be taken over together with that build.
    has_settings: bool,
}

/// What comes into force together.
struct PreparedReload {
    config: Config,
    rules: Rules,
    site: Site,
    /// What differs in the settings, if they were read.
    changes: Option<SettingsChanges>,
}

/// Why nothing comes into force.
struct ReloadError {
    text: String,
    /// Whether it is in the build, which may become whole by itself.
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

    /// Returns the folder of the build.
    pub(super) fn folder(&self) -> PathBuf {
        self.config.dist.clone()
    }

    /// Puts in force what is new, as a whole; if anything of it cannot be used, nothing changes. Returns whether the
    /// build need not be tried again. A retry that is refused for the same reason is not logged again.
    pub(super) fn reload(&mut self, occasion: Occasion) -> bool {
        // Whatever happens to one build, the next one is looked at.
        catch_unwind(AssertUnwindSafe(|| self.take_over(occasion))).unwrap_or_else(|_| {
            tracing::error!(dist = %self.config.dist.display(), "a reload panicked: the build in force stays");
            self.state.metrics.count_refusal();
            false
        })
    }

    fn take_over(&mut self, occasion: Occasion) -> bool {
        let (old, is_asked) = (self.state.site.load_full(), occasion == Occasion::Asked || self.has_settings);
        if !is_asked && build_name(&self.config.dist).as_ref() == Some(&old.build) {
            self.clear_error();
            return true;
        }
        let start = self.state.clock.nanoseconds();
        let prepared = if is_asked { self.prepare_all(&old) } else { self.prepare_build(&old) };
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
                if occasion != Occasion::Again || self.error.as_ref() != Some(&text) {
                    let (what, rest) = match (is_of_build, is_asked) {
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
                // A build may become whole by itself, and the settings that came with it are taken over then; settings
                // do not. A build that is whole and came with settings that are wrong waits for them.
                self.has_settings = is_asked && is_of_build;
                self.is_retried |= is_of_build;
                !self.is_retried
            }
        }
    }

    /// Forgets what was refused, and says so of a build.
    fn clear_error(&mut self) {
        (self.error, self.has_settings) = (None, false);
        if mem::take(&mut self.is_retried) {
            tracing::info!(build = self.state.site.load().build, "the build in the folder can be used again");
        }
    }

    /// Prepares the build in the folder under the settings in force.
    fn prepare_build(&self, old: &Site) -> Result<PreparedReload, ReloadError> {
        let (config, rules) = (self.config.clone(), self.state.registrar.rules());
        let site = load(&config, Some(old), rules.abilities).map_err(StartError::Dist)?;
        let rules = Rules { offers: site.offers.clone(), ..(*rules).clone() };
        Ok(PreparedReload { config, rules, site, changes: None })
    }

    /// Prepares the build in the folder, and the settings as they are now.
    fn prepare_all(&self, old: &Site) -> Result<PreparedReload, ReloadError> {
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

    fn apply(&mut self, next: PreparedReload, old: &Site) {
        let PreparedReload { config, rules, site, changes } = next;
        let site = Arc::new(site);
        // First, so that the lines that tell of the change come after all of it.
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

/// Logs that less is honoured than was built, and what to do.
pub(super) fn warn_narrowed_offers(config: &Config, site: &Site) {
    if let Some(wider) = narrowed_offers(config, site) {
        tracing::warn!("{wider}; until then such requests are refused");
    }
}

/// Returns what `sidecar check-config` says about a build that can be served.
pub(crate) fn check(config: &Config) -> Result<String, Box<dyn Error>> {
    let (_, site) = check_and_load(config, None)?;
    match narrowed_offers(config, &site) {
        Some(wider) => Err(wider.into()),
        None => Ok(format!("the configuration is valid; {} contains build {}", config.dist.display(), site.build)),
    }
}

/// Says what a copy of the build would offer more than this service honours, and what to do.
fn narrowed_offers(config: &Config, site: &Site) -> Option<String> {
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
