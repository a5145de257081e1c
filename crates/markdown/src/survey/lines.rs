//! The beginnings and ends of lines, and lines that look empty.

use memchr::memchr;

/// Returns whether only blanks and the marks of quotations precede `start` in its line.
pub(super) fn begins_line(text: &str, start: usize) -> bool {
    let before = text[..start].trim_end_matches([' ', '\t', '>']);
    before.is_empty() || before.ends_with('\n')
}

/// Returns whether the line with the words at `start` directly follows the line that ends at `end`.
pub(super) fn is_next_line(text: &str, end: usize, start: usize) -> bool {
    let between = text.get(end..start).map(|between| between.trim_start_matches('\r'));
    between.and_then(|between| between.strip_prefix('\n')).is_some_and(|between| !between.contains('\n'))
}

/// Returns the rest of the line from `start` on, without the line end.
pub(super) fn line_from(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    memchr(b'\n', rest.as_bytes()).map_or(rest, |end| rest[..end].strip_suffix('\r').unwrap_or(&rest[..end]))
}

/// Returns whether a line shows nothing visible but is not empty to Markdown.
pub(super) fn looks_empty(line: &str) -> bool {
    let mut rest = line.trim_start();
    while let Some(behind) = rest.strip_prefix("&nbsp;") {
        rest = behind.trim_start();
    }
    rest.is_empty() && !line.trim_ascii().is_empty()
}

/// Returns whether `letter` looks like a space but is none to Markdown.
pub(super) fn is_other_space(letter: char) -> bool {
    letter.is_whitespace() && !letter.is_ascii()
}
