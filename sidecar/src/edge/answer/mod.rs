//! What answers are made of: fields, bodies, refusals, and the way to the connection.

pub(super) mod conditional;
pub(super) mod cors;
pub(super) mod delivery;
pub(super) mod payload;
pub(super) mod refusal;
