//! The keys with which providers sign: what makes one usable, where they come from, and how long they are kept.

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

use std::sync::Arc;

use clock::Time;

pub(crate) use self::{algorithm::Algorithm, key::Key, set::KeySet};
use self::{cache::KeyCache, fetch::Fetch};

/// How to fetch keys that the trust list does not hold.
#[derive(Clone, Debug)]
pub struct Keys(Arc<dyn Fetch>);

impl Keys {
    /// Fetches keys over HTTPS, and only from public addresses.
    pub fn over_https() -> Self {
        Self(Arc::new(fetch::Https::new()))
    }

    /// Returns the keys of `issuer`, which publishes them at `address` and may use the algorithms `allowed`.
    pub(super) fn of(&self, issuer: &str, address: &str, allowed: &[Algorithm]) -> KeySource {
        KeySource::Fetched(Arc::new(KeyCache::new(issuer, address, allowed, Arc::clone(&self.0))))
    }
}

/// Where the keys of one provider come from.
#[derive(Debug)]
pub(super) enum KeySource {
    /// The trust list holds them.
    Listed(KeySet),
    /// The provider publishes them.
    Fetched(Arc<KeyCache>),
}

/// Why there is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoKey {
    /// The provider has none with this name.
    Unknown,
    /// The provider's keys cannot be obtained.
    Unavailable {
        /// Seconds.
        retry_after: u64,
    },
}

impl KeySource {
    /// Returns the key with this name or, without a name, the only key there is.
    pub(super) async fn find(&self, id: Option<&str>, now: Time) -> Result<Arc<Key>, NoKey> {
        match self {
            Self::Listed(keys) => keys.find(id).map(Arc::clone).ok_or(NoKey::Unknown),
            Self::Fetched(cache) => cache.find(id, now).await,
        }
    }

    /// Returns what is known about keys that the provider publishes.
    pub(super) fn cache(&self) -> Option<&KeyCache> {
        match self {
            Self::Listed(_) => None,
            Self::Fetched(cache) => Some(cache),
        }
    }

    /// Returns the key that has replaced `former`, when a token that names this key was not signed by `former`: a
    /// provider whose key has no name, or the name of its predecessor, changes it without a sign.
    pub(super) async fn successor(&self, id: Option<&str>, former: &Arc<Key>, now: Time) -> Option<Arc<Key>> {
        match self {
            Self::Listed(_) => None,
            Self::Fetched(cache) => cache.successor(id, former, now).await,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
