//! What makes a key usable, when a provider is asked, and what a fetch survives.

mod cache;
pub(crate) mod certificate;
mod fetch;
mod set;
mod state;
mod tls;
