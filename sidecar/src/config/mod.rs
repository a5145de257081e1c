//! The configuration: one struct, read as a whole. Only this module reads the file and the environment.
//!
//! A TOML file comes first, environment variables override it. Every key has one variable, listed in [`NAMES`]. An
//! unknown name is refused with its place and the nearest known name: silently ignoring a misspelt setting would be
//! worse than not starting.

mod edge_secret;
mod names;
mod network;

use std::{
    ffi::OsString,
    net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs},
    num::NonZeroU32,
    path::{Path, PathBuf},
    time::Duration,
};

use contract::tool;
use registration::registrar::Quotas;
use settings::{ConfigError, RawSettings, Setting};

pub use self::{edge_secret::EdgeSecret, names::NAMES, network::Network};

/// Stands for every origin in `mcp.allowed_origins`. Security: valid only for requests without a credential, whose
/// answers are public; with a credential, only origins that the operator named are allowed.
pub(crate) const ANY_ORIGIN: &str = "*";

/// All settings of the sidecar. Each field names its key, variable and default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// `site_url`, `MECELLE_SITE_URL`: the origin that every build must be for; default: that of the first.
    pub site_url: Option<String>,
    /// `listen`, `MECELLE_LISTEN`: where the public is served; default `127.0.0.1:8080`.
    pub listen: SocketAddr,
    /// `admin_listen`, `MECELLE_ADMIN_LISTEN`: where `/livez`, `/readyz`, `/readyz/store` and `/metrics` are served;
    /// default: nowhere.
    pub admin_listen: Option<SocketAddr>,
    /// `admin_hosts`, `MECELLE_ADMIN_HOSTS`: names with a dot under which the admin address is requested; default:
    /// none.
    pub admin_hosts: Vec<String>,
    /// `drain_seconds`, `MECELLE_DRAIN_SECONDS`: how long a service that is asked to end still accepts requests, while
    /// `/readyz` is 503; default 0.
    pub drain: Duration,
    /// `dist`, `MECELLE_DIST`: the folder that the generator wrote; default `dist`.
    pub dist: PathBuf,
    /// `trusted_proxies`, `MECELLE_TRUSTED_PROXIES`: addresses and networks whose `X-Forwarded-For` is trusted;
    /// default: none.
    pub trusted_proxies: Vec<Network>,
    /// `edge_secret`, `MECELLE_EDGE_SECRET`: the secret with which an edge module names its client's address; default:
    /// none.
    pub edge_secret: Option<EdgeSecret>,
    /// `workers`, `MECELLE_WORKERS`: number of serving threads; default: the number of processors.
    pub workers: usize,
    pub limits: LimitSettings,
    /// `mcp.allowed_origins`, `MECELLE_MCP_ALLOWED_ORIGINS`: origins of web applications that may use the MCP endpoint
    /// besides the site's own; default: none.
    pub mcp_allowed_origins: Vec<String>,
    /// `report`, `MECELLE_REPORT`: whether requests are counted for `sidecar report`; default `true`.
    pub report: bool,
    pub log: LogSettings,
    pub registration: RegistrationSettings,
    /// The texts that all of these were parsed from, with their places.
    pub settings: RawSettings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitSettings {
    /// `limits.content_per_minute`, `MECELLE_LIMITS_CONTENT_PER_MINUTE`: requests to the content API in a minute;
    /// with a credential that was issued, ten times as many; default 600.
    pub content_per_minute: NonZeroU32,
    /// `limits.mcp_per_minute`, `MECELLE_LIMITS_MCP_PER_MINUTE`: requests to the MCP endpoint in a minute; default
    /// 120.
    pub mcp_per_minute: NonZeroU32,
    /// `limits.mcp_with_credential_per_minute`, `MECELLE_LIMITS_MCP_WITH_CREDENTIAL_PER_MINUTE`: the same with a
    /// credential that was issued; default 600.
    pub mcp_with_credential_per_minute: NonZeroU32,
    /// `limits.registration_per_minute`, `MECELLE_LIMITS_REGISTRATION_PER_MINUTE`: requests to the registration flow in
    /// a minute, of all kinds together; default 120.
    pub registration_per_minute: NonZeroU32,
    /// `limits.search_per_minute`, `MECELLE_LIMITS_SEARCH_PER_MINUTE`: questions to the search page in a minute;
    /// default 60.
    pub search_per_minute: NonZeroU32,
    /// `limits.loopback`, `MECELLE_LIMITS_LOOPBACK`: whether clients on this machine are limited too; default `false`.
    /// If the site itself is elsewhere, their registrations, e-mails and codes are counted in any case.
    pub loopback: bool,
    /// `limits.anonymous_per_client` and so on: how many registrations, e-mails and codes are allowed.
    pub registration: Quotas,
}

