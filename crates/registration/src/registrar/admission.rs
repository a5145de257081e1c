//! Decides whether a provider's assertion is enough for a registration, or the user must agree.
//!
//! Pure: the store passes what it knows about the user, inside the transaction in which the result is stored.

use std::time::Duration;

use contract::{agent_auth::RegistrationType, errors::AgentErrorCode as Code, scopes::Scope};
use providers::{Assertion, SKEW};
use secrets::{Mailbox, Pepper};

use super::new::NewRegistration;
use crate::{
    domain::{
        Effect, Registered, RegistrationChange, RegistrationError, RegistrationRecord, Spent, claim::Claim,
        credential::Credential, record::ProviderWord,
    },
    store::{KnownUser, Linked},
};

/// Allowance for a slow clock of another replica, far beyond the skew that is reported.
const SLOW: Duration = Duration::from_hours(1);

/// A registration on a provider's assertion, before it is compared with the store.
pub(super) struct Admission {
    new: NewRegistration,
    record: RegistrationRecord,
    /// The verified mailbox in the assertion.
    email: Option<Mailbox>,
    /// Whether the user may be linked to a mailbox.
    is_linkable: bool,
    /// The `jti` to record, unless the assertion is reusable.
    spent: Option<Spent>,
    /// Whether an e-mail may be sent to the user: it has been counted.
    may_ask: bool,
}

impl Admission {
    /// Prepares the registration; its scopes are those of the assertion and of `scopes`.
    ///
    /// # Errors
    /// `invalid_scope` if no scope is left: such a credential would be useless.
    pub(super) fn new(
        new: NewRegistration,
        assertion: &Assertion,
        scopes: Option<&[Scope]>,
        may_ask: bool,
    ) -> Result<Self, RegistrationError> {
        let mut record = new.record(RegistrationType::Provider);
        let narrow = [assertion.scopes.as_deref(), scopes];
        record.scopes.retain(|scope| narrow.into_iter().flatten().all(|narrow| narrow.contains(scope)));
        if record.scopes.is_empty() {
            return Err(Code::InvalidScope.into());
        }
        record.provider = Some(ProviderWord::of(assertion));
        let spent = (!assertion.is_reusable).then(|| Spent {
            issuer: assertion.issuer.clone(),
            jti: assertion.jti.as_str().to_owned(),
            // Longer than any replica's clock accepts the assertion: the clock that deletes the mark may be ahead of
            // the one that verifies.
            expires: assertion.expires_at.plus(SKEW).plus(SLOW),
        });
        Ok(Self { new, record, email: assertion.email.clone(), is_linkable: assertion.has_contact, spent, may_ask })
    }

    /// Returns the registration, its effects and the answer to the agent.
    ///
    /// # Errors
    /// `expired` if the provider has withdrawn the assertion; `interaction_required` if the user must agree and
    /// `may_ask` is false or no mailbox is known.
    pub(super) fn decide(
        self,
        known: KnownUser,
        pepper: &Pepper,
    ) -> Result<(RegistrationRecord, Vec<Effect>, Registered), RegistrationError> {
        let word = self.record.provider.as_ref().map_or(self.new.now, |provider| provider.asserted);
        if known.revoked_before.is_some_and(|mark| word <= mark) {
            return Err(Code::Expired.into());
        }
        // Security: who is known by issuer and subject only gets no mailbox, not even that of an earlier link.
        if !self.is_linkable {
            return Ok(self.vouch(Some(Linked(None))));
        }
        // Security: a link covers one mailbox. If the assertion names another, treat the user as unlinked: the
        // registration would be recorded under the wrong person.
        let link = known.link.filter(|Linked(by)| self.email.is_none() || *by == self.email);
        // A mailbox that already belongs to a person is linked only with its reader's consent.
        if link.is_none() && known.is_known { self.ask(pepper) } else { Ok(self.vouch(link)) }
    }

    /// Asks the user; nothing is issued before they agree.
    fn ask(self, pepper: &Pepper) -> Result<(RegistrationRecord, Vec<Effect>, Registered), RegistrationError> {
        let mut effects = self.first_effects();
        let Self { new, mut record, email, may_ask, .. } = self;
        let (true, Some(email)) = (may_ask, email) else { return Err(Code::InteractionRequired.into()) };
        record.bound = Some(email.clone());
        let (record, more, _) = record.ask(&email, new.phrase, new.seed.clone(), pepper, new.now)?;
        effects.extend(more);
        let registered = new.registered(&record, true);
        Ok((record, effects, registered))
    }

    /// Accepts the assertion: of a linked user, or of a new one, who is linked now.
    fn vouch(self, link: Option<Linked>) -> (RegistrationRecord, Vec<Effect>, Registered) {
        let mut effects = self.first_effects();
        let Self { new, mut record, email, .. } = self;
        let by = if let Some(Linked(by)) = link {
            by
        } else {
            effects.extend(email.clone().map(Effect::Meet));
            let subject = record.subject();
            effects.extend(subject.map(|subject| Effect::Delegate { subject, email: email.clone() }));
            email
        };
        record.claim = Claim::claimed_at(new.now, by);
        record.claim_token = None;
        let (credential, more) = Credential::Absent.issue(record.claimed_credential(new.draft(), new.now));
        effects.extend(more);
        record.credential = credential;
        let registered = new.registered(&record, false);
        (record, effects, registered)
    }

    fn first_effects(&self) -> Vec<Effect> {
        let created = Effect::Audit(RegistrationChange::Created(self.record.kind));
        [created].into_iter().chain(self.spent.clone().map(Effect::Spend)).collect()
    }
}
