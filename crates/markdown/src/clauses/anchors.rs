//! The anchors of clauses: `madde.5.2.b` for m. 5/2-b, `fesih.2.b` for clauses below another heading.
//!
//! The anchor of a heading has no point, so the two kinds never collide.

use std::collections::HashSet;

use contract::Locale;

use super::{
    Clause, Clauses,
    marks::{self, Mark},
};
use crate::{Heading, turkish::slug};

/// The anchors that have been assigned to the clauses of one text.
#[derive(Debug)]
pub(crate) struct ClauseAnchors {
    locale: Locale,
    /// The article or heading that encloses the next clause.
    base: String,
    /// The clauses around the next one, outermost first.
    path: Vec<String>,
    /// Where the text begins that has not been searched for articles.
    passed: usize,
    taken: HashSet<String>,
}

impl ClauseAnchors {
    pub(crate) fn new(locale: Locale) -> Self {
        let base = match locale {
            Locale::En => "section",
            Locale::Tr => "bolum",
        };
        Self { locale, base: base.to_owned(), path: Vec::new(), passed: 0, taken: HashSet::new() }
    }

    /// Enters the section of a heading.
    pub(crate) fn enter(&mut self, heading: &Heading) {
        self.passed = heading.offset;
        self.path.clear();
        self.base = match marks::article_of(&heading.text) {
            Some(article) => self.article(article).unwrap_or_else(|| heading.id.clone()),
            None => heading.id.clone(),
        };
    }

    /// Returns the anchor of a clause of `text`; `None` for a second clause of the same number.
    pub(crate) fn assign(&mut self, text: &str, clause: &Clause) -> Option<String> {
        // The items of lists are counted by the page.
        if clause.is_of_list {
            return None;
        }
        let start = clause.mark.start;
        for line in text.get(std::mem::replace(&mut self.passed, start)..start)?.lines() {
            self.enter_article(line);
        }
        let words = text[start..].lines().next()?.trim_start_matches(['*', '_']);
        let Mark::Counted { word, .. } = marks::of_line(words)?.mark else { return None };
        let word = part(&word);
        self.path.truncate(clause.level);
        // `1.2` is written with the number above it.
        let above = self.path.join(".");
        if word.strip_prefix(&above).is_some_and(|rest| !above.is_empty() && rest.starts_with('.')) {
            self.path.clear();
        }
        self.path.push(word);
        let anchor = format!("{}.{}", self.base, self.path.join("."));
        self.taken.insert(anchor.clone()).then_some(anchor)
    }

    /// Enters the article that begins with a line, `MADDE 5 – (1) …`, if one does.
    fn enter_article(&mut self, line: &str) {
        let words = line.trim_start_matches([' ', '>', '*', '_']);
        let Some(mark) = marks::of_line(words).filter(|mark| mark.mark == Mark::Article) else { return };
        let Some(article) = marks::article_of(words).and_then(|article| self.article(article)) else { return };
        self.base = article;
        self.path.clear();
        if let Some(Mark::Counted { word, .. }) = &mark.inner {
            self.path.push(part(word));
        }
    }

    /// Returns the anchor of an article: `madde.5` for `Madde 5`.
    fn article(&mut self, words: &str) -> Option<String> {
        let (name, number) = words.rsplit_once([' ', '\u{a0}'])?;
        let number = number.split('/').map(|part| slug(part, self.locale)).collect::<Vec<_>>().join("-");
        let anchor = format!("{}.{number}", slug(name, self.locale));
        self.taken.insert(anchor.clone()).then_some(anchor)
    }
}

impl Clauses<'_> {
    /// Returns the anchors of the clauses. `headings` are those of [`Self::text`].
    #[must_use]
    pub fn anchors(&self, headings: &[Heading], locale: Locale) -> Vec<String> {
        let mut anchors = ClauseAnchors::new(locale);
        let mut headings = headings.iter().peekable();
        let mut all = Vec::new();
        for clause in &self.all {
            while let Some(heading) = headings.next_if(|heading| heading.offset < clause.mark.start) {
                anchors.enter(heading);
            }
            all.extend(anchors.assign(&self.text, clause));
        }
        all
    }
}

/// Returns a number or letter in an anchor. A letter that only Turkish has is written as its plain one with a 2.
fn part(word: &str) -> String {
    let mut part = String::new();
    for letter in marks::lower(word).chars() {
        match letter {
            'ç' => part.push_str("c2"),
            'ğ' => part.push_str("g2"),
            'ı' => part.push_str("i2"),
            'ö' => part.push_str("o2"),
            'ş' => part.push_str("s2"),
            'ü' => part.push_str("u2"),
            letter => part.push(letter),
        }
    }
    part
}
