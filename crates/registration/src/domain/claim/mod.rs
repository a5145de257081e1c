//! The claim state machine: from an unclaimed registration to one that a person has agreed to.
//!
//! Pure: a transition takes the old state and the time, and returns the new state or the code with which it is refused.
//! Expiry is computed on reading; no state is ever written merely because time has passed.
//!
//! A person may be asked about several registrations at once, each in a message of its own, because agents of one
//! person do not know of each other.

use clock::Time;
use contract::{Locale, agent_errors::AgentErrorCode as Code};
use serde::{Deserialize, Serialize};

use super::{
    Mailbox, RegistrationError,
    digest::Digest,
    secret::{Pepper, Seed},
};

mod attempt;

pub(crate) use self::attempt::Attempt;

/// The most codes that one registration may use up.
pub(crate) const MAX_ATTEMPTS: usize = 5;
/// The most guesses at one code.
pub(crate) const MAX_TRIES: u8 = 5;

/// The claim of a registration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    state: ClaimState,
    /// Until when it may be claimed.
    deadline: Time,
    /// The attempts made so far.
    asked: Vec<AskedPerson>,
    /// Masked mailboxes of those who refused; they are not asked again.
    refused: Vec<Digest>,
}

/// What is remembered of an attempt, with the masked mailbox of the person it asks. With its link they can still refuse
/// when it does nothing else any more.
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
    /// Claimed by the person who reads `by`; `None` where only a provider has vouched, by telephone number.
    Claimed {
        at: Time,
        by: Option<Mailbox>,
        attempt: Option<Seed>,
    },
    Denied,
    Revoked,
}

/// A state as it is at a given moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaimStatus<'a> {
    /// No person has been asked.
    Unclaimed,
    /// A person was asked and has not yet looked at the code.
    Initiated(&'a Attempt),
    /// The person has seen the code.
    Shown(&'a Attempt),
    /// The code has expired or its tries are used up; another code may be asked for.
    Over(&'a Attempt),
    Claimed {
        at: Time,
    },
    /// It was not claimed in time.
    Expired,
    Denied,
    Revoked,
}

/// The outcome of asking a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AskOutcome {
    /// The open attempt already asks the same person; nothing is sent again.
    Echo,
    /// A new attempt, which is to be announced; it may replace an open one that asks another person.
    New { superseded: Option<Attempt> },
}

/// The outcome of a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    Right,
    /// Wrong, with this many tries left.
    Wrong(u8),
}

impl Claim {
    /// Creates a claim for which no person has been asked yet.
    pub(crate) const fn open(deadline: Time) -> Self {
        Self { state: ClaimState::Unclaimed, deadline, asked: Vec::new(), refused: Vec::new() }
    }

    /// Creates a claim that needs no asking, because a provider vouches for the user.
    pub(crate) const fn claimed_at(at: Time, by: Option<Mailbox>) -> Self {
        let state = ClaimState::Claimed { at, by, attempt: None };
        Self { state, deadline: at, asked: Vec::new(), refused: Vec::new() }
    }

