//! Failed lists: lines that begin with the marks of another program are run together.

use std::ops::Range;

use super::lines::{is_next_line, is_other_space};

/// Marks with which other programs begin items; marks of symbol fonts are added in [`mark`].
const BULLETS: [char; 9] = ['•', '·', '▪', '▫', '◦', '‣', '⁃', '➢', '❖'];

/// Marks that are also boxes of a form, where several stand in one line.
const BOXES: [char; 4] = ['●', '○', '■', '□'];

/// Marks that may also precede a single line.
const SIGNS: [char; 6] = ['✓', '✔', '→', '➔', '➤', '►'];

/// Dashes and similar signs: they begin an item, or enclose an interruption in a sentence.
const DASHES: [char; 5] = ['-', '–', '—', '−', '‐'];

/// Letters and numerals in counting order.
const ALPHABETS: [&str; 4] = [
    "abcçdefgğhıijklmnoöprsştuüvyz",
    "ABCÇDEFGĞHIİJKLMNOÖPRSŞTUÜVYZ",
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
];
const NUMERALS: [&str; 12] = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"];
/// Longest of these numerals, in letters, and longest number that counts items, in digits.
const MAX_NUMERAL_LENGTH: usize = 4;
const MAX_NUMBER_LENGTH: usize = 3;

/// Lines of paragraphs that look like items of lists.
#[derive(Debug, Default)]
pub(super) struct SuspectedLists {
    /// A mark of this block that needs a second one.
    doubtful: Option<Range<usize>>,
    /// A mark that needs its successor at the start of the next line, and where its own line ends.
    above: Option<(Range<usize>, usize)>,
    /// A mark of this block is in `found`.
    is_noted: bool,
    /// The first mark of each block.
    found: Vec<Range<usize>>,
}

/// How strongly a mark suggests a list.
#[derive(Clone, Copy)]
enum Proof {
    /// One mark is enough.
    Certain,
    /// A second mark in the block is needed: a dash also begins a sentence, and a non-breaking space after a number is
    /// often intended.
    Second,
    /// The successor at the start of the next line is needed: ordinary words begin this way too.
    Next,
}

impl SuspectedLists {
    /// Examines a line of text; returns whether it begins like an item. The first dash of a list begins the block or
    /// follows a colon.
    pub(super) fn examine(&mut self, text: &str, start: usize, line: &str, begins_block: bool) -> bool {
        let Some((length, proof)) = mark(line).filter(|(length, _)| line[*length..].contains(char::is_alphanumeric))
        else {
            return false;
        };
        if self.is_noted {
            return true;
        }
        let range = start..start + length;
        let may_be_first = || begins_block || !line.starts_with(DASHES) || follows_colon(&text[..start]);
        match proof {
            Proof::Certain => self.note(range),
            Proof::Second => match self.doubtful.take() {
                Some(first) => self.note(first),
                None => self.doubtful = may_be_first().then_some(range),
            },
            Proof::Next => {
                let is_next = |(first, end): &(Range<usize>, usize)| {
                    is_next_line(text, *end, start) && follows(&text[first.clone()], &text[range.clone()])
                };
                match self.above.take().filter(is_next) {
                    Some((first, _)) => self.note(first),
                    None => self.above = may_be_first().then_some((range, start + line.len())),
                }
            }
        }
        true
    }

    fn note(&mut self, range: Range<usize>) {
        self.found.push(range);
        self.is_noted = true;
    }

    /// Ends a line at a hard line break: such lines are not run together.
    pub(super) fn break_line(&mut self) {
        (self.doubtful, self.above) = (None, None);
    }

    /// Ends the current block.
    pub(super) fn pause(&mut self) {
        self.break_line();
        self.is_noted = false;
    }

    pub(super) fn finish(self) -> Vec<Range<usize>> {
        self.found
    }
}

/// Returns whether the line above announces something.
fn follows_colon(before: &str) -> bool {
    before.trim_end_matches([' ', '\t', '\n', '>', '*']).ends_with(':')
}

/// Returns the length in bytes of the mark that begins `line`, and how strongly it suggests a list.
fn mark(line: &str) -> Option<(usize, Proof)> {
    let first = line.chars().next()?;
    let length = first.len_utf8();
    let behind = &line[length..];
    if BULLETS.contains(&first) || ('\u{f000}'..='\u{f0ff}').contains(&first) {
        return Some((length, Proof::Certain));
    }
    match first {
        '-' | '+' | '*' if behind.starts_with(is_other_space) => Some((length, Proof::Certain)),
        'o' if behind.starts_with('\t') => Some((length, Proof::Certain)),
        first if BOXES.contains(&first) => Some((length, Proof::Second)),
        '–' | '—' | '−' | '‐' if behind.starts_with(char::is_whitespace) => Some((length, Proof::Second)),
        '-' | '*' if behind.starts_with(char::is_alphabetic) => Some((length, Proof::Next)),
        first if SIGNS.contains(&first) => Some((length, Proof::Next)),
        _ => pictograph(line).map(|length| (length, Proof::Next)).or_else(|| count(line)),
    }
}

