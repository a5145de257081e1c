//! The second look at the best documents: phrases, how well the title fits, how near the words stand.

use super::{
    candidates::Wanted,
    query::Query,
    rank::order,
    tables::{Shown, Tables},
};
use crate::{fold, words::each_word};

/// How much a title with all words adds, and how much more one that has no other word.
const TITLE: f32 = 0.8;
const WHOLE_TITLE: f32 = 0.9;
/// What a word of a title counts that is another form of the word in the query.
const OTHER_FORM: f32 = 0.75;
/// How much words side by side add.
const NEARNESS: f32 = 0.4;

/// Keeps the documents that have every phrase, orders them anew, and leaves the first `limit`.
pub(super) fn refine(
    tables: &Tables,
    query: &Query,
    wanted: &Wanted,
    found: Vec<(u32, f32)>,
    limit: usize,
) -> Vec<(u32, f32)> {
    let phrases: Vec<Vec<Option<u32>>> = query
        .phrases
        .iter()
        .map(|phrase| query.words[phrase.clone()].iter().map(|word| tables.terms.find(&word.stem)).collect())
        .collect();
    let mut refined: Vec<(u32, f32)> = found
        .into_iter()
        .filter(|(document, _)| phrases.iter().all(|phrase| has_phrase(tables, *document, phrase)))
        .take(limit.max(40))
        .filter_map(|(document, score)| {
            let shown = tables.document(document)?;
            let title = title(tables, query, wanted, shown);
            let near = if wanted.words.len() > 1 { nearness(tables, document, wanted) } else { 0.0 };
            Some((document, score * (1.0 + title + near)))
        })
        .collect();
    refined.sort_by(order);
    refined.truncate(limit);
    refined
}

/// How well the title answers the query.
#[expect(clippy::cast_precision_loss, reason = "titles are short")]
fn title(tables: &Tables, query: &Query, wanted: &Wanted, shown: Shown) -> f32 {
    let mut has = vec![0.0_f32; wanted.words.len()];
    let (mut words, mut matching) = (0_u32, 0.0_f32);
    each_word(tables.locale, shown.title, |word| {
        let form = fold(word.text);
        let term = tables.forms.find(&form).and_then(|form| tables.term_of_form(form));
        words += 1;
        let number = term.map_or(0, |term| wanted.mark(term));
        if number == 0 {
            return;
        }
        let is_same = query.words.iter().any(|word| word.form == form);
        let counts = if is_same { 1.0 } else { OTHER_FORM };
        matching += counts;
        if let Some(has) = has.get_mut(usize::from(number) - 1) {
            *has = has.max(counts);
        }
    });
    let share: f32 = has.iter().zip(&wanted.words).map(|(has, word)| has * word.worth).sum::<f32>() / wanted.worth();
    share * (TITLE + WHOLE_TITLE * share * matching / words.max(1) as f32)
}

/// One where all words of the query stand side by side, less the more stands between them.
#[expect(clippy::cast_precision_loss, reason = "a rank need not be exact")]
fn nearness(tables: &Tables, document: u32, wanted: &Wanted) -> f32 {
    let words = wanted.words.len();
    let mut last_seen = vec![None; words];
    let mut shortest = usize::MAX;
    for (at, mark) in word_marks(tables, document, wanted).enumerate().filter(|(_, mark)| *mark > 0) {
        let Some(seen) = last_seen.get_mut(usize::from(mark) - 1) else { continue };
        *seen = Some(at);
        if let Some(Some(first)) = last_seen.iter().min() {
            shortest = shortest.min(at - first + 1);
        }
    }
    if shortest == usize::MAX { 0.0 } else { NEARNESS * words as f32 / shortest.max(words) as f32 }
}

/// The mark of every word of a text; gaps are passed over.
fn word_marks<'a>(tables: &'a Tables, document: u32, wanted: &'a Wanted) -> impl Iterator<Item = u8> + 'a {
    let terms = tables.text(document).filter_map(|piece| tables.term_of_piece(piece));
    terms.map(|term| wanted.mark(term))
}

/// Whether the words stand one after the other in title, summary or text, in any of their forms.
fn has_phrase(tables: &Tables, document: u32, phrase: &[Option<u32>]) -> bool {
    let Some(phrase) = phrase.iter().copied().collect::<Option<Vec<u32>>>() else { return false };
    let Some(shown) = tables.document(document) else { return false };
    let term = |word: &str| tables.forms.find(&fold(word)).and_then(|form| tables.term_of_form(form));
    let read = |text: &str| {
        let mut terms = Vec::new();
        each_word(tables.locale, text, |word| terms.push(term(word.text)));
        terms.into_iter()
    };
    let mut body = tables.text(document).filter_map(|piece| tables.term_of_piece(piece)).map(Some);
    stands_in(&phrase, &mut body)
        || stands_in(&phrase, &mut read(shown.title))
        || stands_in(&phrase, &mut read(shown.summary))
}

fn stands_in(phrase: &[u32], terms: &mut dyn Iterator<Item = Option<u32>>) -> bool {
    // How many words of the phrase end here, for every number of them: at most a bit each, as there are few words.
    let mut open = 0_u32;
    let whole = 1 << phrase.len();
    for term in terms {
        let fits = phrase.iter().enumerate().filter(|(_, word)| Some(**word) == term);
        let fits = fits.fold(0_u32, |bits, (at, _)| bits | (1 << (at + 1)));
        open = ((open << 1) | 2) & fits;
        if open & whole != 0 {
            return true;
        }
    }
    false
}
