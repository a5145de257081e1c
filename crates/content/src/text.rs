//! Decodes files, and maps positions to lines and columns.
//!
//! Editors and systems encode the same text differently. Only this module handles the variants: it returns the tidy
//! form, to which all places refer, and in which each letter on the screen is one column.

use std::{
    borrow::Cow,
    fs::File,
    hash::BuildHasher as _,
    io::{self, Read as _},
    ops::Range,
};

use bytecount::num_chars;
use contract::text::is_invisible;
use findings::{Code, Finding, Place, Span, messages};
use foldhash::quality::FixedState;
use markdown::turkish::compose;
use memchr::{memchr, memmem, memrchr};

use super::conflicts;
use crate::Folder;

/// The longest text, in bytes.
const MAX_TEXT_BYTES: u64 = 1024 * 1024;

/// A decoded file.
#[derive(Debug)]
pub struct SourceText {
    pub text: String,
    /// Checksum of the file's bytes.
    pub checksum: Checksum,
}

/// A checksum that detects changes of a file during one build. It is not cryptographic: it does not detect a text that
/// was made to have the same checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum {
    /// The length of the file in bytes.
    pub length: usize,
    hash: u64,
}

impl Checksum {
    pub fn of(bytes: &[u8]) -> Self {
        Self { length: bytes.len(), hash: FixedState::default().hash_one(bytes) }
    }
}

/// Reads a file as text. Findings may accompany the text.
pub fn read(folder: &Folder, file: &str) -> (Option<SourceText>, Vec<Finding>) {
    if let Some(text) = folder.text(file) {
        return decode(text.as_bytes(), file);
    }
    match folder.open(file).and_then(bytes) {
        Err(error) => {
            (None, vec![Finding::new(Code::NOT_READABLE, Place::file(file), messages::file_not_readable(error))])
        }
        Ok(None) => {
            let finding = Finding::new(Code::TOO_LARGE, Place::file(file), messages::text_too_large());
            (None, vec![finding.help(messages::text_too_large_help())])
        }
        Ok(Some(bytes)) => decode(&bytes, file),
    }
}

fn bytes(file: File) -> io::Result<Option<Vec<u8>>> {
    // Reads at most one byte more than the limit, so that a huge file does not fill the memory.
    let length = file.metadata().map_or(0, |metadata| metadata.len().min(MAX_TEXT_BYTES));
    // With spare capacity, reading to the end does not grow the buffer.
    let mut bytes = Vec::with_capacity(length as usize + 64);
    file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= MAX_TEXT_BYTES).then_some(bytes))
}

/// A small i with a combining dot: the result of lower-casing `İ` without the Turkish rules.
const DOTTED_I: &str = "i\u{307}";

/// Returns the tidy form of `text`: without a byte order mark, with a line feed at the end of every line, with each
/// letter and its accent as one character, and with a plain `i` in place of an `i` with a combining dot.
pub fn tidy(text: &str) -> Cow<'_, str> {
    match tidy_except_dots(text) {
        Cow::Borrowed(text) => remove_dots(text),
        Cow::Owned(text) => Cow::Owned(remove_dots(&text).into_owned()),
    }
}

/// Returns the tidy form of `text`, but keeps each [`DOTTED_I`].
fn tidy_except_dots(text: &str) -> Cow<'_, str> {
    let text = text.trim_start_matches('\u{feff}');
    match with_line_feeds(text) {
        Cow::Borrowed(text) => compose(text),
        Cow::Owned(text) => Cow::Owned(compose(&text).into_owned()),
    }
}

