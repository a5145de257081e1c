//! The registration flow for programs: register, claim, poll and revoke. Requests are JSON, forms or signed tokens,
//! responses are JSON.

mod claim;
mod error_response;
pub(crate) mod identity;
mod posted;
mod provider;
mod register;
mod reply;
mod status;
mod token;

pub(crate) use self::{
    claim::{claim, complete},
    error_response::{refuse, refuse_unread},
    provider::revoke as provider_revoke,
    register::register,
    status::status,
    token::{revoke, token},
};
