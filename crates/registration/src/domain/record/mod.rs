//! One registration: who asks, where its claim stands, what it holds. Here the two state machines move together.
//!
//! Pure, like the machines: a transition takes the record and returns what is to be kept, and the effects that go with
//! it.

use std::time::Duration;

use clock::Time;
use contract::{
    agent_auth::{CredentialType, RegistrationType},
    agent_errors::AgentErrorCode as Code,
    agent_replies::{ACCESS_TOKEN_LIFE, UNCLAIMED_LIFE},
    scopes::Scope,
};
use forms::{Content, Email};
use serde::{Deserialize, Serialize};

use super::{
    By, End, Mailbox, MatchPhrase, RegistrationChange, RegistrationError, RegistrationId,
    claim::{AskOutcome, Attempt, Claim, ClaimStatus, Guess},
    credential::{Active, Credential, Redemption},
    digest::Digest,
    effect::{Effect, QueuedEmail, Subject},
    secret::{Pepper, Seed},
};

mod poll;
mod provider_word;

pub(crate) use self::{poll::Poll, provider_word::ProviderWord};

/// How long a registration may wait for a person.
pub(crate) const UNCLAIMED: Duration = Duration::from_secs(UNCLAIMED_LIFE);
/// How long an access token lives.
const ACCESS_TOKEN: Duration = Duration::from_secs(ACCESS_TOKEN_LIFE);
/// How long an API key lives once a person has agreed.
const API_KEY: Duration = Duration::from_hours(24 * 90);
/// How long something is remembered after it is over.
const REMEMBERED: Duration = Duration::from_hours(24 * 30);

/// One registration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Its name.
    pub id: RegistrationId,
    /// How it began.
    pub kind: RegistrationType,
    /// When it began.
    pub created: Time,
    /// The provider's word for the user.
    pub provider: Option<ProviderWord>,
    /// The only person who may claim it.
    pub(crate) bound: Option<Mailbox>,
    /// The type of credential that was asked for.
    pub(crate) wanted: CredentialType,
    /// Everything that it may ever be used for; a provider can narrow this.
    pub scopes: Vec<Scope>,
    /// Where its claim stands.
    pub claim: Claim,
    /// Where its credential stands.
    pub credential: Credential,
    pub(crate) poll: Poll,
    /// The digest by which the claim token is known.
    pub(crate) claim_token: Option<Digest>,
    /// What the person who is asked recognises the agent by. There is none before a person is asked, and none in a
    /// registration that an earlier version asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_phrase: Option<MatchPhrase>,
    /// How it was ended last: its claim was denied, or it was revoked. There is none in a registration that goes on or
    /// has expired, and none in one that an earlier version ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<End>,
}

/// The result of a transition.
pub enum Step<T> {
    /// Nothing is stored.
    Keep(Result<T, RegistrationError>),
    /// The record as it is now is stored, together with its effects, whatever the answer is.
    Save(Box<Record>, Vec<Effect>, Result<T, RegistrationError>),
}

/// A new credential that a transition may issue.
#[derive(Clone, Debug)]
pub(crate) struct CredentialDraft {
    pub(crate) digest: Digest,
}

impl Record {
    /// Returns who asks, as people are told: the client that a provider vouches for, otherwise the registration.
    pub fn agent(&self) -> &str {
        self.provider.as_ref().map_or(self.id.as_str(), |provider| &provider.client)
    }

    /// Returns the user as the provider knows them.
    pub fn subject(&self) -> Option<Subject> {
        self.provider.as_ref().map(|provider| Subject {
            issuer: provider.issuer.clone(),
            tenant: provider.tenant.clone(),
            name: provider.subject.clone(),
        })
    }

    /// Returns the mailbox that it belongs to, or that may claim it.
    pub fn mailbox(&self) -> Option<&Mailbox> {
        self.claim.mailbox().or(self.bound.as_ref())
    }

    /// Returns when it can no longer be claimed, or never if it need not be claimed.
    pub(crate) fn expires(&self) -> Time {
        if self.claim.is_waiting() { self.claim.deadline() } else { Time::NEVER }
    }

