//! Failed emphasis: its asterisks or underscores are shown.

use std::ops::Range;

use memchr::memchr2_iter;

use super::lines::begins_line;

/// The asterisks and underscores that the parser leaves in the text.
#[derive(Debug, Default)]
pub(super) struct Emphasis {
    /// The asterisks of the current block; adjacent marks count as one.
    marks: Vec<Range<usize>>,
    /// The underscores of the current block, likewise.
    underscores: Vec<Range<usize>>,
    found: Vec<Range<usize>>,
    /// Single or escaped asterisks mark notes, so `**` at the start of a line may mark the second note.
    has_notes: bool,
}

impl Emphasis {
    /// Examines a piece of text that is not code.
    pub(super) fn examine(&mut self, text: &str, range: &Range<usize>) {
        for at in memchr2_iter(b'*', b'_', &text.as_bytes()[range.clone()]).map(|at| range.start + at) {
            let is_asterisk = text.as_bytes()[at] == b'*';
            let slashes = text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
            if slashes % 2 == 1 {
                self.has_notes |= is_asterisk;
                continue;
            }
            let marks = if is_asterisk { &mut self.marks } else { &mut self.underscores };
            match marks.last_mut() {
                Some(mark) if mark.end == at => mark.end += 1,
                _ => marks.push(at..at + 1),
            }
        }
    }

    /// Ends a block and judges its marks. Only marks that enclose words, or begin to, were meant as emphasis: a single
    /// asterisk may mark a product or a note, asterisks after a word may stand for letters, three for a withheld name,
    /// two between blanks for a part of a number.
    pub(super) fn pause(&mut self, text: &str) {
        let (mut weak, mut strong): (Option<Range<usize>>, Option<Range<usize>>) = (None, None);
        for mark in self.marks.drain(..) {
            let before = text[..mark.start].chars().next_back();
            let behind = text[mark.end..].chars().next();
            let begins = behind.is_some_and(|letter| !letter.is_whitespace());
            if mark.len() > 1 {
                if let Some(opening) = strong.take() {
                    self.found.extend(encloses(text, &opening, &mark).then_some(opening.start..mark.end));
                } else if mark.len() == 2 && !before.is_some_and(ends_word)
                    || begins && !behind.is_some_and(|mark| mark == '(' || ends_sentence(mark))
                {
                    strong = Some(mark);
                } else {
                    self.has_notes = true;
                }
            } else if is_mark(before) && behind.is_some_and(char::is_alphabetic) && weak.is_some() {
                self.found.extend(weak.take().map(|opening| opening.start..mark.end));
            } else if begins && !before.is_some_and(char::is_alphanumeric) {
                weak = Some(mark);
            } else {
                self.has_notes = true;
            }
        }
        self.has_notes |= weak.is_some();
        let is_begun = |mark: &Range<usize>| text[mark.end..].starts_with(|letter: char| !letter.is_whitespace());
        let is_note = |mark: &Range<usize>| self.has_notes && begins_line(text, mark.start);
        self.found.extend(strong.filter(|mark| is_begun(mark) && !is_note(mark)));
        self.pause_underscores(text);
    }

    /// Judges the underscores of a block. Only `__words__` with a suffix was meant as emphasis, as other programs write
    /// it; other underscores are parts of names, or blanks to be filled in.
    fn pause_underscores(&mut self, text: &str) {
        let mut opening: Option<Range<usize>> = None;
        for mark in self.underscores.drain(..).filter(|mark| mark.len() == 2) {
            let (before, behind) = (text[..mark.start].chars().next_back(), text[mark.end..].chars().next());
            let is_word = |letter: Option<char>| letter.is_some_and(|letter| !letter.is_whitespace());
            if before.is_none_or(precedes_words) && is_word(behind) {
                opening = Some(mark);
            } else if is_word(before) && behind.is_some_and(char::is_alphabetic) {
                let found = opening.take().filter(|opening| encloses(text, opening, &mark));
                self.found.extend(found.map(|opening| opening.start..mark.end));
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<Range<usize>> {
        self.found.sort_unstable_by_key(|range| range.start);
        self.found
    }
}

/// Returns the words around emphasis whose asterisks were meant as signs of multiplication: `10.000*12*3`.
pub(super) fn find_product(text: &str, emphasis: &Range<usize>) -> Option<Range<usize>> {
    let (before, behind) = (&text[..emphasis.start], &text[emphasis.end..]);
    let inside = text[emphasis.clone()].strip_prefix('*')?.strip_suffix('*')?;
    // Both marks stand between numbers, or letters that stand for numbers.
    let is_number = |word: &str| word.contains(|letter: char| letter.is_ascii_digit());
    let is_factor = |word: &str| is_number(word) || word.chars().count() == 1 && word.starts_with(char::is_alphabetic);
    let last = |text: &str| {
        let text = text.trim_end_matches([')', '%', '*']);
        is_factor(&text[text.trim_end_matches(char::is_alphanumeric).len()..])
    };
    let first = |text: &str| {
        let text = text.trim_start_matches(['(', '%', '₺', '*']);
        is_factor(&text[..text.len() - text.trim_start_matches(char::is_alphanumeric).len()])
    };
    let is_product = last(before) && first(inside) && last(inside) && first(behind);
    let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let end = behind.find(char::is_whitespace).map_or(text.len(), |at| emphasis.end + at);
    is_product.then(|| before.ceil_char_boundary(start)..end)
}

/// Returns whether two marks enclose words, and at least one of them touches a word.
fn encloses(text: &str, opening: &Range<usize>, closing: &Range<usize>) -> bool {
    let stands_alone = |mark: &Range<usize>| {
        !text[..mark.start].ends_with(|letter: char| !letter.is_whitespace())
            && !text[mark.end..].starts_with(|letter: char| !letter.is_whitespace())
    };
    text[opening.end..closing.start].contains(char::is_alphabetic) && !(stands_alone(opening) && stands_alone(closing))
}

/// Returns whether emphasis may begin after `letter`: not inside a path or an identifier.
fn precedes_words(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '(' | '[' | '“' | '‘' | '"' | '\'' | '«' | '–' | '—')
}

/// Returns whether `letter` is neither alphanumeric nor a blank.
fn is_mark(letter: Option<char>) -> bool {
    letter.is_some_and(|letter| !letter.is_whitespace() && !letter.is_alphanumeric())
}

/// Returns whether `letter` can end words.
fn ends_word(letter: char) -> bool {
    letter.is_alphanumeric() || ends_sentence(letter)
}

/// Returns whether `letter` may follow a word that ends in asterisks.
fn ends_sentence(letter: char) -> bool {
    matches!(
        letter,
        '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '’' | '\'' | '”' | '"' | '…' | '»' | '-' | '–' | '/'
    )
}