/// Returns the length in bytes of the small picture that begins `line`, or of a number as a key: `✅`, `1️⃣`.
pub fn pictograph(line: &str) -> Option<usize> {
    const KEY: char = '\u{20e3}';
    const VARIANT: char = '\u{fe0f}';
    let first = line.chars().next()?;
    let behind = &line[first.len_utf8()..];
    if first.is_ascii_digit() {
        let key = behind.trim_start_matches(VARIANT).strip_prefix(KEY)?;
        return Some(line.len() - key.len());
    }
    let is_one =
        |letter: char| matches!(letter, '\u{1f300}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}');
    // Colours of skin, and pictures joined to one.
    let is_part = |letter: char| is_one(letter) || matches!(letter, VARIANT | '\u{200d}');
    is_one(first).then(|| line.len() - behind.trim_start_matches(is_part).len())
}

/// Returns the length in bytes of `1.`, `1.1.`, `a)` or `(iv)`, where Markdown does not read the mark of a list.
fn count(line: &str) -> Option<(usize, Proof)> {
    let clause = line.split([' ', '\t']).next().unwrap_or_default();
    if clause.len() < line.len() && clause_number(clause).is_some() {
        return Some((clause.len(), Proof::Next));
    }
    let inside = line.strip_prefix('(').unwrap_or(line);
    let opening = line.len() - inside.len();
    let is_number = inside.starts_with(|letter: char| letter.is_ascii_digit());
    let is_part = |letter: char| if is_number { letter.is_ascii_digit() } else { letter.is_alphabetic() };
    let rest = inside.trim_start_matches(is_part);
    let word = &inside[..inside.len() - rest.len()];
    let closing = rest.chars().next()?;
    let length = opening + word.len() + closing.len_utf8();
    let behind = &line[length..];
    let begins_word = behind.starts_with(char::is_alphabetic);
    if is_number && opening == 0 && matches!(closing, '.' | ')') && behind.starts_with(is_other_space) {
        return Some((length, Proof::Second));
    }
    let counts = if is_number { word.len() <= MAX_NUMBER_LENGTH } else { is_letter(word) || numeral(word).is_some() };
    let is_mark = match closing {
        ')' => opening == 1 || !is_number || begins_word,
        '.' if opening == 0 => {
            if is_number {
                begins_word
            } else {
                behind.starts_with(' ')
            }
        }
        '-' | '–' if opening == 0 => behind.starts_with(' ') || is_number && begins_word,
        _ => false,
    };
    (counts && is_mark).then_some((length, Proof::Next))
}

/// Splits a clause number: `2.1` and `3` for `2.1.3`.
fn clause_number(mark: &str) -> Option<(&str, u32)> {
    let (above, number) = mark.strip_suffix('.').unwrap_or(mark).rsplit_once('.')?;
    let is_number = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let number = Some(number).filter(|number| is_number(number))?.parse().ok()?;
    above.split('.').all(is_number).then_some((above, number))
}

/// Returns whether `second` is the successor of the mark `first`.
fn follows(first: &str, second: &str) -> bool {
    if let Some((above, number)) = clause_number(first) {
        return clause_number(second).is_some_and(|next| next == (above, number + 1));
    }
    if [first, second].into_iter().all(|mark| pictograph(mark).is_some() && !mark.contains('\u{20e3}')) {
        return true;
    }
    let is_part = |letter: &char| letter.is_alphanumeric();
    let parts = |mark: &str| mark.chars().filter(is_part).collect::<String>();
    let frame = |mark: &str| mark.chars().filter(|letter| !is_part(letter)).collect::<String>();
    let (one, next) = (parts(first), parts(second));
    let numbers = || Some((one.parse::<u32>().ok()?, next.parse::<u32>().ok()?));
    let numerals = || Some((numeral(&one)?, numeral(&next)?));
    let is_next = match numbers() {
        Some((one, next)) => one + 1 == next,
        None if one.is_empty() => next.is_empty(),
        None => {
            let pair = [&*one, &*next].concat();
            let are_letters = is_letter(&one) && is_letter(&next);
            are_letters && ALPHABETS.iter().any(|alphabet| alphabet.contains(&pair))
                || numerals().is_some_and(|(one, next)| one + 1 == next)
        }
    };
    is_next && frame(first) == frame(second)
}

fn is_letter(word: &str) -> bool {
    word.chars().nth(1).is_none() && word.starts_with(char::is_alphabetic)
}

/// Returns the index of a Roman numeral among those that count items.
fn numeral(word: &str) -> Option<usize> {
    (word.len() <= MAX_NUMERAL_LENGTH).then(|| NUMERALS.iter().position(|one| one.eq_ignore_ascii_case(word)))?
}
