//! Texts of a prepared file, stored as positions in it, so that they are not copied.

use std::{fmt, ops::Range};

use bytes::Bytes;
use serde::{
    Deserialize, Deserializer,
    de::{Error, Visitor},
};

/// A text of a JSON document: borrowed verbatim, or unescaped into a new string.
#[derive(Debug)]
pub(super) enum DocumentText<'a> {
    Plain(&'a str),
    Escaped(String),
}

impl<'de: 'a, 'a> Deserialize<'de> for DocumentText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = DocumentText<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a text")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<DocumentText<'de>, E> {
                Ok(DocumentText::Plain(text))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<DocumentText<'de>, E> {
                Ok(DocumentText::Escaped(text.to_owned()))
            }
        }
        deserializer.deserialize_str(Texts)
    }
}

impl DocumentText<'_> {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Escaped(text) => text,
        }
    }
}

/// The position of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextSpan {
    start: u32,
    length: u32,
}

/// A prepared file, followed by its unescaped texts.
#[derive(Debug)]
pub(super) struct TextSpans {
    file: Bytes,
    more: String,
}

impl TextSpans {
    pub(super) fn of(file: Bytes) -> Self {
        Self { file, more: String::new() }
    }

    /// Adds a text of the file; `None` if the file is too long.
    pub(super) fn add(&mut self, text: &DocumentText<'_>) -> Option<TextSpan> {
        match text {
            DocumentText::Plain(text) => self.place(text),
            DocumentText::Escaped(text) => self.push(text),
        }
    }

    /// Adds a verbatim part of the file.
    pub(super) fn place(&mut self, part: &str) -> Option<TextSpan> {
        let start = part.as_ptr().addr().checked_sub(self.file.as_ptr().addr());
        match start.filter(|start| start + part.len() <= self.file.len()) {
            Some(start) => span(start, part.len()),
            None => self.push(part),
        }
    }

    /// Adds a text that is not verbatim in the file.
    pub(super) fn push(&mut self, text: &str) -> Option<TextSpan> {
        let start = self.file.len() + self.more.len();
        self.more.push_str(text);
        span(start, text.len())
    }

    pub(super) fn bytes(&self, span: TextSpan) -> &[u8] {
        let range = |start: usize| -> Range<usize> { start..start + span.length as usize };
        let start = span.start as usize;
        match start.checked_sub(self.file.len()) {
            Some(behind) => self.more.as_bytes().get(range(behind)),
            None => self.file.get(range(start)),
        }
        .unwrap_or_default()
    }

    pub(super) fn text(&self, span: TextSpan) -> &str {
        std::str::from_utf8(self.bytes(span)).unwrap_or_default()
    }

    /// Frees spare capacity.
    pub(super) fn finish(&mut self) {
        self.more.shrink_to_fit();
    }
}

fn span(start: usize, length: usize) -> Option<TextSpan> {
    Some(TextSpan { start: u32::try_from(start).ok()?, length: u32::try_from(length).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_and_escaped_texts_are_located() {
        let file = Bytes::from_static(br#"["plain","a \"b\"",""]"#);
        let read: Vec<DocumentText<'_>> = serde_json::from_slice(&file).unwrap();
        let mut spans = TextSpans::of(file.clone());
        let places: Vec<TextSpan> = read.iter().map(|text| spans.add(text).unwrap()).collect();
        let more = spans.push("more").unwrap();
        assert_eq!(places.iter().map(|span| spans.text(*span)).collect::<Vec<_>>(), ["plain", "a \"b\"", ""]);
        assert_eq!((spans.text(more), spans.more.as_str()), ("more", "a \"b\"more"), "what is plain is not copied");
    }
}
