//! Questions in a section of frequently asked ones: each is folded, and opens to its answer.

use contract::Locale;

use super::HtmlWriter;
use crate::{Heading, turkish::slug};

/// Names of a section, in the form of slugs: the whole name, or words that begin with these in a longer one.
const NAMES: [&str; 11] = [
    "faq",
    "faqs",
    "q-and-a",
    "questions-and-answers",
    "sss",
    "soru-cevap",
    "sorular-ve-cevaplar",
    "sorular-ve-yanitlar",
    "soru-ve-cevaplar",
    "merak-edilenler",
    "merak-edilen-sorular",
];
const WORDS: [&str; 3] = ["frequently-asked-question", "sik-sorulan", "sikca-sorulan"];

/// Returns whether a heading or title names a section of questions.
pub fn names_questions(heading: &str) -> bool {
    let slug = slug(heading, Locale::En);
    NAMES.contains(&&*slug) || WORDS.iter().any(|words| slug.contains(words))
}

/// What is open around the next event.
#[derive(Debug, Default)]
pub(super) struct OpenQuestion {
    /// The level of the open question's heading.
    level: Option<u8>,
    lists: usize,
    /// For each level, the last heading of it or above, as an index.
    enclosing: [Option<usize>; 7],
}

impl HtmlWriter<'_> {
    pub(super) fn enter_list(&mut self) {
        self.question.lists += 1;
    }

    pub(super) fn leave_list(&mut self) {
        self.question.lists -= 1;
    }

    /// Returns whether a heading is a question to fold: one level below the heading that names the section, or the
    /// title that does, and neither in a list nor in a quotation.
    pub(super) fn is_question(&self, level: u8, words: &str) -> bool {
        if !words.trim_end().ends_with('?')
            || self.question.lists > 0
            || !self.quotations.is_empty()
            || !self.notes.is_outside()
        {
            return false;
        }
        let above = usize::from(level).checked_sub(1).and_then(|above| self.question.enclosing[above]);
        match above.map(|index| &self.headings[index]) {
            Some(Heading { level: above, text, .. }) => above + 1 == level && names_questions(text),
            None => level == 2 && self.targets.asks_questions(),
        }
    }

    /// Enters the heading that is added next.
    pub(super) fn enter_heading(&mut self, level: u8) {
        self.question.enclosing[usize::from(level)..].fill(Some(self.headings.len()));
    }

    pub(super) fn open_question(&mut self, level: u8) {
        self.question.level = Some(level);
    }

    /// Closes the open question before a heading of this level, at a line, and at the end of the text.
    pub(super) fn close_question(&mut self, level: u8) {
        let is_outside = self.question.lists == 0 && self.quotations.is_empty() && self.notes.is_outside();
        if self.question.level.is_some_and(|open| level <= open) && is_outside {
            self.question.level = None;
            self.out.push_str("</details>\n");
        }
    }
}
