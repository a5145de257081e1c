//! Registrations of agents: who may have one, how it is claimed, and what ends it.
//!
//! [`Registrar`] is the way in: a method for each thing that an agent, a person or a provider can ask for. Behind it
//! stand pure machines ([`claim`], [`credential`], joined in [`record`]) that are told the time, and a store that
//! applies one transition of one registration at a time. Nothing here knows HTTP or the site's words.

pub(crate) mod assertion;
mod audit;
mod budgets;
mod caller;
mod claim;
mod credential;
mod effect;
pub(crate) mod event;
mod housekeeping;
mod letter_sender;
mod mailbox;
mod offers;
pub(crate) mod providers;
mod record;
mod refusal;
mod registrar;
mod reply;
mod request;
mod secret;

pub(crate) use self::{
    audit::{By, Change, Deed},
    caller::Caller,
    effect::{Conflict, Effect, Post, Spent, Subject},
    housekeeping::{Sweeper, tidy},
    letter_sender::LetterSender,
    mailbox::Mailbox,
    offers::{Abilities, Missing, Offers},
    record::{Record, Step},
    refusal::Refusal,
    registrar::{Registrar, RegistrarParts},
    reply::{AccessView, Challenge, ClaimStarted, ClaimView, Completed, Grant, Issued, Pending, Registered, Token},
    request::{ClaimRequest, Completion, Exchange, Identity, RegistrationRequest, Which},
    secret::{
        AccessToken, ClaimToken, DIGITS as SECRET_DIGITS, Digest, LinkToken, Pepper, PepperError, RegistrationId,
        Secret, Seed, StopToken,
    },
};
pub use self::{budgets::Quotas, secret::Entropy};

#[cfg(test)]
pub(crate) mod tests;
