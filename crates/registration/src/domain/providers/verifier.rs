//! Verifies what providers sign, in an order in which nothing is looked at before it may be trusted.

use std::{collections::HashMap, sync::Arc};

use clock::Time;
use metrics::{Text, label};

use super::{
    Keys, Provider, Trust,
    keys::{KeySource, NoKey},
    signed::{Claims, Forged, TokenKind, Unreadable, Unverified},
    trust::KeysAt,
};

/// Verifies what the providers in the trust list sign for one of the audiences.
#[derive(Debug)]
pub struct Verifier {
    providers: HashMap<String, Trusted>,
    audiences: Vec<String>,
    /// The trust list as it was read.
    list: String,
}

#[derive(Debug)]
struct Trusted {
    provider: Provider,
    keys: KeySource,
}

/// Why the signature of a token could not be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotVerified {
    /// It is not a token of the required kind; the reason is for the sender.
    Malformed(&'static str),
    /// It is signed in a way that no issuer may use, or that this issuer may not.
    Algorithm,
    /// The issuer is not on the trust list.
    Issuer,
    /// The issuer has no key of this name.
    Key,
    /// The signature was not made by the key.
    Signature,
    /// The issuer's keys cannot be obtained.
    KeysUnavailable {
        /// Seconds.
        retry_after: u64,
    },
}

impl Verifier {
    /// Creates a verifier for tokens whose audience is exactly one of `audiences`.
    pub fn new(trust: Trust, audiences: Vec<String>, keys: &Keys) -> Self {
        let list = trust.text().to_owned();
        let providers = trust.into_providers().into_iter().map(|provider| {
            let source = match &provider.keys {
                KeysAt::Here(set) => KeySource::Listed(set.clone()),
                KeysAt::Address(address) => keys.of(&provider.issuer, address, &provider.algorithms),
            };
            (provider.issuer.clone(), Trusted { provider, keys: source })
        });
        Self { providers: providers.collect(), audiences, list }
    }

    /// Goes on with the keys that `former` has fetched from where they still are to be fetched: a list that changes
    /// must not cause more requests, nor lose the keys of a provider that does not answer at the moment.
    #[must_use]
    pub fn with_keys_of(mut self, former: &Self) -> Self {
        for (issuer, trusted) in &mut self.providers {
            if let Some(known) = former.providers.get(issuer)
                && let (KeySource::Fetched(own), KeySource::Fetched(fetched)) = (&trusted.keys, &known.keys)
                && own.is_for_the_same(fetched)
            {
                trusted.keys = KeySource::Fetched(Arc::clone(fetched));
            }
        }
        self
    }

    /// Whether it was made from a list that reads as `trust` does.
    pub fn is_of(&self, trust: &Trust) -> bool {
        self.list == trust.text()
    }

    /// Whether what `issuer` signs is believed.
    pub fn trusts(&self, issuer: &str) -> bool {
        self.providers.contains_key(issuer)
    }

    /// Writes how old the keys are that providers publish, and how often they could not be had.
    pub(crate) fn write_metrics(&self, text: &mut Text, now: Time) {
        let caches = || self.providers.iter().filter_map(|(issuer, trusted)| Some((issuer, trusted.keys.cache()?)));
        text.gauges(
            "mecelle_provider_keys_age_seconds",
            "Time since the provider's keys were last fetched; absent before the first fetch.",
            caches().filter_map(|(issuer, keys)| Some((label("issuer", issuer), keys.age(now)?.as_secs_f64()))),
        );
        text.counters(
            "mecelle_provider_keys_failures_total",
            "Failed fetches of the provider's keys.",
            caches().map(|(issuer, keys)| (label("issuer", issuer), keys.failures())),
        );
    }

    /// Returns the audiences for which tokens are good.
    pub(in crate::domain) fn audiences(&self) -> &[String] {
        &self.audiences
    }

    /// Returns the claims of a token of this kind, and the provider that signed it.
    pub(in crate::domain) async fn claims(
        &self,
        jwt: &str,
        kind: TokenKind,
        now: Time,
    ) -> Result<(&Provider, Claims), NotVerified> {
        let token = Unverified::parse(jwt, kind)?;
        let Trusted { provider, keys } = self.providers.get(token.issuer()).ok_or(NotVerified::Issuer)?;
        if !provider.algorithms.contains(&token.algorithm()) {
            return Err(NotVerified::Algorithm);
        }
        let key = keys.find(token.key_id(), now).await?;
        let token = match token.verify(&key) {
            Ok(claims) => return Ok((provider, claims)),
            Err(Forged(token)) => token,
        };
        let key = keys.successor(token.key_id(), &key, now).await.ok_or(NotVerified::Signature)?;
        let claims = token.verify(&key).map_err(|_| NotVerified::Signature)?;
        Ok((provider, claims))
    }
}

impl From<Unreadable> for NotVerified {
    fn from(unreadable: Unreadable) -> Self {
        match unreadable {
            Unreadable::Malformed(reason) => Self::Malformed(reason),
            Unreadable::Algorithm => Self::Algorithm,
        }
    }
}

impl From<NoKey> for NotVerified {
    fn from(no_key: NoKey) -> Self {
        match no_key {
            NoKey::Unknown => Self::Key,
            NoKey::Unavailable { retry_after } => Self::KeysUnavailable { retry_after },
        }
    }
}