    /// Returns when nothing of it needs to be remembered any more.
    pub(crate) fn forget_at(&self) -> Time {
        let credential = self.credential.active().map_or(self.created, |active| active.expires);
        credential.max(self.claim.deadline()).plus(REMEMBERED)
    }

    /// Whether agents can use it now.
    pub(crate) fn is_live(&self, now: Time) -> bool {
        self.credential.active().is_some_and(|active| now < active.expires)
    }

    /// Whether an agent can use it now in a person's name.
    pub(crate) fn is_held(&self, now: Time) -> bool {
        self.is_live(now) && matches!(self.claim.status(now), ClaimStatus::Claimed { .. })
    }

    /// Returns what it may be used for before it is claimed.
    pub(crate) fn scopes_before(&self) -> Vec<Scope> {
        Scope::BEFORE_CLAIM.into_iter().filter(|scope| self.scopes.contains(scope)).collect()
    }

    /// Returns a credential for an agent whose registration is unclaimed.
    pub(crate) fn unclaimed_credential(&self, draft: CredentialDraft, now: Time) -> Active {
        let life = if self.wanted == CredentialType::AccessToken { ACCESS_TOKEN } else { UNCLAIMED };
        Active {
            digest: draft.digest,
            kind: self.wanted,
            scopes: self.scopes_before(),
            expires: now.plus(life).min(self.claim.deadline()),
            is_claimed: false,
        }
    }

    /// Returns a credential for an agent whose registration has been claimed.
    pub(crate) fn claimed_credential(&self, draft: CredentialDraft, now: Time) -> Active {
        let life = if self.wanted == CredentialType::AccessToken { ACCESS_TOKEN } else { API_KEY };
        Active {
            digest: draft.digest,
            kind: self.wanted,
            scopes: self.scopes.clone(),
            expires: now.plus(life),
            is_claimed: true,
        }
    }

    /// Asks the reader of `email` to claim it, in the language of `phrase`, and returns the attempt. Whom it asks later
    /// is told the words that it was given first.
    pub(crate) fn ask(
        mut self,
        email: &Mailbox,
        phrase: MatchPhrase,
        seed: Seed,
        pepper: &Pepper,
        now: Time,
    ) -> Result<(Self, Vec<Effect>, Attempt), RegistrationError> {
        let notice = seed.clone();
        let (claim, asked) =
            self.claim.clone().ask(email, self.bound.as_ref(), (seed, phrase.locale()), pepper, now)?;
        self.claim = claim;
        // The machine has just put it there, or found it.
        let Some(attempt) = self.claim.attempt().cloned() else { return Err(Code::InternalError.into()) };
        let mut effects = Vec::new();
        if let AskOutcome::New { superseded } = asked {
            self.poll.restart();
            self.match_phrase = Some(self.match_phrase.map_or(phrase, |first| first.in_locale(phrase.locale())));
            effects.push(Effect::Audit(RegistrationChange::ClaimRequested));
            let digest = pepper.link(&attempt.seed).0.digest();
            effects.push(Effect::Link { digest, seed: attempt.seed.clone() });
            effects.push(Effect::Mail(self.email(&attempt)));
            if let Some(old) = superseded {
                let content = Content::Superseded { agent: self.agent().to_owned(), at: now };
                let email = Email { to: old.email.as_str().to_owned(), locale: old.locale, content };
                effects.push(Effect::Mail(QueuedEmail { seed: notice, email, expires: now.plus(UNCLAIMED) }));
            }
        }
        Ok((self, effects, attempt))
    }

    fn email(&self, attempt: &Attempt) -> QueuedEmail {
        let content = Content::Claim {
            agent: self.agent().to_owned(),
            provider: self.provider.as_ref().map(|provider| provider.name.clone()),
            scopes: self.scopes.clone(),
            requested: attempt.requested,
            expires: self.claim.end_of(attempt, attempt.requested),
            match_phrase: None,
        };
        let email = Email { to: attempt.email.as_str().to_owned(), locale: attempt.locale, content };
        // While the email cannot be sent, it waits for as long as the registration does.
        QueuedEmail { seed: attempt.seed.clone(), email, expires: self.claim.deadline() }
    }

