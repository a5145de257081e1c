//! Verifies tokens of providers. Nothing is used before it is verified.

use std::{collections::HashMap, sync::Arc};

use clock::Time;
use metrics::{MetricsText, label};

use super::{
    Keys, Trust,
    client_metadata::ClientMetadata,
    keys::{KeySource, NoKey},
    signed::{Claims, Forged, TokenKind, Unreadable, Unverified},
    trust::{KeysAt, Provider},
};

/// Verifies tokens of the providers in the trust list for the audiences.
#[derive(Debug)]
pub struct Verifier {
    providers: HashMap<String, Trusted>,
    audiences: Vec<String>,
    /// The text of the trust list.
    list: String,
}

#[derive(Debug)]
struct Trusted {
    provider: Provider,
    keys: KeySource,
    /// If unlisted clients are fetched.
    clients: Option<Arc<ClientMetadata>>,
}

/// Why a token could not be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotVerified {
    /// Malformed or of another kind; the reason is for the sender.
    Malformed(&'static str),
    /// An algorithm that is not accepted, or not for this issuer.
    Algorithm,
    /// The issuer is not on the trust list.
    Issuer,
    /// The issuer has no such key.
    Key,
    /// The signature does not match.
    Signature,
    /// The issuer's keys cannot be fetched at present.
    KeysUnavailable {
        /// Seconds.
        retry_after: u64,
    },
}

/// Fetches the keys of each provider of `trust` once. Returns the issuers with the number of keys, or what is wrong.
pub fn reach_keys(trust: &Trust, keys: &Keys) -> Vec<(String, Result<String, String>)> {
    let reached = trust.providers().iter().map(|provider| {
        let counted = match &provider.keys {
            KeysAt::Here(set) => Ok(format!("{} in the trust list", set.len())),
            KeysAt::Address(address) => {
                keys.count_at(address, &provider.algorithms).map(|count| format!("{count} fetched"))
            }
        };
        (provider.issuer.clone(), counted)
    });
    reached.collect()
}

impl Verifier {
    /// Creates a verifier for tokens with one of `audiences`.
    pub fn new(trust: Trust, audiences: Vec<String>, keys: &Keys) -> Self {
        let list = trust.text().to_owned();
        let providers = trust.into_providers().into_iter().map(|provider| {
            let source = match &provider.keys {
                KeysAt::Here(set) => KeySource::Listed(set.clone()),
                KeysAt::Address(address) => keys.of(&provider.issuer, address, &provider.algorithms),
            };
            let clients = provider.fetches_clients.then(|| Arc::new(ClientMetadata::new(keys, provider.is_dev)));
            (provider.issuer.clone(), Trusted { provider, keys: source, clients })
        });
        Self { providers: providers.collect(), audiences, list }
    }

    /// Takes over the fetched keys of `former` where their address is unchanged: a changed list must neither cause
    /// fetches nor lose the keys of a provider that is down.
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

    /// Whether it was made from the same text as `trust`.
    pub fn is_of(&self, trust: &Trust) -> bool {
        self.list == trust.text()
    }

    pub fn trusts(&self, issuer: &str) -> bool {
        self.providers.contains_key(issuer)
    }

    /// Writes the metrics of fetched keys.
    pub fn write_metrics(&self, text: &mut MetricsText, now: Time) {
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

    /// Checks that `client_id`, which `provider` has signed and its list does not name, is the address of a client's
    /// metadata, if the list allows such clients. The error is for the log.
    pub(crate) async fn check_client(&self, provider: &Provider, client_id: &str, now: Time) -> Result<(), String> {
        match self.providers.get(&provider.issuer).and_then(|trusted| trusted.clients.as_ref()) {
            Some(clients) => clients.check(client_id, now).await,
            None => Err("the trust list does not name it".to_owned()),
        }
    }

    pub(crate) fn audiences(&self) -> &[String] {
        &self.audiences
    }

    /// Verifies a token of this kind. Returns its provider and claims.
    pub(crate) async fn claims(
        &self,
        jwt: &str,
        kind: TokenKind,
        now: Time,
    ) -> Result<(&Provider, Claims), NotVerified> {
        let token = Unverified::parse(jwt, kind)?;
        let Trusted { provider, keys, .. } = self.providers.get(token.issuer()).ok_or(NotVerified::Issuer)?;
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
