//! The one order of pages that people and agents are shown: uses the index of one language, and that of the other for
//! words that the first does not know. A page found in the other language is shown in the language that was asked for:
//! someone who asks for `konkordato` in English means the page that is called `concordat`.

use contract::{Locale, PerLocale};

use crate::{Hit, Index};

/// Weight of a page found in the language that was not asked for, or that is not the first.
const OTHER: f32 = 0.8;
/// The share of the best score below which a page is noise.
const NOISE: f32 = 0.12;

/// The languages in which pages are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Languages {
    /// This one only.
    Only(Locale),
    /// This one, and the other for pages that do not exist in it.
    Before(Locale),
    /// That in which a page fits best, English before equals.
    Any,
}

/// A page that was found, in one language.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// The page.
    pub hit: Hit<'a>,
    /// Its language.
    pub locale: Locale,
}

/// The best pages, at most `limit`; `None` if the site has no index.
#[must_use]
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
        && (languages == Languages::Any || own.is_rather_of(query, other))
    {
        for hit in other.search_after(own, query, limit) {
            let hit = Hit { score: hit.score * OTHER, ..hit };
            // What is not read in the other language either leads to a page of this one.
            let id = if hit.url.is_empty() { hit.id } else { hit.translation };
            let twin = own.document(id).filter(|twin| !twin.url.is_empty());
            add(&mut found, hit, twin, first, languages);
        }
    }
    // The sort is stable, so that equal scores keep the order of their language.
    found.sort_by(|a, b| b.hit.score.total_cmp(&a.hit.score));
    let least = found.first().map_or(0.0, |best| best.hit.score * NOISE);
    found.retain(|found| found.hit.score >= least);
    found.truncate(limit);
    Some(found)
}

/// Adds a page found in the other language; `twin` is the same page in `first`. Each page is listed once, with the
/// better of its scores; where any language will do, it is listed in the language of that score.
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