    /// Records that the message of the attempt `seed` has left, or was given up.
    pub(crate) fn record_sent(mut self, seed: &Seed, now: Time) -> Step<()> {
        let Some(claim) = self.claim.clone().send(seed, now) else { return Step::Keep(Ok(())) };
        self.claim = claim;
        Step::Save(Box::new(self), Vec::new(), Ok(()))
    }

    /// Shows the code of the attempt `seed` to the person.
    pub(crate) fn show(mut self, seed: &Seed, now: Time) -> Step<Self> {
        let is_new = self.claim.attempt().is_some_and(|attempt| !attempt.is_shown());
        match self.claim.clone().show(seed, now) {
            Err(refusal) => Step::Keep(Err(refusal)),
            Ok(_) if !is_new => Step::Keep(Ok(self)),
            Ok(claim) => {
                self.claim = claim;
                Step::Save(Box::new(self.clone()), vec![Effect::Audit(RegistrationChange::CodeShown)], Ok(self))
            }
        }
    }

    /// Records that the person whom the attempt `seed` asks, or asked, refuses; refusing twice changes nothing.
    pub(crate) fn deny(mut self, seed: &Seed, pepper: &Pepper, now: Time) -> Step<()> {
        match self.claim.clone().deny(seed, self.bound.is_some(), pepper, now) {
            Err(refusal) => Step::Keep(Err(refusal)),
            Ok(claim) if claim == self.claim => Step::Keep(Ok(())),
            Ok(claim) => {
                self.claim = claim;
                if self.claim.is_ended() {
                    self.end = Some(End { at: now, by: By::User });
                }
                Step::Save(Box::new(self), vec![Effect::Audit(RegistrationChange::ClaimDenied)], Ok(()))
            }
        }
    }

    /// Continues without the person whom it asks, as the registration that it has become in `since`. Nothing is stored
    /// if it asks no person, or if no other may be asked.
    pub fn unask(mut self, since: &Self) -> Step<()> {
        match self.claim.clone().unask(&since.claim).filter(|_| self.bound.is_none()) {
            None => Step::Keep(Ok(())),
            Some(claim) => {
                self.claim = claim;
                Step::Save(Box::new(self), Vec::new(), Ok(()))
            }
        }
    }

    /// Remembers whom the registration has asked since, and who has refused, as `since` knows them.
    pub fn remember(mut self, since: &Self) -> Step<()> {
        match self.claim.clone().remember(&since.claim) {
            None => Step::Keep(Ok(())),
            Some(claim) => {
                self.claim = claim;
                Step::Save(Box::new(self), Vec::new(), Ok(()))
            }
        }
    }

    /// Checks a code. A right one claims the registration and issues `draft`, or widens what is held.
    pub(crate) fn complete(
        mut self,
        is_right: impl FnOnce(&Seed) -> bool,
        draft: CredentialDraft,
        now: Time,
    ) -> Step<Self> {
        let (claim, guess) = match self.claim.clone().guess(is_right, now) {
            Ok(guessed) => guessed,
            Err(refusal) => return Step::Keep(Err(refusal)),
        };
        self.claim = claim;
        if let Guess::Wrong(attempts_remaining) = guess {
            let told = vec![Effect::Audit(RegistrationChange::CodeRefused { attempts_remaining })];
            return Step::Save(Box::new(self), told, Err(RegistrationError::WrongCode { attempts_remaining }));
        }
        let (credential, more) = self.credential.clone().upgrade(self.claimed_credential(draft, now), now);
        self.credential = credential;
        let mut effects = vec![Effect::Audit(RegistrationChange::ClaimConfirmed)];
        effects.extend(more);
        if let Some(mailbox) = self.claim.mailbox() {
            effects.push(Effect::Know(mailbox.clone()));
        }
        if let Some(subject) = self.subject() {
            effects.push(Effect::Delegate { subject, email: self.claim.mailbox().cloned() });
        }
        Step::Save(Box::new(self.clone()), effects, Ok(self))
    }

