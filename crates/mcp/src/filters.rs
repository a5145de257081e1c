//! Arguments that select items of a list.

use std::collections::BTreeSet;

use citations::Cited;
use contract::{Locale, PerLocale, mcp as words};
use search::fold;

/// An argument that selects items.
pub(super) struct ListFilter {
    pub(super) name: Box<str>,
    choices: Vec<FilterChoice>,
    items: PerLocale<Vec<Vec<u32>>>,
}

struct FilterChoice {
    name: PerLocale<String>,
    /// All names, each as returned by [`words_of`].
    words: Vec<String>,
}

impl ListFilter {
    /// Prepares a filter of the build; `None` if it does not match lists of these lengths.
    pub(super) fn new(written: words::Filter, counts: &PerLocale<usize>) -> Option<Self> {
        let choices = written.choices.into_iter().map(|choice| {
            let names = [&choice.name.en, &choice.name.tr];
            let words = names.into_iter().chain(&choice.others).map(|name| words_of(name)).collect();
            FilterChoice { name: choice.name, words }
        });
        let choices: Vec<FilterChoice> = choices.collect();
        let items = written.items;
        let fits = items.iter().all(|(locale, items)| {
            items.len() == counts[locale] && items.iter().flatten().all(|choice| (*choice as usize) < choices.len())
        });
        fits.then(|| Self { name: written.name.into(), choices, items })
    }

    /// Returns the choices of exactly this name, or else those whose name has all words of `asked`.
    pub(super) fn matching_choices(&self, name_of_choice: &str) -> BTreeSet<u32> {
        let name_of_choice = words_of(name_of_choice);
        let those = |fits: &dyn Fn(&String) -> bool| -> BTreeSet<u32> {
            let numbered = (0..).zip(&self.choices);
            numbered.filter(|(_, choice)| choice.words.iter().any(fits)).map(|(number, _)| number).collect()
        };
        let exact = those(&|name| *name == name_of_choice);
        if !exact.is_empty() || name_of_choice.is_empty() {
            return exact;
        }
        those(&|name| name_of_choice.split(' ').all(|word| name.split(' ').any(|known| known == word)))
    }

    /// Returns the choices that are among what is cited.
    pub(super) fn citing_choices(&self, cites: &Cited) -> BTreeSet<u32> {
        let is_among = |choice: &FilterChoice| choice.name.en.parse().is_ok_and(|cited| cites.includes(&cited));
        (0..).zip(&self.choices).filter(|(_, choice)| is_among(choice)).map(|(number, _)| number).collect()
    }

    pub(super) fn fits(&self, locale: Locale, item: usize, choices: &BTreeSet<u32>) -> bool {
        self.items[locale].get(item).is_some_and(|those| those.iter().any(|choice| choices.contains(choice)))
    }

    /// Returns the names of the choices in a language, for a message.
    pub(super) fn names(&self, locale: Locale) -> String {
        const MAX_NAMED: usize = 40;
        let names: Vec<&str> = self.choices.iter().take(MAX_NAMED).map(|choice| choice.name[locale].as_str()).collect();
        names.join(", ") + if self.choices.len() > MAX_NAMED { ", …" } else { "" }
    }
}

/// Returns the folded words of a text, separated by single spaces.
pub(super) fn words_of(text: &str) -> String {
    let folded = fold(text);
    let words: Vec<&str> =
        folded.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Whether each word of `asked` shares its beginning with a word of `text`, because Turkish suffixes and English
/// plurals lengthen either. Both are results of [`words_of`].
pub(super) fn contains_words(query: &str, text: &str) -> bool {
    let alike = |query: &str, known: &str| {
        query == known
            || (query.len() >= 3 && known.starts_with(query))
            || (known.len() >= 4 && query.starts_with(known))
    };
    !query.is_empty() && query.split(' ').all(|query| text.split(' ').any(|known| alike(query, known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter() -> ListFilter {
        let choice = |en: &str, tr: &str, code: &str| words::Choice {
            name: PerLocale { en: en.to_owned(), tr: tr.to_owned() },
            others: vec![code.to_owned()],
        };
        let choices = vec![
            choice("Niger", "Nijer", "NE"),
            choice("Guinea", "Gine", "GN"),
            choice("Papua New Guinea", "Papua Yeni Gine", "PG"),
            choice("Germany", "Almanya", "DE"),
        ];
        let items = PerLocale { en: vec![vec![0], vec![1, 2], vec![]], tr: vec![vec![3]] };
        let written = words::Filter { name: "country".to_owned(), choices, items };
        ListFilter::new(written, &PerLocale { en: 3, tr: 1 }).unwrap()
    }

    #[test]
    fn filter_prefers_the_exact_name_in_either_language() {
        let filter = filter();
        let matching = |text: &str| filter.matching_choices(text).into_iter().collect::<Vec<_>>();
        assert_eq!([matching("Germany"), matching("ALMANYA"), matching(" de ")], [[3], [3], [3]]);
        assert_eq!((matching("guinea"), matching("new guinea"), matching("Yeni")), (vec![1], vec![2], vec![2]));
        for unknown in ["Nigeria", "Ger", "d", "", "!", "Germany Niger", "\u{202e}"] {
            assert!(matching(unknown).is_empty(), "{unknown}");
        }
        assert!(filter.fits(Locale::En, 1, &BTreeSet::from([2])) && !filter.fits(Locale::En, 2, &BTreeSet::from([2])));
    }

    #[test]
    fn filter_of_another_list_is_refused() {
        let made = |items: Vec<Vec<u32>>, count| {
            let items = PerLocale { en: items, tr: Vec::new() };
            let written = words::Filter { name: "x".to_owned(), choices: Vec::new(), items };
            ListFilter::new(written, &PerLocale { en: count, tr: 0 }).is_some()
        };
        assert_eq!([made(vec![vec![]], 1), made(vec![vec![]], 2), made(vec![vec![0]], 1)], [true, false, false]);
    }

    #[test]
    fn words_are_found_with_and_without_their_suffixes() {
        let text = words_of("Kiracının tahliyesi: leases, İşe iade – 6098 sayılı Kanun");
        for query in ["kiracı", "KİRACI tahliye", "lease", "ise iade", "6098", "kanunu"] {
            assert!(contains_words(&words_of(query), &text), "{query}");
        }
        for query in ["", "kiraz", "lease tax", "60", "–"] {
            assert!(!contains_words(&words_of(query), &text), "{query}");
        }
    }
}
