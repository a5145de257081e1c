//! What the command line and the environment ask for, in one place. Flags override variables.

use std::{borrow::Cow, io::Write, time::Duration};

use contract::tool;

use crate::{
    args::{Format, Options},
    base_url::BaseUrl,
    failure::Failure,
    host::{self, Host},
    key::Key,
    keyring::Keyring,
    output::{Form, View, jq::Filter, text::note},
    surroundings::Surroundings,
    typed::Typed,
};

/// How to send requests and how to show answers.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) base: BaseUrl,
    pub(crate) sent: Sent,
    pub(crate) timeout: Duration,
    pub(crate) retries: u8,
    pub(crate) storing: Storing,
    pub(crate) view: View,
    /// The command line, for the commands that are suggested next.
    pub(crate) typed: Typed,
}

/// How stored answers are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storing {
    /// Ask with the stored tag, keep new answers, and show the last one if the host is out of reach.
    Normal,
    /// Neither read nor written.
    Off,
    /// Shown instead of asking.
    Only,
}

/// The credential that is sent, by its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// None: the command line gave an empty one, or none is known for the host.
    Nothing,
    /// The one from the command line or the environment.
    Given(Key),
    /// The one from a registration of this tool with this host.
    Kept(Key),
    /// The sandbox key that the host publishes, learned by `mecelle use`.
    Published(Key),
}

impl Settings {
    /// Returns the credential that is sent, if any.
    pub(crate) const fn key(&self) -> Option<&Key> {
        match &self.sent {
            Sent::Nothing => None,
            Sent::Given(key) | Sent::Kept(key) | Sent::Published(key) => Some(key),
        }
    }

    /// Returns the credential that is sent, unless it is one that anybody may know.
    pub(crate) fn private_key(&self) -> Option<&Key> {
        self.key().filter(|_| !matches!(self.sent, Sent::Published(_)))
    }

    /// Reads the settings. A damaged file of keys ends a command that `needs_keys`; for any other, a line in `notes`
    /// says that it goes on without the kept key.
    pub(crate) fn load(
        options: &Options,
        typed: &Typed,
        needs_keys: bool,
        env: &Surroundings,
        notes: &mut dyn Write,
    ) -> Result<Self, Failure> {
        let form = form(options, env)?;
        let Host { base, sandbox_key } = host(options, env)?;
        let sent = match given(options, env)? {
            Some(text) if text.is_empty() => Sent::Nothing,
            Some(text) => Sent::Given(Key::new(text.into_owned())),
            None => match kept(env, &base) {
                Ok(Some(key)) => Sent::Kept(key),
                Err(failure) if needs_keys => return Err(failure),
                other => {
                    if let Err(failure) = other {
                        note(notes, &format!("warning: {} The kept key is not sent.", failure.message()));
                    }
                    sandbox_key.map_or(Sent::Nothing, Sent::Published)
                }
            },
        };
        Ok(Self { sent, ..Self::unkeyed(base, form, options, typed) })
    }

    /// Reads the settings of the command that gets to know the host `url`. Security: it is sent no key of any kind, and
    /// nothing that was stored takes the place of its answer.
    pub(crate) fn of_new_host(
        url: &str,
        options: &Options,
        typed: &Typed,
        env: &Surroundings,
    ) -> Result<Self, Failure> {
        let settings = Self::unkeyed(parsed("the host", url)?, form(options, env)?, options, typed);
        let storing = if settings.storing == Storing::Only { Storing::Only } else { Storing::Off };
        Ok(Self { storing, ..settings })
    }

    fn unkeyed(base: BaseUrl, form: Form, options: &Options, typed: &Typed) -> Self {
        Self {
            base,
            sent: Sent::Nothing,
            timeout: options.timeout,
            retries: options.retries,
            storing: match (options.no_cache, options.offline) {
                (true, _) => Storing::Off,
                (_, true) => Storing::Only,
                _ => Storing::Normal,
            },
            view: View { form, wide: options.wide, paged: !options.no_pager },
            typed: typed.clone(),
        }
    }
}

/// Returns the host to ask: the one of the command line or the environment, else the kept one. The kept one's sandbox
/// key is no other host's.
pub(crate) fn host(options: &Options, env: &Surroundings) -> Result<Host, Failure> {
    let base = match (&options.base_url, env.variable(tool::BASE_URL)) {
        (Some(text), _) => parsed("--base-url", text)?,
        (None, Some(text)) => parsed(tool::BASE_URL, &text)?,
        (None, None) => return Host::load(env)?.ok_or_else(host::unknown),
    };
    // A damaged file is reported when it is needed.
    let kept = Host::load(env).ok().flatten().filter(|kept| kept.base == base);
    Ok(kept.unwrap_or_else(|| Host::new(base, None)))
}

fn parsed(origin: &str, text: &str) -> Result<BaseUrl, Failure> {
    BaseUrl::parse(text).map_err(|why| {
        let text = without_user(text);
        let remedy = "Give the host's root, for example https://firm.example or 127.0.0.1:8080.";
        Failure::usage(format!("{origin} is `{text}`: {why}."), remedy)
    })
}

/// Returns an address that may be shown. Security: without what precedes `@`, which may be a password.
pub(crate) fn without_user(text: &str) -> String {
    let is_scheme = |scheme: &str| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let scheme = text.find("://").filter(|end| is_scheme(&text[..*end])).map_or("", |end| &text[..end + "://".len()]);
    text.rsplit_once('@').map_or_else(|| text.to_owned(), |(_, host)| format!("{scheme}{host}"))
}

/// Returns the key from the command line, where empty means none, or from the environment.
fn given<'a>(options: &'a Options, env: &'a Surroundings) -> Result<Option<Cow<'a, str>>, Failure> {
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

/// Returns the key that a registration of this tool with this host obtained. Security: never another host's.
fn kept(env: &Surroundings, base: &BaseUrl) -> Result<Option<Key>, Failure> {
    let Some(ring) = Keyring::of(env) else { return Ok(None) };
    match ring.load(base)?.and_then(|entry| entry.credential) {
        // Security: the message does not repeat the credential.
        Some(text) if !Key::is_sendable(&text) => {
            Err(ring.unusable(&format!("the key of {base} contains a character that is not allowed in a header field")))
        }
        text => Ok(text.map(Key::new)),
    }
}

/// Returns the form of the output. A filter that cannot be parsed is reported before any request is sent.
fn form(options: &Options, env: &Surroundings) -> Result<Form, Failure> {
    Ok(match (&options.jq, options.output) {
        (Some(filter), _) => Form::Jq(Filter::parse(filter)?),
        (_, Some(Format::Table)) => Form::Table,
        (_, Some(Format::Json)) => Form::Bytes,
        (_, Some(Format::Csv)) => Form::Csv,
        (_, Some(Format::Markdown)) => Form::Markdown,
        _ if env.screen.is_some() => Form::Table,
        _ => Form::Bytes,
    })
}