    /// Returns the refusal of a poll about which nothing is to be stored, if it is such a poll.
    ///
    /// Security: polling without a pause, with one claim token at however many clients, delays no writer.
    pub(crate) fn early_poll_error(&self, now: Time) -> Option<RegistrationError> {
        match self.claim.status(now) {
            ClaimStatus::Unclaimed | ClaimStatus::Initiated(_) | ClaimStatus::Shown(_) => {
                self.poll.idle(now).map(|interval| RegistrationError::SlowDown { interval })
            }
            ClaimStatus::Over(_)
            | ClaimStatus::Claimed { .. }
            | ClaimStatus::Expired
            | ClaimStatus::Denied
            | ClaimStatus::Revoked => None,
        }
    }

    /// Answers a poll; issues `draft` once the registration is claimed.
    pub(crate) fn redeem(mut self, draft: CredentialDraft, now: Time) -> Step<Self> {
        if let Some(refusal) = self.early_poll_error(now) {
            return Step::Keep(Err(refusal));
        }
        let refuse = |code: Code| Step::Keep(Err(RegistrationError::Code(code)));
        let claimed = match self.claim.status(now) {
            ClaimStatus::Revoked => return refuse(Code::InvalidGrant),
            ClaimStatus::Denied => return refuse(Code::AccessDenied),
            ClaimStatus::Expired | ClaimStatus::Over(_) => return refuse(Code::ExpiredToken),
            ClaimStatus::Unclaimed | ClaimStatus::Initiated(_) | ClaimStatus::Shown(_) => {
                let refusal = match self.poll.poll(now) {
                    Ok(()) => RegistrationError::Code(Code::AuthorizationPending),
                    Err(interval) => RegistrationError::SlowDown { interval },
                };
                return Step::Save(Box::new(self), Vec::new(), Err(refusal));
            }
            ClaimStatus::Claimed { at } => at,
        };
        let new = self.claimed_credential(draft, now);
        let (credential, effects) = match self.credential.redemption(claimed, now) {
            Redemption::Spent => return refuse(Code::InvalidGrant),
            Redemption::First | Redemption::Replace => self.credential.clone().issue(new),
            Redemption::ReplaceUnused => self.credential.clone().reissue(new),
        };
        self.credential = credential;
        Step::Save(Box::new(self.clone()), effects, Ok(self))
    }

    /// Ends it in the name of the holder of the secret of `digest`.
    ///
    /// Security: what is no longer worth anything ends nothing either (RFC 7009, 2.2). Otherwise a credential that
    /// leaked and was replaced, or an old claim token, would take from the agent what it was given instead.
    pub(crate) fn revoke_by_holder(self, digest: &Digest, now: Time) -> Step<bool> {
        if self.is_valid_secret(digest, now) { self.revoke(By::Holder, now) } else { Step::Keep(Ok(false)) }
    }

    /// Whether the secret of `digest` is worth anything here: as the credential in force, or as the claim token for
    /// which one may still be had.
    fn is_valid_secret(&self, digest: &Digest, now: Time) -> bool {
        if self.claim_token.as_ref() != Some(digest) {
            return self.is_live(now) && self.credential.active().is_some_and(|active| active.digest == *digest);
        }
        match self.claim.status(now) {
            ClaimStatus::Unclaimed | ClaimStatus::Initiated(_) | ClaimStatus::Shown(_) | ClaimStatus::Over(_) => true,
            ClaimStatus::Claimed { at } => self.credential.redemption(at, now) != Redemption::Spent,
            ClaimStatus::Expired | ClaimStatus::Denied | ClaimStatus::Revoked => false,
        }
    }

    /// Ends it in the name of `by`. Nothing is stored if it is over already.
    pub(crate) fn revoke(mut self, by: By, now: Time) -> Step<bool> {
        let (credential, mut effects) = self.credential.clone().revoke();
        let claim = self.claim.clone().revoke(now);
        if claim.is_none() && effects.is_empty() {
            return Step::Keep(Ok(false));
        }
        self.credential = credential;
        if let Some(claim) = claim {
            self.claim = claim;
        }
        self.end = Some(End { at: now, by });
        effects.push(Effect::Audit(RegistrationChange::Revoked(by)));
        Step::Save(Box::new(self), effects, Ok(true))
    }
}
