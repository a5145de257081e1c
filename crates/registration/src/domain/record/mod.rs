//! One registration, with the state machines of its claim and credential.
//!
//! Pure: a transition takes the record and returns the new one with its effects.

use std::time::Duration;

use clock::Time;
use contract::{
    agent_auth::{CredentialType, RegistrationType},
    agent_replies::{ACCESS_TOKEN_LIFE, UNCLAIMED_LIFE},
    errors::AgentErrorCode as Code,
    scopes::Scope,
};
use forms::{EmailContent, EmailDraft};
use providers::Subject;
use secrets::{Digest, Mailbox, Pepper, RegistrationId, Seed};
use serde::{Deserialize, Serialize};

use super::{
    By, MatchPhrase, RegistrationChange, RegistrationEnd, RegistrationError,
    claim::{AskOutcome, Attempt, Claim, ClaimPhase, Guess},
    credential::{Active, Credential, Redemption},
    effect::{Effect, QueuedEmail},
};

mod poll;
mod provider_word;

pub(crate) use self::{poll::Poll, provider_word::ProviderWord};

/// Time in which a registration must be claimed.
pub(crate) const UNCLAIMED: Duration = Duration::from_secs(UNCLAIMED_LIFE);
/// Lifetime of an access token.
const ACCESS_TOKEN: Duration = Duration::from_secs(ACCESS_TOKEN_LIFE);
/// Lifetime of an API key after a claim.
const API_KEY: Duration = Duration::from_hours(24 * 90);
/// Retention after the end.
const REMEMBERED: Duration = Duration::from_hours(24 * 30);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegistrationRecord {
    pub id: RegistrationId,
    pub kind: RegistrationType,
    pub created: Time,
    /// The provider's assertion.
    pub provider: Option<ProviderWord>,
    pub(crate) bound: Option<Mailbox>,
    /// The requested type of credential.
    pub(crate) wanted: CredentialType,
    /// All scopes that a claim can grant; a provider may have narrowed them.
    pub scopes: Vec<Scope>,
    pub claim: Claim,
    pub credential: Credential,
    pub(crate) poll: Poll,
    pub(crate) claim_token: Option<Digest>,
    /// The match phrase; none before the first attempt, and none in registrations of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_phrase: Option<MatchPhrase>,
    /// The last denial or revocation; none while it goes on or has expired, and none in registrations of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<RegistrationEnd>,
}

pub enum Step<T> {
    /// Stores nothing.
    Keep(Result<T, RegistrationError>),
    /// Stores the record and its effects, whatever the result is.
    Save(Box<RegistrationRecord>, Vec<Effect>, Result<T, RegistrationError>),
}

/// A credential that a transition may issue.
#[derive(Clone, Debug)]
pub(crate) struct CredentialDraft {
    pub(crate) digest: Digest,
}

impl RegistrationRecord {
    /// Returns the name of the agent as people see it: the provider's client, otherwise the registration.
    pub fn agent(&self) -> &str {
        self.provider.as_ref().map_or(self.id.as_str(), |provider| &provider.client)
    }

    /// Returns the provider's user.
    pub fn subject(&self) -> Option<Subject> {
        self.provider.as_ref().map(|provider| Subject {
            issuer: provider.issuer.clone(),
            tenant: provider.tenant.clone(),
            name: provider.subject.clone(),
        })
    }

    /// Returns the mailbox that has claimed or may claim it.
    pub fn mailbox(&self) -> Option<&Mailbox> {
        self.claim.mailbox().or(self.bound.as_ref())
    }

    /// Returns when it expires unclaimed, or never if it needs no claim.
    pub(crate) fn expires(&self) -> Time {
        if self.claim.is_waiting() { self.claim.deadline() } else { Time::NEVER }
    }

    /// Returns when it is deleted.
    pub(crate) fn forget_at(&self) -> Time {
        let credential = self.credential.active().map_or(self.created, |active| active.expires);
        credential.max(self.claim.deadline()).plus(REMEMBERED)
    }

    /// Whether its credential is in force.
    pub(crate) fn is_live(&self, now: Time) -> bool {
        self.credential.active().is_some_and(|active| now < active.expires)
    }

    /// Whether its credential is in force in a person's name.
    pub(crate) fn is_held(&self, now: Time) -> bool {
        self.is_live(now) && matches!(self.claim.status(now), ClaimPhase::Claimed { .. })
    }

    pub(crate) fn scopes_before_claim(&self) -> Vec<Scope> {
        Scope::BEFORE_CLAIM.into_iter().filter(|scope| self.scopes.contains(scope)).collect()
    }

    pub(crate) fn unclaimed_credential(&self, draft: CredentialDraft, now: Time) -> Active {
        let life = if self.wanted == CredentialType::AccessToken { ACCESS_TOKEN } else { UNCLAIMED };
        Active {
            digest: draft.digest,
            kind: self.wanted,
            scopes: self.scopes_before_claim(),
            expires: now.plus(life).min(self.claim.deadline()),
            is_claimed: false,
        }
    }

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

