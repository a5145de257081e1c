//! What was meant as a list and is none: lines that begin with the marks of another program are run together.

use std::ops::Range;

/// Marks with which other programs begin the items of a list, beside those of their own symbol fonts.
const BULLETS: [char; 9] = ['•', '·', '▪', '▫', '◦', '‣', '⁃', '➢', '❖'];

/// Those of them that are to be ticked in a form too, where several stand in a line.
const BOXES: [char; 4] = ['●', '○', '■', '□'];

/// What looks like items of lists in the paragraphs of a text, while it is read.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// A mark with which a line may begin that is no item, and its place in this block.
    doubtful: Option<Range<usize>>,
    /// Whether this block has been noted.
    is_noted: bool,
    /// The first marks of the blocks.
    found: Vec<Range<usize>>,
}

impl Lists {
    /// Looks at the beginning of a line of text. A dash that is the first of some items begins the block or stands below a
    /// colon; elsewhere it encloses what a sentence breaks off for.
    pub(super) fn look(&mut self, text: &str, start: usize, begins_block: bool) {
        let line = text[start..].lines().next().unwrap_or_default();
        if self.is_noted || !line.contains(char::is_alphanumeric) {
            return;
        }
        let Some((length, is_certain)) = mark(line) else { return };
        let range = start..start + length;
        if is_certain {
            self.note(range);
        } else if let Some(first) = self.doubtful.take() {
            self.note(first);
        } else if begins_block || !line.starts_with(['–', '—']) || follows_colon(&text[..start]) {
            self.doubtful = Some(range);
        }
    }

    fn note(&mut self, range: Range<usize>) {
        self.found.push(range);
        self.is_noted = true;
    }

    /// Ends a line that the author ended: such lines are not run together.
    pub(super) fn break_line(&mut self) {
        self.doubtful = None;
    }

    /// Ends the block at hand.
    pub(super) fn pause(&mut self) {
        (self.doubtful, self.is_noted) = (None, false);
    }

    pub(super) fn finish(self) -> Vec<Range<usize>> {
        self.found
    }
}

/// Whether the line above announces something.
fn follows_colon(before: &str) -> bool {
    before.trim_end_matches([' ', '\t', '\n', '>', '*']).ends_with(':')
}

/// The octets of the mark that begins `line`, and whether one alone is enough: a dash begins a sentence too, and a number
/// that keeps its word beside it is written on purpose.
fn mark(line: &str) -> Option<(usize, bool)> {
    let first = line.chars().next()?;
    let length = first.len_utf8();
    let behind = &line[length..];
    if BULLETS.contains(&first) || ('\u{f000}'..='\u{f0ff}').contains(&first) {
        return Some((length, true));
    }
    match first {
        '-' | '+' | '*' if behind.starts_with(is_other_space) => Some((length, true)),
        'o' if behind.starts_with('\t') => Some((length, true)),
        first if BOXES.contains(&first) => Some((length, false)),
        '–' | '—' if behind.starts_with(char::is_whitespace) => Some((length, false)),
        '0'..='9' => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let behind = line[digits..].strip_prefix(['.', ')'])?;
            behind.starts_with(is_other_space).then_some((digits + 1, false))
        }
        _ => None,
    }
}

/// Whether it looks like a space, and is none to Markdown.
pub(super) fn is_other_space(letter: char) -> bool {
    letter.is_whitespace() && !letter.is_ascii()
}
