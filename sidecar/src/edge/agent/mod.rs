//! What programs send to register, to claim, to poll and to revoke. JSON, forms and signed tokens in, JSON out.

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
