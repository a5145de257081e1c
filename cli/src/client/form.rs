//! Form bodies.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that must be encoded in a form.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// Encodes fields as `application/x-www-form-urlencoded`. The values may hold any character.
pub(crate) fn form(fields: &[(&str, &str)]) -> String {
    let encoded = fields.iter().map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, ENCODED)));
    encoded.collect::<Vec<_>>().join("&")
}
