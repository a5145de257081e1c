//! The keys of providers: parsing, fetching and caching.

mod address;
mod algorithm;
mod cache;
mod fetch;
mod freshness;
mod key;
mod modulus;
mod set;
mod small_order;
mod state;

use std::{sync::Arc, time::Duration};

use clock::Time;

pub(crate) use self::{address::is_inward, algorithm::Algorithm, key::VerificationKey, set::KeySet};
use self::{cache::KeyCache, fetch::Fetch};

/// The fetcher of keys that are not in the trust list.
#[derive(Clone, Debug)]
pub struct Keys(Arc<dyn Fetch>);

impl Keys {
    /// Creates a fetcher over HTTPS from public addresses.
    pub fn over_https() -> Self {
        Self(Arc::new(fetch::Https::new()))
    }

    /// Fetches another document with the limits of a key set. Returns its bytes and `max-age`, or what is wrong.
    pub(super) fn document_at(&self, address: &str) -> Result<(Vec<u8>, Option<Duration>), String> {
        self.0.fetch(address).map(|answer| (answer.body, answer.max_age)).map_err(|error| error.to_string())
    }

    /// Fetches the keys at `address` once and returns their number, or what is wrong.
    pub(super) fn count_at(&self, address: &str, allowed: &[Algorithm]) -> Result<usize, String> {
        let answer = self.0.fetch(address).map_err(|error| error.to_string())?;
        KeySet::parse(&answer.body, allowed).map(|(keys, _)| keys.len()).map_err(str::to_owned)
    }

    /// Creates the source of the keys that `issuer` publishes at `address`.
    pub(super) fn of(&self, issuer: &str, address: &str, allowed: &[Algorithm]) -> KeySource {
        KeySource::Fetched(Arc::new(KeyCache::new(issuer, address, allowed, Arc::clone(&self.0))))
    }
}

/// The source of one provider's keys.
#[derive(Debug)]
pub(super) enum KeySource {
    /// In the trust list.
    Listed(KeySet),
    /// Published by the provider.
    Fetched(Arc<KeyCache>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoKey {
    /// The provider has no such key.
    Unknown,
    /// The provider's keys cannot be fetched at present.
    Unavailable {
        /// Seconds.
        retry_after: u64,
    },
}

impl KeySource {
    /// Returns the key `id`, or the only key.
    pub(super) async fn find(&self, id: Option<&str>, now: Time) -> Result<Arc<VerificationKey>, NoKey> {
        match self {
            Self::Listed(keys) => keys.find(id).map(Arc::clone).ok_or(NoKey::Unknown),
            Self::Fetched(cache) => cache.find(id, now).await,
        }
    }

    pub(super) fn cache(&self) -> Option<&KeyCache> {
        match self {
            Self::Listed(_) => None,
            Self::Fetched(cache) => Some(cache),
        }
    }

    /// Returns the key that has replaced `former`, by which a token with this `id` was not signed: a provider may reuse
    /// a `kid`, or use none.
    pub(super) async fn successor(
        &self,
        id: Option<&str>,
        former: &Arc<VerificationKey>,
        now: Time,
    ) -> Option<Arc<VerificationKey>> {
        match self {
            Self::Listed(_) => None,
            Self::Fetched(cache) => cache.successor(id, former, now).await,
        }
    }
}

#[cfg(test)]
mod tests;
