//! The audit lines of the log: one for each change of a registration, without saying whose it is.
//!
//! A line accompanies its change through the transaction, and is written once that has been committed, by the task that
//! committed it. Whether the client still waits for the answer makes no difference.

use clock::Time;
use contract::agent_auth::RegistrationType;
use serde::{Deserialize, Serialize};

use super::secret::RegistrationId;

/// A line that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditLine {
    /// A registration changed.
    Change(RegistrationId, RegistrationChange),
    /// A person did something.
    Deed(Deed),
}

/// What happened to a registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistrationChange {
    /// It began.
    Created(RegistrationType),
    /// A claim was requested.
    ClaimRequested,
    /// A person was shown a code.
    CodeShown,
    /// A wrong code was sent.
    CodeRefused {
        /// Guesses that are left.
        attempts_remaining: u8,
    },
    /// The person's code came back. If a provider's word is enough, no person is asked and nothing is confirmed.
    ClaimConfirmed,
    /// A person denied the claim.
    ClaimDenied,
    /// A new secret is accepted. A credential that a claim only widens is not new.
    CredentialIssued,
    /// It expired.
    Expired,
    /// It was revoked.
    Revoked(By),
}

/// What a person did. Security: nothing says who.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// A link to what agents hold was requested.
    AccessRequested,
    /// Messages are no longer wanted.
    EmailsStopped,
    /// Messages are wanted again.
    EmailsResumed,
}

/// When and by whom a registration was ended, for operators. Says no more than the audit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// When it was ended.
    pub at: Time,
    /// By whom.
    pub by: By,
}

/// Who ended a registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The holder of its credential or its claim token.
    Holder,
    /// The person in whose name it was.
    User,
    /// Its provider.
    Provider,
    /// The operator.
    Operator,
    /// A copy of the store, which was restored in its place.
    Restore,
}

impl RegistrationChange {
    /// Writes the line about the registration `id`.
    fn write(self, id: &RegistrationId, outcome: Option<&str>) {
        macro_rules! line {
            ($event:literal $(, $name:ident = $value:expr)*) => {
                tracing::info!(target: "audit", event = $event, registration = %id $(, $name = $value)*, outcome)
            };
        }
        match self {
            Self::Created(kind) => line!("registration.created", kind = kind.as_str()),
            Self::ClaimRequested => line!("claim.requested"),
            Self::CodeShown => line!("code.shown"),
            Self::CodeRefused { attempts_remaining } => {
                line!("code.refused", attempts_remaining = attempts_remaining);
            }
            Self::ClaimConfirmed => line!("claim.confirmed"),
            Self::ClaimDenied => line!("claim.denied"),
            Self::CredentialIssued => line!("credential.issued"),
            Self::Expired => line!("registration.expired"),
            Self::Revoked(by) => line!("registration.revoked", by = by.as_str()),
        }
    }
}

impl AuditLine {
    /// Writes the line about something that was committed, or, unless `is_known`, that may have been.
    pub(crate) fn write(self, is_known: bool) {
        let outcome = (!is_known).then_some("unknown");
        match self {
            Self::Change(id, change) => change.write(&id, outcome),
            Self::Deed(deed) => deed.write(outcome),
        }
    }
}

impl Deed {
    fn write(self, outcome: Option<&str>) {
        let event = match self {
            Self::AccessRequested => "access.requested",
            Self::EmailsStopped => "letters.stopped",
            Self::EmailsResumed => "letters.resumed",
        };
        tracing::info!(target: "audit", event, outcome);
    }
}

impl By {
    /// Returns its name in the log and in what operators are shown.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Holder => "holder",
            Self::User => "user",
            Self::Provider => "provider",
            Self::Operator => "operator",
            Self::Restore => "restore",
        }
    }
}
