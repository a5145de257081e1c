//! The passage that shows why a document was found.

use super::{candidates::Wanted, tables::Tables};

/// Characters of a passage, ellipses included.
const LONGEST: usize = 240;
/// Characters between the first and the last word that a passage is chosen for.
const SPAN: usize = 160;
/// Characters in front of the first of them, unless a sentence begins nearer.
const BEFORE: usize = 60;

/// A word or a gap of the text.
struct Piece<'a> {
    text: &'a str,
    /// The number of the word of the query that it answers, or nought.
    mark: u8,
    /// Characters in front of it.
    start: usize,
}

/// A passage of the text with as many words of the query as possible; else the summary, else how the text begins.
pub(super) fn snippet(tables: &Tables, document: u32, summary: &str, wanted: &Wanted, marks: &[u8]) -> String {
    let pieces = pieces(tables, document, marks);
    let Some((first, last)) = best(&pieces, wanted) else {
        let text = if summary.trim().is_empty() { join(&pieces) } else { summary.to_owned() };
        return cut(text.trim(), false);
    };
    let mut from = first;
    let mut begins_sentence = false;
    while from > 0 && pieces[first].start - pieces[from - 1].start <= BEFORE {
        if ends_sentence(pieces[from - 1].text) {
            begins_sentence = true;
            break;
        }
        from -= 1;
    }
    let is_inside = from > 0 && !begins_sentence;
    if is_inside {
        // A gap at the beginning would show as a space or a lone sign.
        from += pieces[from..first].iter().take_while(|piece| !piece.text.starts_with(char::is_alphanumeric)).count();
    }
    let end = pieces[first].start + LONGEST * 2;
    let shown = pieces[from..].iter().take_while(|piece| piece.start < end).collect::<Vec<_>>();
    debug_assert!(last >= first);
    let text: String = shown.iter().map(|piece| piece.text).collect();
    cut(text.trim(), is_inside)
}

fn pieces<'a>(tables: &'a Tables, document: u32, marks: &[u8]) -> Vec<Piece<'a>> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut start = 0;
    let mut after_word = false;
    for piece in tables.text(document) {
        let term = tables.term_of_piece(piece);
        if after_word && term.is_some() {
            pieces.push(Piece { text: " ", mark: 0, start });
            start += 1;
        }
        let text = tables.piece(piece);
        let mark = term.and_then(|term| marks.get(term as usize).copied()).unwrap_or(0);
        pieces.push(Piece { text, mark, start });
        start += if text.is_ascii() { text.len() } else { text.chars().count() };
        after_word = term.is_some();
    }
    pieces
}

/// The first and last piece of the stretch with the most telling words, the earliest of equal ones.
fn best(pieces: &[Piece], wanted: &Wanted) -> Option<(usize, usize)> {
    let hits: Vec<usize> = (0..pieces.len()).filter(|at| pieces[*at].mark > 0).collect();
    let mut best: Option<(f32, usize, usize)> = None;
    for (number, first) in hits.iter().enumerate() {
        let mut seen = vec![0_u8; wanted.words.len()];
        let mut worth = 0.0;
        let mut last = *first;
        for at in &hits[number..] {
            if pieces[*at].start - pieces[*first].start > SPAN {
                break;
            }
            let word = usize::from(pieces[*at].mark) - 1;
            if let (Some(seen), Some(word)) = (seen.get_mut(word), wanted.words.get(word)) {
                // The same word again says little more.
                worth += word.worth * if *seen == 0 { 1.0 } else { 0.05 };
                *seen = 1;
                last = *at;
            }
        }
        if best.is_none_or(|(most, ..)| worth > most) {
            best = Some((worth, *first, last));
        }
    }
    best.map(|(_, first, last)| (first, last))
}

fn ends_sentence(gap: &str) -> bool {
    gap.ends_with(' ') && gap.trim_end().ends_with(['.', '!', '?', ':', ';'])
}

fn join(pieces: &[Piece]) -> String {
    pieces.iter().take_while(|piece| piece.start < LONGEST * 2).map(|piece| piece.text).collect()
}

/// At most [`LONGEST`] characters, cut after a word, with an ellipsis where something is missing.
fn cut(text: &str, is_inside: bool) -> String {
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