impl LimitSettings {
    /// Returns limits that no client of a test reaches. Limits across all clients stay, except for anonymous
    /// registrations.
    #[must_use]
    pub fn boundless() -> Self {
        let most = u32::MAX;
        Self {
            registration_per_minute: NonZeroU32::MAX,
            registration: Quotas {
                anonymous_per_client: most,
                anonymous: most,
                assertions_per_client: most,
                emails_per_client: most,
                emails_per_mailbox: most,
                emails_per_domain: most,
                wrong_codes_per_client: most,
                ..Quotas::default()
            },
            ..Self::default()
        }
    }
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            content_per_minute: const { NonZeroU32::new(600).unwrap() },
            mcp_per_minute: const { NonZeroU32::new(120).unwrap() },
            mcp_with_credential_per_minute: const { NonZeroU32::new(600).unwrap() },
            registration_per_minute: const { NonZeroU32::new(120).unwrap() },
            search_per_minute: const { NonZeroU32::new(60).unwrap() },
            loopback: false,
            registration: Quotas::default(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogSettings {
    /// `log.format`, `MECELLE_LOG_FORMAT`: `text` or `json`; default `text`.
    pub format: LogFormat,
    /// `log.level`, `MECELLE_LOG_LEVEL`: `error`, `warn`, `info`, `debug` or `trace`; default `info`.
    pub level: tracing::Level,
    /// `log.access`, `MECELLE_LOG_ACCESS`: whether there is a line for each request, in JSON; default `false`.
    pub access: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For a person at a terminal.
    Text,
    /// One JSON object a line, for a collector.
    Json,
}

/// Values for registration, unchecked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegistrationSettings {
    /// `store`, `MECELLE_STORE`: `sqlite://path` or `postgres://…`.
    pub store: Option<String>,
    /// `secret_file`, `MECELLE_SECRET_FILE`: the file of the pepper.
    pub secret_file: Option<PathBuf>,
    /// `mail`, `MECELLE_MAIL`: `smtp://…`, `smtps://…`, `outbox://folder` or `none`.
    pub mail: Option<String>,
    /// `trust`, `MECELLE_TRUST`: file of trusted agent providers.
    pub trust: Option<PathBuf>,
}

/// The keys that differ between two readings of the settings.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SettingsChanges {
    /// Applied by a running service.
    pub(crate) taken_over: Vec<&'static str>,
    /// Applied by a restart only.
    pub(crate) fixed: Vec<&'static str>,
    /// Changed in the file, but overridden by variables.
    pub(crate) overridden: Vec<&'static str>,
}

impl Config {
    /// Reads `file`, if there is one, and the process's environment.
    #[expect(clippy::disallowed_methods, reason = "the one place where the service reads its environment")]
    pub fn read(file: Option<&Path>) -> Result<Self, ConfigError> {
        let settings = file.map_or_else(|| Ok(RawSettings::default()), |path| RawSettings::read(path, &NAMES))?;
        Self::overridden(settings, std::env::vars_os())
    }

