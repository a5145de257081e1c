//! Numbers everything anew, so that the bytes do not depend on the order in which documents came, and writes it down.

use std::cmp::Reverse;

use contract::Locale;

use super::{
    Entry, Field,
    lexicon::{Lexicon, Piece},
    postings::{Postings, postings},
};
use crate::format::{HEADER, MARK, NO_TERM, SECTIONS, Section, VERSION, checksum, push_varint, read_varint};

/// The bytes of the index of `entries`, which are in their final order.
pub(super) fn index(locale: Locale, lexicons: Vec<Lexicon>, mut entries: Vec<Entry>) -> Vec<u8> {
    let (lexicon, joined) = join_lexicons(locale, lexicons);
    let Lexicon { pieces, used, forms, terms, .. } = lexicon;
    let order = piece_order(&pieces, &used);
    let new_pieces = inverse(&order);
    let stem_order = sorted(&terms);
    let new_terms = inverse(&stem_order);
    let form_order = sorted_by(forms.len(), |a, b| forms[a].text.cmp(&forms[b].text));

    let term = |piece: &Piece| forms.get(piece.form as usize).map_or(NO_TERM, |form| new_terms[form.term as usize]);
    let terms_of: Vec<u32> = pieces.iter().map(term).collect();
    let joined_to = |to: &[u32]| -> Vec<Vec<u32>> {
        joined.iter().map(|numbers| numbers.iter().map(|number| to[*number as usize]).collect()).collect()
    };
    let Postings { lists, counts } = postings(&entries, terms.len(), &joined_to(&terms_of));
    let new_numbers = joined_to(&new_pieces);

    let mut sections: [Vec<u8>; SECTIONS] = Default::default();
    let [document_starts, documents, text_starts, texts, piece_starts, piece_texts, piece_terms, rest @ ..] =
        &mut sections;
    let [form_starts, form_texts, form_terms, term_starts, term_texts, posting_starts, posting_lists] = rest;
    documents.reserve(entries.iter().map(|entry| entry.shown().len()).sum());
    texts.reserve(entries.iter().map(|entry| entry.field(Field::Body).len()).sum());
    for entry in entries.drain(..) {
        push_u64(document_starts, documents.len());
        documents.extend_from_slice(entry.shown());
        push_u64(text_starts, texts.len());
        let new_pieces = &new_numbers[entry.lexicon];
        let body = entry.field(Field::Body);
        let mut at = 0;
        while let Some(piece) = read_varint(body, &mut at) {
            push_varint(texts, new_pieces[piece as usize]);
        }
    }
    push_u64(document_starts, documents.len());
    push_u64(text_starts, texts.len());

    for old in &order {
        let piece = &pieces[*old as usize];
        push_u32(piece_starts, piece_texts.len() as u32);
        piece_texts.extend_from_slice(piece.text.as_bytes());
        push_u32(piece_terms, terms_of[*old as usize]);
    }
    push_u32(piece_starts, piece_texts.len() as u32);

    for old in form_order {
        let form = &forms[old as usize];
        push_u32(form_starts, form_texts.len() as u32);
        form_texts.extend_from_slice(form.text.as_bytes());
        push_u32(form_terms, new_terms[form.term as usize]);
    }
    push_u32(form_starts, form_texts.len() as u32);

    for (new, old) in stem_order.iter().enumerate() {
        push_u32(term_starts, term_texts.len() as u32);
        term_texts.extend_from_slice(terms[*old as usize].as_bytes());
        push_u64(posting_starts, posting_lists.len());
        push_varint(posting_lists, counts[new]);
        posting_lists.extend_from_slice(&lists[new]);
    }
    push_u32(term_starts, term_texts.len() as u32);
    push_u64(posting_starts, posting_lists.len());
    debug_assert_eq!(Section::Postings as usize, SECTIONS - 1);
    join_sections(locale, sections)
}

/// One lexicon, and the number in it of each piece of each of `lexicons`.
fn join_lexicons(locale: Locale, lexicons: Vec<Lexicon>) -> (Lexicon, Vec<Vec<u32>>) {
    let mut lexicons = lexicons.into_iter();
    let mut whole = lexicons.next().unwrap_or_else(|| Lexicon::new(locale));
    let mut numbers = vec![(0..whole.pieces.len() as u32).collect()];
    numbers.extend(lexicons.map(|lexicon| whole.take(&lexicon)));
    (whole, numbers)
}

/// Header and sections.
fn join_sections(locale: Locale, sections: [Vec<u8>; SECTIONS]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER + sections.iter().map(Vec::len).sum::<usize>());
    out.extend_from_slice(&MARK);
    push_u32(&mut out, VERSION);
    let mut tag = [0; 8];
    tag[..2].copy_from_slice(&locale.as_str().as_bytes()[..2]);
    out.extend_from_slice(&tag);
    push_u64(&mut out, 0);
    for section in &sections {
        push_u64(&mut out, section.len());
    }
    for section in sections {
        out.extend_from_slice(&section);
    }
    let sum = checksum(&out[24..]);
    out[16..24].copy_from_slice(&sum.to_le_bytes());
    out
}

/// The frequent pieces first, which makes their numbers short.
fn piece_order(pieces: &[Piece], used: &[u32]) -> Vec<u32> {
    let key = |at: usize| (Reverse(used[at]), &pieces[at].text, pieces[at].form == NO_TERM);
    sorted_by(pieces.len(), |a, b| key(a).cmp(&key(b)))
}

fn sorted(texts: &[Box<str>]) -> Vec<u32> {
    sorted_by(texts.len(), |a, b| texts[a].cmp(&texts[b]))
}

fn sorted_by(length: usize, compare: impl Fn(usize, usize) -> std::cmp::Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..length as u32).collect();
    order.sort_unstable_by(|a, b| compare(*a as usize, *b as usize));
    order
}

/// From old numbers to new ones.
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut new = vec![0; order.len()];
    for (at, old) in (0..).zip(order) {
        new[*old as usize] = at;
    }
    new
}

fn push_u32(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn push_u64(out: &mut Vec<u8>, number: usize) {
    out.extend_from_slice(&(number as u64).to_le_bytes());
}
