//! The trust list: which providers may speak for their users, and how they sign.

mod file;

use std::path::Path;

use super::keys::{Algorithm, KeySet};
pub(crate) use crate::config::ConfigError as TrustError;

/// Every provider that is trusted. Nobody is by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trust {
    providers: Vec<Provider>,
}

/// A provider that is trusted.
#[derive(Clone, Debug)]
pub(crate) struct Provider {
    /// Its identifier: the `iss` of its tokens, letter by letter.
    pub(crate) issuer: String,
    /// Its name for people.
    pub(crate) name: String,
    /// The agents for which it may speak.
    pub(crate) client_ids: Vec<String>,
    /// How it may sign.
    pub(crate) algorithms: Vec<Algorithm>,
    /// Whether an assertion of it may come again for as long as it is good, as its draft allows; else it is good once.
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
    /// Reads the trust list at `path`.
    ///
    /// # Errors
    /// When the file cannot be read, is not TOML, or holds a name that is not known or a value that cannot be used;
    /// the message names the line.
    pub(crate) fn load(path: &Path) -> Result<Self, TrustError> {
        Self::parse(path, &crate::config::text_of(path, "MECELLE_TRUST")?)
    }

    /// Reads a trust list from `text`, which came from `path`.
    pub(crate) fn parse(path: &Path, text: &str) -> Result<Self, TrustError> {
        file::parse(path, text).map(|providers| Self { providers })
    }

    /// Whether nobody is trusted.
    pub(crate) fn is_empty(&self) -> bool {
        self.providers.is_empty()
    }

    pub(super) fn into_providers(self) -> Vec<Provider> {
        self.providers
    }
}

#[cfg(test)]
mod tests;
