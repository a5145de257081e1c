//! The body of a form.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What may not stand in a form as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// `application/x-www-form-urlencoded` of values that may hold any character.
pub(crate) fn form(fields: &[(&str, &str)]) -> String {
    let encoded = fields.iter().map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, ENCODED)));
    encoded.collect::<Vec<_>>().join("&")
}
