//! The use cases of registration: what agents, people and providers can request, a file for each.
//!
//! [`Registrar`] is the entry point. Behind it are the state machines of [`crate::domain`], and a store that applies
//! one transition to one registration at a time.

mod access;
mod admission;
mod budgets;
mod claim;
mod delivery;
mod email_worker;
pub mod export;
mod housekeeping;
mod new;
mod offers;
pub mod overview;
mod person;
mod provider;
mod register;
mod request;
mod token;

use std::{sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use clock::Time;
use contract::errors::AgentErrorCode as Code;
pub use contract::manifest::{Abilities, Missing};
use metrics::{MetricsText, label};
use providers::Verifier;
use secrets::{Entropy, NoEntropy, Pepper, RegistrationId};
use tokio::sync::Notify;

use self::budgets::Budgets;
pub use self::{
    budgets::Quotas,
    email_worker::EmailWorker,
    housekeeping::{FOREIGN_KEYS, Sweeper, tidy, uses_foreign_keys},
    offers::Offers,
    request::{Caller, ClaimRequest, Completion, Exchange, Identity, RegistrationRequest, Which},
};
use crate::{
    domain::{
        RegistrationError,
        record::{RegistrationRecord, Step},
    },
    store::{Budget, EmailQueue, Exhausted, Store, StoreError},
};

#[cfg(test)]
pub(crate) mod tests;

/// The service of registrations. Cheap to clone.
#[derive(Clone)]
pub struct Registrar(Arc<Inner>);

struct Inner {
    store: Store,
    pepper: Pepper,
    entropy: Entropy,
    /// The site's resources (RFC 8707); the first is its origin.
    resources: Vec<String>,
    rules: ArcSwap<Rules>,
    /// Notified when an e-mail is stored.
    emails: Arc<Notify>,
    /// Notified when an access link is stored.
    links: Arc<Notify>,
}

/// The dependencies of a registrar.
pub struct RegistrarParts {
    pub store: Store,
    pub pepper: Pepper,
    pub entropy: Entropy,
    /// The site's resources (RFC 8707); the first is its origin.
    pub resources: Vec<String>,
    /// The initial rules.
    pub rules: Rules,
}

/// The rules, which a reload replaces as a whole.
#[derive(Clone, Debug)]
pub struct Rules {
    pub offers: Offers,
    pub abilities: Abilities,
    /// The limits. Counters survive a change.
    pub quotas: Quotas,
    /// `None` if no provider is trusted.
    pub providers: Option<Arc<Verifier>>,
}

impl Registrar {
    pub fn new(parts: RegistrarParts) -> Self {
        let RegistrarParts { store, pepper, entropy, resources, rules } = parts;
        Self(Arc::new(Inner {
            store,
            pepper,
            entropy,
            resources,
            rules: ArcSwap::from_pointee(rules),
            emails: Arc::default(),
            links: Arc::default(),
        }))
    }

    pub fn set_rules(&self, rules: Rules) {
        self.0.rules.store(Arc::new(rules));
    }

    pub fn rules(&self) -> Arc<Rules> {
        self.0.rules.load_full()
    }

    /// Returns the error of a request for something that is not offered. If nothing is offered at all, the error names
    /// no list to choose from.
    pub fn not_offered_error(&self, code: Code) -> RegistrationError {
        if self.rules().offers.is_empty() { RegistrationError::NothingOffered(code) } else { code.into() }
    }

    pub fn store(&self) -> &Store {
        &self.0.store
    }

    pub fn pepper(&self) -> &Pepper {
        &self.0.pepper
    }

    pub(crate) fn site_url(&self) -> &str {
        self.0.resources.first().map_or("", String::as_str)
    }

    pub fn has_mail(&self) -> bool {
        self.0.rules.load().abilities.mail
    }

    /// Returns the notification of new e-mails in `queue`.
    pub(crate) fn email_notification(&self, queue: EmailQueue) -> Arc<Notify> {
        Arc::clone(match queue {
            EmailQueue::Links => &self.0.links,
            EmailQueue::Others => &self.0.emails,
        })
    }

    /// Returns a random duration below `most`.
    pub(crate) fn delay(&self, most: Duration) -> Duration {
        self.0.entropy.delay(most)
    }

    fn budgets(&self, caller: Caller) -> Budgets<'_> {
        Budgets { quotas: self.0.rules.load().quotas, pepper: &self.0.pepper, caller }
    }

    /// Takes one from each budget, or returns an error with the wait.
    async fn take(&self, budgets: Vec<Budget>, now: Time) -> Result<(), RegistrationError> {
        Ok(self.0.store.take(budgets, now).await??)
    }

    /// Returns the metrics in the text format of Prometheus. Those that need the store are missing while it does not
    /// answer.
    pub async fn metrics(&self, now: Time) -> String {
        let (store, rules, mut text) = (&self.0.store, self.rules(), MetricsText::default());
        store.levels().write(&mut text, &rules.quotas.shared(), now);
        store.metrics().write(&mut text);
        let connections = store.connections();
        let states = connections.map(|(used, idle, _)| [("used", used), ("idle", idle)]).into_iter().flatten();
        let states = states.map(|(state, count)| (label("state", state), count));
        text.gauges("mecelle_store_connections", "Connections to the store.", states);
        let most = connections.map(|(.., most)| (String::new(), most));
        text.gauges("mecelle_store_connections_limit", "Maximum number of connections to the store.", most);
        let ahead = store.clock_skew(now).await.ok().flatten();
        let ahead = ahead.map(|milliseconds| {
            let seconds = Duration::from_millis(milliseconds.unsigned_abs()).as_secs_f64();
            (String::new(), if milliseconds < 0 { -seconds } else { seconds })
        });
        text.gauges("mecelle_store_clock_skew_seconds", "Clock of the database minus clock of this machine.", ahead);
        let waiting = store.waiting_emails(now).await.ok();
        let count = waiting.map(|(count, _)| (String::new(), count));
        text.gauges("mecelle_mail_waiting", "E-mails waiting to be sent.", count);
        let oldest = waiting.map(|(_, oldest)| (String::new(), oldest.as_secs_f64()));
        text.gauges("mecelle_mail_oldest_seconds", "Time that the oldest of them has waited.", oldest);
        if let Some(providers) = &rules.providers {
            providers.write_metrics(&mut text, now);
        }
        text.into()
    }

    /// Returns the accepted requests to register since the start, by kind.
    pub fn accepted_registrations(&self) -> [(&'static str, u64); 3] {
        self.0.store.metrics().accepted_registrations()
    }

    /// Returns a digest of `text` that cannot be found by guessing without the secret file.
    pub fn mark(&self, text: &str) -> String {
        self.0.pepper.mark(text)
    }

    /// Applies a transition; `unknown` is the error if there is no such registration.
    async fn update<T: Send + 'static>(
        &self,
        id: &RegistrationId,
        unknown: Code,
        now: Time,
        step: impl FnOnce(RegistrationRecord) -> Step<T> + Send + 'static,
    ) -> Result<T, RegistrationError> {
        self.0.store.update(id, now, step).await?.unwrap_or(Err(RegistrationError::Code(unknown)))
    }
}

