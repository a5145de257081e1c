//! Registrations of agents. [`domain`] holds pure state machines, [`store`] keeps their states, and [`registrar`] joins
//! both into what an agent, a person or a provider can ask for; [`identity`] is a second way to ask. Nothing here knows
//! HTTP.

pub mod domain;
pub mod identity;
mod metrics;
pub mod registrar;
pub mod replies;
pub mod store;
pub mod strict_json;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
