//! Requests of programs that register, claim, poll and revoke. JSON, forms and signed tokens come in, JSON goes out.

mod claim;
mod posted;
mod provider;
mod refusal;
mod register;
mod reply;
mod token;

pub(crate) use self::{
    claim::{claim, complete},
    posted::pass,
    provider::revoke as provider_revoke,
    refusal::{refuse, refuse_unread},
    register::register,
    token::{revoke, token},
};