    /// Asks the reader of `email` to claim it, in the language of `phrase`, and returns the attempt. Later attempts
    /// repeat the first match phrase.
    pub(crate) fn ask(
        mut self,
        email: &Mailbox,
        phrase: MatchPhrase,
        seed: Seed,
        pepper: &Pepper,
        now: Time,
    ) -> Result<(Self, Vec<Effect>, Attempt), RegistrationError> {
        let notice = seed.clone();
        let (claim, started) =
            self.claim.clone().ask(email, self.bound.as_ref(), (seed, phrase.locale()), pepper, now)?;
        self.claim = claim;
        // `ask` has just created or found it.
        let Some(attempt) = self.claim.attempt().cloned() else { return Err(Code::InternalError.into()) };
        let mut effects = Vec::new();
        if let AskOutcome::New { superseded } = started {
            self.poll.restart();
            self.match_phrase = Some(self.match_phrase.map_or(phrase, |first| first.in_locale(phrase.locale())));
            effects.push(Effect::Audit(RegistrationChange::ClaimRequested));
            let digest = pepper.link(&attempt.seed).0.digest();
            effects.push(Effect::Link { digest, seed: attempt.seed.clone() });
            effects.push(Effect::Mail(self.email(&attempt)));
            if let Some(old) = superseded {
                let content = EmailContent::Superseded { agent: self.agent().to_owned(), at: now };
                let email = EmailDraft { to: old.email.as_str().to_owned(), locale: old.locale, content };
                effects.push(Effect::Mail(QueuedEmail { seed: notice, email, expires: now.plus(UNCLAIMED) }));
            }
        }
        Ok((self, effects, attempt))
    }

    fn email(&self, attempt: &Attempt) -> QueuedEmail {
        let content = EmailContent::Claim {
            agent: self.agent().to_owned(),
            provider: self.provider.as_ref().map(|provider| provider.name.clone()),
            scopes: self.scopes.clone(),
            requested: attempt.requested,
            expires: self.claim.end_of(attempt, attempt.requested),
            match_phrase: None,
        };
        let email = EmailDraft { to: attempt.email.as_str().to_owned(), locale: attempt.locale, content };
        // The e-mail is retried for as long as the registration can be claimed.
        QueuedEmail { seed: attempt.seed.clone(), email, expires: self.claim.deadline() }
    }

    /// Records that the e-mail of the attempt `seed` was sent or given up.
    pub(crate) fn record_sent(mut self, seed: &Seed, now: Time) -> Step<()> {
        let Some(claim) = self.claim.clone().send(seed, now) else { return Step::Keep(Ok(())) };
        self.claim = claim;
        Step::Save(Box::new(self), Vec::new(), Ok(()))
    }

    /// Records that the code of the attempt `seed` is shown.
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

    /// Denies the claim by the link of the attempt `seed`. A repeated denial changes nothing.
    pub(crate) fn deny(mut self, seed: &Seed, pepper: &Pepper, now: Time) -> Step<()> {
        match self.claim.clone().deny(seed, self.bound.is_some(), pepper, now) {
            Err(refusal) => Step::Keep(Err(refusal)),
            Ok(claim) if claim == self.claim => Step::Keep(Ok(())),
            Ok(claim) => {
                self.claim = claim;
                if self.claim.is_ended() {
                    self.end = Some(RegistrationEnd { at: now, by: By::User });
                }
                Step::Save(Box::new(self), vec![Effect::Audit(RegistrationChange::ClaimDenied)], Ok(()))
            }
        }
    }

    /// Withdraws the open attempt and adds the attempts and denials of `since`, its later state. Stores nothing without
    /// an open attempt, or if only that person may be asked.
    pub fn withdraw_request(mut self, since: &Self) -> Step<()> {
        match self.claim.clone().withdraw_request(&since.claim).filter(|_| self.bound.is_none()) {
            None => Step::Keep(Ok(())),
            Some(claim) => {
                self.claim = claim;
                Step::Save(Box::new(self), Vec::new(), Ok(()))
            }
        }
    }

    /// Adds the attempts and denials of `since`, its later state.
    pub fn remember(mut self, since: &Self) -> Step<()> {
        match self.claim.clone().remember(&since.claim) {
            None => Step::Keep(Ok(())),
            Some(claim) => {
                self.claim = claim;
                Step::Save(Box::new(self), Vec::new(), Ok(()))
            }
        }
    }

    /// Compares a code. A right one claims the registration and issues `draft` or widens the credential.
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
            let audit = vec![Effect::Audit(RegistrationChange::CodeRefused { attempts_remaining })];
            return Step::Save(Box::new(self), audit, Err(RegistrationError::WrongCode { attempts_remaining }));
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

