//! The state machine of a claim: from an unclaimed registration to one that a person has agreed to.
//!
//! Pure: a transition takes the old state and the time, and returns the new state or an error code. Expiry is computed
//! when read; no state is written because time has passed.
//!
//! A person may be asked about several registrations at once, each in its own e-mail, because agents of one person are
//! independent.

use clock::Time;
use contract::{Locale, errors::AgentErrorCode as Code};
use secrets::{Digest, Mailbox, Pepper, Seed};
use serde::{Deserialize, Serialize};

use super::RegistrationError;

mod attempt;

pub(crate) use self::attempt::Attempt;

/// Maximum attempts, and so codes, of one registration.
pub(crate) const MAX_ATTEMPTS: usize = 5;
/// Maximum guesses at one code.
pub(crate) const MAX_TRIES: u8 = 5;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    state: ClaimState,
    /// When it expires unclaimed.
    deadline: Time,
    /// All attempts so far.
    asked: Vec<AskedPerson>,
    /// Masked mailboxes of people who denied; they get no further e-mails.
    refused: Vec<Digest>,
}

/// An attempt and the masked mailbox of its person. The link of a superseded attempt can still deny the claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct AskedPerson {
    seed: Seed,
    mask: Digest,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ClaimState {
    Unclaimed,
    Pending(Attempt),
    /// Claimed by the reader of `by`; `None` if a provider vouched by telephone number.
    Claimed {
        at: Time,
        by: Option<Mailbox>,
        attempt: Option<Seed>,
    },
    Denied,
    Revoked,
}

