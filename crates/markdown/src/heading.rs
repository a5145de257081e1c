//! Headings and their anchors.

use std::collections::HashMap;

use contract::Locale;
use foldhash::quality::RandomState;

use crate::turkish::slug;

/// A heading with the anchor that leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// The anchor, unique in the document: lower-case ASCII letters, digits and hyphens.
    pub id: String,
    /// Plain text.
    pub text: String,
    /// The number of bytes before the heading.
    pub offset: usize,
}

/// The suffix of the second heading of a name.
const FIRST_NUMBER: u32 = 2;

/// The anchors that have been assigned in one document.
#[derive(Debug)]
pub(super) struct Anchors {
    locale: Locale,
    /// The assigned anchors, each with the number that the next heading of that name tries first.
    taken: HashMap<String, u32, RandomState>,
}

impl Anchors {
    pub(super) fn new(locale: Locale) -> Self {
        Self { locale, taken: HashMap::default() }
    }

    /// Assigns the anchor of the next heading; a repeated one gets the suffix `-2`, `-3`, ….
    pub(super) fn assign(&mut self, heading: &str) -> String {
        let preferred = self.preferred_anchor(heading);
        let Some(mut number) = self.taken.get(&preferred).copied() else {
            self.taken.insert(preferred.clone(), FIRST_NUMBER);
            return preferred;
        };
        let id = loop {
            let id = format!("{preferred}-{number}");
            number += 1;
            if !self.taken.contains_key(&id) {
                break id;
            }
        };
        self.taken.insert(preferred, number);
        self.taken.insert(id.clone(), FIRST_NUMBER);
        id
    }

    /// Returns the anchor to try first: never empty, and never one that a footnote may have.
    fn preferred_anchor(&self, heading: &str) -> String {
        let section = match self.locale {
            Locale::En => "section",
            Locale::Tr => "bolum",
        };
        let id = slug(heading, self.locale);
        if id.is_empty() {
            section.to_owned()
        } else if ["fn-", "fnref-", "footnote-label"].iter().any(|reserved| id.starts_with(reserved)) {
            format!("{section}-{id}")
        } else {
            id
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_unique_and_never_empty() {
        let mut anchors = Anchors::new(Locale::Tr);
        let names: Vec<_> =
            ["Süre", "Süre", "Süre 2", "Süre", "…", "§", "Fn 1"].into_iter().map(|text| anchors.assign(text)).collect();
        assert_eq!(names, ["sure", "sure-2", "sure-2-2", "sure-3", "bolum", "bolum-2", "bolum-fn-1"]);
    }

    #[test]
    fn many_headings_of_one_name_are_numbered_in_linear_time() {
        let mut anchors = Anchors::new(Locale::En);
        let last = (0..100_000).map(|_| anchors.assign("Term")).last().unwrap();
        assert_eq!(last, "term-100000");
    }
}
