//! Pieces of JSON that are written once and sent unchanged.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::render::RenderError;

/// A piece of JSON exactly as it is sent.
pub(super) type Raw = Box<RawValue>;

/// Writes a piece of JSON.
pub(super) fn raw(value: &impl Serialize) -> Result<Raw, RenderError> {
    serde_json::value::to_raw_value(value).map_err(|error| RenderError::Inconsistent(error.to_string()))
}
