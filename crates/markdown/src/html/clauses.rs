//! Clauses of statutes and contracts: each is a line with a hanging indent, deeper for each level.

use std::{fmt::Write as _, iter::Peekable, ops::Range, slice};

use contract::Locale;
use pulldown_cmark::{Event, TagEnd};

use super::HtmlWriter;
use crate::clauses::{Clause, ClauseAnchors, ClauseRole, Clauses};

const CLOSING: &str = "</span>";

/// The clauses that follow, and the open one.
#[derive(Debug)]
pub(super) struct OpenClauses<'c> {
    text: &'c str,
    next: Peekable<slice::Iter<'c, Clause>>,
    pub(super) anchors: ClauseAnchors,
    /// Open elements of a line.
    open: usize,
    /// The end of the open mark.
    mark_end: Option<usize>,
    /// Open emphasis, links and pictures.
    inline: usize,
}

impl<'c> OpenClauses<'c> {
    pub(super) fn new(clauses: &'c Clauses<'_>, locale: Locale) -> Self {
        let (next, anchors) = (clauses.all.iter().peekable(), ClauseAnchors::new(clauses, locale));
        Self { text: &clauses.text, next, anchors, open: 0, mark_end: None, inline: 0 }
    }

    /// Returns whether the list at `offset` is one whose marks are written out.
    pub(super) fn is_in_list(&mut self, offset: usize) -> bool {
        let list = &self.text[offset..];
        let first = offset + (list.len() - list.trim_start().len()) + "- ".len();
        while self.next.next_if(|clause| clause.mark.start < offset).is_some() {}
        self.next.peek().is_some_and(|clause| clause.role == ClauseRole::Item && clause.mark.start == first)
    }

    /// Returns whether the numbered list at `offset` has parentheses after its numbers.
    pub(super) fn is_point_a_parenthesis(&self, offset: usize) -> bool {
        let list = self.text[offset..].trim_start();
        list.trim_start_matches(|digit: char| digit.is_ascii_digit()).starts_with(')')
    }
}

impl HtmlWriter<'_> {
    /// Closes the open clause before an event that ends its line, and opens the one that begins with the event.
    pub(super) fn follow_clauses(&mut self, event: &Event<'_>, range: &Range<usize>) {
        let is_inline = |end: &TagEnd| {
            matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
        };
        match event {
            Event::End(end) if is_inline(end) => self.clauses.inline -= 1,
            Event::Start(tag) if is_inline(&tag.to_end()) => {
                self.open_clause(range.start);
                self.clauses.inline += 1;
            }
            Event::Start(_) | Event::End(_) => self.close_clause(),
            // A line that ends inside of emphasis cannot end the element around it.
            Event::HardBreak if self.clauses.inline == 0 => self.close_clause(),
            Event::HardBreak | Event::SoftBreak | Event::Rule => {}
            _ => self.open_clause(range.start),
        }
    }

    fn open_clause(&mut self, offset: usize) {
        let clauses = &mut self.clauses;
        while clauses.next.next_if(|clause| clause.mark.start < offset).is_some() {}
        let is_next = |clause: &&Clause| clause.mark.start == offset && clauses.inline == 0 && clauses.open == 0;
        let Some(clause) = clauses.next.next_if(is_next) else { return };
        let anchors = clauses.anchors.assign(clause);
        let mut anchors = anchors.iter().map(String::as_str);
        let class = match clause.role {
            ClauseRole::Numbered | ClauseRole::Item => "clause",
            ClauseRole::Words => "clause clause-words",
            ClauseRole::Article(_) => "",
        };
        if !class.is_empty() {
            let level = if clause.level > 0 { format!(" clause-{}", clause.level) } else { String::new() };
            self.open_line(&format!("{class}{level}"), anchors.next());
        }
        // An article is no clause of an enumeration, and what begins in the line of another clause has its indentation.
        for anchor in anchors {
            self.open_line("clause-inner", Some(anchor));
        }
        if !clause.mark.is_empty() {
            self.clauses.mark_end = Some(clause.mark.end);
            self.out.push_str("<span class=\"clause-mark\">");
        }
    }

    fn open_line(&mut self, class: &str, anchor: Option<&str>) {
        self.clauses.open += 1;
        let _ = write!(self.out, "<span class=\"{class}\"");
        if let Some(anchor) = anchor {
            let _ = write!(self.out, " id=\"{anchor}\"");
        }
        self.out.push('>');
    }

    fn close_clause(&mut self) {
        self.close_mark();
        for _ in 0..std::mem::take(&mut self.clauses.open) {
            self.out.push_str(CLOSING);
        }
    }

    fn close_mark(&mut self) {
        if self.clauses.mark_end.take().is_some() {
            self.out.push_str(CLOSING);
        }
    }

    /// Writes words that begin at `offset` in the text; the open mark ends where its clause says.
    pub(super) fn words(&mut self, words: &str, offset: usize) {
        let Some(end) = self.clauses.mark_end else { return self.text(words) };
        let Some((mark, rest)) = words.split_at_checked(end.saturating_sub(offset)) else { return self.text(words) };
        self.text(mark);
        self.close_mark();
        if !rest.is_empty() {
            self.text(rest);
        }
    }
}
