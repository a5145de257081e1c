//! What the command line and the environment ask for, in one place. Flags win over variables.

use std::{fmt, time::Duration};

use crate::{
    args::{Format, Options},
    base_url::BaseUrl,
    failure::Failure,
    keyring::Keyring,
    surroundings::Surroundings,
};

/// The host that is asked when nothing else is said.
pub const DEFAULT_BASE_URL: &str = "https://yalicam.example";
/// The published, read-only key that is sent when nothing else is said.
pub const SANDBOX_KEY: &str = "sandbox_yalicam_public_readonly";

/// How to ask and how to show.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) base: BaseUrl,
    pub(crate) key: Option<Key>,
    pub(crate) key_origin: KeyOrigin,
    pub(crate) timeout: Duration,
    pub(crate) retries: u8,
    pub(crate) storing: Storing,
    pub(crate) form: Form,
    pub(crate) wide: bool,
    pub(crate) paged: bool,
}

/// What stored answers are used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storing {
    /// Ask with the stored tag, keep new answers, and show the last one when the host is out of reach.
    Normal,
    /// Not at all.
    Off,
    /// Instead of asking.
    Only,
}

/// The form of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The API's exact bytes.
    Bytes,
    /// The results of a jq filter.
    Jq(String),
    /// A table for reading.
    Table,
    /// RFC 4180.
    Csv,
    /// A table for documents.
    Markdown,
}

/// Where the credential comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyOrigin {
    /// The command line or the environment; empty there means none.
    Given,
    /// A registration of this tool with this host.
    Kept,
    /// The published sandbox key.
    Published,
}

/// A credential. Security: its `Debug` form shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    /// The credential in clear, for the header field and the digest only.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Key(…)")
    }
}

impl Settings {
    /// Reads the settings.
    pub(crate) fn load(options: &Options, env: &Surroundings) -> Result<Self, Failure> {
        let base = base(options, env)?;
        let (key, key_origin) = key(options, env, &base)?;
        Ok(Self {
            base,
            key,
            key_origin,
            timeout: options.timeout,
            retries: options.retries,
            storing: match (options.no_cache, options.offline) {
                (true, _) => Storing::Off,
                (_, true) => Storing::Only,
                _ => Storing::Normal,
            },
            form: match (&options.jq, options.output) {
                (Some(filter), _) => Form::Jq(filter.clone()),
                (_, Some(Format::Table)) => Form::Table,
                (_, Some(Format::Json)) => Form::Bytes,
                (_, Some(Format::Csv)) => Form::Csv,
                (_, Some(Format::Markdown)) => Form::Markdown,
                _ if env.screen.is_some() => Form::Table,
                _ => Form::Bytes,
            },
            wide: options.wide,
            paged: !options.no_pager,
        })
    }
}

fn base(options: &Options, env: &Surroundings) -> Result<BaseUrl, Failure> {
    let (origin, text) = match (&options.base_url, env.variable("MECELLE_BASE_URL")) {
        (Some(text), _) => ("--base-url", text.as_str()),
        (None, Some(text)) => ("MECELLE_BASE_URL", text),
        (None, None) => ("the default", DEFAULT_BASE_URL),
    };
    BaseUrl::parse(text).map_err(|why| Failure::Usage {
        what: format!("{origin} is `{text}`: {why}"),
        remedy: "Give the host's root, for example https://yalicam.example or 127.0.0.1:8080.".to_owned(),
    })
}

fn key(options: &Options, env: &Surroundings, base: &BaseUrl) -> Result<(Option<Key>, KeyOrigin), Failure> {
    let (place, text) = match (&options.api_key, env.variable("MECELLE_API_KEY")) {
        (Some(text), _) => ("--api-key", text.as_str()),
        (None, Some(text)) => ("MECELLE_API_KEY", text),
        (None, None) => {
            let kept = Keyring::of(env).map(|ring| ring.load(base)).transpose()?.flatten();
            return Ok(match kept.and_then(|entry| entry.credential) {
                Some(credential) => (Some(Key(credential)), KeyOrigin::Kept),
                None => (Some(Key(SANDBOX_KEY.to_owned())), KeyOrigin::Published),
            });
        }
    };
    if text.is_empty() {
        return Ok((None, KeyOrigin::Given));
    }
    // Security: the message does not repeat the credential.
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Failure::Usage {
            what: format!("{place} holds a character that cannot stand in a header field."),
            remedy: "Copy the key again, without spaces or line breaks.".to_owned(),
        });
    }
    Ok((Some(Key(text.to_owned())), KeyOrigin::Given))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_key_and_host_are_the_ones_that_the_content_publishes() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../content/site.toml");
        let site: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
        assert_eq!(site["sandbox_key"].as_str(), Some(SANDBOX_KEY));
        assert_eq!(site["site_url"].as_str(), Some(DEFAULT_BASE_URL));
    }

    #[test]
    fn a_key_does_not_show_itself() {
        assert!(!format!("{:?}", Key("at_secret".to_owned())).contains("secret"));
    }
}
