//! What makes a key usable, when a provider is asked, and what a fetch survives.

mod cache;
pub(crate) mod certificate;
mod fetch;
pub(crate) mod server;
mod set;
mod state;
mod tls;
