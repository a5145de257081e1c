//! Turns a folder and settings into what is in force, at the start, whenever the build changes and on `SIGHUP`.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::Arc,
    thread,
};

use contract::manifest::{Abilities, Manifest, Missing};
use forms::Forms;
use registration::registrar::Rules;
use settings::ConfigError;

use crate::{
    build,
    build::{Contents, DistError, Occasion, Plan, build_name},
    config::Config,
    http::{
        rate_limit::RateLimits,
        routes,
        site::{Site, SiteIndex},
        state::AppState,
    },
    log,
    services::{ResolvedConfig, ServicesError},
};

/// Loads the build that `config` names. Bytes that the `former` site holds are not read again, and what clients have used of
/// its limits stays used.
pub(crate) fn load(config: &Config, former: Option<&Site>, abilities: Abilities) -> Result<Site, DistError> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(8);
    let prepare = |manifest: Manifest, missing, plan: &mut Plan| match &config.site_url {
        Some(configured) if *configured != manifest.site_url => {
            Err(DistError::OtherSite { built_for: manifest.site_url, configured: configured.clone() })
        }
        _ => SiteIndex::of(manifest, missing, plan, routes::paths()).map_err(DistError::from),
    };
    let unknown = Contents::default();
    let known = former.map_or(&unknown, |site| &site.contents);
    let dist = build::load(&config.dist, known, threads, abilities, prepare)?;
    let part = |name: &str, locale| dist.parts.get(name, Some(locale));
    let forms = Forms::load(&dist.prepared.url, part).map_err(|problem| DistError::Unsound(problem.to_string()))?;
    Site::new(dist, forms, abilities, RateLimits::new(config.limits, former.map(|site| &site.limits)))
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
struct Next {
    config: Config,
    rules: Rules,
    site: Site,
    /// The settings that differ, and need a restart.
    fixed: Vec<&'static str>,
}

impl Reloading {
    pub(super) fn new(config: Config, read: ReadConfig, state: Arc<AppState>) -> Self {
        Self { config, read, state, error: None, is_retried: false, has_settings: false }
    }

    /// Returns the folder of the build.
    pub(super) fn folder(&self) -> PathBuf {
        self.config.dist.clone()
    }

    /// Puts in force what is new, as a whole; if anything of it cannot be used, nothing changes. Returns whether the build
    /// need not be tried again. A retry that is refused for the same reason is not logged again.
    pub(super) fn reload(&mut self, occasion: Occasion) -> bool {
        // Whatever happens to one build, the next one is looked at.
        catch_unwind(AssertUnwindSafe(|| self.take_over(occasion))).unwrap_or_else(|_| {
            tracing::error!(dist = %self.config.dist.display(), "a reload ended early");
            self.state.metrics.refused();
            false
        })
    }

    fn take_over(&mut self, occasion: Occasion) -> bool {
        let (old, is_asked) = (self.state.site.load_full(), occasion == Occasion::Asked || self.has_settings);
        if !is_asked && build_name(&self.config.dist).as_ref() == Some(&old.build) {
            (self.error, self.is_retried) = (None, false);
            return true;
        }
        let start = self.state.clock.nanoseconds();
        let prepared = if is_asked { self.everything(&old) } else { self.build_alone(&old) };
        match prepared {
            Ok(next) => {
                self.state.metrics.loaded(self.state.clock.nanoseconds().saturating_sub(start));
                self.put_in_force(next, &old, is_asked);
                (self.error, self.is_retried, self.has_settings) = (None, false, false);
                true
            }
            Err(error) => {
                let text = error.to_string();
                if occasion != Occasion::Again || self.error.as_ref() != Some(&text) {
                    let (what, rest) = match (error.is_of_build(), is_asked) {
                        (true, false) => ("a build was refused", ""),
                        (true, true) => ("a build was refused", "; nothing was taken over, until the build is whole"),
                        (false, _) => (
                            "the settings were refused",
                            "; nothing was taken over: correct this, then send SIGHUP again",
                        ),
                    };
                    tracing::error!(dist = %self.config.dist.display(), kept = old.build, "{what}: {text}{rest}");
                    self.state.metrics.refused();
                }
                self.error = Some(text);
                // A build may become whole by itself, and the settings that came with it are taken over then; settings
                // do not. A build that is whole and came with settings that are wrong waits for them.
                self.has_settings = is_asked && error.is_of_build();
                self.is_retried |= error.is_of_build();
                !self.is_retried
            }
        }
    }

    /// Prepares the build in the folder under the settings in force.
    fn build_alone(&self, old: &Site) -> Result<Next, CheckError> {
        let (config, rules) = (self.config.clone(), self.state.registrar.rules());
        let site = load(&config, Some(old), rules.abilities)?;
        let rules = Rules { offers: site.offers.clone(), ..(*rules).clone() };
        Ok(Next { config, rules, site, fixed: Vec::new() })
    }

    /// Prepares the build in the folder, and the settings as they are now.
    fn everything(&self, old: &Site) -> Result<Next, CheckError> {
        let read = (self.read)().map_err(ServicesError::Config)?;
        // What a restart would refuse in the trust list is refused now.
        ResolvedConfig::of(&read)?;
        let (config, fixed) = self.config.renewed(read);
        let resolved = ResolvedConfig::of(&config)?;
        let site = load(&config, Some(old), resolved.abilities())?;
        resolved.check_reach(&config, &site.url)?;
        let former = self.state.registrar.rules();
        let rules =
            resolved.rules(config.limits.registration, &site.url, site.offers.clone(), former.providers.as_deref());
        Ok(Next { config, rules, site, fixed })
    }

    fn put_in_force(&mut self, next: Next, old: &Site, is_asked: bool) {
        let Next { config, rules, site, fixed } = next;
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
        if is_asked {
            tracing::info!(build = site.build, "trust list, limits and log settings were taken over");
        }
        if !fixed.is_empty() {
            tracing::warn!(settings = fixed.join(", "), "these settings have changed too, but need a restart");
        }
        say_narrowed(&config, &site);
        self.config = config;
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
    let resolved = ResolvedConfig::of(config)?;
    resolved.check()?;
    let site = load(config, None, resolved.abilities())?;
    resolved.check_reach(config, &site.url)?;
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

impl From<DistError> for CheckError {
    fn from(error: DistError) -> Self {
        Self::Dist(error)
    }
}

impl From<ServicesError> for CheckError {
    fn from(error: ServicesError) -> Self {
        Self::Services(error)
    }
}

impl CheckError {
    const fn is_of_build(&self) -> bool {
        matches!(self, Self::Dist(_))
    }
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