    /// Reads the configuration from a TOML text and variables.
    pub fn parse(toml: &str, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Result<Self, ConfigError> {
        Self::overridden(RawSettings::parse(Path::new("configuration"), toml, &NAMES)?, variables)
    }

    fn overridden(
        mut settings: RawSettings,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, ConfigError> {
        settings.override_by(variables, &NAMES, &tool::VARIABLES)?;
        Self::from_settings(settings)
    }

    /// Returns these settings with those of `read` that a running service applies, and the keys that differ.
    pub(crate) fn renewed(&self, read: &Self) -> (Self, SettingsChanges) {
        let mut settings = read.settings.clone();
        let overridden = settings.overridden_since(&self.settings);
        let mut changes = SettingsChanges { overridden, ..SettingsChanges::default() };
        for key in NAMES.map(|name| name.key).into_iter().filter(|key| self.differs(read, key)) {
            if key == "trust" || key.starts_with("limits.") || key.starts_with("log.") {
                changes.taken_over.push(key);
            } else {
                settings = settings.with(key, &self.settings);
                changes.fixed.push(key);
            }
        }
        let registration = RegistrationSettings { trust: read.registration.trust.clone(), ..self.registration.clone() };
        (Self { limits: read.limits, log: read.log, registration, settings, ..self.clone() }, changes)
    }

    /// Whether the parsed value of `key` differs in `read`.
    fn differs(&self, read: &Self, key: &'static str) -> bool {
        // Without `site_url` a service keeps the origin of its first build.
        let is_kept = key == "site_url" && (read.site_url.is_none() || read.site_url == self.site_url);
        let as_before = || Self::from_settings(read.settings.clone().with(key, &self.settings));
        !is_kept
            && !read.settings.is_same(key, &self.settings)
            && as_before().map(Self::values) != Ok(read.clone().values())
    }

    /// Returns these settings without their source texts.
    fn values(self) -> Self {
        Self { settings: RawSettings::default(), ..self }
    }

    fn from_settings(settings: RawSettings) -> Result<Self, ConfigError> {
        let default = Self::default();
        let listen = settings.optional("listen", address)?.unwrap_or(default.listen);
        let admin_listen = settings.optional("admin_listen", address)?;
        if let (Some(own), Some(setting)) = (admin_listen, settings.get("admin_listen"))
            && meet(own, listen)
        {
            let problem =
                "`admin_listen` is the same as `listen`, but must not be reachable by the public; give it another port";
            return Err(ConfigError::new(setting.place.clone(), problem));
        }
        let path = |key| settings.get(key).map(|setting| PathBuf::from(&setting.value));
        let text = |key| settings.get(key).map(|setting| setting.value.clone());
        Ok(Self {
            site_url: settings.optional("site_url", origin)?.or(default.site_url),
            listen,
            admin_listen,
            admin_hosts: settings.optional("admin_hosts", names_of_hosts)?.unwrap_or(default.admin_hosts),
            drain: settings.optional("drain_seconds", drain)?.unwrap_or(default.drain),
            dist: path("dist").unwrap_or(default.dist),
            trusted_proxies: settings.optional("trusted_proxies", networks)?.unwrap_or(default.trusted_proxies),
            edge_secret: settings.optional("edge_secret", edge_secret)?,
            workers: settings.optional("workers", workers)?.unwrap_or(default.workers),
            limits: limits(&settings, default.limits)?,
            mcp_allowed_origins: settings
                .optional("mcp.allowed_origins", origins)?
                .unwrap_or(default.mcp_allowed_origins),
            report: settings.optional("report", boolean)?.unwrap_or(default.report),
            log: LogSettings {
                format: settings.optional("log.format", log_format)?.unwrap_or(default.log.format),
                level: settings.optional("log.level", log_level)?.unwrap_or(default.log.level),
                access: settings.optional("log.access", boolean)?.unwrap_or(default.log.access),
            },
            registration: RegistrationSettings {
                store: text("store"),
                secret_file: path("secret_file"),
                mail: text("mail"),
                trust: path("trust"),
            },
            settings,
        })
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            site_url: None,
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080),
            admin_listen: None,
            admin_hosts: Vec::new(),
            drain: Duration::ZERO,
            dist: PathBuf::from("dist"),
            trusted_proxies: Vec::new(),
            edge_secret: None,
            workers: processors(),
            limits: LimitSettings::default(),
            mcp_allowed_origins: Vec::new(),
            report: true,
            log: LogSettings { format: LogFormat::Text, level: tracing::Level::INFO, access: false },
            registration: RegistrationSettings::default(),
            settings: RawSettings::default(),
        }
    }
}

