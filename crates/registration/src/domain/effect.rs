//! Side effects of a transition, which the store applies with the new state in one transaction.

use clock::Time;
use contract::scopes::Scope;
use forms::EmailDraft;
use providers::Subject;
use secrets::{Digest, Mailbox, Seed};

use super::audit::RegistrationChange;

/// A side effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Accepts a credential, or changes its scopes and expiry.
    Issue { digest: Digest, scopes: Vec<Scope>, expires: Time },
    /// Revokes a credential.
    Revoke(Digest),
    /// Revokes a credential that was never used; otherwise [`Conflict::Used`].
    RevokeUnused(Digest),
    /// Changes nothing if a credential was never used; otherwise [`Conflict::Used`].
    RequireUnused(Digest),
    /// Adds a claim link to the attempt `seed`.
    Link { digest: Digest, seed: Seed },
    /// Queues an e-mail.
    Mail(QueuedEmail),
    /// Records a token as seen; [`Conflict::Replayed`] if it was.
    Spend(Spent),
    /// Makes a person known.
    Know(Mailbox),
    /// Makes a person known who was not; otherwise [`Conflict::Known`].
    Meet(Mailbox),
    /// Links a provider's user to a person.
    Delegate { subject: Subject, email: Option<Mailbox> },
    /// Writes an audit line after the commit.
    Audit(RegistrationChange),
}

/// An e-mail for the outbox. Its link, if any, derives from the seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedEmail {
    pub(crate) seed: Seed,
    pub(crate) email: EmailDraft,
    /// When it is no longer sent.
    pub(crate) expires: Time,
}

/// The record of a token that may be used once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    pub(crate) issuer: String,
    pub(crate) jti: String,
    pub(crate) expires: Time,
}

/// Why a transaction was rolled back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    Replayed,
    Used,
    /// Another request made the person known first.
    Known,
    /// The limit of stored registrations is reached.
    Full,
}
