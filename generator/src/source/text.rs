//! The bytes of a file as text, and where its lines start.

use std::{
    borrow::Cow,
    fs::File,
    hash::BuildHasher as _,
    io::{self, Read as _},
    ops::Range,
};

use foldhash::quality::FixedState;
use memchr::{memchr, memchr_iter};

use super::conflicts;
use crate::{
    diagnostic::{Code, Finding, Place, Span},
    folder::Folder,
};

/// The longest text, in octets; longer ones are refused.
const LARGEST: u64 = 1024 * 1024;

/// A file that has been read.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// Checksum of the file's bytes.
    pub(crate) checksum: Checksum,
}

/// A checksum that tells whether a file is still the one that was read. It is used only within one build: it guards
/// against an editor who saves in the meantime, not against one who searches for two texts with the same checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum {
    /// The length of the file in octets.
    pub length: usize,
    hash: u64,
}

impl Checksum {
    /// Computes the checksum of a file with these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self { length: bytes.len(), hash: FixedState::default().hash_one(bytes) }
    }
}

/// Reads a file as text. With some findings, the text can still be examined further.
pub(crate) fn read(folder: &Folder, file: &str) -> (Option<Text>, Vec<Finding>) {
    match folder.open(file).and_then(bytes) {
        Err(error) => {
            let message = format!("file cannot be read: {error}");
            (None, vec![Finding::new(Code::NOT_READABLE, Place::file(file), message)])
        }
        Ok(None) => {
            let message = "text is larger than 1 MiB";
            (None, vec![Finding::new(Code::TOO_LARGE, Place::file(file), message).help("split the text")])
        }
        Ok(Some(bytes)) => decode(&bytes, file),
    }
}

fn bytes(file: File) -> io::Result<Option<Vec<u8>>> {
    // No more is read than is accepted, so that a huge file does not fill the memory before it is refused.
    let length = file.metadata().map_or(0, |metadata| metadata.len().min(LARGEST));
    // With room to spare, the end of the file is reached without growing the buffer.
    let mut bytes = Vec::with_capacity(length as usize + 64);
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= LARGEST).then_some(bytes))
}

/// Turns bytes into text with line feeds only, without a byte order mark.
pub(crate) fn decode(bytes: &[u8], file: &str) -> (Option<Text>, Vec<Finding>) {
    let checksum = Checksum::of(bytes);
    if let Some(at) = memchr(0, bytes) {
        return (None, vec![nul(bytes, at, file)]);
    }
    let mut text = match simdutf8::compat::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) => {
            let good = error.valid_up_to();
            return (None, vec![not_utf8(file, end(&bytes[..good]), bytes[good])]);
        }
    };
    let mut findings = Vec::new();
    if text.starts_with('\u{feff}') {
        text.drain(..3);
        let place = Place::new(file, Span { line: 1, column: 1, length: 1 });
        let finding = Finding::new(Code::BYTE_ORDER_MARK, place, "file starts with a byte order mark");
        findings.push(finding.help("save the file as \"UTF-8\", not as \"UTF-8 with BOM\""));
    }
    if let Some(at) = memchr(b'\r', text.as_bytes()) {
        let span = Lines::of(&text).span(&text, at..at + 1);
        let (of, help) = if text[at..].starts_with("\r\n") {
            let help = "save the file with LF line endings; in git, put `* text=auto eol=lf` into .gitattributes";
            ("Windows", help)
        } else {
            // Git does not convert these.
            ("old Macintosh", "save the file with LF line endings")
        };
        let finding = Finding::new(Code::WINDOWS_LINES, Place::new(file, span), format!("file has {of} line endings"));
        findings.push(finding.help(help));
        text = with_line_feeds(&text).into_owned();
    }
    let found = if file.ends_with(".md") { conflicts::in_markdown(&text) } else { conflicts::conflicts(&text) };
    if found.is_empty() {
        return (Some(Text { text, checksum }), findings);
    }
    // Anything else that is wrong with it follows from there being two versions.
    let lines = Lines::of(&text);
    findings.extend(found.into_iter().map(|line| conflict(file, lines.span(&text, line.clone()), &text[line])));
    (None, findings)
}

/// Returns `text` with a line feed at the end of every line; the places of its findings refer to this form.
pub(crate) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { Cow::Borrowed(text) }
}

/// Returns the place after `bytes`.
fn end(bytes: &[u8]) -> Span {
    let before = String::from_utf8_lossy(bytes);
    let before = with_line_feeds(&before);
    Lines::of(&before).span(&before, before.len()..before.len())
}

fn nul(bytes: &[u8], at: usize, file: &str) -> Finding {
    let finding = Finding::new(Code::NUL, Place::new(file, end(&bytes[..at])), "file holds a NUL character");
    let nuls = bytes.split(|byte| *byte == 0).count() - 1;
    finding.help(if nuls > bytes.len() / 4 {
        "the file is probably in UTF-16: save it as UTF-8"
    } else {
        "the file is not a text, or has been damaged: write it again as UTF-8"
    })
}

