//! Search in both languages: the index of one language, and that of the other for words unknown to the first. A page
//! found in the other language is returned in the requested one: `konkordato` in English finds the page `concordat`.

use contract::{Locale, PerLocale};

use crate::{Hit, Index};

/// Factor of the score of a page found in the other language.
const OTHER: f32 = 0.8;
/// Share of the best score below which a page is left out.
const NOISE: f32 = 0.12;

/// The languages of the pages that are returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Languages {
    /// This one only.
    Only(Locale),
    /// This one, and the other for pages that do not exist in this one.
    Before(Locale),
    /// For each page the language with the better score, English before equals.
    Any,
}

/// A hit and its language.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    pub hit: Hit<'a>,
    pub locale: Locale,
}

/// Returns the best pages, at most `limit`; `None` if the site has no index.
pub fn find<'a>(
    indexes: &'a PerLocale<Option<Index>>,
    query: &str,
    languages: Languages,
    limit: usize,
) -> Option<Vec<Found<'a>>> {
    let first = match languages {
        Languages::Only(locale) | Languages::Before(locale) => locale,
        Languages::Any => Locale::DEFAULT,
    };
    let own = indexes[first].as_ref()?;
    let other = indexes[first.other()].as_ref();
    let mut found: Vec<Found<'a>> = Vec::new();
    for hit in own.search(query, limit) {
        if !hit.url.is_empty() {
            found.push(Found { hit, locale: first });
        } else if let Some(there) = other.and_then(|other| other.document(hit.id))
            && !matches!(languages, Languages::Only(_))
        {
            found.push(Found { hit: Hit { score: hit.score, ..there }, locale: first.other() });
        }
    }
    if let Some(other) = other
        && (languages == Languages::Any || own.may_be_in_language_of(query, other))
    {
        for hit in other.search_after(own, query, limit) {
            let hit = Hit { score: hit.score * OTHER, ..hit };
            // A document without a page in the other language stands for the page in this one.
            let id = if hit.url.is_empty() { hit.id } else { hit.translation };
            let twin = own.document(id).filter(|twin| !twin.url.is_empty());
            add(&mut found, hit, twin, first, languages);
        }
    }
    // The stable sort keeps the order of equal scores within a language.
    found.sort_by(|a, b| b.hit.score.total_cmp(&a.hit.score));
    // A page with the only word of a query answers it, however well another one does.
    if query.split_whitespace().nth(1).is_some() {
        let least = found.first().map_or(0.0, |best| best.hit.score * NOISE);
        found.retain(|found| found.hit.score >= least);
    }
    found.truncate(limit);
    Some(found)
}

/// Adds a page found in the other language; `twin` is the same page in `first`. Each page is listed once with the
/// better of its scores, under [`Languages::Any`] in the language of that score.
fn add<'a>(found: &mut Vec<Found<'a>>, hit: Hit<'a>, twin: Option<Hit<'a>>, first: Locale, languages: Languages) {
    let in_other = languages == Languages::Any && !hit.url.is_empty();
    let is_same =
        |found: &&mut Found<'_>| found.hit.id == hit.id || twin.as_ref().is_some_and(|twin| found.hit.id == twin.id);
    match (found.iter_mut().find(is_same), twin) {
        (Some(known), _) if known.hit.score >= hit.score => {}
        (Some(known), _) if in_other => *known = Found { hit, locale: first.other() },
        (Some(known), _) => known.hit.score = hit.score,
        (None, Some(twin)) if !in_other => found.push(Found { hit: Hit { score: hit.score, ..twin }, locale: first }),
        (None, _) if !hit.url.is_empty() && !matches!(languages, Languages::Only(_)) => {
            found.push(Found { hit, locale: first.other() });
        }
        (None, _) => {}
    }
}
