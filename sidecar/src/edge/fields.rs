//! Header fields as they stand on the wire (RFC 9112, 5), written when the build is loaded.
//!
//! The HTTP library keeps the fields of an answer in a map, which it fills, walks and copies for each answer. What is
//! known before the first request goes around that map: it is written behind the library's own fields, as it is.

use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING,
    CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_LOCATION, CONTENT_TYPE, DATE, ETAG, HeaderName, HeaderValue, LINK,
    TRANSFER_ENCODING, VARY,
};
use bytes::Bytes;
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

/// Lines of a head, each ended by a line break.
#[derive(Debug, Default)]
pub(crate) struct Lines(Vec<u8>);

impl Lines {
    /// Writes a field.
    pub(crate) fn push(&mut self, name: &HeaderName, value: &HeaderValue) {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            self.0.extend_from_slice(part);
        }
    }

    /// Writes a field if it has a value.
    pub(crate) fn push_some(&mut self, name: &HeaderName, value: Option<&HeaderValue>) {
        if let Some(value) = value {
            self.push(name, value);
        }
    }

    /// Octets written so far: where the next field begins.
    pub(crate) fn end(&self) -> usize {
        self.0.len()
    }

    /// The lines, to be shared by many answers.
    pub(crate) fn into_bytes(self) -> Bytes {
        Bytes::from(self.0.into_boxed_slice())
    }
}

/// The prepared fields of one answer: those of its class, of its representation, and of the form in which that is sent.
#[derive(Clone, Debug)]
pub(crate) struct Fields(pub(crate) [Bytes; 3]);