/// The state at a given time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaimPhase<'a> {
    Unclaimed,
    /// The person has not seen the code yet.
    Initiated(&'a Attempt),
    Shown(&'a Attempt),
    /// The attempt has expired or its tries are used up; another may follow.
    Over(&'a Attempt),
    Claimed {
        at: Time,
    },
    Expired,
    Denied,
    Revoked,
}

/// The result of [`Claim::ask`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AskOutcome {
    /// The open attempt already asks this person; no e-mail is sent.
    Echo,
    /// A new attempt, which may replace an open one of another person.
    New { superseded: Option<Attempt> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    Right,
    /// Wrong; the tries left.
    Wrong(u8),
}

impl Claim {
    /// Creates an unclaimed claim.
    pub(crate) const fn open(deadline: Time) -> Self {
        Self { state: ClaimState::Unclaimed, deadline, asked: Vec::new(), refused: Vec::new() }
    }

    /// Creates a claim that is claimed at once, because a provider vouches for the user.
    pub(crate) const fn claimed_at(at: Time, by: Option<Mailbox>) -> Self {
        let state = ClaimState::Claimed { at, by, attempt: None };
        Self { state, deadline: at, asked: Vec::new(), refused: Vec::new() }
    }

    /// Returns the state at `now`.
    pub(crate) fn status(&self, now: Time) -> ClaimPhase<'_> {
        let expired = now >= self.deadline;
        match &self.state {
            ClaimState::Claimed { at, .. } => ClaimPhase::Claimed { at: *at },
            ClaimState::Denied => ClaimPhase::Denied,
            ClaimState::Revoked => ClaimPhase::Revoked,
            ClaimState::Unclaimed | ClaimState::Pending(_) if expired => ClaimPhase::Expired,
            ClaimState::Unclaimed => ClaimPhase::Unclaimed,
            ClaimState::Pending(attempt) if attempt.is_over(now) => ClaimPhase::Over(attempt),
            ClaimState::Pending(attempt) if attempt.is_shown() => ClaimPhase::Shown(attempt),
            ClaimState::Pending(attempt) => ClaimPhase::Initiated(attempt),
        }
    }

    /// Returns the name of the stored state, expired or not.
    pub const fn name(&self) -> &'static str {
        match self.state {
            ClaimState::Unclaimed => "unclaimed",
            ClaimState::Pending(_) => "pending",
            ClaimState::Claimed { .. } => "claimed",
            ClaimState::Denied => "denied",
            ClaimState::Revoked => "revoked",
        }
    }

    /// Whether the stored state waits for a person.
    pub(crate) const fn is_waiting(&self) -> bool {
        matches!(self.state, ClaimState::Unclaimed | ClaimState::Pending(_))
    }

    /// Whether the claim was denied or revoked.
    pub const fn is_ended(&self) -> bool {
        matches!(self.state, ClaimState::Denied | ClaimState::Revoked)
    }

    pub(crate) const fn deadline(&self) -> Time {
        self.deadline
    }

    /// Returns when `attempt` ends, as known at `now`; at the latest with the claim.
    pub(crate) fn end_of(&self, attempt: &Attempt, now: Time) -> Time {
        attempt.expires(now).min(self.deadline)
    }

    /// Returns the mailbox of the person who has claimed or is asked.
    pub(crate) const fn mailbox(&self) -> Option<&Mailbox> {
        match &self.state {
            ClaimState::Claimed { by, .. } => by.as_ref(),
            ClaimState::Pending(attempt) => Some(&attempt.email),
            ClaimState::Unclaimed | ClaimState::Denied | ClaimState::Revoked => None,
        }
    }

    /// Whether `other`, if this claim is claimed, is claimed by the same person.
    pub fn is_same_person(&self, other: &Self) -> bool {
        match (&self.state, &other.state) {
            (ClaimState::Claimed { by, .. }, ClaimState::Claimed { by: theirs, .. }) => by == theirs,
            (ClaimState::Claimed { .. }, _) => false,
            (ClaimState::Unclaimed | ClaimState::Pending(_) | ClaimState::Denied | ClaimState::Revoked, _) => true,
        }
    }

    /// Returns the pending attempt, expired or not.
    pub const fn attempt(&self) -> Option<&Attempt> {
        match &self.state {
            ClaimState::Pending(attempt) => Some(attempt),
            _ => None,
        }
    }

    /// Whether an attempt is pending without a guess.
    pub(crate) fn has_no_guess(&self) -> bool {
        self.attempt().is_some_and(|attempt| attempt.tries_left() == MAX_TRIES)
    }

    /// Starts an attempt for the reader of `email`. If `bound` is given, only that person may be asked.
    pub(crate) fn ask(
        mut self,
        email: &Mailbox,
        bound: Option<&Mailbox>,
        (seed, locale): (Seed, Locale),
        pepper: &Pepper,
        now: Time,
    ) -> Result<(Self, AskOutcome), RegistrationError> {
        let superseded = match self.status(now) {
            ClaimPhase::Claimed { .. } => return Err(RegistrationError::AlreadyClaimed),
            ClaimPhase::Expired | ClaimPhase::Revoked => return Err(Code::ClaimExpired.into()),
            ClaimPhase::Denied => return Err(Code::AccessDenied.into()),
            _ if bound.is_some_and(|bound| bound != email) => return Err(RegistrationError::OtherAddress),
            _ if self.refused.iter().any(|mask| pepper.is_mask(mask, email)) => return Err(Code::AccessDenied.into()),
            ClaimPhase::Initiated(attempt) | ClaimPhase::Shown(attempt) if attempt.email == *email => {
                return Ok((self, AskOutcome::Echo));
            }
            ClaimPhase::Initiated(attempt) | ClaimPhase::Shown(attempt) => Some(attempt.clone()),
            ClaimPhase::Unclaimed | ClaimPhase::Over(_) => None,
        };
        if self.asked.len() >= MAX_ATTEMPTS {
            return Err(RegistrationError::NoCodesLeft { retry_after: self.deadline.since(now).as_secs().max(1) });
        }
        self.asked.push(AskedPerson { seed: seed.clone(), mask: pepper.mask(email) });
        self.state = ClaimState::Pending(Attempt::new(seed, email.clone(), locale, now));
        Ok((self, AskOutcome::New { superseded }))
    }

    /// Returns the attempt `seed`, if its link may show it.
    pub(crate) fn attempt_for_link(&self, seed: &Seed, now: Time) -> Result<&Attempt, RegistrationError> {
        match self.status(now) {
            ClaimPhase::Claimed { .. } => match &self.state {
                ClaimState::Claimed { attempt: Some(own), .. } if own != seed => Err(Code::ClaimSuperseded.into()),
                _ => Err(Code::ClaimCompleted.into()),
            },
            ClaimPhase::Unclaimed => Err(Code::ClaimSuperseded.into()),
            ClaimPhase::Initiated(attempt) | ClaimPhase::Shown(attempt) | ClaimPhase::Over(attempt)
                if attempt.seed != *seed =>
            {
                Err(Code::ClaimSuperseded.into())
            }
            ClaimPhase::Over(_) | ClaimPhase::Expired | ClaimPhase::Denied | ClaimPhase::Revoked => {
                Err(Code::ClaimExpired.into())
            }
            ClaimPhase::Initiated(attempt) | ClaimPhase::Shown(attempt) => Ok(attempt),
        }
    }

    /// Records that the e-mail of the attempt `seed` was sent or given up: the time limit runs from `now`. Returns
    /// `None` if nothing changes.
    pub(crate) fn send(mut self, seed: &Seed, now: Time) -> Option<Self> {
        let attempt = self.attempt_for_link(seed, now).ok().filter(|attempt| !attempt.is_shown())?;
        self.state = ClaimState::Pending(attempt.clone().send(now));
        Some(self)
    }

    /// Records that the code of the attempt `seed` was shown.
    pub(crate) fn show(mut self, seed: &Seed, now: Time) -> Result<Self, RegistrationError> {
        let attempt = self.attempt_for_link(seed, now)?.clone().show(now);
        self.state = ClaimState::Pending(attempt);
        Ok(self)
    }

    /// Denies the claim by the link of the attempt `seed`, also if it has expired or was superseded, while the claim is
    /// open. If no other person may be asked, the claim ends.
    pub(crate) fn deny(
        mut self,
        seed: &Seed,
        is_bound: bool,
        pepper: &Pepper,
        now: Time,
    ) -> Result<Self, RegistrationError> {
        let is_open = match self.status(now) {
            ClaimPhase::Unclaimed | ClaimPhase::Initiated(_) | ClaimPhase::Shown(_) | ClaimPhase::Over(_) => true,
            ClaimPhase::Claimed { .. } | ClaimPhase::Expired | ClaimPhase::Denied | ClaimPhase::Revoked => false,
        };
        let Some(AskedPerson { mask, .. }) = self.asked.iter().find(|asking| is_open && asking.seed == *seed).cloned()
        else {
            return self.attempt_for_link(seed, now).and(Err(Code::ClaimSuperseded.into()));
        };
        if is_bound {
            self.state = ClaimState::Denied;
        } else if self.attempt().is_some_and(|attempt| pepper.is_mask(&mask, &attempt.email)) {
            self.state = ClaimState::Unclaimed;
        }
        if !self.refused.contains(&mask) {
            self.refused.push(mask);
        }
        Ok(self)
    }

    /// Withdraws the open attempt and adds the attempts and denials of `since`, a later state. Returns `None` without
    /// an open attempt.
    pub(crate) fn withdraw_request(mut self, since: &Self) -> Option<Self> {
        self.attempt()?;
        self.state = ClaimState::Unclaimed;
        merge(&mut self.asked, &since.asked);
        merge(&mut self.refused, &since.refused);
        Some(self)
    }

    /// Adds the attempts and denials of `since`, a later state. Returns `None` if nothing changes.
    pub fn remember(mut self, since: &Self) -> Option<Self> {
        let known = (self.asked.len(), self.refused.len());
        merge(&mut self.asked, &since.asked);
        merge(&mut self.refused, &since.refused);
        (known != (self.asked.len(), self.refused.len())).then_some(self)
    }

    /// Returns the attempt whose code may be sent now.
    pub(crate) fn guessable_attempt(&self, now: Time) -> Result<&Attempt, RegistrationError> {
        match self.status(now) {
            ClaimPhase::Unclaimed | ClaimPhase::Initiated(_) => Err(Code::OtpNotGenerated.into()),
            ClaimPhase::Over(_) => Err(Code::OtpExpired.into()),
            ClaimPhase::Claimed { .. } => Err(Code::PreviouslyClaimed.into()),
            ClaimPhase::Expired | ClaimPhase::Revoked => Err(Code::ClaimExpired.into()),
            ClaimPhase::Denied => Err(Code::AccessDenied.into()),
            ClaimPhase::Shown(attempt) => Ok(attempt),
        }
    }

    /// Returns the error of a text that does not look like a code. It costs no try.
    pub(crate) fn no_code_error(&self, now: Time) -> RegistrationError {
        match self.guessable_attempt(now) {
            Ok(attempt) => RegistrationError::NoCode { attempts_remaining: attempt.tries_left() },
            Err(refusal) => refusal,
        }
    }

    /// Compares a guess. The try is counted before `is_right` runs; the new state must be stored, right or wrong.
    pub(crate) fn guess(
        mut self,
        is_right: impl FnOnce(&Seed) -> bool,
        now: Time,
    ) -> Result<(Self, Guess), RegistrationError> {
        let attempt = self.guessable_attempt(now)?.clone().with_try();
        if is_right(&attempt.seed) {
            let by = Some(attempt.email.clone());
            self.state = ClaimState::Claimed { at: now, by, attempt: Some(attempt.seed) };
            return Ok((self, Guess::Right));
        }
        let left = attempt.tries_left();
        self.state = ClaimState::Pending(attempt);
        Ok((self, Guess::Wrong(left)))
    }

    /// Revokes the claim; `None` if it has ended already.
    pub(crate) fn revoke(mut self, now: Time) -> Option<Self> {
        match self.status(now) {
            ClaimPhase::Expired | ClaimPhase::Denied | ClaimPhase::Revoked => None,
            _ => {
                // The retention period runs from now.
                self.deadline = self.deadline.max(now);
                self.state = ClaimState::Revoked;
                Some(self)
            }
        }
    }
}

fn merge<T: Clone + PartialEq>(own: &mut Vec<T>, others: &[T]) {
    let more = others.iter().filter(|other| !own.contains(other)).cloned();
    own.extend(more.collect::<Vec<_>>());
}

#[cfg(test)]
mod tests;
