//! Settings from the command line and the environment. Options override variables.

use std::{borrow::Cow, io::Write, time::Duration};

use contract::tool;

use crate::{
    args::{Options, OutputFormat},
    base_url::BaseUrl,
    failure::Failure,
    host::{self, StoredHost},
    key::Key,
    keyring::Keyring,
    output::{OutputSettings, ResolvedFormat, jq::JqFilter, text::note},
    surroundings::Surroundings,
    typed::TypedLine,
};

#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) base: BaseUrl,
    pub(crate) sent: SentKey,
    pub(crate) timeout: Duration,
    pub(crate) retries: u8,
    pub(crate) cache_mode: CacheMode,
    pub(crate) view: OutputSettings,
    /// The command line, for suggested commands.
    pub(crate) typed: TypedLine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheMode {
    /// Revalidate, store new answers, and show the cached one if the host is unreachable.
    Normal,
    /// Neither read nor written.
    Off,
    /// No request is sent.
    Only,
}

/// The key to send, by origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SentKey {
    /// None: `--api-key` is empty, or there is no key for the host.
    Nothing,
    /// None yet: the description of the host, which may publish a key, was not read.
    Unknown,
    /// From `--api-key` or its variable.
    Given(Key),
    /// From this tool's registration with the host.
    Kept(Key),
    /// The sandbox key that the host's description publishes.
    Published(Key),
}

impl SentKey {
    pub(crate) fn of_host(host: StoredHost) -> Self {
        host.sandbox_key.map_or(Self::Nothing, Self::Published)
    }
}

impl Settings {
    pub(crate) const fn key(&self) -> Option<&Key> {
        match &self.sent {
            SentKey::Nothing | SentKey::Unknown => None,
            SentKey::Given(key) | SentKey::Kept(key) | SentKey::Published(key) => Some(key),
        }
    }

    /// Returns the key to send, unless it is published.
    pub(crate) fn private_key(&self) -> Option<&Key> {
        self.key().filter(|_| !matches!(self.sent, SentKey::Published(_)))
    }

    /// Reads the settings. A damaged key file ends a command with `needs_keys`; any other command continues without the
    /// key, after a warning in `notes`.
    pub(crate) fn load(
        options: &Options,
        typed: &TypedLine,
        needs_keys: bool,
        env: &Surroundings,
        notes: &mut dyn Write,
    ) -> Result<Self, Failure> {
        let format = resolve_format(options, env)?;
        let NamedHost { base, known } = resolve_host(options, env)?;
        let sent = match explicit_key(options, env)? {
            Some(text) if text.is_empty() => SentKey::Nothing,
            Some(text) => SentKey::Given(Key::new(text.into_owned())),
            None => match kept_key(env, &base) {
                Ok(Some(key)) => SentKey::Kept(key),
                Err(failure) if needs_keys => return Err(failure),
                other => {
                    if let Err(failure) = other {
                        note(notes, &format!("warning: {} The kept key is not sent.", failure.message()));
                    }
                    known.map_or(SentKey::Unknown, SentKey::of_host)
                }
            },
        };
        Ok(Self { sent, ..Self::without_key(base, format, options, typed) })
    }

    /// Reads the settings of `mecelle use`. Security: no key is sent to the new host, and no cached answer replaces its
    /// reply.
    pub(crate) fn of_new_host(
        url: &str,
        options: &Options,
        typed: &TypedLine,
        env: &Surroundings,
    ) -> Result<Self, Failure> {
        let settings =
            Self::without_key(parse_base_url("the host", url)?, resolve_format(options, env)?, options, typed);
        let cache_mode = if settings.cache_mode == CacheMode::Only { CacheMode::Only } else { CacheMode::Off };
        Ok(Self { cache_mode, ..settings })
    }

    fn without_key(base: BaseUrl, format: ResolvedFormat, options: &Options, typed: &TypedLine) -> Self {
        Self {
            base,
            sent: SentKey::Nothing,
            timeout: options.timeout,
            retries: options.retries,
            cache_mode: match (options.no_cache, options.offline) {
                (true, _) => CacheMode::Off,
                (_, true) => CacheMode::Only,
                _ => CacheMode::Normal,
            },
            view: OutputSettings { format, wide: options.wide, paged: !options.no_pager },
            typed: typed.clone(),
        }
    }
}

