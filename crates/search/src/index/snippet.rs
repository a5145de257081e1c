//! The passage of a hit.

use super::{
    candidates::QueryTerms,
    spots::{Marks, Spot},
    tables::{GAP, Tables},
};
use crate::{
    format::{read_varint, varint_before},
    letters::is_mark,
};

/// Maximum length of a passage in characters, ellipses included.
const MAX_CHARACTERS: usize = 240;
/// Maximum number of bytes between the first and the last word that count for a passage.
const MAX_SPAN_BYTES: usize = 160;
/// Longest abbreviation, in letters.
const MAX_ABBREVIATION_LENGTH: usize = 3;
/// Maximum number of bytes before the first word, unless a sentence begins nearer.
const MAX_BYTES_BEFORE: usize = 60;

/// Returns the passage of the text with the most words of the query; without any, the summary or the beginning of the
/// text.
pub(super) fn snippet(tables: &Tables, document: u32, summary: &str, words: Option<(&QueryTerms, &Marks)>) -> String {
    let text = tables.text(document);
    let spot = words.and_then(|(wanted, marks)| best_spot(tables, text, &marks.all(text), wanted));
    let Some(spot) = spot else {
        if summary.trim().is_empty() {
            return truncate(Window::around(tables, text, 0).text(tables, 0).trim(), false);
        }
        return truncate(summary.trim(), false);
    };
    let window = Window::around(tables, text, spot.at);
    let Window { pieces, first } = &window;
    let mut from = *first;
    let mut begins_sentence = false;
    while from > 0 && pieces[*first].start - pieces[from - 1].start <= MAX_BYTES_BEFORE {
        if window.begins_sentence(tables, from) {
            begins_sentence = true;
            break;
        }
        from -= 1;
    }
    let is_inside = from > 0 && !begins_sentence;
    if is_inside {
        // A gap at the beginning would appear as a space or a lone sign.
        let is_gap = |piece: &&SnippetPiece| !piece.text(tables).starts_with(char::is_alphanumeric);
        from += pieces[from..*first].iter().take_while(is_gap).count();
    }
    truncate(window.text(tables, from).trim(), is_inside)
}

/// A word or a gap of the text.
struct SnippetPiece {
    /// `None` for the space between two words.
    number: Option<u32>,
    /// Bytes before it. A passage is chosen by bytes and cut by characters.
    start: usize,
}

/// The stretch of a text from which the passage around a word is cut.
struct Window {
    pieces: Vec<SnippetPiece>,
    /// The piece for which the stretch was chosen.
    first: usize,
}

impl SnippetPiece {
    fn text<'a>(&self, tables: &'a Tables) -> &'a str {
        self.number.map_or(" ", |number| tables.piece(number))
    }
}

impl Window {
    /// Creates the stretch around the piece whose number is at `place` of `text`.
    fn around(tables: &Tables, text: &[u8], place: usize) -> Self {
        let (mut begin, mut bytes) = (place, 0);
        while begin > 0 && bytes <= MAX_BYTES_BEFORE {
            begin = varint_before(text, begin);
            let mut at = begin;
            bytes += read_varint(text, &mut at).map_or(0, |number| tables.piece_size(number));
        }
        let mut window = Self { pieces: Vec::new(), first: 0 };
        let mut end = usize::MAX;
        each_piece(tables, &text[begin..], |number, at, start| {
            if number.is_some() && begin + at == place {
                window.first = window.pieces.len();
                // Enough bytes for the passage, whatever its letters.
                end = start + MAX_CHARACTERS * 4;
            }
            window.pieces.push(SnippetPiece { number, start });
            start < end
        });
        window
    }

    /// Returns whether a sentence begins with piece `at`, which is not the first: not after `Art. ` or the `4. ` of
    /// `4. maddesi`.
    fn begins_sentence(&self, tables: &Tables, at: usize) -> bool {
        let text = |at: usize| self.pieces.get(at).map_or("", |piece| piece.text(tables));
        let gap = text(at - 1);
        if gap.ends_with('\n') {
            return true;
        }
        let sign = gap.trim_end();
        let ends = match sign.chars().next_back() {
            Some('.' | ':') if sign.len() == 1 => !is_short(at.checked_sub(2).map_or("", text)),
            Some('.' | ':' | '!' | '?' | ';') => true,
            _ => false,
        };
        ends && gap.ends_with(' ') && !text(at).starts_with(char::is_lowercase)
    }

    fn text(&self, tables: &Tables, from: usize) -> String {
        self.pieces[from..].iter().map(|piece| piece.text(tables)).collect()
    }
}

