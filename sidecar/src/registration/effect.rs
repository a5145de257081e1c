//! What a transition asks the store for beside the new state. All of it happens in the transition's transaction, or
//! none of it does.

use contract::scopes::Scope;

use super::{audit::Change, digest::Digest, mailbox::Mailbox, secret::Seed};
use crate::{Time, forms::Letter};

/// Something that happens together with a new state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// A credential is accepted from now on, with these scopes and until then.
    Issue { digest: Digest, scopes: Vec<Scope>, expires: Time },
    /// A credential is not accepted any more.
    Revoke(Digest),
    /// The same, if it was never used; else [`Conflict::Used`].
    RevokeUnused(Digest),
    /// A link leads to this registration's attempt `seed`.
    Link { digest: Digest, seed: Seed },
    /// A letter is to be sent. Its link, if it has one, follows from the seed.
    Mail(Post),
    /// A token must not have been seen before; else [`Conflict::Replayed`].
    Spend(Spent),
    /// Somebody is a principal from now on.
    Know(Mailbox),
    /// The same, who must not have been one; else [`Conflict::Known`].
    Meet(Mailbox),
    /// A provider's subject is linked to a principal.
    Delegate { subject: Subject, email: Option<Mailbox> },
    /// The audit says so, once it is so.
    Tell(Change),
}

/// A letter with what it takes to send it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Post {
    pub(crate) seed: Seed,
    pub(crate) letter: Letter,
    /// After which it is pointless.
    pub(crate) expires: Time,
}

/// The mark of a token that is good once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) issuer: String,
    pub(crate) jti: String,
    pub(crate) expires: Time,
}

/// A user as a provider knows them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Subject {
    pub(crate) issuer: String,
    /// Empty where the provider has no tenants.
    pub(crate) tenant: String,
    /// The provider's name for the user.
    pub(crate) name: String,
}

/// Why nothing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conflict {
    /// The token was seen before.
    Replayed,
    /// The credential was used.
    Used,
    /// Somebody else met the principal first.
    Known,
    /// There are as many registrations as may be kept.
    Full,
}