/// The host of a run. Security: `known` is of the same host, so that no key is sent to another one.
pub(crate) struct NamedHost {
    pub(crate) base: BaseUrl,
    /// The kept or learned host; `None` for one whose description was not read yet.
    known: Option<StoredHost>,
}

/// Returns the host: of the command line, the environment, or `mecelle use`.
pub(crate) fn resolve_host(options: &Options, env: &Surroundings) -> Result<NamedHost, Failure> {
    let base = match (&options.base_url, env.variable(tool::BASE_URL)) {
        (Some(text), _) => parse_base_url("--base-url", text)?,
        (None, Some(text)) => parse_base_url(tool::BASE_URL, &text)?,
        (None, None) => {
            let kept = StoredHost::load(env)?.ok_or_else(host::missing)?;
            return Ok(NamedHost { base: kept.base.clone(), known: Some(kept) });
        }
    };
    // A damaged file is reported only where the host comes from it.
    let kept = StoredHost::load(env).ok().flatten().filter(|kept| kept.base == base);
    let known = kept.or_else(|| StoredHost::load_learned(&base, env));
    Ok(NamedHost { base, known })
}

pub(crate) fn parse_base_url(origin: &str, text: &str) -> Result<BaseUrl, Failure> {
    BaseUrl::parse(text).map_err(|why| {
        let text = without_user(text);
        let remedy = "Give the host's root, for example https://firm.example or 127.0.0.1:8080.";
        Failure::usage(format!("{origin} is `{text}`: {why}."), remedy)
    })
}

/// Returns an address for display. Security: without the part before `@`, which may be a password.
pub(crate) fn without_user(text: &str) -> String {
    let is_scheme = |scheme: &str| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let scheme = text.find("://").filter(|end| is_scheme(&text[..*end])).map_or("", |end| &text[..end + "://".len()]);
    text.rsplit_once('@').map_or_else(|| text.to_owned(), |(_, host)| format!("{scheme}{host}"))
}

/// Returns the key of the command line (empty means none) or of the environment.
fn explicit_key<'a>(options: &'a Options, env: &'a Surroundings) -> Result<Option<Cow<'a, str>>, Failure> {
    let (place, text) = match (&options.api_key, env.variable(tool::API_KEY)) {
        (Some(text), _) => ("--api-key", Cow::from(text)),
        (None, Some(text)) => (tool::API_KEY, text),
        (None, None) => return Ok(None),
    };
    // Security: the message does not repeat the credential.
    if !text.is_empty() && !Key::is_sendable(&text) {
        return Err(Failure::usage(
            format!("{place} contains a character that is not allowed in a header field."),
            "Copy the key again, without spaces or line breaks.",
        ));
    }
    Ok(Some(text))
}

/// Returns the key of this tool's registration with `base`. Security: never the key of another host.
fn kept_key(env: &Surroundings, base: &BaseUrl) -> Result<Option<Key>, Failure> {
    let Some(ring) = Keyring::of(env) else { return Ok(None) };
    match ring.load(base)?.and_then(|entry| entry.credential) {
        // Security: the message does not repeat the credential.
        Some(text) if !Key::is_sendable(&text) => {
            Err(ring.unusable(&format!("the key of {base} contains a character that is not allowed in a header field")))
        }
        text => Ok(text.map(Key::new)),
    }
}

/// Returns the output format. An invalid filter fails before any request is sent.
fn resolve_format(options: &Options, env: &Surroundings) -> Result<ResolvedFormat, Failure> {
    Ok(match (&options.jq, options.output) {
        (Some(filter), _) => ResolvedFormat::Jq(JqFilter::parse(filter)?),
        (_, Some(OutputFormat::Table)) => ResolvedFormat::Table,
        (_, Some(OutputFormat::Json)) => ResolvedFormat::Bytes,
        (_, Some(OutputFormat::Csv)) => ResolvedFormat::Csv,
        (_, Some(OutputFormat::Markdown)) => ResolvedFormat::Markdown,
        _ if env.screen.is_some() => ResolvedFormat::Table,
        _ => ResolvedFormat::Bytes,
    })
}
