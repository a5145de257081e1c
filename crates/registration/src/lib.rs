//! Registrations of agents. [`domain`] holds pure state machines, [`store`] keeps their states, and [`registrar`] joins
//! both into what an agent, a person or a provider can ask for. Nothing here knows HTTP.

pub mod domain;
mod metrics;
pub mod registrar;
pub mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
