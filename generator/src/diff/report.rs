//! A difference as text, as JSON and as a comment.

use std::fmt::Write as _;

use contract::Locale;
use findings::{
    clean,
    messages::{self, Text},
};

use super::{Changes, Difference, Removed};

/// The most addresses of a group that a comment lists: forges limit its length.
const MAX_LISTED: usize = 100;

impl Difference {
    /// Returns what a person reads in a terminal.
    #[must_use]
    pub fn to_text(&self, language: Locale) -> String {
        let mut out = String::new();
        if let Some((old, new)) = &self.site_urls {
            let _ = writeln!(out, "{}", &messages::built_for_two_sites(clean(old), clean(new))[language]);
        }
        for (name, changes) in self.groups() {
            let _ = writeln!(out, "{}: {}", &name[language], &changes.counts()[language]);
            for (change, path) in changes.there() {
                let _ = writeln!(out, "  {} {}", change.sign(), clean(path));
            }
            for Removed { path, redirect } in &changes.removed {
                let then = redirect.as_ref().map_or("(404)".to_owned(), |to| format!("-> {}", clean(to)));
                let _ = writeln!(out, "  - {} {then}", clean(path));
            }
        }
        let end = match self.lost() {
            _ if self.is_empty() => messages::no_address_differs(),
            0 => return out,
            lost => messages::addresses_lost(lost, messages::addresses_lost_help()),
        };
        out + &end[language] + "\n"
    }

    /// Returns one JSON object.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Texts and lists of texts always have a JSON form.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Returns a comment on a pull request.
    #[must_use]
    pub fn to_markdown(&self, language: Locale) -> String {
        let mut out = format!("{}\n", &messages::comment_heading()[language]);
        if let Some((old, new)) = &self.site_urls {
            let _ = writeln!(out, "\n{}", &messages::built_for_two_sites_sentence(code(old), code(new))[language]);
        }
        for (name, changes) in self.groups() {
            let _ = writeln!(out, "\n### {}: {}\n", &name[language], &changes.counts()[language]);
            let gone = changes.removed.iter().map(|Removed { path, redirect }| match redirect {
                Some(to) => messages::comment_moved(code(path), code(to)),
                None => messages::comment_gone(code(path)),
            });
            let there = changes.there().map(|(change, path)| match change {
                Change::New => messages::comment_new(code(path)),
                Change::Text => messages::comment_changed(code(path)),
                Change::Look => messages::comment_restyled(code(path)),
            });
            let lines: Vec<Text> = gone.chain(there).collect();
            let more = lines.len().checked_sub(MAX_LISTED).filter(|more| *more > 0).map(messages::comment_more);
            for line in lines.iter().take(MAX_LISTED).chain(&more) {
                let _ = writeln!(out, "- {}", &line[language]);
            }
        }
        let end = match self.lost() {
            _ if self.is_empty() => messages::comment_empty(),
            0 => return out,
            lost => messages::comment_lost(lost, messages::addresses_lost_help()),
        };
        out + "\n" + &end[language] + "\n"
    }

    /// Returns every group in which something differs, with its name.
    fn groups(&self) -> Vec<(Text, &Changes)> {
        let groups = [
            (messages::english(), &self.pages[Locale::En]),
            (Text::verbatim("Türkçe"), &self.pages[Locale::Tr]),
            (messages::documents_compared(), &self.documents),
            (messages::programs_compared(), &self.programs),
        ];
        groups.into_iter().filter(|(_, changes)| **changes != Changes::default()).collect()
    }

    fn is_empty(&self) -> bool {
        self.groups().is_empty()
    }

    /// Returns how many addresses are gone and lead nowhere.
    fn lost(&self) -> usize {
        let removed = self.groups().into_iter().flat_map(|(_, changes)| &changes.removed);
        removed.filter(|it| it.redirect.is_none()).count()
    }
}

/// What differs at an address that is there now.
#[derive(Clone, Copy)]
enum Change {
    /// The address is new.
    New,
    /// It says something else.
    Text,
    /// It only looks different.
    Look,
}

impl Change {
    const fn sign(self) -> char {
        match self {
            Self::New => '+',
            Self::Text => '~',
            Self::Look => '.',
        }
    }
}

impl Changes {
    /// `1 new, 2 changed`
    fn counts(&self) -> Text {
        let some = |count: usize| Some(count).filter(|count| *count > 0);
        let counts = [
            some(self.added.len()).map(messages::addresses_new),
            some(self.changed.len()).map(messages::addresses_changed),
            some(self.restyled.len()).map(messages::addresses_restyled),
            some(self.removed.len()).map(messages::addresses_gone),
        ];
        Text::list(counts.into_iter().flatten()).unwrap_or_default()
    }

    /// Returns every address that is there now, with what differs there.
    fn there(&self) -> impl Iterator<Item = (Change, &str)> {
        let groups = [(Change::New, &self.added), (Change::Text, &self.changed), (Change::Look, &self.restyled)];
        groups.into_iter().flat_map(|(change, paths)| paths.iter().map(move |path| (change, path.as_str())))
    }
}

/// Writes an address as code. Security: a name of a file may hold what Markdown would obey.
fn code(text: &str) -> String {
    format!("`{}`", clean(text).replace('`', "\u{fffd}"))
}
