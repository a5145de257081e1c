//! Registrations of agents: who may have one, how it is claimed, and what ends it.

pub(crate) mod assertion;
pub(crate) mod event;
pub(crate) mod providers;
