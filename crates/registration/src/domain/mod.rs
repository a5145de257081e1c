//! The rules of registrations: which are made, how they are claimed, and what ends them.
//!
//! Pure state machines ([`claim`], [`credential`], joined in [`record`]), and the data of requests and replies. No store
//! and no wording of pages; the use cases are in [`crate::registrar`].

mod audit;
pub(crate) mod claim;
pub(crate) mod credential;
mod effect;
mod error;
mod match_phrase;
pub(crate) mod record;
pub(crate) mod reply;

pub use self::{
    audit::{AuditLine, By, Deed, RegistrationChange, RegistrationEnd},
    effect::{Conflict, Effect, QueuedEmail, Spent},
    error::RegistrationError,
    match_phrase::MatchPhrase,
    record::{RegistrationRecord, Step},
    reply::{AccessView, Challenge, ClaimStarted, ClaimView, Completed, Grant, Issued, Pending, Registered, Token},
};
