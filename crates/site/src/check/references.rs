//! Checks of the references in front matter.

use std::collections::BTreeSet;

use content::{At, Kind};
use contract::Locale;
use findings::{Code, Finding, messages, nearest};
use markdown::turkish;

use crate::Draft;

pub(super) fn authors(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Publications) {
        let one = record.values.get("author").filter(At::is_written_here).map(|author| ("author", author));
        let several = record.values.list::<String>("authors").filter(At::is_written_here);
        let several = several.into_iter().flat_map(|authors| authors.value).map(|author| ("authors", author));
        for (field, author) in
            one.into_iter().chain(several).filter(|(_, author)| !draft.has(Kind::Team, &author.value))
        {
            let message = messages::author_unknown(&author.value);
            let finding = Finding::new(Code::UNKNOWN_AUTHOR, record.place(author.span), message);
            findings.push(match draft.misnamed_folder(Kind::Team, &author.value) {
                Some(name) => with_misnamed_folder(finding, name, &author.value),
                None => finding.did_you_mean(nearest(&author.value, draft.keys(Kind::Team))).help(match field {
                    "author" => messages::author_unknown_help(),
                    _ => messages::one_of_authors_unknown_help(),
                }),
            });
        }
    }
}

pub(super) fn categories(draft: &Draft, findings: &mut Vec<Finding>) {
    let settings = &draft.settings;
    if !settings.readable || settings.lost_categories || settings.categories.iter().any(|it| it.key.is_none()) {
        return;
    }
    let known = || draft.settings.categories.iter().filter_map(|category| category.key.as_ref());
    for record in draft.of_kind(Kind::Publications) {
        let category = record.values.get::<String>("category").filter(At::is_written_here);
        let Some(category) = category else { continue };
        if !known().any(|key| key.value == category.value) {
            let message = messages::category_unknown(&category.value);
            let finding = Finding::new(Code::UNKNOWN_CATEGORY, record.place(category.span), message);
            let names: BTreeSet<&str> = known().map(|key| key.value.as_str()).collect();
            let word = find_category(draft, &category.value);
            let names: Vec<&str> = names.into_iter().collect();
            findings.push(finding.did_you_mean(word).help(if names.is_empty() {
                messages::no_categories_help()
            } else {
                messages::categories_help(names.join(", "))
            }));
        }
    }
}

/// Returns the key of the category whose key, name or slug is `word` or similar.
fn find_category<'d>(draft: &'d Draft, word: &str) -> Option<&'d str> {
    let words = draft.settings.categories.iter().filter_map(|category| {
        let key = category.key.as_ref()?.value.as_str();
        let names = category.name.iter().flat_map(|names| names.iter().map(|(_, name)| name.as_str()));
        let slugs = category.slug.iter().filter_map(|(_, slug)| Some(slug.as_ref()?.value.as_str()));
        Some((key, [key].into_iter().chain(names).chain(slugs)))
    });
    let words: Vec<(String, &str)> =
        words.flat_map(|(key, words)| words.map(move |word| (turkish::slug(word, Locale::Tr), key))).collect();
    let plain = turkish::slug(word, Locale::Tr);
    let is_it = |(name, _): &&(String, &str)| *name == plain;
    let near = || {
        let word = nearest(&plain, words.iter().map(|(name, _)| name.as_str()))?;
        words.iter().find(|(name, _)| name == word)
    };
    words.iter().find(is_it).or_else(near).map(|(_, key)| *key)
}

pub(super) fn practice_areas(draft: &Draft, findings: &mut Vec<Finding>) {
    for record in draft.of_kind(Kind::Team) {
        let areas = record.values.list::<String>("practice_areas").filter(At::is_written_here);
        for area in areas.into_iter().flat_map(|areas| areas.value) {
            if !draft.has(Kind::PracticeAreas, &area.value) {
                let message = messages::practice_area_unknown(&area.value);
                let finding = Finding::new(Code::UNKNOWN_PRACTICE_AREA, record.place(area.span), message);
                findings.push(match draft.misnamed_folder(Kind::PracticeAreas, &area.value) {
                    Some(name) => with_misnamed_folder(finding, name, &area.value),
                    None => finding
                        .did_you_mean(nearest(&area.value, draft.keys(Kind::PracticeAreas)))
                        .help(messages::practice_area_unknown_help()),
                });
            }
        }
    }
}

/// Adds help: the entry exists in a folder whose name is no valid key.
pub(super) fn with_misnamed_folder(finding: Finding, name: &str, key: &str) -> Finding {
    finding.help(messages::folder_misnamed_help(name, key))
}