/// Replaces each [`DOTTED_I`] with `i`.
fn remove_dots(text: &str) -> Cow<'_, str> {
    if memmem::find(text.as_bytes(), DOTTED_I.as_bytes()).is_some() {
        Cow::Owned(text.replace(DOTTED_I, "i"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Decodes bytes into the tidy form.
pub fn decode(bytes: &[u8], file: &str) -> (Option<SourceText>, Vec<Finding>) {
    let checksum = Checksum::of(bytes);
    if let Some(at) = memchr(0, bytes) {
        return (None, vec![nul(bytes, at, file)]);
    }
    let text = match simdutf8::compat::from_utf8(bytes) {
        Ok(text) => tidy_except_dots(text),
        Err(error) => {
            let good = error.valid_up_to();
            return (None, vec![not_utf8(file, end(&bytes[..good]), bytes[good])]);
        }
    };
    let mut findings = Vec::new();
    if let Some(at) = memmem::find(text.as_bytes(), DOTTED_I.as_bytes()) {
        let without_dots = remove_dots(&text);
        let place = Place::new(file, Lines::of(&without_dots).span(&without_dots, at..at + 1));
        let finding = Finding::new(Code::DOTTED_I, place, messages::dotted_i());
        findings.push(finding.label(messages::words_to_write("i")).help(messages::dotted_i_help()));
    }
    let text = remove_dots(&text).into_owned();
    let found = if file.to_ascii_lowercase().ends_with(".md") {
        conflicts::in_markdown(&text)
    } else {
        conflicts::conflicts(&text)
    };
    if found.is_empty() {
        return (Some(SourceText { text, checksum }), findings);
    }
    // The two versions would cause further findings, so the text is not returned.
    let lines = Lines::of(&text);
    findings.extend(found.into_iter().map(|line| conflict(file, lines.span(&text, line.clone()), &text[line])));
    (None, findings)
}

/// Replaces every line end with a line feed. A file that was converted for Windows twice has two carriage returns
/// before each line feed.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let doubled = text.matches("\r\r\n").count();
    let is_doubled = doubled == text.matches('\n').count() && 2 * doubled == text.matches('\r').count();
    let text = if is_doubled { text.replace("\r\r\n", "\n") } else { text.replace("\r\n", "\n") };
    Cow::Owned(text.replace('\r', "\n"))
}

/// Returns the position after `bytes`.
fn end(bytes: &[u8]) -> Span {
    let before = String::from_utf8_lossy(bytes);
    let before = tidy(&before);
    Lines::of(&before).span(&before, before.len()..before.len())
}

fn nul(bytes: &[u8], at: usize, file: &str) -> Finding {
    let finding = Finding::new(Code::NUL, Place::new(file, end(&bytes[..at])), messages::text_with_nul());
    let nuls = bytes.split(|byte| *byte == 0).count() - 1;
    finding.help(if nuls > bytes.len() / 4 { messages::text_in_utf16_help() } else { messages::text_damaged_help() })
}

fn not_utf8(file: &str, span: Span, byte: u8) -> Finding {
    let message = messages::text_not_utf8(format!("0x{byte:02X}"));
    let finding = Finding::new(Code::NOT_UTF8, Place::new(file, span), message);
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
        Some(letter) => finding.help(messages::text_in_windows_1254_help(letter)),
        None => finding.help(messages::text_in_other_encoding_help()),
    }
}

fn conflict(file: &str, span: Span, line: &str) -> Finding {
    let message = if conflicts::is_end_marker(line) { messages::conflict_left() } else { messages::conflict() };
    Finding::new(Code::CONFLICT, Place::new(file, span), message).help(messages::conflict_help())
}

/// The distance in bytes of the positions whose line and column are counted in advance.
const STRIDE: usize = 1024;

/// Maps positions of a text to lines and columns. A text may be one long line with a hundred thousand findings, so each
/// query reads only a few strides.
pub struct Lines {
    /// The counts before each stride.
    strides: Vec<PrecedingText>,
}

/// The counts of the text before a position.
#[derive(Clone, Copy, Default)]
struct PrecedingText {
    characters: usize,
    line_ends: usize,
    /// The start of the line that contains the position.
    line_start: usize,
}

impl Lines {
    /// Measures `text`.
    pub fn of(text: &str) -> Self {
        let mut strides = vec![PrecedingText::default()];
        let mut passed = PrecedingText::default();
        for (at, stride) in (0..).step_by(STRIDE).zip(text.as_bytes().chunks_exact(STRIDE)) {
            passed = passed.advance(at, stride);
            strides.push(passed);
        }
        Self { strides }
    }

    /// Returns the line, column and length of a range of bytes in the same `text`, cut at the end of its first line.
    pub fn span(&self, text: &str, range: Range<usize>) -> Span {
        let start = floor(text, range.start);
        let before = self.before(text, start);
        let near = self.near_line_end(before.line_ends, start..floor(text, range.end).max(start));
        let line_end = memchr(b'\n', &text.as_bytes()[near.clone()]).map(|length| near.start + length);
        let behind = self.before(text, line_end.unwrap_or(near.end));
        let line_start = self.before(text, before.line_start);
        Span {
            line: before.line_ends as u32 + 1,
            column: (before.characters - line_start.characters) as u32 + 1,
            length: (behind.characters - before.characters).max(1) as u32,
        }
    }

    /// Returns the part of `range`, at most a stride, that contains its first line end; without a line end, a part that
    /// ends with the range. `line_ends` is the number of line ends before the range.
    fn near_line_end(&self, line_ends: usize, range: Range<usize>) -> Range<usize> {
        let stride = self.strides.partition_point(|passed| passed.line_ends <= line_ends) - 1;
        let start = range.start.max(stride * STRIDE).min(range.end);
        start..range.end.min((stride + 1) * STRIDE).max(start)
    }

    fn before(&self, text: &str, at: usize) -> PrecedingText {
        let stride = at / STRIDE;
        self.strides[stride].advance(stride * STRIDE, &text.as_bytes()[stride * STRIDE..at])
    }
}

impl PrecedingText {
    /// Adds the counts of `bytes`, which begin at `at`.
    fn advance(self, at: usize, bytes: &[u8]) -> Self {
        Self {
            characters: self.characters + num_chars(bytes),
            line_ends: self.line_ends + bytecount::count(bytes, b'\n'),
            line_start: memrchr(b'\n', bytes).map_or(self.line_start, |end| at + end + 1),
        }
    }
}

/// Returns the byte offset of the first invisible character; line feeds and tabs are permitted.
pub fn find_invisible(text: &str) -> Option<usize> {
    let is_hidden = |letter| is_invisible(letter) && !matches!(letter, '\n' | '\t');
    // The letters of nearly all words begin with other bytes.
    let may_be_one = |byte: u8| matches!(byte, ..b' ' | 0x7f | 0xc2 | 0xe2 | 0xef..);
    let places = text.bytes().enumerate().filter(|(_, byte)| may_be_one(*byte));
    places.map(|(at, _)| at).find(|at| text[*at..].chars().next().is_some_and(is_hidden))
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
    use contract::Locale;

    use super::*;

    #[test]
    fn span_equals_that_of_counting_from_the_beginning() {
        // Lines of many lengths, some longer than a stride, in letters of one and of two bytes.
        let lines = (0..60).map(|line| "aş".repeat(line * line * 7 % 900) + "\n");
        let text = lines.collect::<String>() + "end";
        let lines = Lines::of(&text);
        let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]).step_by(97);
        for start in starts.chain([0, STRIDE, 2 * STRIDE, text.len() - 1, text.len()]) {
            let start = floor(&text, start);
            for end in [start, start + 1, start + 40, start + 3 * STRIDE] {
                let behind = &text[start..floor(&text, end).max(start)];
                let before = text[..start].rsplit('\n').next().unwrap();
                let expected = Span {
                    line: text[..start].matches('\n').count() as u32 + 1,
                    column: before.chars().count() as u32 + 1,
                    length: behind.split('\n').next().unwrap().chars().count().max(1) as u32,
                };
                assert_eq!(lines.span(&text, start..end), expected, "{start} to {end}");
                let near = lines.near_line_end(expected.line as usize - 1, start..start + behind.len());
                assert!(near.len() <= STRIDE, "however long the line is");
            }
        }
    }

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
    fn bytes_that_are_not_utf8_are_reported() {
        assert_eq!(codes(b"a\0b"), ["E0606"]);
        let (text, findings) = decode(b"title: \xdd\xfe", "x");
        assert!(text.is_none());
        assert_eq!(findings[0].place.span, Span { line: 1, column: 8, length: 1 });
        assert!(findings[0].help[0][Locale::En].contains("`İ`"));
    }

    #[test]
    fn text_is_decoded_to_its_tidy_form() {
        for (written, expected) in [
            ("---\ntitle: A\n", "---\ntitle: A\n"),
            ("\u{feff}---\r\ntitle: A\r\n", "---\ntitle: A\n"),
            ("\u{feff}\u{feff}a\rb\r\n\rc\n", "a\nb\n\nc\n"),
            ("a\r\r\nb\r\r\n", "a\nb\n"),
            ("a\r\r\nb\n", "a\n\nb\n"),
            ("I\u{307}s\u{327} go\u{308}ru\u{308}s\u{327}u\u{308}", "İş görüşü"),
            ("i\u{307}stanbul", "istanbul"),
            ("\u{1112}\u{1161}\u{11ab}", "\u{d55c}"),
            ("a\u{feff}b", "a\u{feff}b"),
        ] {
            let (text, _) = decode(written.as_bytes(), "x.md");
            assert_eq!(text.unwrap().text, expected, "{written:?}");
            assert_eq!(tidy(written), expected, "{written:?}");
            assert!(matches!(tidy(expected), Cow::Borrowed(_)), "{expected:?}");
        }
    }

    #[test]
    fn dotted_i_is_reported_at_its_column_on_the_screen() {
        let (_, findings) = decode("---\r\ntitle: Go\u{308}ru\u{308}s\u{327} i\u{307}le\r\n".as_bytes(), "x.md");
        assert_eq!(findings[0].place.span, Span { line: 2, column: 14, length: 1 });
        assert_eq!((findings.len(), findings[0].code), (1, Code::DOTTED_I));
    }

    #[test]
    fn span_counts_characters_and_stays_on_its_line() {
        let text = "ab\nşçğ x\n";
        let lines = Lines::of(text);
        assert_eq!(lines.span(text, 3..9), Span { line: 2, column: 1, length: 3 });
        assert_eq!(lines.span(text, 10..99), Span { line: 2, column: 5, length: 1 });
        assert_eq!(lines.span(text, 99..99).line, 3);
        assert_eq!(Lines::of("").span("", 0..5), Span { line: 1, column: 1, length: 1 });
    }

    #[test]
    fn every_invisible_character_is_found() {
        for letter in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let expected = is_invisible(letter) && !matches!(letter, '\n' | '\t');
            assert_eq!(find_invisible(&format!("“a”\n{letter}")), expected.then_some(8), "{letter:?}");
        }
    }
}
