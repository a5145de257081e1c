//! Header fields as they are on the wire (RFC 9112, 5).
//!
//! The HTTP library keeps the fields of an answer in a map, which it fills, walks and copies for each answer. What is
//! known before the first request bypasses that map: it is written after the library's own fields, as it is.

use std::{cell::Cell, mem};

use actix_web::http::header::{HeaderName, HeaderValue};
use contract::manifest::Coding;

use super::{etag::EntityTag, request_id::RequestId};

/// Header lines, written when the build is loaded.
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

    /// Writes more of a line that has been begun.
    pub(crate) fn push_text(&mut self, text: &[u8]) {
        self.0.extend_from_slice(text);
    }

    /// Returns how many octets are written so far, which is where the next field begins.
    pub(crate) fn end(&self) -> usize {
        self.0.len()
    }

    /// Returns the lines.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The fields of one answer, later its whole head and perhaps its body. They are one text, because copying a thousand
/// octets costs less than sharing and handing over the pieces that it is put together from.
#[derive(Debug, Default)]
pub(crate) struct Head(Vec<u8>);

/// The room for the last fields of an answer besides the prepared ones: coding, length, tag, limits, the name of the
/// request.
const ROOM: usize = 384;
/// The largest capacity at which the memory of a head is kept for the next one.
const SPARE_CAPACITY: usize = 16 * 1024;

thread_local! {
    /// The memory of the last head that was sent. A worker writes most answers before it makes the next one.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

impl Head {
    /// Begins with prepared lines.
    pub(crate) fn begin(parts: [&[u8]; 4]) -> Self {
        let mut text = SPARE.take();
        text.clear();
        text.reserve(parts.iter().map(|part| part.len()).sum::<usize>() + ROOM);
        for part in parts {
            text.extend_from_slice(part);
        }
        Self(text)
    }

    /// Puts `text` before everything else.
    pub(crate) fn put_first(&mut self, text: &[u8]) {
        if self.0.is_empty() {
            *self = Self::begin([text, b"", b"", b""]);
            return;
        }
        self.0.extend_from_slice(text);
        self.0.rotate_right(text.len());
    }

    /// Appends lines, or what follows the head.
    pub(crate) fn push(&mut self, text: &[u8]) {
        self.0.extend_from_slice(text);
    }

    /// Names the coding of the body.
    pub(crate) fn coding(&mut self, coding: Coding) {
        self.0.extend_from_slice(b"content-encoding: ");
        self.0.extend_from_slice(coding.as_str().as_bytes());
        self.0.extend_from_slice(b"\r\n");
    }

    /// Says how long the body is.
    pub(crate) fn length(&mut self, mut length: usize) {
        let mut digits = [0; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (length % 10) as u8;
            length /= 10;
            if length == 0 {
                break;
            }
        }
        self.0.extend_from_slice(b"content-length: ");
        self.0.extend_from_slice(&digits[first..]);
        self.0.extend_from_slice(b"\r\n");
    }

    /// Adds the entity tag of the body.
    pub(crate) fn etag(&mut self, tag: &EntityTag) {
        self.0.extend_from_slice(tag.line());
    }

    /// Adds the name of the request, and ends the head with an empty line.
    pub(crate) fn end(&mut self, id: &RequestId) {
        self.0.extend_from_slice(&RequestId::BEFORE);
        self.0.extend_from_slice(id.as_bytes());
        self.0.extend_from_slice(b"\r\n\r\n");
    }

    /// Returns the text so far.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Head {
    fn drop(&mut self) {
        if (1..=SPARE_CAPACITY).contains(&self.0.capacity()) {
            // A thread that is ending has no use for it.
            let _ = SPARE.try_with(|spare| spare.set(mem::take(&mut self.0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, ETAG};
    use contract::headers::X_REQUEST_ID;

    use super::*;

    #[test]
    fn a_head_is_its_parts_and_fields_and_an_empty_line() {
        let sent = HeaderValue::from_static("mine");
        for round in 0..3 {
            let mut head = Head::begin([b"a: 1\r\n", b"", b"b: 2\r\n", b""]);
            head.coding(Coding::Br);
            head.length(0);
            head.length(10_209);
            head.etag(&EntityTag::of(&[0x5a; 16]));
            head.end(&RequestId::Sent(sent.clone()));
            let mut lines = Lines::default();
            for (name, value) in [
                (&CONTENT_ENCODING, "br"),
                (&CONTENT_LENGTH, "0"),
                (&CONTENT_LENGTH, "10209"),
                (&ETAG, &format!("\"{}\"", "5a".repeat(16))),
                (&HeaderName::from_static(X_REQUEST_ID), "mine"),
            ] {
                lines.push(name, &HeaderValue::from_str(value).unwrap());
            }
            let text = [b"a: 1\r\nb: 2\r\n", lines.as_bytes(), b"\r\n"].concat();
            assert_eq!(String::from_utf8_lossy(head.as_bytes()), String::from_utf8_lossy(&text), "round {round}");
        }
    }

    #[test]
    fn heads_that_are_made_at_once_are_apart() {
        let (one, other) = (Head::begin([b"one", b"", b"", b""]), Head::begin([b"other", b"", b"", b""]));
        assert_eq!((one.as_bytes(), other.as_bytes()), (&b"one"[..], &b"other"[..]));
        drop((one, other));
        assert_eq!(Head::begin([b"x", b"", b"", b""]).as_bytes(), b"x", "nothing is left of the last one");
    }
}
