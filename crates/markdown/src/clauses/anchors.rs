//! The anchors of articles and clauses: `madde.5` and `madde.5.2.b` for m. 5/2-b, `fesih.2.b` for clauses below another
//! heading.
//!
//! The anchor of a heading has no point, so the two kinds never collide.

use std::collections::{HashMap, HashSet};

use contract::Locale;

use super::{Clause, ClauseAddress, ClauseRole, Clauses, articles};
use crate::Heading;

/// The suffix of the second article of a number.
const FIRST_NUMBER: u32 = 2;

/// The anchors that have been assigned to the articles and clauses of one text.
#[derive(Debug)]
pub(crate) struct ClauseAnchors {
    /// The anchor of the article or heading that encloses the next clause; `None` if its clauses have none.
    base: Option<String>,
    /// The assigned anchors, each with the number that the next article of that name tries first.
    taken: HashMap<String, u32>,
    /// Articles that are headings: no paragraph has their anchors.
    headings: HashSet<String>,
    /// Quoted articles and clauses have anchors if the text has none of its own.
    has_own: bool,
}

impl ClauseAnchors {
    pub(crate) fn new(clauses: &Clauses<'_>, locale: Locale) -> Self {
        let base = match locale {
            Locale::En => "section",
            Locale::Tr => "bolum",
        };
        let is_own = |clause: &Clause| !clause.is_quoted && !clause.addresses.is_empty();
        let has_own = clauses.all.iter().any(|clause| is_own(clause) || clause.is_own_article());
        // A text without clauses needs no look at its headings.
        let headings = clauses.text.lines().filter(|line| !clauses.all.is_empty() && line.starts_with('#'));
        let headings = headings.filter_map(|line| articles::of_heading(line.trim_start_matches(['#', ' ', '*', '_'])));
        Self {
            base: Some(base.to_owned()),
            taken: HashMap::new(),
            headings: headings.map(|article| article.anchor).collect(),
            has_own,
        }
    }

    /// Enters the section of a heading, and returns the anchor of its article.
    pub(crate) fn enter(&mut self, heading: &Heading) -> Option<String> {
        let article = articles::of_heading(&heading.text).map(|article| self.free(&article.anchor));
        self.base = Some(article.clone().unwrap_or_else(|| heading.id.clone()));
        article
    }

    /// Returns the anchors of the article and of the clauses that begin in a line, outermost first. A second clause of
    /// the same number has none.
    pub(crate) fn assign(&mut self, clause: &Clause) -> Vec<String> {
        if clause.is_quoted && self.has_own {
            return Vec::new();
        }
        let mut anchors = Vec::new();
        if let ClauseRole::Article(article) = &clause.role {
            anchors.extend(self.enter_article(article));
        }
        let anchor = |address: &ClauseAddress| Some(below(self.base.as_deref()?, address));
        let of_clauses: Vec<String> = clause.addresses.iter().filter_map(anchor).collect();
        anchors.extend(of_clauses.into_iter().filter(|anchor| self.claim(anchor)));
        anchors
    }

    /// Enters an article that is a paragraph. Below the heading of the same article, it is that article.
    fn enter_article(&mut self, article: &str) -> Option<String> {
        if self.base.as_deref() == Some(article) {
            return None;
        }
        let is_heading = self.headings.contains(article);
        self.base = (!is_heading).then(|| self.free(article));
        self.base.clone()
    }

    /// Assigns the anchor of an article: a repeated one gets the suffix `-2`, `-3`, ….
    fn free(&mut self, article: &str) -> String {
        let mut anchor = article.to_owned();
        while !self.claim(&anchor) {
            let number = self.taken.entry(article.to_owned()).or_insert(FIRST_NUMBER);
            anchor = format!("{article}-{number}");
            *number += 1;
        }
        anchor
    }

    /// Assigns an anchor if it is free.
    fn claim(&mut self, anchor: &str) -> bool {
        let is_free = !self.taken.contains_key(anchor);
        if is_free {
            self.taken.insert(anchor.to_owned(), FIRST_NUMBER);
        }
        is_free
    }
}

/// Returns the anchor of a clause below `base`. A number such as 5.2 below article 5 is written once.
fn below(base: &str, ClauseAddress { labels, is_whole }: &ClauseAddress) -> String {
    let number = base.rsplit_once('.').map(|(_, number)| number).filter(|_| *is_whole);
    let rest = number.and_then(|number| labels.strip_prefix(number)?.strip_prefix('.')).unwrap_or(labels);
    format!("{base}.{rest}")
}

/// An article or a clause with the anchor that leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchoredClause {
    pub anchor: String,
    /// Where its line begins in [`Clauses::text`].
    pub offset: usize,
    /// Where its words begin, behind the marks.
    pub words: usize,
}

impl Clauses<'_> {
    /// Returns the anchors of the articles and clauses. `headings` are those of [`Self::text`].
    pub fn anchors(&self, headings: &[Heading], locale: Locale) -> Vec<String> {
        self.anchored(headings, locale).into_iter().map(|clause| clause.anchor).collect()
    }

    /// Returns the articles and clauses that have anchors. `headings` are those of [`Self::text`].
    pub fn anchored(&self, headings: &[Heading], locale: Locale) -> Vec<AnchoredClause> {
        let mut anchors = ClauseAnchors::new(self, locale);
        let mut headings = headings.iter().peekable();
        let mut all = Vec::new();
        let of_heading = |heading: &Heading, anchors: &mut ClauseAnchors| {
            let offset = heading.offset;
            anchors.enter(heading).map(|anchor| AnchoredClause { anchor, offset, words: offset })
        };
        for clause in &self.all {
            while let Some(heading) = headings.next_if(|heading| heading.offset < clause.mark.start) {
                all.extend(of_heading(heading, &mut anchors));
            }
            let (offset, words) = (clause.mark.start, clause.mark.start + clause.head);
            all.extend(anchors.assign(clause).into_iter().map(|anchor| AnchoredClause { anchor, offset, words }));
        }
        all.extend(headings.filter_map(|heading| of_heading(heading, &mut anchors)));
        all
    }
}