fn limits(settings: &RawSettings, default: LimitSettings) -> Result<LimitSettings, ConfigError> {
    let positive = |key, default| Ok(settings.optional(key, positive)?.unwrap_or(default));
    Ok(LimitSettings {
        content_per_minute: positive("limits.content_per_minute", default.content_per_minute)?,
        mcp_per_minute: positive("limits.mcp_per_minute", default.mcp_per_minute)?,
        mcp_with_credential_per_minute: positive(
            "limits.mcp_with_credential_per_minute",
            default.mcp_with_credential_per_minute,
        )?,
        registration_per_minute: positive("limits.registration_per_minute", default.registration_per_minute)?,
        search_per_minute: positive("limits.search_per_minute", default.search_per_minute)?,
        loopback: settings.optional("limits.loopback", boolean)?.unwrap_or(default.loopback),
        registration: quotas(settings, &default.registration)?,
    })
}

fn quotas(settings: &RawSettings, default: &Quotas) -> Result<Quotas, ConfigError> {
    let number = |key, default| Ok(settings.optional(key, number)?.unwrap_or(default));
    Ok(Quotas {
        anonymous_per_client: number("limits.anonymous_per_client", default.anonymous_per_client)?,
        anonymous: number("limits.anonymous", default.anonymous)?,
        assertions_per_client: number("limits.assertions_per_client", default.assertions_per_client)?,
        assertions: number("limits.assertions", default.assertions)?,
        emails_per_client: number("limits.letters_per_client", default.emails_per_client)?,
        emails_per_mailbox: number("limits.letters_per_mailbox", default.emails_per_mailbox)?,
        emails_per_domain: number("limits.letters_per_domain", default.emails_per_domain)?,
        emails: number("limits.letters", default.emails)?,
        wrong_codes_per_client: number("limits.wrong_codes_per_client", default.wrong_codes_per_client)?,
        wrong_codes: number("limits.wrong_codes", default.wrong_codes)?,
        registrations: settings.optional("limits.registrations", rows)?.unwrap_or(default.registrations),
        links: settings.optional("limits.links", rows)?.unwrap_or(default.links),
    })
}

fn number(setting: &Setting) -> Result<u32, &'static str> {
    setting.value.parse().map_err(|_| "a whole number from 0 to 4294967295")
}

fn rows(setting: &Setting) -> Result<u64, &'static str> {
    setting.value.parse().map_err(|_| "a whole number from 0 to 18446744073709551615")
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MAX_WORKERS)
}

/// With the time for answers in progress, less than the 90 seconds after which a unit is killed.
const MAX_DRAIN_SECONDS: u64 = 60;

/// Upper bound of the server library.
const MAX_WORKERS: usize = 512;

fn origin(setting: &Setting) -> Result<String, &'static str> {
    if is_origin(&setting.value) {
        Ok(setting.value.clone())
    } else {
        Err("an origin without a path, such as `https://firm.example`")
    }
}

fn origins(setting: &Setting) -> Result<Vec<String>, &'static str> {
    let origins = setting.value.split(',').map(str::trim).filter(|item| !item.is_empty());
    origins
        .map(|item| (item == ANY_ORIGIN || is_origin(item)).then(|| item.to_owned()))
        .collect::<Option<_>>()
        .ok_or("origins without a path, such as `https://app.example, https://desk.example`, or `*` for all without a credential")
}

fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']))
}