fn not_utf8(file: &str, span: Span, byte: u8) -> Finding {
    let finding = Finding::new(Code::NOT_UTF8, Place::new(file, span), format!("byte 0x{byte:02X} is not UTF-8 here"));
    let letter = match byte {
        0xfe => Some('ş'),
        0xfd => Some('ı'),
        0xf0 => Some('ğ'),
        0xdd => Some('İ'),
        0xde => Some('Ş'),
        0xd0 => Some('Ğ'),
        0xfc => Some('ü'),
        0xf6 => Some('ö'),
        0xe7 => Some('ç'),
        0xdc => Some('Ü'),
        0xd6 => Some('Ö'),
        0xc7 => Some('Ç'),
        _ => None,
    };
    match letter {
        Some(letter) => finding.help(format!(
            "the file is probably in Windows-1254, where this byte is `{letter}`: open it in that encoding and save it as \
             UTF-8"
        )),
        None => finding.help("open the file in the encoding it was written in and save it as UTF-8"),
    }
}

fn conflict(file: &str, span: Span, line: &str) -> Finding {
    let message =
        if conflicts::is_rest(line) { "what is left of a git conflict" } else { "both sides of a git conflict" };
    Finding::new(Code::CONFLICT, Place::new(file, span), message)
        .help("keep one side, and remove the marker lines: `<<<<<<<`, `=======`, `>>>>>>>`")
}

/// The number of octets between two positions for which characters are counted in advance.
const STRIDE: usize = 1024;

/// Where the lines of a text start, and how many characters precede each stride of it: a text may be one long line
/// with a hundred thousand places to report.
pub(crate) struct Lines {
    starts: Vec<usize>,
    passed: Vec<usize>,
}

impl Lines {
    /// Finds the lines of `text`.
    pub(crate) fn of(text: &str) -> Self {
        let starts = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let mut passed = vec![0];
        let mut before = 0;
        for stride in text.as_bytes().chunks_exact(STRIDE) {
            before += characters(stride);
            passed.push(before);
        }
        Self { starts: std::iter::once(0).chain(starts).collect(), passed }
    }

    /// Returns the line, column and length of a range of octets of the same `text`, cut at the end of its first line.
    pub(crate) fn span(&self, text: &str, range: Range<usize>) -> Span {
        let start = floor(text, range.start);
        let line = self.starts.partition_point(|first| *first <= start).max(1);
        let line_start = self.starts[line - 1];
        let line_end = self.starts.get(line).map_or(text.len(), |next| next - 1).max(start);
        let end = floor(text, range.end).clamp(start, line_end);
        let before = |at| self.characters_before(text, at);
        Span {
            line: line as u32,
            column: (before(start) - before(line_start)) as u32 + 1,
            length: (before(end) - before(start)).max(1) as u32,
        }
    }

    fn characters_before(&self, text: &str, at: usize) -> usize {
        let stride = at / STRIDE;
        self.passed[stride] + characters(&text.as_bytes()[stride * STRIDE..at])
    }
}

/// Returns how many characters start in `octets`.
fn characters(octets: &[u8]) -> usize {
    // Each chunk has as many as an octet can count, so that the compiled code counts sixteen positions at once.
    let starts = |octets: &[u8]| octets.iter().map(|octet| u8::from(!matches!(octet, 0x80..=0xbf))).sum::<u8>();
    octets.chunks(usize::from(u8::MAX)).map(|octets| usize::from(starts(octets))).sum()
}

/// Returns the nearest character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_a_long_line_are_counted_in_characters() {
        let text = format!("ğ\n{}x{}\nend", "ş".repeat(3000), "ı".repeat(5000));
        let lines = Lines::of(&text);
        for (needle, line, column) in [("x", 2, 3001), ("end", 3, 1), ("ğ", 1, 1)] {
            let at = text.find(needle).unwrap();
            let span = lines.span(&text, at..at + needle.len());
            assert_eq!((span.line, span.column, span.length), (line, column, needle.chars().count() as u32));
        }
        assert_eq!(lines.span(&text, 3..text.len()).length, 8001);
    }

    fn codes(bytes: &[u8]) -> Vec<&'static str> {
        decode(bytes, "x").1.iter().map(|finding| finding.code.id()).collect()
    }

    #[test]
    fn bytes_that_are_no_clean_text_are_named() {
        assert_eq!(codes(b"\xef\xbb\xbf---\r\n"), ["E0607", "E0608"]);
        assert_eq!(codes(b"a\0b"), ["E0606"]);
        let (text, findings) = decode(b"title: \xdd\xfe", "x");
        assert!(text.is_none());
        assert_eq!(findings[0].place.span, Span { line: 1, column: 8, length: 1 });
        assert!(findings[0].help[0].contains("`İ`"));
    }

    #[test]
    fn a_span_counts_characters_and_stays_on_its_line() {
        let text = "ab\nşçğ x\n";
        let lines = Lines::of(text);
        assert_eq!(lines.span(text, 3..9), Span { line: 2, column: 1, length: 3 });
        assert_eq!(lines.span(text, 10..99), Span { line: 2, column: 5, length: 1 });
        assert_eq!(lines.span(text, 99..99).line, 3);
        assert_eq!(Lines::of("").span("", 0..5), Span { line: 1, column: 1, length: 1 });
    }
}
