//! Headings and their anchors.

use std::collections::{HashMap, HashSet};

use contract::Locale;

use crate::turkish::anchor;

/// A heading with the anchor that leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// The anchor, unique in the document: lower-case ASCII letters, digits and hyphens.
    pub id: String,
    /// Plain text.
    pub text: String,
    /// Octets before the heading.
    pub offset: usize,
}

/// The anchors of one document, as they are given out.
#[derive(Debug)]
pub(super) struct Anchors {
    locale: Locale,
    taken: HashSet<String>,
    /// For each wish that was refused once, the number to try next: thousands of equal headings are numbered in one go.
    next: HashMap<String, u32>,
}

impl Anchors {
    pub(super) fn new(locale: Locale) -> Self {
        Self { locale, taken: HashSet::new(), next: HashMap::new() }
    }

    /// The anchor of the next heading; a repeated one gets the suffix `-2`, `-3`, ….
    pub(super) fn give(&mut self, heading: &str) -> String {
        let wished = self.wish(heading);
        if self.taken.insert(wished.clone()) {
            return wished;
        }
        let number = self.next.entry(wished.clone()).or_insert(2);
        loop {
            let id = format!("{wished}-{number}");
            *number += 1;
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }

    /// Headings keep clear of the anchors of footnotes, and one without a letter still has an anchor.
    fn wish(&self, heading: &str) -> String {
        let section = match self.locale {
            Locale::En => "section",
            Locale::Tr => "bolum",
        };
        let id = anchor(heading, self.locale);
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
        let given: Vec<_> =
            ["Süre", "Süre", "Süre 2", "Süre", "…", "§", "Fn 1"].into_iter().map(|text| anchors.give(text)).collect();
        assert_eq!(given, ["sure", "sure-2", "sure-2-2", "sure-3", "bolum", "bolum-2", "bolum-fn-1"]);
    }

    #[test]
    fn equal_headings_are_numbered_without_counting_from_the_start_each_time() {
        // One by one this is five thousand million attempts: the test would not end.
        let mut anchors = Anchors::new(Locale::En);
        let last = (0..100_000).map(|_| anchors.give("Scope")).last();
        assert_eq!(last.as_deref(), Some("scope-100000"));
    }
}
