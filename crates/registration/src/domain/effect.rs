//! What a transition asks the store to do besides keeping the new state. All of it happens in the transition's
//! transaction, or none of it does.

use clock::Time;
use contract::scopes::Scope;
use forms::Email;

use super::{audit::RegistrationChange, digest::Digest, mailbox::Mailbox, secret::Seed};

/// Something that happens together with a new state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Accepts a credential from now on, with these scopes and until then.
    Issue {
        /// The digest of the secret.
        digest: Digest,
        /// What it permits.
        scopes: Vec<Scope>,
        /// When it ends.
        expires: Time,
    },
    /// Stops accepting a credential.
    Revoke(Digest),
    /// Stops accepting a credential if it was never used; otherwise [`Conflict::Used`].
    RevokeUnused(Digest),
    /// Makes a link lead to this registration's attempt `seed`.
    Link {
        /// The digest of the secret.
        digest: Digest,
        /// What the secret is derived from.
        seed: Seed,
    },
    /// Sends an email. Its link, if it has one, is derived from the seed.
    Mail(QueuedEmail),
    /// Marks a token as seen; [`Conflict::Replayed`] if it has been seen before.
    Spend(Spent),
    /// Makes a person a principal from now on.
    Know(Mailbox),
    /// Makes a person a principal who must not have been one; otherwise [`Conflict::Known`].
    Meet(Mailbox),
    /// Links a provider's subject to a principal.
    Delegate {
        /// Who it is about.
        subject: Subject,
        /// The mailbox.
        email: Option<Mailbox>,
    },
    /// Writes an audit line, once the change is committed.
    Audit(RegistrationChange),
}

/// An email with what is needed to send it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedEmail {
    pub(crate) seed: Seed,
    pub(crate) email: Email,
    /// When it becomes pointless.
    pub(crate) expires: Time,
}

/// The mark of a token that may be used only once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    pub(crate) issuer: String,
    pub(crate) jti: String,
    pub(crate) expires: Time,
}

/// A user as a provider knows them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    /// The provider.
    pub issuer: String,
    /// Empty if the provider has no tenants.
    pub tenant: String,
    /// The provider's name for the user.
    pub name: String,
}

/// Why nothing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// The token was seen before.
    Replayed,
    /// The credential was used.
    Used,
    /// Another request met the principal first.
    Known,
    /// There are as many registrations as may be kept.
    Full,
}
