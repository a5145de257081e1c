//! Sources of quotations that are shown as quoted words: no empty line parts them from these.

use std::ops::Range;

use super::lines::begins_line;

/// What begins a source.
const DASH: &str = "— ";

/// The quotations of a text, while it is read.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    /// How many are open.
    depth: usize,
    /// The line at hand, if it looks like a source.
    source: Option<Range<usize>>,
    found: Vec<Range<usize>>,
}

impl Quotes {
    pub(super) fn begin(&mut self) {
        self.depth += 1;
    }

    /// Looks at a piece of the paragraph that begins at `paragraph`. Lines of speech begin with a dash, the first one too;
    /// and between two of them, or before a small letter, a sentence breaks off.
    pub(super) fn look(&mut self, text: &str, start: usize, paragraph: usize) {
        if self.depth == 0 || start == paragraph || !text[start..].starts_with(DASH) {
            return;
        }
        let line = text[start..].lines().next().unwrap_or_default().trim_end();
        let words = &line[DASH.len()..];
        let is_source = !words.starts_with(char::is_lowercase) && !words.contains('—');
        if is_source && begins_line(text, start) && !text[paragraph..].starts_with(DASH) {
            self.source = Some(start..start + line.len());
        }
    }

    /// Goes on with another line or block: a source stands at the end.
    pub(super) fn go_on(&mut self) {
        self.source = None;
    }

    pub(super) fn end(&mut self) {
        self.depth -= 1;
        self.found.extend(self.source.take());
    }

    pub(super) fn finish(self) -> Vec<Range<usize>> {
        self.found
    }
}
