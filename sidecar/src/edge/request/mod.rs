//! What is read of a request before anybody answers it.

pub(super) mod body;
pub(super) mod host;
pub(super) mod media_type;
pub(super) mod object;
pub(super) mod origin;
pub(super) mod parameters;
pub(super) mod request_id;
pub(super) mod target;
