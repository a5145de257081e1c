//! A difference as text, as JSON and as a comment.

use std::fmt::Write as _;

use contract::Locale;
use findings::{
    clean,
    messages::{self, Text},
};

use super::{Changes, Difference, MovedAnchor, Removed};

/// A comment lists at most this many addresses of a group: forges limit its length.
const MAX_LISTED: usize = 100;

impl Difference {
    /// Returns text for a terminal.
    pub fn to_text(&self, language: Locale) -> String {
        let mut out = String::new();
        if let Some((old, new)) = &self.site_urls {
            let _ = writeln!(out, "{}", &messages::built_for_two_sites(clean(old), clean(new))[language]);
        }
        for (name, changes) in self.groups() {
            let _ = writeln!(out, "{}: {}", &name[language], &changes.counts()[language]);
            for (change, path) in changes.present() {
                let _ = writeln!(out, "  {} {}", change.sign(), clean(path));
            }
            for Removed { path, redirect } in &changes.removed {
                let then = redirect.as_ref().map_or("(404)".to_owned(), |to| format!("-> {}", clean(to)));
                let _ = writeln!(out, "  - {} {then}", clean(path));
            }
            for anchor in &changes.anchors {
                let _ = writeln!(out, "  - {}", clean(anchor));
            }
            for MovedAnchor { anchor, now } in &changes.moved_anchors {
                let then = now.as_ref().map_or("-> ?".to_owned(), |now| format!("-> {}", clean(now)));
                let _ = writeln!(out, "  - {} {then}", clean(anchor));
            }
        }
        if self.is_empty() {
            let _ = writeln!(out, "{}", &messages::no_address_differs()[language]);
        }
        for (lost, help) in self.losses() {
            let _ = writeln!(out, "{}", &messages::addresses_lost(lost, help)[language]);
        }
        out
    }

    pub fn to_json(&self) -> String {
        // Strings and lists of strings always serialize.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Returns a comment on a pull request.
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
            let there = changes.present().map(|(change, path)| match change {
                AddressChange::New => messages::comment_new(code(path)),
                AddressChange::Text => messages::comment_changed(code(path)),
                AddressChange::Look => messages::comment_restyled(code(path)),
            });
            let anchors = changes.anchors.iter().map(|anchor| messages::comment_anchor_gone(code(anchor)));
            let moved = changes.moved_anchors.iter().map(|MovedAnchor { anchor, now }| match now {
                Some(now) => messages::comment_anchor_moved(code(anchor), code(now)),
                None => messages::comment_anchor_taken(code(anchor)),
            });
            let lines: Vec<Text> = gone.chain(anchors).chain(moved).chain(there).collect();
            let more = lines.len().checked_sub(MAX_LISTED).filter(|more| *more > 0).map(messages::comment_more);
            for line in lines.iter().take(MAX_LISTED).chain(&more) {
                let _ = writeln!(out, "- {}", &line[language]);
            }
        }
        if self.is_empty() {
            let _ = writeln!(out, "\n{}", &messages::comment_empty()[language]);
        }
        for (lost, help) in self.losses() {
            let _ = writeln!(out, "\n{}", &messages::comment_lost(lost, help)[language]);
        }
        out
    }

    /// Returns the groups with differences, with their names.
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

    /// Returns the numbers of removed addresses without a redirect, each with its remedy: those of pages, and those of
    /// files, to which no alias leads.
    fn losses(&self) -> impl Iterator<Item = (usize, Text)> {
        let count = |groups: [&Changes; 2]| {
            groups.into_iter().flat_map(|changes| &changes.removed).filter(|it| it.redirect.is_none()).count()
        };
        let pages = count([&self.pages.en, &self.pages.tr]);
        let files = count([&self.documents, &self.programs]);
        let losses = [(pages, messages::addresses_lost_help()), (files, messages::files_lost_help())];
        losses.into_iter().filter(|(count, _)| *count > 0)
    }
}

/// The difference at an address of the new build.
#[derive(Clone, Copy)]
enum AddressChange {
    New,
    /// The content differs.
    Text,
    /// Only the HTML differs.
    Look,
}

impl AddressChange {
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
            some(self.anchors.len()).map(messages::anchors_gone),
            some(self.moved_anchors.len()).map(messages::anchors_moved),
        ];
        Text::list(counts.into_iter().flatten()).unwrap_or_default()
    }

    /// Returns the addresses of the new build, each with its difference.
    fn present(&self) -> impl Iterator<Item = (AddressChange, &str)> {
        let groups = [
            (AddressChange::New, &self.added),
            (AddressChange::Text, &self.changed),
            (AddressChange::Look, &self.restyled),
        ];
        groups.into_iter().flat_map(|(change, paths)| paths.iter().map(move |path| (change, path.as_str())))
    }
}

/// Writes an address as Markdown code. Security: file names may contain Markdown.
fn code(text: &str) -> String {
    format!("`{}`", clean(text).replace('`', "\u{fffd}"))
}
