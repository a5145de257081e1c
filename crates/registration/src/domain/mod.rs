//! Registrations of agents: who may have one, how it is claimed, and what ends it.
//!
//! Pure state machines ([`claim`], [`credential`], joined in [`record`]) that are told the time, what providers say
//! ([`providers`]), and what is asked and answered. Nothing here knows the store or the site's wording; the use cases
//! are in [`crate::registrar`].

pub(crate) mod assertion;
mod audit;
pub(crate) mod claim;
pub(crate) mod credential;
mod digest;
mod effect;
mod error;
pub mod event;
mod mailbox;
mod match_phrase;
pub mod providers;
pub(crate) mod record;
pub(crate) mod reply;
pub(crate) mod secret;

pub use self::secret::Entropy;
pub use self::{
    audit::{AuditLine, By, Deed, End, RegistrationChange},
    digest::Digest,
    effect::{Conflict, Effect, QueuedEmail, Spent, Subject},
    error::RegistrationError,
    mailbox::Mailbox,
    match_phrase::MatchPhrase,
    record::{Record, Step},
    reply::{AccessView, Challenge, ClaimStarted, ClaimView, Completed, Grant, Issued, Pending, Registered, Token},
    secret::{
        AccessToken, ClaimToken, DIGITS as SECRET_DIGITS, LinkToken, Pepper, PepperError, RegistrationId, Secret, Seed,
        StopToken,
    },
};
