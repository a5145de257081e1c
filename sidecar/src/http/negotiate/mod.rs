//! Content negotiation (RFC 9110, 12.5): from request fields to one representation. Pure and total.

mod coding;
mod language;
mod list;
mod media;

pub(crate) use self::media::is_unnamed;
pub use self::{
    coding::{Available, coding},
    language::language,
    media::{Medium, accepts_json, medium},
};
