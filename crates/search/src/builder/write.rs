//! Writes the index. Pieces, forms and terms are renumbered, so that the bytes do not depend on the order of documents.

use std::cmp::Reverse;

use contract::Locale;

use super::{
    IndexEntry,
    lexicon::{Lexicon, Piece},
    postings::{NumberedPiece, PostingsBuilder},
    sections::Sections,
};
use crate::format::{NO_TERM, Section, push_varint};

/// Returns the bytes of the index of `entries`, which are in final order, with encoded `synonyms`.
pub(super) fn index(locale: Locale, lexicons: Vec<Lexicon>, entries: Vec<IndexEntry>, synonyms: &[u8]) -> Vec<u8> {
    let (lexicon, joined) = join_lexicons(locale, lexicons);
    let Lexicon { pieces, used, forms, terms, .. } = lexicon;
    let piece_order = piece_order(&pieces, &used);
    let form_order = sorted_by(forms.len(), |a, b| forms[a].text.cmp(&forms[b].text));
    let term_order = sorted_by(terms.len(), |a, b| terms[a].cmp(&terms[b]));
    let new_terms = inverse(&term_order);
    let term = |piece: &Piece| forms.get(piece.form as usize).map_or(NO_TERM, |form| new_terms[form.term as usize]);
    let numbers = inverse(&piece_order);
    let known: Vec<NumberedPiece> =
        pieces.iter().zip(numbers).map(|(piece, number)| NumberedPiece { number, term: term(piece) }).collect();
    let of_lexicon = |numbers: Vec<u32>| numbers.into_iter().map(|number| known[number as usize]).collect();
    let known: Vec<Vec<NumberedPiece>> = joined.into_iter().map(of_lexicon).collect();

    // Frequent pieces have shorter numbers now, so the texts do not grow.
    let mut out = Sections::new(locale, entries.iter().map(|entry| entry.bytes.len() + entry.bytes.len() / 4).sum());
    let mut postings = PostingsBuilder::new(&entries, terms.len());
    out.stretches([Section::DocumentStarts, Section::Documents], entries.iter(), |entry, out| {
        out.extend_from_slice(entry.stored());
    });
    out.stretches([Section::TextStarts, Section::Texts], entries.into_iter(), |entry, out| {
        postings.add(&entry, &known[entry.lexicon], out);
    });

    let ordered_pieces = || piece_order.iter().map(|old| &pieces[*old as usize]);
    out.text_starts(Section::PieceStarts, ordered_pieces().map(|piece| &*piece.text));
    out.texts(Section::Pieces, ordered_pieces().map(|piece| &*piece.text));
    out.numbers(Section::PieceTerms, ordered_pieces().map(term));

    let ordered_forms = || form_order.iter().map(|old| &forms[*old as usize]);
    out.text_starts(Section::FormStarts, ordered_forms().map(|form| &*form.text));
    out.texts(Section::Forms, ordered_forms().map(|form| &*form.text));
    out.numbers(Section::FormTerms, ordered_forms().map(|form| new_terms[form.term as usize]));

    let ordered_terms = || term_order.iter().map(|old| &*terms[*old as usize]);
    out.text_starts(Section::TermStarts, ordered_terms());
    out.texts(Section::Terms, ordered_terms());
    out.stretches([Section::PostingStarts, Section::Postings], postings.lists(), |list, out| {
        push_varint(out, list.documents);
        out.extend_from_slice(&list.bytes);
    });
    out.write(Section::Synonyms, |out| out.extend_from_slice(synonyms));
    out.finish()
}

/// Joins `lexicons`; returns also the new number of each piece of each lexicon.
fn join_lexicons(locale: Locale, lexicons: Vec<Lexicon>) -> (Lexicon, Vec<Vec<u32>>) {
    let mut lexicons = lexicons.into_iter();
    let mut whole = lexicons.next().unwrap_or_else(|| Lexicon::new(locale));
    let mut numbers = vec![(0..whole.pieces.len() as u32).collect()];
    numbers.extend(lexicons.map(|lexicon| whole.take(&lexicon)));
    (whole, numbers)
}

/// Returns the order of the pieces: frequent ones first, so that their numbers are short.
fn piece_order(pieces: &[Piece], used: &[u32]) -> Vec<u32> {
    let key = |at: usize| (Reverse(used[at]), &pieces[at].text, pieces[at].form == NO_TERM);
    sorted_by(pieces.len(), |a, b| key(a).cmp(&key(b)))
}

fn sorted_by(length: usize, compare: impl Fn(usize, usize) -> std::cmp::Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..length as u32).collect();
    order.sort_unstable_by(|a, b| compare(*a as usize, *b as usize));
    order
}

/// Maps old numbers to new ones.
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut new = vec![0; order.len()];
    for (at, old) in (0..).zip(order) {
        new[*old as usize] = at;
    }
    new
}
