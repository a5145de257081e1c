//! Decides whether a provider's word is enough for a registration, or the user has to be asked.
//!
//! Pure: it is told what the store knows about the user, inside the transaction in which the answer counts.

use std::time::Duration;

use contract::{agent_auth::RegistrationType, agent_errors::AgentErrorCode as Code, scopes::Scope};

use super::new::New;
use crate::{
    domain::{
        Effect, Mailbox, Pepper, Record, Registered, RegistrationChange, RegistrationError, Spent,
        assertion::Assertion, claim::Claim, credential::Credential, providers::SKEW, record::ProviderWord,
    },
    store::{KnownUser, Linked},
};

/// By how much one replica's clock may be behind another's, far beyond the difference that is warned of.
const SLOW: Duration = Duration::from_hours(1);

/// What a provider's word asks for.
pub(super) struct Admission {
    new: NewRegistration,
    record: Record,
    /// The mailbox that, according to the provider, is the user's.
    email: Option<Mailbox>,
    /// The mark of the assertion, if it may be used only once.
    spent: Option<Spent>,
    /// Whether the user may be written to; nobody may be before the email has been counted.
    may_ask: bool,
}

impl Admission {
    /// Reads what `assertion` asks for, narrowed to `scopes` if there are any.
    ///
    /// # Errors
    /// If what it asks for has nothing to do with this service: a credential that is good for nothing is of no use.
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
            // Until no clock accepts the assertion: the clock by which the mark is forgotten may be ahead of the one
            // that would accept it.
            expires: assertion.expires_at.plus(SKEW).plus(SLOW),
        });
        Ok(Self { new, record, email: assertion.email.clone(), spent, may_ask })
    }

    /// Returns the registration, its effects, and what the agent is told.
    ///
    /// # Errors
    /// If the provider has since taken its word back, or if the user has to be asked and may not be.
    pub(super) fn decide(
        self,
        known: KnownUser,
        pepper: &Pepper,
    ) -> Result<(Record, Vec<Effect>, Registered), RegistrationError> {
        let word = self.record.provider.as_ref().map_or(self.new.now, |provider| provider.asserted);
        if known.revoked_before.is_some_and(|mark| word <= mark) {
            return Err(Code::Expired.into());
        }
        // Security: a link is to one mailbox. A user who is now said to read another one is, as its reader, no better
        // known than anybody; if the link were enough, what is held would be in the name of somebody other than
        // asserted.
        let link = known.link.filter(|Linked(by)| self.email.is_none() || *by == self.email);
        // And an address that already belongs to a person is not linked just because a provider says so; its reader
        // decides.
        if link.is_none() && known.is_known { self.ask(pepper) } else { Ok(self.vouch(link)) }
    }

    /// Asks the user, who must agree before anything is issued.
    fn ask(self, pepper: &Pepper) -> Result<(Record, Vec<Effect>, Registered), RegistrationError> {
        let mut effects = self.first_effects();
        let Self { new, mut record, email, may_ask, .. } = self;
        let (true, Some(email)) = (may_ask, email) else { return Err(Code::InteractionRequired.into()) };
        record.bound = Some(email.clone());
        let (record, more, _) = record.ask(&email, new.phrase, new.seed.clone(), pepper, new.now)?;
        effects.extend(more);
        let registered = new.registered(&record, true);
        Ok((record, effects, registered))
    }

    /// Accepts the provider's word: for a user whom it has linked, or one who is new here and is linked now.
    fn vouch(self, link: Option<Linked>) -> (Record, Vec<Effect>, Registered) {
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
