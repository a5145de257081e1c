//! Registrations of agents: who may have one, how it is claimed, and what ends it.
//!
//! [`Registrar`] is the way in: a method for each thing that an agent, a person or a provider can ask for. Behind it
//! stand pure machines ([`claim`], [`credential`], joined in [`record`]) that are told the time, and a store that
//! applies one transition of one registration at a time. Nothing here knows HTTP or the site's words.

pub(crate) mod assertion;
mod caller;
pub(crate) mod event;
mod mailbox;
pub(crate) mod providers;
mod refusal;
mod registrar;
mod reply;
mod request;
mod secret;

pub(crate) use self::{
    caller::Caller,
    mailbox::Mailbox,
    refusal::Refusal,
    registrar::Registrar,
    reply::{AccessView, Challenge, ClaimStarted, ClaimView, Completed, Grant, Issued, Pending, Registered, Token},
    request::{ClaimRequest, Completion, Exchange, Identity, RegistrationRequest, Which},
    secret::{AccessToken, ClaimToken, Digest, Entropy, LinkToken, Pepper, RegistrationId, Secret},
};
