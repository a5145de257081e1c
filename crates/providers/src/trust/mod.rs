//! The trust list: the trusted providers and how they sign.

mod file;

use std::path::Path;

pub(crate) use file::is_address;

use super::{
    client::TrustedClient,
    keys::{Algorithm, KeySet},
};
pub(crate) use settings::ConfigError as TrustError;

/// The trusted providers; none by default.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    providers: Vec<Provider>,
    text: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Provider {
    /// The `iss` of its tokens, compared character by character.
    pub(crate) issuer: String,
    /// The name shown to people.
    pub(crate) name: String,
    /// The clients for which it may issue assertions.
    pub(crate) clients: Vec<TrustedClient>,
    /// Whether an unlisted client may be named by the address of its metadata, which is then fetched.
    pub(crate) fetches_clients: bool,
    /// Whether the trust list is for development.
    pub(crate) is_dev: bool,
    /// Audiences of its reports, besides those of the site.
    pub(crate) event_audiences: Vec<String>,
    pub(crate) algorithms: Vec<Algorithm>,
    /// Whether its assertions may be repeated until they expire, as the draft allows.
    pub(crate) reuse_until_exp: bool,
    /// The optional claims that its assertions must have.
    pub(crate) requires: Requirements,
    pub(super) keys: KeysAt,
}

/// The claims of an assertion that the draft leaves optional and a provider must send, unless the trust list says
/// otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Requirements {
    /// The time of sign-in. Without it, only the lifetime of the assertion and its single use limit its age.
    pub(crate) auth_time: bool,
    /// A verified mailbox or telephone number. Without it, none is read.
    pub(crate) contact: bool,
}

impl Requirements {
    /// The rule of a provider without `requires`.
    pub(crate) const ALL: Self = Self { auth_time: true, contact: true };
}

/// The place of a provider's keys.
#[derive(Clone, Debug)]
pub(super) enum KeysAt {
    /// In the trust list.
    Here(KeySet),
    /// At this URL.
    Address(String),
}

impl Trust {
    /// Parses a trust list, read from `path`.
    ///
    /// # Errors
    /// If the list is not TOML, or has an unknown name or a wrong value; the message names the line.
    pub fn parse(path: &Path, text: &str) -> Result<Self, TrustError> {
        file::parse(path, text).map(|providers| Self { providers, text: text.to_owned() })
    }

    pub fn is_empty(&self) -> bool {
        self.providers.is_empty()
    }

    /// Returns the identifiers of the trusted providers.
    pub fn issuers(&self) -> impl Iterator<Item = &str> {
        self.providers.iter().map(|provider| provider.issuer.as_str())
    }

    /// Checks that the provider of `sidecar dev-provider` is trusted only by a service that `is_local`: with the site
    /// and the address of this machine.
    ///
    /// Security: its key is an ordinary file, with which every program of its owner can sign for every user.
    ///
    /// # Errors
    /// If another service trusts it; the message is the remedy.
    pub fn check_reach(&self, is_local: bool) -> Result<(), &'static str> {
        if is_local || !self.issuers().any(|issuer| issuer == dev_provider::ISSUER) {
            return Ok(());
        }
        Err("it names the provider that `sidecar dev-provider` made, which is for trying things out on one machine; \
             remove it from the list, or listen on 127.0.0.1 and serve a build for this machine (`generator build \
             --site-url http://127.0.0.1:8080`)")
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn providers(&self) -> &[Provider] {
        &self.providers
    }

    pub(super) fn into_providers(self) -> Vec<Provider> {
        self.providers
    }
}

#[cfg(test)]
mod tests;
