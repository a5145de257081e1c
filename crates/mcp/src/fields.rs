//! The header fields that repeat values of the body.

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// The header fields of a request.
#[derive(Clone, Copy, Debug, Default)]
pub struct McpFields<'a> {
    /// `MCP-Protocol-Version`.
    pub version: McpField<'a>,
    /// `Mcp-Method`.
    pub method: McpField<'a>,
    /// `Mcp-Name`.
    pub name: McpField<'a>,
}

/// A field that should occur once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum McpField<'a> {
    #[default]
    Absent,
    /// The trimmed value.
    Once(&'a [u8]),
    /// More than one line.
    Twice,
}

impl<'a> McpField<'a> {
    /// Reads the values of all lines of a field.
    pub fn of(mut lines: impl Iterator<Item = &'a [u8]>) -> Self {
        match (lines.next(), lines.next()) {
            (None, _) => Self::Absent,
            (Some(value), None) => Self::Once(value.trim_ascii()),
            (Some(_), Some(_)) => Self::Twice,
        }
    }

    /// Returns the value, if it is one word of visible ASCII.
    pub(super) fn word(self) -> Option<&'a str> {
        match self {
            Self::Once(value) if value.iter().all(u8::is_ascii_graphic) => std::str::from_utf8(value).ok(),
            _ => None,
        }
    }

    /// Whether the value is exactly `value`.
    pub(super) fn has_value(self, value: &str) -> bool {
        matches!(self, Self::Once(field) if field == value.as_bytes())
    }

    /// Whether the value is `value`, verbatim or as `=?base64?…?=`, the form for values beyond ASCII.
    pub(super) fn has_encoded_value(self, value: &str) -> bool {
        let Self::Once(field) = self else { return false };
        match field.strip_prefix(b"=?base64?").and_then(|rest| rest.strip_suffix(b"?=")) {
            Some(encoded) => STANDARD.decode(encoded).is_ok_and(|bytes| bytes == value.as_bytes()),
            None => field.iter().all(|byte| (b' '..=b'~').contains(byte)) && field == value.as_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_compared_after_it_is_decoded() {
        let has_value = |field: &'static [u8], value: &str| McpField::of([field].into_iter()).has_encoded_value(value);
        assert!(has_value(b" fetch ", "fetch"));
        assert!(has_value(b"=?base64?xLB5aQ==?=", "\u{130}yi"));
        assert!(!has_value(b"=?base64?xLB5aQ=?=", "\u{130}yi"));
        assert!(!has_value("\u{130}yi".as_bytes(), "\u{130}yi"), "beyond ASCII it must be encoded");
        assert!(!has_value(b"Fetch", "fetch"));
    }

    #[test]
    fn incomplete_or_noncanonical_base64_has_no_value() {
        for (text, value) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar")] {
            let field = format!("=?base64?{text}?=");
            assert!(McpField::Once(field.as_bytes()).has_encoded_value(value), "{text:?}");
        }
        for text in ["Zg", "Zg=", "Zh==", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm-v", "Zm 9"] {
            let field = format!("=?base64?{text}?=");
            for value in ["f", "ff", "foo", ""] {
                assert!(!McpField::Once(field.as_bytes()).has_encoded_value(value), "{text:?}");
            }
        }
    }

    #[test]
    fn repeated_field_has_no_value() {
        let twice = McpField::of([b"a".as_slice(), b"a".as_slice()].into_iter());
        assert_eq!((twice, twice.has_value("a"), twice.word()), (McpField::Twice, false, None));
    }
}
