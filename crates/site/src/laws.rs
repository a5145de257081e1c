//! Laws that texts cite, and the changes of laws that texts do not state yet.

use std::collections::BTreeMap;

use citations::{Article, Cited, Law};
use content::{ChangeOfLaw, Record};
use contract::{Locale, text::Date};

use super::{Draft, Site};

/// A law that publications of a locale cite.
#[derive(Debug)]
pub struct CitedLaw<'a> {
    pub law: &'a Law,
    /// Public path of its page.
    pub path: String,
    /// Its changes that are in force, the latest first.
    pub changes: Vec<&'a ChangeOfLaw>,
    /// The publications that cite it, by their positions.
    pub publications: Vec<usize>,
    /// The publications that cite only the law as a whole.
    pub as_whole: Vec<usize>,
    /// The cited articles, each with the publications that cite it.
    pub articles: BTreeMap<Article, Vec<usize>>,
}

/// Returns the part of a path that the pages of laws share.
pub fn laws_path(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "/en/laws/",
        Locale::Tr => "/tr/kanunlar/",
    }
}

impl Site {
    /// Returns the laws that the publications of a locale cite, by number.
    pub fn cited_laws(&self, locale: Locale) -> Vec<CitedLaw<'_>> {
        let mut laws: BTreeMap<(usize, &str), CitedLaw> = BTreeMap::new();
        for (place, publication) in self.content[locale].publications.iter().enumerate() {
            for cited in &publication.document.cites {
                let Some(law) = cited.law().and_then(|number| self.settings.laws.get(number)) else { continue };
                let entry = laws.entry((law.number.len(), &law.number)).or_insert_with(|| CitedLaw {
                    law,
                    path: format!("{}{}", laws_path(locale), law.number),
                    changes: self.settings.law_changes.iter().filter(|it| it.law.value == law.number).collect(),
                    publications: Vec::new(),
                    as_whole: Vec::new(),
                    articles: BTreeMap::new(),
                });
                add(&mut entry.publications, place);
                if let Cited::Article(_, article) = cited {
                    add(entry.articles.entry(article.whole()).or_default(), place);
                }
            }
        }
        for CitedLaw { publications, as_whole, articles, .. } in laws.values_mut() {
            let has_article = |place: &usize| articles.values().any(|places| places.contains(place));
            as_whole.extend(publications.iter().filter(|place| !has_article(place)));
        }
        laws.into_values().collect()
    }
}

fn add(places: &mut Vec<usize>, place: usize) {
    if places.last() != Some(&place) {
        places.push(place);
    }
}

/// Returns the day as of which an entry states the law.
pub(crate) fn law_as_of(record: &Record) -> Option<Date> {
    let updated = record.head.updated.as_ref().map(|at| at.value.clone());
    updated.or_else(|| Some(record.values.get::<Date>("date")?.value))
}

/// Returns the changes of law in force on the day of the build that came after the day as of which an entry states the
/// law.
pub(crate) fn unstated_changes<'d>(draft: &'d Draft, record: &'d Record) -> impl Iterator<Item = &'d ChangeOfLaw> {
    let (today, as_of) = (draft.today().to_string(), law_as_of(record));
    draft.settings.law_changes.iter().filter(move |change| {
        let is_later = as_of.as_ref().is_none_or(|day| *day < change.in_force);
        is_later && change.in_force.as_str() <= today.as_str() && change.concerns(&record.cites)
    })
}