/// `Retry-After` when the store is full of registrations.
const FULL_RETRY: Duration = Duration::from_hours(1);

impl From<StoreError> for RegistrationError {
    fn from(error: StoreError) -> Self {
        use crate::domain::Conflict;
        match error {
            StoreError::Down(_) => Self::STORE,
            StoreError::Conflict(Conflict::Replayed) => Self::Code(Code::ReplayDetected),
            StoreError::Conflict(Conflict::Used) => Self::Code(Code::InvalidGrant),
            // Another request created the principal; a retry sees it.
            StoreError::Conflict(Conflict::Known) => Self::Unavailable { retry_after: 1 },
            StoreError::Conflict(Conflict::Full) => Self::Unavailable { retry_after: FULL_RETRY.as_secs() },
        }
    }
}

impl From<Exhausted> for RegistrationError {
    /// Rounds the wait up, so that the next window has begun.
    fn from(exhausted: Exhausted) -> Self {
        let retry_after = exhausted.wait.as_millis().div_ceil(1000).max(1);
        Self::Limited { retry_after: u64::try_from(retry_after).unwrap_or(u64::MAX) }
    }
}

impl From<NoEntropy> for RegistrationError {
    fn from(_: NoEntropy) -> Self {
        Self::STORE
    }
}

impl std::fmt::Debug for Registrar {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Registrar").finish_non_exhaustive()
    }
}
