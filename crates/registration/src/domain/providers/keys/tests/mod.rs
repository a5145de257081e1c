//! Tests of usable keys, of the times of fetches, and of fetches.

mod cache;
pub(crate) mod certificate;
mod fetch;
mod set;
mod state;
mod tls;
