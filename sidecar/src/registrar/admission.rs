//! Whether a provider's word is enough for a registration, or the user has to be asked.
//!
//! Pure: it is told what the store knows of the user, inside the transaction in which the answer counts.

use std::time::Duration;

use contract::{agent_errors::AgentErrorCode as Code, scopes::Scope};

use super::new::New;
use crate::{
    registration::{
        Change, Effect, Mailbox, Pepper, Record, Refusal, Registered, Spent, assertion::Assertion, claim::Claim,
        credential::Credential, providers::SKEW, record::ProviderWord, reply::RegistrationType,
    },
    store::{Acquaintance, Linked},
};

/// By how much the clock of one replica may be behind that of another, far beyond what is warned of.
const SLOW: Duration = Duration::from_hours(1);

/// What a provider's word asks for.
pub(super) struct Admission {
    new: New,
    record: Record,
    /// The mailbox that the provider says is the user's.
    email: Option<Mailbox>,
    /// The mark of the assertion, where it is good once.
    spent: Option<Spent>,
    /// Whether the user may be written to; nobody is before that was counted.
    may_ask: bool,
}

impl Admission {
    /// What `assertion` asks for, narrowed to `scopes` where there are any.
    ///
    /// # Errors
    /// When what it asks for has nothing to do with this service: a credential that is good for nothing helps nobody.
    pub(super) fn new(
        new: New,
        assertion: &Assertion,
        scopes: Option<&[Scope]>,
        may_ask: bool,
    ) -> Result<Self, Refusal> {
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
            // Until no clock lets it count: the one by which it is forgotten may be ahead of the one that would accept it.
            expires: assertion.expires_at.plus(SKEW).plus(SLOW),
        });
        Ok(Self { new, record, email: assertion.email.clone(), spent, may_ask })
    }

    /// The registration, what happens beside it, and what the agent is told.
    ///
    /// # Errors
    /// When the provider has taken its word back since, or the user has to be asked and may not be.
    pub(super) fn decide(
        self,
        known: Acquaintance,
        pepper: &Pepper,
    ) -> Result<(Record, Vec<Effect>, Registered), Refusal> {
        let word = self.record.provider.as_ref().map_or(self.new.now, |provider| provider.asserted);
        if known.revoked_before.is_some_and(|mark| word <= mark) {
            return Err(Code::Expired.into());
        }
        // Security: a link is to one mailbox. Who is said to read another one now is, as its reader, no better known than
        // anybody; were the link enough, what is held would stand in the name of somebody else than asserted.
        let link = known.link.filter(|Linked(by)| self.email.is_none() || *by == self.email);
        // And an address that is somebody's already is not linked because a provider says so; whoever reads it decides.
        if link.is_none() && known.is_known { self.ask(pepper) } else { Ok(self.vouch(link)) }
    }

    /// The user agrees before anything is handed out.
    fn ask(self, pepper: &Pepper) -> Result<(Record, Vec<Effect>, Registered), Refusal> {
        let mut effects = self.first_effects();
        let Self { new, mut record, email, may_ask, .. } = self;
        let (true, Some(email)) = (may_ask, email) else { return Err(Code::InteractionRequired.into()) };
        record.bound = Some(email.clone());
        let (record, more, _) = record.ask(&email, new.locale, new.seed.clone(), pepper, new.now)?;
        effects.extend(more);
        let registered = new.registered(&record, true);
        Ok((record, effects, registered))
    }

    /// The provider's word is enough: for a user whom it has linked, or who is new here and is linked now.
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
        record.claim = Claim::settled(new.now, by);
        record.claim_token = None;
        let (credential, more) = Credential::Absent.issue(record.full(new.draft(), new.now));
        effects.extend(more);
        record.credential = credential;
        let registered = new.registered(&record, false);
        (record, effects, registered)
    }

    fn first_effects(&self) -> Vec<Effect> {
        let created = Effect::Tell(Change::Created(self.record.kind));
        [created].into_iter().chain(self.spent.clone().map(Effect::Spend)).collect()
    }
}
