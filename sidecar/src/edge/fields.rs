//! Header fields as they stand on the wire (RFC 9112, 5).
//!
//! The HTTP library keeps the fields of an answer in a map, which it fills, walks and copies for each answer. What is
//! known before the first request goes around that map: it is written behind the library's own fields, as it is.

use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING,
    CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_LOCATION, CONTENT_TYPE, DATE, ETAG, HeaderName, HeaderValue, LINK,
    TRANSFER_ENCODING, VARY,
};
use contract::headers::{RATE_LIMIT, RATE_LIMIT_POLICY, X_REQUEST_ID};

/// The fields that somebody else sets: the library, the representation, the rest of its class, or whoever counts requests.
/// What a policy names cannot be one of them, or it would stand twice.
const TAKEN: [HeaderName; 17] = [
    ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS,
    CACHE_CONTROL,
    CONNECTION,
    CONTENT_ENCODING,
    CONTENT_LANGUAGE,
    CONTENT_LENGTH,
    CONTENT_LOCATION,
    CONTENT_TYPE,
    DATE,
    ETAG,
    LINK,
    TRANSFER_ENCODING,
    VARY,
    HeaderName::from_static(X_REQUEST_ID),
    HeaderName::from_static(RATE_LIMIT),
    HeaderName::from_static(RATE_LIMIT_POLICY),
];

/// Whether a class of routes may set `name`.
pub(crate) fn is_of_class(name: &HeaderName) -> bool {
    !TAKEN.contains(name)
}

/// Lines of a head, written when the build is loaded.
#[derive(Debug, Default)]
pub(crate) struct Lines(Vec<u8>);

impl Lines {
    /// Writes a field.
    pub(crate) fn push(&mut self, name: &HeaderName, value: &HeaderValue) {
        self.begin(name, value.as_bytes());
        self.push_text(b"\r\n");
    }

    /// Writes a field if it has a value.
    pub(crate) fn push_some(&mut self, name: &HeaderName, value: Option<&HeaderValue>) {
        if let Some(value) = value {
            self.push(name, value);
        }
    }

    /// Writes the beginning of a field.
    pub(crate) fn begin(&mut self, name: &HeaderName, value: &[u8]) {
        for part in [name.as_str().as_bytes(), b": ", value] {
            self.push_text(part);
        }
    }

    /// Writes more of a line that was begun.
    pub(crate) fn push_text(&mut self, text: &[u8]) {
        self.0.extend_from_slice(text);
    }

    /// Octets written so far: where the next field begins.
    pub(crate) fn end(&self) -> usize {
        self.0.len()
    }

    /// The lines.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The fields of one answer, without those of the moment: one text, because a copy of a thousand octets costs less than
/// to share and hand over the pieces that it is put together from.
#[derive(Debug, Default)]
pub(crate) struct Head(Vec<u8>);

/// What the last fields of an answer take beside the prepared ones: coding, length, tag, and the name of the request.
const ROOM: usize = 320;

impl Head {
    /// Begins with prepared lines.
    pub(crate) fn begin(parts: [&[u8]; 4]) -> Self {
        let mut text = Vec::with_capacity(parts.iter().map(|part| part.len()).sum::<usize>() + ROOM);
        for part in parts {
            text.extend_from_slice(part);
        }
        Self(text)
    }

    /// Writes a field.
    pub(crate) fn field(&mut self, name: &HeaderName, value: &[u8]) {
        for part in [name.as_str().as_bytes(), b": ", value, b"\r\n"] {
            self.0.extend_from_slice(part);
        }
    }

    /// Writes a field whose value is a number.
    pub(crate) fn number(&mut self, name: &HeaderName, mut number: usize) {
        let mut digits = [0; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.field(name, &digits[first..]);
    }

    /// The text, with the empty line that ends a head.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.0.extend_from_slice(b"\r\n");
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_its_parts_and_fields_and_an_empty_line() {
        let mut head = Head::begin([b"a: 1\r\n", b"", b"b: 2\r\n", b""]);
        head.number(&CONTENT_LENGTH, 0);
        head.number(&CONTENT_LENGTH, 10_209);
        head.field(&ETAG, b"\"x\"");
        let text = "a: 1\r\nb: 2\r\ncontent-length: 0\r\ncontent-length: 10209\r\netag: \"x\"\r\n\r\n";
        assert_eq!(String::from_utf8(head.finish()).unwrap(), text);
    }
}
