//! The audit log: one line for each change of a registration, without the person.
//!
//! A line is collected in the transaction of its change and written by the task that commits it, even if the client has
//! gone.

use clock::Time;
use contract::agent_auth::RegistrationType;
use secrets::RegistrationId;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditLine {
    Change(RegistrationId, RegistrationChange),
    Deed(Deed),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistrationChange {
    Created(RegistrationType),
    ClaimRequested,
    CodeShown,
    CodeRefused {
        attempts_remaining: u8,
    },
    /// The agent sent the right code. Registrations on a provider's assertion have no such line.
    ClaimConfirmed,
    ClaimDenied,
    /// A new secret was issued. A claim that widens a credential issues none.
    CredentialIssued,
    Expired,
    Revoked(By),
}

/// An action of a person. Security: does not identify them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// An access link was requested.
    AccessRequested,
    EmailsStopped,
    EmailsResumed,
}

/// When and by which party a registration was ended, as in the audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegistrationEnd {
    pub at: Time,
    pub by: By,
}

contract::named! {
    /// The party that ended a registration.
    pub enum By {
        /// The holder of its credential or its claim token.
        Holder "holder",
        /// The person.
        User "user",
        Provider "provider",
        Operator "operator",
        /// The restoring of a copy of the store.
        Restore "restore",
    }
}

impl RegistrationChange {
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
    /// Writes the line; unless `is_known`, with the outcome `unknown`.
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
