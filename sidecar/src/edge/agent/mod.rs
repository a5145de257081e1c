//! What programs send to register, to claim, to poll and to revoke. JSON, forms and signed tokens in, JSON out.

mod body;
mod claim;
mod object;
mod parameters;
mod provider;
mod refusal;
mod register;
mod reply;
mod token;
mod wish;

use std::num::NonZeroU32;

use super::limits::Limits;
use crate::config::LimitSettings;

pub(crate) use self::{
    claim::{claim, complete},
    provider::revoke as provider_revoke,
    register::register,
    token::{revoke, token},
    wish::caller,
};

/// Requests of one client in a minute, of all kinds together. What matters is counted in the store; this keeps it from
/// being asked too often.
const PER_MINUTE: NonZeroU32 = const { NonZeroU32::new(120).unwrap() };

/// The limits of this part.
pub(crate) fn limits(settings: LimitSettings) -> Limits {
    Limits::new(LimitSettings { content_per_minute: PER_MINUTE, ..settings })
}