    /// Returns the state at `now`.
    pub(crate) fn status(&self, now: Time) -> ClaimStatus<'_> {
        let expired = now >= self.deadline;
        match &self.state {
            ClaimState::Claimed { at, .. } => ClaimStatus::Claimed { at: *at },
            ClaimState::Denied => ClaimStatus::Denied,
            ClaimState::Revoked => ClaimStatus::Revoked,
            ClaimState::Unclaimed | ClaimState::Pending(_) if expired => ClaimStatus::Expired,
            ClaimState::Unclaimed => ClaimStatus::Unclaimed,
            ClaimState::Pending(attempt) if attempt.is_over(now) => ClaimStatus::Over(attempt),
            ClaimState::Pending(attempt) if attempt.is_shown() => ClaimStatus::Shown(attempt),
            ClaimState::Pending(attempt) => ClaimStatus::Initiated(attempt),
        }
    }

    /// Returns the name of the state, as it was last written.
    pub const fn name(&self) -> &'static str {
        match self.state {
            ClaimState::Unclaimed => "unclaimed",
            ClaimState::Pending(_) => "pending",
            ClaimState::Claimed { .. } => "claimed",
            ClaimState::Denied => "denied",
            ClaimState::Revoked => "revoked",
        }
    }

    /// Returns whether the claim waits for a person, according to the state that was last written.
    pub(crate) const fn is_waiting(&self) -> bool {
        matches!(self.state, ClaimState::Unclaimed | ClaimState::Pending(_))
    }

    /// Returns whether the claim was ended, by denying or revoking it.
    pub const fn is_ended(&self) -> bool {
        matches!(self.state, ClaimState::Denied | ClaimState::Revoked)
    }

    /// Until when it may be claimed.
    pub(crate) const fn deadline(&self) -> Time {
        self.deadline
    }

    /// Returns when `attempt` ends, as far as is known at `now`: at the latest when the claim does.
    pub(crate) fn end_of(&self, attempt: &Attempt, now: Time) -> Time {
        attempt.expires(now).min(self.deadline)
    }

    /// Returns the mailbox of the person who has claimed it or is being asked.
    pub(crate) const fn mailbox(&self) -> Option<&Mailbox> {
        match &self.state {
            ClaimState::Claimed { by, .. } => by.as_ref(),
            ClaimState::Pending(attempt) => Some(&attempt.email),
            ClaimState::Unclaimed | ClaimState::Denied | ClaimState::Revoked => None,
        }
    }

    /// Returns whether `other` belongs to the same person as this claim; always true while this one belongs to no
    /// person.
    pub fn is_same_person(&self, other: &Self) -> bool {
        match (&self.state, &other.state) {
            (ClaimState::Claimed { by, .. }, ClaimState::Claimed { by: theirs, .. }) => by == theirs,
            (ClaimState::Claimed { .. }, _) => false,
            (ClaimState::Unclaimed | ClaimState::Pending(_) | ClaimState::Denied | ClaimState::Revoked, _) => true,
        }
    }

    /// Returns the pending attempt, even if it is over.
    pub const fn attempt(&self) -> Option<&Attempt> {
        match &self.state {
            ClaimState::Pending(attempt) => Some(attempt),
            _ => None,
        }
    }

    /// Returns whether a code is pending without a guess yet.
    pub(crate) fn is_untried(&self) -> bool {
        self.attempt().is_some_and(|attempt| attempt.tries_left() == MAX_TRIES)
    }

    /// Asks the person who reads `email`; `bound` is the only person who may be asked, if there is such a restriction.
    pub(crate) fn ask(
        mut self,
        email: &Mailbox,
        bound: Option<&Mailbox>,
        (seed, locale): (Seed, Locale),
        pepper: &Pepper,
        now: Time,
    ) -> Result<(Self, AskOutcome), RegistrationError> {
        let superseded = match self.status(now) {
            ClaimStatus::Claimed { .. } => return Err(Code::ClaimedOrInFlight.into()),
            ClaimStatus::Expired | ClaimStatus::Revoked => return Err(Code::ClaimExpired.into()),
            ClaimStatus::Denied => return Err(Code::AccessDenied.into()),
            _ if bound.is_some_and(|bound| bound != email) => return Err(Code::ClaimedOrInFlight.into()),
            _ if self.refused.iter().any(|mask| pepper.is_mask(mask, email)) => return Err(Code::AccessDenied.into()),
            ClaimStatus::Initiated(attempt) | ClaimStatus::Shown(attempt) if attempt.email == *email => {
                return Ok((self, AskOutcome::Echo));
            }
            ClaimStatus::Initiated(attempt) | ClaimStatus::Shown(attempt) => Some(attempt.clone()),
            ClaimStatus::Unclaimed | ClaimStatus::Over(_) => None,
        };
        if self.asked.len() >= MAX_ATTEMPTS {
            return Err(RegistrationError::NoCodesLeft { retry_after: self.deadline.since(now).as_secs().max(1) });
        }
        self.asked.push(AskedPerson { seed: seed.clone(), mask: pepper.mask(email) });
        self.state = ClaimState::Pending(Attempt::new(seed, email.clone(), locale, now));
        Ok((self, AskOutcome::New { superseded }))
    }

    /// Returns the attempt `seed` for the holder of its link, if they may see it.
    pub(crate) fn attempt_for_link(&self, seed: &Seed, now: Time) -> Result<&Attempt, RegistrationError> {
        match self.status(now) {
            ClaimStatus::Claimed { .. } => match &self.state {
                ClaimState::Claimed { attempt: Some(own), .. } if own != seed => Err(Code::ClaimSuperseded.into()),
                _ => Err(Code::ClaimCompleted.into()),
            },
            ClaimStatus::Unclaimed => Err(Code::ClaimSuperseded.into()),
            ClaimStatus::Initiated(attempt) | ClaimStatus::Shown(attempt) | ClaimStatus::Over(attempt)
                if attempt.seed != *seed =>
            {
                Err(Code::ClaimSuperseded.into())
            }
            ClaimStatus::Over(_) | ClaimStatus::Expired | ClaimStatus::Denied | ClaimStatus::Revoked => {
                Err(Code::ClaimExpired.into())
            }
            ClaimStatus::Initiated(attempt) | ClaimStatus::Shown(attempt) => Ok(attempt),
        }
    }

    /// Records that the message of the attempt `seed` has left or was given up: the person's time runs from now on.
    /// Returns `None` where that makes no difference any more.
    pub(crate) fn send(mut self, seed: &Seed, now: Time) -> Option<Self> {
        let attempt = self.attempt_for_link(seed, now).ok().filter(|attempt| !attempt.is_shown())?;
        self.state = ClaimState::Pending(attempt.clone().send(now));
        Some(self)
    }

    /// Records that the person asks to see the code of the attempt `seed`.
    pub(crate) fn show(mut self, seed: &Seed, now: Time) -> Result<Self, RegistrationError> {
        let shown = self.attempt_for_link(seed, now)?.clone().show(now);
        self.state = ClaimState::Pending(shown);
        Ok(self)
    }

    /// Records that the person refuses whom the attempt `seed` asks, or asked before its code was over or another
    /// attempt replaced it: a refusal counts for as long as there is anything to refuse. Where nobody else may be
    /// asked, it ends the claim.
    pub(crate) fn deny(
        mut self,
        seed: &Seed,
        is_bound: bool,
        pepper: &Pepper,
        now: Time,
    ) -> Result<Self, RegistrationError> {
        let is_open = match self.status(now) {
            ClaimStatus::Unclaimed | ClaimStatus::Initiated(_) | ClaimStatus::Shown(_) | ClaimStatus::Over(_) => true,
            ClaimStatus::Claimed { .. } | ClaimStatus::Expired | ClaimStatus::Denied | ClaimStatus::Revoked => false,
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

    /// Stops asking, and remembers all who have refused according to `since`, a later state of this claim. Returns
    /// `None` where no person is being asked.
    pub(crate) fn unask(mut self, since: &Self) -> Option<Self> {
        self.attempt()?;
        self.state = ClaimState::Unclaimed;
        merge(&mut self.asked, &since.asked);
        merge(&mut self.refused, &since.refused);
        Some(self)
    }

    /// Takes over who was asked and who refused, according to what the claim has become in `since`; `None` if that is
    /// known already.
    pub fn remember(mut self, since: &Self) -> Option<Self> {
        let known = (self.asked.len(), self.refused.len());
        merge(&mut self.asked, &since.asked);
        merge(&mut self.refused, &since.refused);
        (known != (self.asked.len(), self.refused.len())).then_some(self)
    }

    /// Returns the attempt whose code may be handed in now.
    pub(crate) fn guessable_attempt(&self, now: Time) -> Result<&Attempt, RegistrationError> {
        match self.status(now) {
            ClaimStatus::Unclaimed | ClaimStatus::Initiated(_) => Err(Code::OtpNotGenerated.into()),
            ClaimStatus::Over(_) => Err(Code::OtpExpired.into()),
            ClaimStatus::Claimed { .. } => Err(Code::PreviouslyClaimed.into()),
            ClaimStatus::Expired | ClaimStatus::Revoked => Err(Code::ClaimExpired.into()),
            ClaimStatus::Denied => Err(Code::AccessDenied.into()),
            ClaimStatus::Shown(attempt) => Ok(attempt),
        }
    }

    /// Returns why a text is refused that does not look like a code: a slip, not a guess. It has no effect and costs no
    /// try.
    pub(crate) fn no_code_error(&self, now: Time) -> RegistrationError {
        match self.guessable_attempt(now) {
            Ok(attempt) => RegistrationError::NoCode { attempts_remaining: attempt.tries_left() },
            Err(refusal) => refusal,
        }
    }

    /// Takes a guess at the code. The try is counted before `is_right` compares; the new state must be kept whether or
    /// not the guess was right.
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

    /// Ends the claim, whatever its state; returns `None` if it is over already.
    pub(crate) fn revoke(mut self, now: Time) -> Option<Self> {
        match self.status(now) {
            ClaimStatus::Expired | ClaimStatus::Denied | ClaimStatus::Revoked => None,
            _ => {
                // It is remembered from now on.
                self.deadline = self.deadline.max(now);
                self.state = ClaimState::Revoked;
                Some(self)
            }
        }
    }
}

/// Adds to `own` what only `others` has.
fn merge<T: Clone + PartialEq>(own: &mut Vec<T>, others: &[T]) {
    let more = others.iter().filter(|other| !own.contains(other)).cloned();
    own.extend(more.collect::<Vec<_>>());
}

#[cfg(test)]
mod tests;