    /// Returns the error of a poll that comes too early and changes nothing in the store.
    ///
    /// Security: polling without a pause, with one claim token from many clients, delays no writer.
    pub(crate) fn early_poll_error(&self, now: Time) -> Option<RegistrationError> {
        match self.claim.status(now) {
            ClaimPhase::Unclaimed | ClaimPhase::Initiated(_) | ClaimPhase::Shown(_) => {
                self.poll.idle(now).map(|interval| RegistrationError::SlowDown { interval })
            }
            ClaimPhase::Claimed { at } if self.credential.kept_by_polls(at, now).is_some() => {
                self.poll.idle(now).map(|interval| RegistrationError::SlowDown { interval })
            }
            ClaimPhase::Over(_)
            | ClaimPhase::Claimed { .. }
            | ClaimPhase::Expired
            | ClaimPhase::Denied
            | ClaimPhase::Revoked => None,
        }
    }

    /// Handles a poll; issues `draft` after the claim, but not in its first minutes while the credential of the code is
    /// unused.
    pub(crate) fn redeem(mut self, draft: CredentialDraft, now: Time) -> Step<Self> {
        if let Some(refusal) = self.early_poll_error(now) {
            return Step::Keep(Err(refusal));
        }
        let refuse = |code: Code| Step::Keep(Err(RegistrationError::Code(code)));
        let kept = match self.claim.status(now) {
            ClaimPhase::Revoked => return refuse(Code::InvalidGrant),
            ClaimPhase::Denied => return refuse(Code::AccessDenied),
            ClaimPhase::Expired | ClaimPhase::Over(_) => return refuse(Code::ExpiredToken),
            ClaimPhase::Unclaimed | ClaimPhase::Initiated(_) | ClaimPhase::Shown(_) => Vec::new(),
            ClaimPhase::Claimed { at } => match self.credential.kept_by_polls(at, now) {
                None => return self.issue_claimed(draft, now),
                // A key from before the claim may have been used then, and is replaced by a later poll nevertheless.
                Some(active) if !active.is_claimed => Vec::new(),
                Some(active) => vec![Effect::RequireUnused(active.digest.clone())],
            },
        };
        let refusal = match self.poll.poll(now) {
            Ok(()) => RegistrationError::Code(Code::AuthorizationPending),
            Err(interval) => RegistrationError::SlowDown { interval },
        };
        Step::Save(Box::new(self), kept, Err(refusal))
    }

    /// Issues `draft` after a claim.
    pub(crate) fn issue_claimed(mut self, draft: CredentialDraft, now: Time) -> Step<Self> {
        let refuse = |code: Code| Step::Keep(Err(RegistrationError::Code(code)));
        let ClaimPhase::Claimed { at: claimed } = self.claim.status(now) else { return refuse(Code::InvalidGrant) };
        let new = self.claimed_credential(draft, now);
        let (credential, effects) = match self.credential.redemption(claimed, now) {
            Redemption::Spent => return refuse(Code::InvalidGrant),
            Redemption::First | Redemption::Replace => self.credential.clone().issue(new),
            Redemption::ReplaceUnused => self.credential.clone().reissue(new),
        };
        self.credential = credential;
        Step::Save(Box::new(self.clone()), effects, Ok(self))
    }

    /// Revokes it by the secret with this digest.
    ///
    /// Security: an invalid secret revokes nothing (RFC 7009, 2.2). Otherwise a leaked and replaced credential, or an
    /// old claim token, would revoke its replacement.
    pub(crate) fn revoke_by_holder(self, digest: &Digest, now: Time) -> Step<bool> {
        if self.is_valid_secret(digest, now) { self.revoke(By::Holder, now) } else { Step::Keep(Ok(false)) }
    }

    /// Whether the secret is valid: the credential in force, or a claim token that can still bring one.
    fn is_valid_secret(&self, digest: &Digest, now: Time) -> bool {
        if self.claim_token.as_ref() != Some(digest) {
            return self.is_live(now) && self.credential.active().is_some_and(|active| active.digest == *digest);
        }
        match self.claim.status(now) {
            ClaimPhase::Unclaimed | ClaimPhase::Initiated(_) | ClaimPhase::Shown(_) | ClaimPhase::Over(_) => true,
            ClaimPhase::Claimed { at } => self.credential.redemption(at, now) != Redemption::Spent,
            ClaimPhase::Expired | ClaimPhase::Denied | ClaimPhase::Revoked => false,
        }
    }

    /// Revokes it in the name of `by`. Stores nothing if it has ended.
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
        self.end = Some(RegistrationEnd { at: now, by });
        effects.push(Effect::Audit(RegistrationChange::Revoked(by)));
        Step::Save(Box::new(self), effects, Ok(true))
    }
}
