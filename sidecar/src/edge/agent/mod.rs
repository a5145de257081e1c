//! What programs send to register, to claim, to poll and to revoke. JSON, forms and signed tokens in, JSON out.

mod claim;
mod provider;
mod refusal;
mod register;
mod reply;
mod token;
mod wish;

pub(crate) use self::{
    claim::{claim, complete},
    provider::revoke as provider_revoke,
    refusal::refuse,
    register::register,
    token::{revoke, token},
    wish::{caller, pass},
};
