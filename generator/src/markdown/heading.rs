//! Headings and their anchors.

use std::collections::HashSet;

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
}

impl Anchors {
    pub(super) fn new(locale: Locale) -> Self {
        Self { locale, taken: HashSet::new() }
    }

    /// The anchor of the next heading; a repeated one gets the suffix `-2`, `-3`, ….
    pub(super) fn give(&mut self, heading: &str) -> String {
        let wished = self.wish(heading);
        if self.taken.insert(wished.clone()) {
            return wished;
        }
        let mut number = 2_u32;
        loop {
            let id = format!("{wished}-{number}");
            if self.taken.insert(id.clone()) {
                return id;
            }
            number += 1;
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
}