/// Passes the pieces of `text`, spaces between words included, to `take`, with the position of each number and the
/// bytes before the piece, until `take` returns `false`.
fn each_piece(tables: &Tables, text: &[u8], mut take: impl FnMut(Option<u32>, usize, usize) -> bool) {
    let (mut at, mut start, mut after_word) = (0, 0, false);
    loop {
        let place = at;
        let Some(number) = read_varint(text, &mut at) else { return };
        let is_word = tables.kinds.get(number as usize).is_some_and(|kind| *kind != GAP);
        if after_word && is_word {
            if !take(None, place, start) {
                return;
            }
            start += 1;
        }
        if !take(Some(number), place, start) {
            return;
        }
        start += tables.piece_size(number);
        after_word = is_word;
    }
}

/// Returns the first spot of the stretch whose words are worth most; the earliest of equal ones.
fn best_spot(tables: &Tables, text: &[u8], spots: &[Spot], wanted: &QueryTerms) -> Option<Spot> {
    let starts = starts(tables, text, spots);
    let mut best: Option<(f32, Spot)> = None;
    for (number, first) in spots.iter().enumerate() {
        let mut seen = 0_u32;
        let mut worth = 0.0;
        for (spot, start) in spots[number..].iter().zip(&starts[number..]) {
            if start - starts[number] > MAX_SPAN_BYTES {
                break;
            }
            if let Some(word) = wanted.words.get(usize::from(spot.mark) - 1) {
                // A repeated word adds little.
                let bit = 1 << (spot.mark % 32);
                worth += word.worth * if seen & bit == 0 { 1.0 } else { 0.05 };
                seen |= bit;
            }
        }
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, *first));
        }
    }
    best.map(|(_, first)| first)
}

/// Returns the bytes between the first spot and each spot. Of a distance above [`MAX_SPAN_BYTES`], only that many bytes
/// and one more are counted.
fn starts(tables: &Tables, text: &[u8], spots: &[Spot]) -> Vec<usize> {
    let mut starts = Vec::with_capacity(spots.len());
    let mut sum = 0;
    for (number, spot) in spots.iter().enumerate() {
        if let Some(before) = number.checked_sub(1).map(|before| spots[before].at) {
            let mut distance = MAX_SPAN_BYTES + 1;
            each_piece(tables, &text[before..], |piece, at, start| {
                if piece.is_some() && before + at == spot.at {
                    distance = start;
                    return false;
                }
                start <= MAX_SPAN_BYTES
            });
            sum += distance;
        }
        starts.push(sum);
    }
    starts
}

/// Returns whether a full stop or a colon after this word need not end a sentence: a number, or a possible abbreviation
/// (`m`, `No`, `Cad`).
fn is_short(word: &str) -> bool {
    word.chars().all(char::is_numeric) || word.chars().nth(MAX_ABBREVIATION_LENGTH).is_none()
}

/// Cuts `text` after a word to [`MAX_CHARACTERS`] characters, with an ellipsis where text is missing.
fn truncate(text: &str, is_inside: bool) -> String {
    let text = &in_one_line(text);
    let mut out = String::from(if is_inside { "…" } else { "" });
    let room = MAX_CHARACTERS - usize::from(is_inside);
    let Some((end, _)) = text.char_indices().nth(room) else {
        out.push_str(text);
        return out;
    };
    let last = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    let kept = text[..last].rfind(char::is_whitespace).unwrap_or_else(|| before_marks(text, last));
    out.push_str(without_signs(&text[..kept]));
    out.push('…');
    out
}

/// Returns `text` with spaces for line ends; a dot follows a line that is no sentence, such as a heading.
fn in_one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for line in text.split('\n').map(str::trim).filter(|line| !line.is_empty()) {
        if !out.is_empty() {
            let goes_on = out.ends_with(['.', ':', '!', '?', ';', ',', '…', '”', '’', ')']);
            out.push_str(if goes_on { " " } else { " · " });
        }
        out.push_str(line);
    }
    out
}

/// Returns the nearest position at or before `at` that does not separate a letter from its marks.
fn before_marks(text: &str, at: usize) -> usize {
    let marks = text[at..].chars().next().filter(|letter| is_mark(*letter)).map(|_| text[..at].char_indices().rev());
    marks.into_iter().flatten().find(|(_, letter)| !is_mark(*letter)).map_or(at, |(at, _)| at)
}

/// Returns `text` up to its last letter or digit, including its marks.
fn without_signs(text: &str) -> &str {
    let bare = text.trim_end_matches(|letter: char| !letter.is_alphanumeric());
    let marks = text[bare.len()..].chars().take_while(|letter| is_mark(*letter));
    &text[..bare.len() + marks.map(char::len_utf8).sum::<usize>()]
}
