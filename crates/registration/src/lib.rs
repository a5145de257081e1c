//! Registrations of agents. [`domain`] holds pure state machines, [`store`] stores their states, and [`registrar`] has
//! the use cases; [`identity`] is a second request format. This crate does not depend on HTTP.

pub mod domain;
pub mod identity;
mod metrics;
pub mod registrar;
pub mod replies;
pub mod store;
pub mod strict_json;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
