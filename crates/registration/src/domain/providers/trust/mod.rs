//! The trust list: which providers may speak for their users, and how they sign.

mod file;

use std::path::Path;

use super::{
    client::TrustedClient,
    keys::{Algorithm, KeySet},
};
pub(crate) use settings::ConfigError as TrustError;

/// The providers that are trusted. By default there are none.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    providers: Vec<Provider>,
    /// What they were read from.
    text: String,
}

/// A trusted provider.
#[derive(Clone, Debug)]
pub(crate) struct Provider {
    /// Its identifier: the `iss` of its tokens, character by character.
    pub(crate) issuer: String,
    /// Its name, as shown to people.
    pub(crate) name: String,
    /// The agents for which it may speak.
    pub(crate) clients: Vec<TrustedClient>,
    /// The names, besides those of the site, by which its reports call this service.
    pub(crate) event_audiences: Vec<String>,
    /// The algorithms with which it may sign.
    pub(crate) algorithms: Vec<Algorithm>,
    /// Whether one of its assertions may be repeated for as long as it is good, as its draft allows; otherwise it is
    /// good only once.
    pub(crate) reuse_until_exp: bool,
    /// Where its keys are.
    pub(super) keys: KeysAt,
}

/// Where the keys of a provider are.
#[derive(Clone, Debug)]
pub(super) enum KeysAt {
    /// In the trust list.
    Here(KeySet),
    /// At this address.
    Address(String),
}

impl Trust {
    /// Reads a trust list from `text`, which came from `path`.
    ///
    /// # Errors
    /// If it is not TOML, or holds an unknown name or a value that cannot be used; the message names the line.
    pub fn parse(path: &Path, text: &str) -> Result<Self, TrustError> {
        file::parse(path, text).map(|providers| Self { providers, text: text.to_owned() })
    }

    /// Whether no provider is trusted.
    pub fn is_empty(&self) -> bool {
        self.providers.is_empty()
    }

    /// Returns the identifiers of the providers that are trusted.
    pub fn issuers(&self) -> impl Iterator<Item = &str> {
        self.providers.iter().map(|provider| provider.issuer.as_str())
    }

    /// Checks that the provider of `sidecar dev-provider` is trusted only by a service that `is_local`: that serves the
    /// site of this machine at an address of this machine.
    ///
    /// Security: its key is a file like any other, with which every program of its owner can sign for every user.
    ///
    /// # Errors
    /// If it is trusted by another service; the message says what to do.
    pub fn check_reach(&self, is_local: bool) -> Result<(), &'static str> {
        if is_local || !self.issuers().any(|issuer| issuer == dev_provider::ISSUER) {
            return Ok(());
        }
        Err("it names the provider that `sidecar dev-provider` made, which is for trying things out on one machine; \
             remove it from the list, or listen on 127.0.0.1 and serve a build for this machine (`generator build \
             --site-url http://127.0.0.1:8080`)")
    }

    /// Returns what it was read from.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn into_providers(self) -> Vec<Provider> {
        self.providers
    }
}

#[cfg(test)]
mod tests;
