//! Headings and their anchors.

use std::collections::{HashMap, HashSet};

use contract::Locale;
use foldhash::quality::RandomState;
use memchr::{memmem, memrchr};

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
    /// The anchor that the author wrote behind the heading, `{#sure}`, whether or not it can be used.
    pub written: Option<Box<str>>,
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
    /// Anchors that the author wrote behind headings that follow. No other heading gets them.
    written: HashSet<String>,
}

impl Anchors {
    pub(super) fn new(text: &str, locale: Locale) -> Self {
        let written = written_anchors(text).filter(|anchor| is_anchor(anchor)).map(str::to_owned).collect();
        Self { locale, taken: HashMap::default(), written }
    }

    /// Assigns the anchor of the next heading: the written one if it is free, otherwise one made from its words. A
    /// repeated one gets the suffix `-2`, `-3`, ….
    pub(super) fn assign(&mut self, heading: &str, written: Option<&str>) -> String {
        if let Some(written) = written.and_then(|written| self.written.take(written)) {
            self.taken.entry(written.clone()).or_insert(FIRST_NUMBER);
            return written;
        }
        let preferred = self.preferred_anchor(heading);
        let Some(mut number) = self.number_of(&preferred) else {
            self.taken.insert(preferred.clone(), FIRST_NUMBER);
            return preferred;
        };
        let id = loop {
            let id = format!("{preferred}-{number}");
            number += 1;
            if self.number_of(&id).is_none() {
                break id;
            }
        };
        self.taken.insert(preferred, number);
        self.taken.insert(id.clone(), FIRST_NUMBER);
        id
    }

    /// Returns the number that the next heading of an anchor tries first; `None` if the anchor is free.
    fn number_of(&self, anchor: &str) -> Option<u32> {
        self.taken.get(anchor).copied().or_else(|| self.written.contains(anchor).then_some(FIRST_NUMBER))
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
        } else if is_reserved(&id) {
            format!("{section}-{id}")
        } else {
            id
        }
    }
}

/// The longest anchor that can be written, in bytes.
const MAX_ANCHOR_BYTES: usize = 80;

/// Returns whether an anchor belongs to the footnotes.
fn is_reserved(anchor: &str) -> bool {
    ["fn-", "fnref-", "footnote-label"].iter().any(|reserved| anchor.starts_with(reserved))
}

/// Returns whether an author may write this anchor: ASCII letters, digits, hyphens and underscores.
pub fn is_anchor(anchor: &str) -> bool {
    let is_form = anchor.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    is_form && (1..=MAX_ANCHOR_BYTES).contains(&anchor.len()) && !is_reserved(anchor)
}

/// Returns the anchors written at the ends of lines that begin with the marks of a heading.
fn written_anchors(text: &str) -> impl Iterator<Item = &str> {
    memmem::find_iter(text.as_bytes(), "{#").filter_map(|at| {
        let start = memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |end| end + 1);
        let line = text[start..].lines().next()?;
        let anchor = line[at - start..].trim_end().strip_prefix("{#")?.strip_suffix('}')?;
        line.trim_start_matches([' ', '>']).starts_with('#').then_some(anchor)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_anchor_is_kept_and_no_other_heading_gets_it() {
        let text = "## Süre\n\n## Usul\n\n## Yeni {#sure}\n\n## Süre {#sure}\n\n## A {#fn-1}\n";
        let mut anchors = Anchors::new(text, Locale::Tr);
        assert_eq!(anchors.assign("Süre", None), "sure-2");
        assert_eq!(anchors.assign("Usul", None), "usul");
        assert_eq!(anchors.assign("Yeni", Some("sure")), "sure");
        assert_eq!(anchors.assign("Süre", Some("sure")), "sure-3");
        assert_eq!(anchors.assign("A", Some("fn-1")), "a");
    }

    #[test]
    fn anchors_are_unique_and_never_empty() {
        let mut anchors = Anchors::new("", Locale::Tr);
        let names: Vec<_> = ["Süre", "Süre", "Süre 2", "Süre", "…", "§", "Fn 1"]
            .into_iter()
            .map(|text| anchors.assign(text, None))
            .collect();
        assert_eq!(names, ["sure", "sure-2", "sure-2-2", "sure-3", "bolum", "bolum-2", "bolum-fn-1"]);
    }

    #[test]
    fn many_headings_of_one_name_are_numbered_in_linear_time() {
        let mut anchors = Anchors::new("", Locale::En);
        let last = (0..100_000).map(|_| anchors.assign("Term", None)).last().unwrap();
        assert_eq!(last, "term-100000");
    }
}
