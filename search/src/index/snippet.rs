//! The passage that shows why a document was found.

use super::{candidates::Wanted, tables::Tables};

/// Characters of a passage, ellipses included.
const LONGEST: usize = 240;
/// Octets between the first and the last word that a passage is chosen for.
const SPAN: usize = 160;
/// Octets in front of the first of them, unless a sentence begins nearer.
const BEFORE: usize = 60;

/// A word or a gap of the text.
struct Piece {
    /// Its number; `None` for the space between two words.
    number: Option<u32>,
    /// The number of the word of the query that it answers, or nought.
    mark: u8,
    /// Octets in front of it. A passage is chosen by octets, and cut by characters.
    start: usize,
}

/// A passage of the text with as many words of the query as possible; else the summary, else how the text begins.
pub(super) fn snippet(tables: &Tables, document: u32, summary: &str, wanted: &Wanted) -> String {
    let pieces = pieces(tables, document, wanted);
    let text_of = |piece: &Piece| piece.number.map_or(" ", |number| tables.piece(number));
    // Enough for the passage, whatever the letters.
    let read = |from: usize| -> String {
        let end = pieces.get(from).map_or(0, |piece| piece.start + LONGEST * 4);
        pieces[from..].iter().take_while(|piece| piece.start < end).map(text_of).collect()
    };
    let Some(first) = best(&pieces, wanted) else {
        let text = if summary.trim().is_empty() { read(0) } else { summary.to_owned() };
        return cut(text.trim(), false);
    };
    let mut from = first;
    let mut begins_sentence = false;
    while from > 0 && pieces[first].start - pieces[from - 1].start <= BEFORE {
        if ends_sentence(text_of(&pieces[from - 1])) {
            begins_sentence = true;
            break;
        }
        from -= 1;
    }
    let is_inside = from > 0 && !begins_sentence;
    if is_inside {
        // A gap at the beginning would show as a space or a lone sign.
        let is_gap = |piece: &&Piece| !text_of(piece).starts_with(char::is_alphanumeric);
        from += pieces[from..first].iter().take_while(is_gap).count();
    }
    cut(read(from).trim(), is_inside)
}

fn pieces(tables: &Tables, document: u32, wanted: &Wanted) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut start = 0;
    let mut after_word = false;
    for number in tables.text(document) {
        let term = tables.term_of_piece(number);
        if after_word && term.is_some() {
            pieces.push(Piece { number: None, mark: 0, start });
            start += 1;
        }
        let mark = term.map_or(0, |term| wanted.mark(term));
        pieces.push(Piece { number: Some(number), mark, start });
        start += tables.piece_size(number);
        after_word = term.is_some();
    }
    pieces
}

/// The first piece of the stretch with the most telling words, the earliest of equal ones.
fn best(pieces: &[Piece], wanted: &Wanted) -> Option<usize> {
    let hits: Vec<usize> = (0..pieces.len()).filter(|at| pieces[*at].mark > 0).collect();
    let mut best: Option<(f32, usize)> = None;
    for (number, first) in hits.iter().enumerate() {
        let mut seen = vec![0_u8; wanted.words.len()];
        let mut worth = 0.0;
        for at in &hits[number..] {
            if pieces[*at].start - pieces[*first].start > SPAN {
                break;
            }
            let word = usize::from(pieces[*at].mark) - 1;
            if let (Some(seen), Some(word)) = (seen.get_mut(word), wanted.words.get(word)) {
                // The same word again says little more.
                worth += word.worth * if *seen == 0 { 1.0 } else { 0.05 };
                *seen = 1;
            }
        }
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, *first));
        }
    }
    best.map(|(_, first)| first)
}

fn ends_sentence(gap: &str) -> bool {
    gap.ends_with('\n') || gap.ends_with(' ') && gap.trim_end().ends_with(['.', '!', '?', ':', ';'])
}

/// At most [`LONGEST`] characters, cut after a word, with an ellipsis where something is missing.
fn cut(text: &str, is_inside: bool) -> String {
    let text = &text.replace('\n', " ");
    let mut out = String::from(if is_inside { "…" } else { "" });
    let room = LONGEST - usize::from(is_inside);
    let Some((end, _)) = text.char_indices().nth(room) else {
        out.push_str(text);
        return out;
    };
    let last = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    let kept = text[..last].rfind(char::is_whitespace).map_or(&text[..last], |space| &text[..space]);
    out.push_str(kept.trim_end_matches(|letter: char| !letter.is_alphanumeric()));
    out.push('…');
    out
}
