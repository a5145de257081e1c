//! The excerpt of a line that is printed with a finding.

use super::Span;
use contract::text::is_invisible;

/// Characters of a line that are shown.
const WIDTH: usize = 100;
/// Characters shown before the span in a long line.
const BEFORE: usize = 40;
/// Characters that are underlined at most.
const UNDERLINED: usize = 80;

/// A line, or the part that fits, with the span of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text, with spaces in place of invisible characters, which would move the caret.
    pub(super) text: String,
    /// Number of characters before the span.
    pub(super) before: usize,
    /// Number of characters in the span.
    pub(super) length: usize,
}

impl Excerpt {
    /// Returns the text before the span, the text in the span, and the rest.
    #[must_use]
    pub fn parts(&self) -> [String; 3] {
        let mut letters = self.text.chars();
        let [before, within] = [self.before, self.length].map(|count| letters.by_ref().take(count).collect());
        [before, within, letters.collect()]
    }
}

/// Cuts excerpts from one line. Spans from left to right walk the line only once.
pub struct Excerpts<'a> {
    line: &'a str,
    is_short: bool,
    /// Characters and bytes before the current position.
    passed: (usize, usize),
}

impl<'a> Excerpts<'a> {
    pub fn of(line: &'a str) -> Self {
        Self { line, is_short: line.chars().nth(WIDTH).is_none(), passed: (0, 0) }
    }

    /// Returns the part of the line around `span`.
    pub fn cut(&mut self, span: Span) -> Excerpt {
        let start = span.column.max(1) as usize - 1;
        let length = (span.length.max(1) as usize).min(UNDERLINED);
        let fits = self.is_short || start + length < WIDTH;
        self.advance_to(if fits { 0 } else { start.saturating_sub(BEFORE) });
        let (first, at) = self.passed;
        let before = start.saturating_sub(first);
        let window: Vec<char> = self.line[at..].chars().take(WIDTH.max(before + length).min(2 * WIDTH)).collect();
        let bytes: usize = window.iter().map(|c| c.len_utf8()).sum();
        let before = before.min(window.len());
        let length = length.min((window.len() - before).max(1));
        let head = if first > 0 { "… " } else { "" };
        let tail = if at + bytes < self.line.len() { " …" } else { "" };
        let text: String = window.into_iter().map(|c| if is_invisible(c) { ' ' } else { c }).collect();
        Excerpt { text: format!("{head}{text}{tail}"), before: before + head.chars().count(), length }
    }

    /// Moves to the character with this number, or to the end.
    fn advance_to(&mut self, target: usize) {
        if target < self.passed.0 {
            self.passed = (0, 0);
        }
        let (first, at) = self.passed;
        let (characters, bytes) = self.line[at..]
            .chars()
            .take(target - first)
            .fold((0, 0), |(characters, bytes), c| (characters + 1, bytes + c.len_utf8()));
        self.passed = (first + characters, at + bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_line_is_cut_around_each_place() {
        let line = format!("{}HERE{}THERE{}", "ş".repeat(500), "ı".repeat(500), "x".repeat(50));
        let mut excerpts = Excerpts::of(&line);
        for (column, length, word) in [(501, 4, "HERE"), (1005, 5, "THERE"), (501, 4, "HERE")] {
            let excerpt = excerpts.cut(Span { line: 1, column, length });
            let parts = excerpt.parts();
            assert_eq!(parts[1], word);
            assert_eq!(parts.concat(), excerpt.text);
            assert!(excerpt.text.chars().count() <= 104, "{}", excerpt.text);
        }
    }

    #[test]
    fn span_beyond_the_line_is_clamped() {
        for line in ["", "ab\tc", &"ğ".repeat(300)] {
            for (column, length) in [(0, 0), (99, 99), (3, u32::MAX), (u32::MAX, 1), (300, 2)] {
                let excerpt = Excerpts::of(line).cut(Span { line: 1, column, length });
                assert!(excerpt.length >= 1 && excerpt.before <= excerpt.text.chars().count());
            }
        }
    }
}
