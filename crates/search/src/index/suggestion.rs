//! "Did you mean": words of the texts in place of misspelt ones.

use super::{candidates, query::Query, tables::Tables};
use crate::{fold, typo::differ_by_at_most, words::each_range};

/// Fewest letters of a misspelt word, and fewest letters of one with two wrong letters.
const MIN_LETTERS: usize = 4;
const TWO_WRONG: usize = 6;
/// Maximum number of misspelt words: each is compared with all forms of the index.
const MAX_WORDS: usize = 3;

/// Returns `text` with the misspelt words replaced, or `None` if there are none.
pub(super) fn suggestion(tables: &Tables, text: &str) -> Option<String> {
    let query = Query::parse(tables.locale, text);
    let synonyms = candidates::synonyms(tables, &query);
    let unknown: Vec<&str> = query
        .words
        .iter()
        .zip(synonyms)
        .filter(|(word, synonyms)| {
            let is_known = tables.forms.find(&word.form).is_some() || tables.terms.find(&word.stem).is_some();
            !word.is_idle && synonyms.is_empty() && !is_known && word.form.len() >= MIN_LETTERS
        })
        .map(|(word, _)| word.form.as_str())
        .take(MAX_WORDS)
        .collect();
    let nearest: Vec<(&str, &str)> =
        unknown.into_iter().filter_map(|form| Some((form, nearest(tables, form)?))).collect();
    if nearest.is_empty() {
        return None;
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), 0);
    each_range(tables.locale, text, |_, word| {
        let form = fold(&text[word.clone()]);
        if let Some((_, better)) = nearest.iter().find(|(wrong, _)| *wrong == form) {
            out.push_str(&text[rest..word.start]);
            out.push_str(better);
            rest = word.end;
        }
    });
    out.push_str(&text[rest..]);
    Some(out)
}

/// Returns the word nearest to `form` in the spelling of the texts: fewest wrong letters first, then most documents.
fn nearest<'a>(tables: &'a Tables, form: &str) -> Option<&'a str> {
    let most = if form.len() >= TWO_WRONG { 2 } else { 1 };
    let mut best: Option<(usize, u32, u32)> = None;
    for other in 0..tables.forms.len() as u32 {
        let bytes = tables.forms.bytes(other);
        if bytes.first() != form.as_bytes().first() || bytes.len().abs_diff(form.len()) > most {
            continue;
        }
        let Some(wrong) = (1..=most).find(|most| differ_by_at_most(*most, bytes, form.as_bytes())) else { continue };
        let Some(term) = tables.term_of_form(other) else { continue };
        let documents = tables.postings(term).count;
        if best.is_none_or(|(least, count, _)| (wrong, u32::MAX - documents) < (least, u32::MAX - count)) {
            best = Some((wrong, documents, other));
        }
    }
    let (_, _, form) = best?;
    let text = tables.forms.text(form);
    let pieces = tables.pieces_of.members(tables.term_of_form(form)?);
    pieces.iter().map(|piece| tables.piece(*piece)).find(|piece| fold(piece) == text)
}