fn address(setting: &Setting) -> Result<SocketAddr, &'static str> {
    const EXPECTED: &str = "host and port, such as `127.0.0.1:8080` or `[::]:8080`";
    const UNKNOWN: &str = "a host whose name this machine can look up, or its address, such as `127.0.0.1:8080`";
    if let Ok(address) = setting.value.parse() {
        return Ok(address);
    }
    let (host, port) = setting.value.rsplit_once(':').filter(|(host, _)| !host.is_empty()).ok_or(EXPECTED)?;
    let port: u16 = port.parse().map_err(|_| EXPECTED)?;
    (host, port).to_socket_addrs().ok().and_then(preferred).ok_or(UNKNOWN)
}

fn names_of_hosts(setting: &Setting) -> Result<Vec<String>, &'static str> {
    let names = setting.value.split(',').map(str::trim).filter(|item| !item.is_empty());
    names
        .map(|item| (!item.contains(['/', ':', '*', ' '])).then(|| item.to_owned()))
        .collect::<Option<_>>()
        .ok_or("names without a port, such as `one.internal.example, two.internal.example`")
}

fn drain(setting: &Setting) -> Result<Duration, &'static str> {
    match setting.value.parse() {
        Ok(seconds) if seconds <= MAX_DRAIN_SECONDS => Ok(Duration::from_secs(seconds)),
        _ => Err("a whole number of seconds from 0 to 60"),
    }
}

/// Whether a connection to one address may reach the other. Port 0 stands for any free port.
fn meet(one: SocketAddr, other: SocketAddr) -> bool {
    let covers = |one: IpAddr, other: IpAddr| one.is_unspecified() && (one.is_ipv6() || other.is_ipv4());
    let [first, second] = [one, other].map(|address| address.ip().to_canonical());
    one.port() != 0 && one.port() == other.port() && (first == second || covers(first, second) || covers(second, first))
}

/// Returns the first IPv4 address of a name, or else its first address. `localhost` often resolves to `::1` first,
/// which a proxy to `127.0.0.1` would not reach.
fn preferred(mut found: impl Iterator<Item = SocketAddr>) -> Option<SocketAddr> {
    let first = found.next()?;
    Some(if first.is_ipv4() { first } else { found.find(SocketAddr::is_ipv4).unwrap_or(first) })
}

fn networks(setting: &Setting) -> Result<Vec<Network>, &'static str> {
    setting
        .value
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(|item| match (item, Network::parse(item)) {
            ("any", _) => Ok(Network::ALL.to_vec()),
            (_, Some(network)) if network.is_wide() => {
                Err("networks of proxies, none wider than a /8 (IPv6: /7), or `any` if only proxies can reach the service: a \
                     client in them chooses the address by which it is counted")
            }
            (_, network) => Ok(vec![network.ok_or("addresses or networks, such as `10.0.0.0/8, 192.0.2.7`")?]),
        })
        .collect::<Result<Vec<_>, _>>()
        .map(|networks| networks.concat())
}

fn edge_secret(setting: &Setting) -> Result<EdgeSecret, &'static str> {
    EdgeSecret::parse(&setting.value)
        .ok_or("32 to 256 visible characters without spaces, such as `openssl rand -hex 32` prints")
}

fn workers(setting: &Setting) -> Result<usize, &'static str> {
    match setting.value.parse() {
        Ok(count) if (1..=MAX_WORKERS).contains(&count) => Ok(count),
        _ => Err("a whole number from 1 to 512"),
    }
}

fn positive(setting: &Setting) -> Result<NonZeroU32, &'static str> {
    setting.value.parse().map_err(|_| "a whole number from 1 to 4294967295")
}

fn boolean(setting: &Setting) -> Result<bool, &'static str> {
    setting.value.parse().map_err(|_| "`true` or `false`")
}

fn log_format(setting: &Setting) -> Result<LogFormat, &'static str> {
    match setting.value.as_str() {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err("`text` or `json`"),
    }
}

fn log_level(setting: &Setting) -> Result<tracing::Level, &'static str> {
    setting.value.parse().map_err(|_| "`error`, `warn`, `info`, `debug` or `trace`")
}

#[cfg(test)]
mod tests;
