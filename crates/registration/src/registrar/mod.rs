//! Registration: what an agent, a person or a provider can ask for, with a file for each of them.
//!
//! [`Registrar`] is the way in. Behind it are the state machines of [`crate::domain`], and a store that applies
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
use contract::agent_errors::AgentErrorCode as Code;
pub use contract::manifest::{Abilities, Missing};
use metrics::{Text, label};
use tokio::sync::Notify;

use self::budgets::Budgets;
pub use self::{
    budgets::Quotas,
    email_worker::EmailWorker,
    housekeeping::{Sweeper, tidy},
    offers::Offers,
    request::{Caller, ClaimRequest, Completion, Exchange, Identity, RegistrationRequest, Which},
};
use crate::{
    domain::{
        Entropy, Pepper, RegistrationError, RegistrationId,
        providers::Verifier,
        record::{Record, Step},
        secret::NoEntropy,
    },
    store::{Budget, EmailQueue, Exhausted, Store, StoreError},
};

#[cfg(test)]
pub(crate) mod tests;

/// Handles registrations. Cheap to clone.
#[derive(Clone)]
pub struct Registrar(Arc<Inner>);

struct Inner {
    store: Store,
    pepper: Pepper,
    entropy: Entropy,
    /// The resources that tokens may be meant for.
    resources: Vec<String>,
    rules: ArcSwap<Rules>,
    /// Notified when there is an email.
    emails: Arc<Notify>,
    /// Notified when there is an email with a link to what agents hold.
    links: Arc<Notify>,
}

/// The parts of a registrar.
pub struct RegistrarParts {
    /// Where everything is kept.
    pub store: Store,
    /// What derived secrets are made of.
    pub pepper: Pepper,
    /// The source of secrets.
    pub entropy: Entropy,
    /// The resources that tokens may be meant for.
    pub resources: Vec<String>,
    /// The rules at first.
    pub rules: Rules,
}

/// What a running service may replace, as a whole.
#[derive(Clone, Debug)]
pub struct Rules {
    /// What the build publishes.
    pub offers: Offers,
    /// What the service can do.
    pub abilities: Abilities,
    /// How much is allowed. What was taken before stays taken.
    pub quotas: Quotas,
    /// Verifies what providers sign; `None` if no provider is trusted.
    pub providers: Option<Arc<Verifier>>,
}

impl Registrar {
    /// Creates a registrar that keeps what it knows in `parts.store`.
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

    /// Enforces other rules from now on.
    pub fn set_rules(&self, rules: Rules) {
        self.0.rules.store(Arc::new(rules));
    }

    /// Returns what is enforced.
    pub fn rules(&self) -> Arc<Rules> {
        self.0.rules.load_full()
    }

    /// Returns the error of a request for something that is not offered; where nothing is, it names no list to choose
    /// from.
    pub fn not_offered_error(&self, code: Code) -> RegistrationError {
        if self.rules().offers.is_empty() { RegistrationError::NothingOffered(code) } else { code.into() }
    }

    /// Returns the store in which everything is kept.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Returns the pepper from which the secrets of links and codes are derived.
    pub fn pepper(&self) -> &Pepper {
        &self.0.pepper
    }

    /// Returns the origin of the site, which is the first of its resources.
    pub(crate) fn site_url(&self) -> &str {
        self.0.resources.first().map_or("", String::as_str)
    }

    /// Whether the service can send mail.
    pub fn has_mail(&self) -> bool {
        self.0.rules.load().abilities.mail
    }

    /// Returns what is notified when there is an email of `queue` to send.
    pub(crate) fn email_notification(&self, queue: EmailQueue) -> Arc<Notify> {
        Arc::clone(match queue {
            EmailQueue::Links => &self.0.links,
            EmailQueue::Others => &self.0.emails,
        })
    }

    /// Returns an unpredictable length of time below `most`.
    pub(crate) fn delay(&self, most: Duration) -> Duration {
        self.0.entropy.delay(most)
    }

    fn budgets(&self, caller: Caller) -> Budgets<'_> {
        Budgets { quotas: self.0.rules.load().quotas, pepper: &self.0.pepper, caller }
    }

    /// Takes one from each budget, or refuses.
    async fn take(&self, budgets: Vec<Budget>, now: Time) -> Result<(), RegistrationError> {
        Ok(self.0.store.take(budgets, now).await??)
    }

    /// Returns what is counted, in the text format of Prometheus. What the store would have to be asked for is missing
    /// while it does not answer.
    pub async fn metrics(&self, now: Time) -> String {
        let (store, rules, mut text) = (&self.0.store, self.rules(), Text::default());
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

    /// Applies a transition. `unknown` is the refusal if there is no such registration.
    async fn update<T: Send + 'static>(
        &self,
        id: &RegistrationId,
        unknown: Code,
        now: Time,
        step: impl FnOnce(Record) -> Step<T> + Send + 'static,
    ) -> Result<T, RegistrationError> {
        self.0.store.update(id, now, step).await?.unwrap_or(Err(RegistrationError::Code(unknown)))
    }
}

/// After how long there may be room for another registration.
const FULL_RETRY: Duration = Duration::from_hours(1);

impl From<StoreError> for RegistrationError {
    fn from(error: StoreError) -> Self {
        use crate::domain::Conflict;
        match error {
            StoreError::Down(_) => Self::STORE,
            StoreError::Conflict(Conflict::Replayed) => Self::Code(Code::ReplayDetected),
            StoreError::Conflict(Conflict::Used) => Self::Code(Code::InvalidGrant),
            // Another request met the principal at the same moment; the next try sees it.
            StoreError::Conflict(Conflict::Known) => Self::Unavailable { retry_after: 1 },
            StoreError::Conflict(Conflict::Full) => Self::Unavailable { retry_after: FULL_RETRY.as_secs() },
        }
    }
}

impl From<Exhausted> for RegistrationError {
    /// The wait is rounded up: after it, the next window has begun.
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
