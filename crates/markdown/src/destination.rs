//! Finds the destination of a link in the author's text, and writes another one in its place.
//!
//! The parser reports the range of a link and its destination, but not the range of the destination.

use std::{fmt::Write as _, ops::Range};

use pulldown_cmark::{CowStr, LinkType};

/// A destination as the author wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenDestination {
    /// Without angle brackets.
    pub(super) range: Range<usize>,
    /// It is enclosed in angle brackets.
    pub(super) bracketed: bool,
}

/// Returns the destination with the scheme that a mailbox lacks: `<info@firm.example>` leads to a `mailto:` address
/// (`CommonMark`, 6.5).
pub(super) fn resolve_mailbox(form: LinkType, destination: CowStr<'_>) -> CowStr<'_> {
    if form != LinkType::Email {
        return destination;
    }
    // Characters that would end the mailbox or begin an encoded byte are percent-encoded (RFC 6068, 2).
    let mut address = "mailto:".to_owned();
    for letter in destination.chars() {
        match letter {
            '%' | '#' | '/' | '?' | '^' | '`' | '{' | '|' | '}' => {
                let _ = write!(address, "%{:02X}", u32::from(letter));
            }
            letter => address.push(letter),
        }
    }
    address.into()
}

/// Finds the destination of an inline link or image: `](destination "title")`.
///
/// `link` is the whole link, and `inner_end` the end of the last part of its text. Returns `None` if the range found
/// does not parse as `destination`.
pub(super) fn of_inline(
    text: &str,
    link: &Range<usize>,
    inner_end: usize,
    destination: &str,
) -> Option<WrittenDestination> {
    let opening = text.get(inner_end..link.end)?.find("](")?;
    let written = locate(text, inner_end + opening + 2, link.end - 1, true)?;
    written.reads_as(text, destination).then_some(written)
}

/// Finds the destination of a reference definition: `[label]: destination "title"`.
pub(super) fn of_definition(text: &str, definition: &Range<usize>, destination: &str) -> Option<WrittenDestination> {
    let label = find_unescaped(text.get(definition.clone())?, b']')?;
    let after = definition.start + label + 1;
    (text.as_bytes().get(after) == Some(&b':')).then_some(())?;
    let written = locate(text, after + 1, definition.end, false)?;
    written.reads_as(text, destination).then_some(written)
}

fn locate(text: &str, from: usize, end: usize, inline: bool) -> Option<WrittenDestination> {
    let bytes = text.get(..end)?.as_bytes();
    let mut start = from;
    let mut line_is_new = false;
    // On a new line, the marks of an enclosing block quote may come first.
    while let Some(byte) = bytes.get(start) {
        match byte {
            b'\n' | b'\r' => line_is_new = true,
            b' ' | b'\t' => {}
            b'>' if line_is_new => {}
            _ => break,
        }
        start += 1;
    }
    if bytes.get(start) == Some(&b'<') {
        let length = find_unescaped(&text[start + 1..end], b'>')?;
        return Some(WrittenDestination { range: start + 1..start + 1 + length, bracketed: true });
    }
    let mut depth = 0_u32;
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'(' if inline => depth += 1,
            b')' if inline && depth == 0 => break,
            b')' if inline => depth -= 1,
            byte if byte.is_ascii_whitespace() || byte.is_ascii_control() => break,
            _ => {}
        }
        at += 1;
    }
    Some(WrittenDestination { range: start..at, bracketed: false })
}

/// Returns the position of the first `wanted` without a backslash before it.
fn find_unescaped(text: &str, wanted: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            byte if *byte == wanted => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

impl WrittenDestination {
    /// Returns whether this text parses as `destination`. Character references are accepted without resolving them.
    fn reads_as(&self, text: &str, destination: &str) -> bool {
        let Some(written) = text.get(self.range.clone()) else { return false };
        if !written.contains('\\') {
            return written.contains('&') || written == destination;
        }
        let mut rest = destination.chars();
        let mut letters = written.chars().peekable();
        while let Some(letter) = letters.next() {
            let decoded = match letter {
                '&' => return true,
                '\\' => letters.next_if(char::is_ascii_punctuation).unwrap_or('\\'),
                letter => letter,
            };
            if rest.next() != Some(decoded) {
                return false;
            }
        }
        rest.next().is_none()
    }

    /// Writes `destination` in place of this one, escaped so that it parses as `destination` again.
    pub(super) fn write(&self, destination: &str, out: &mut String) {
        let brackets = !self.bracketed && (destination.is_empty() || destination.contains(' '));
        if brackets {
            out.push('<');
        }
        let parentheses_pair = self.bracketed || brackets || parentheses_pair(destination);
        for (at, letter) in destination.char_indices() {
            match letter {
                // A bar before a line of hyphens would turn the line into a table.
                '\\' | '<' | '>' | '`' | '|' => out.push('\\'),
                '(' | ')' if !parentheses_pair => out.push('\\'),
                '&' if could_be_reference(&destination[at + 1..]) => out.push('\\'),
                control if control.is_ascii_control() => {
                    let _ = write!(out, "&#{};", u32::from(control));
                    continue;
                }
                _ => {}
            }
            out.push(letter);
        }
        if brackets {
            out.push('>');
        }
    }
}

fn parentheses_pair(destination: &str) -> bool {
    let mut depth = 0_i32;
    for byte in destination.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if !(0..=8).contains(&depth) {
            return false;
        }
    }
    depth == 0
}

/// Returns whether `&` before `rest` would begin a character reference.
fn could_be_reference(rest: &str) -> bool {
    let name = rest.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '#');
    name.starts_with(';')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destination_is_found_in_its_link() {
        for (link, inner_end, destination, expected) in [
            ("[a](b)", 2, "b", "b"),
            ("[a]( b \"t\" )", 2, "b", "b"),
            ("[a](<b c> 't')", 2, "b c", "b c"),
            ("[a](b(c)d)", 2, "b(c)d", "b(c)d"),
            (r"[a](b\)c)", 2, "b)c", r"b\)c"),
            ("![](b)", 2, "b", "b"),
            ("[a]()", 2, "", ""),
        ] {
            let written = of_inline(link, &(0..link.len()), inner_end, destination).unwrap();
            assert_eq!(&link[written.range], expected, "{link}");
        }
        assert_eq!(of_inline("[a](b)", &(0..6), 2, "c"), None);
    }

    #[test]
    fn destination_is_found_in_its_definition() {
        for (definition, destination) in [("[a]: b", "b"), ("[a\\]]:\n  b 't'", "b"), ("[a]: <b c>", "b c")] {
            let written = of_definition(definition, &(0..definition.len()), destination).unwrap();
            assert_eq!(&definition[written.range], destination, "{definition}");
        }
    }

    #[test]
    fn destination_is_written_so_that_it_reads_the_same() {
        let bare = WrittenDestination { range: 0..0, bracketed: false };
        for (destination, expected) in [
            ("/en/tax?a=1&b=2", "/en/tax?a=1&b=2"),
            ("a b", "<a b>"),
            ("", "<>"),
            ("a)", r"a\)"),
            ("a|b", r"a\|b"),
            ("(a)", "(a)"),
            ("&amp;", r"\&amp;"),
            ("a\nb", "a&#10;b"),
        ] {
            let mut out = String::new();
            bare.write(destination, &mut out);
            assert_eq!(out, expected);
        }
    }
}
