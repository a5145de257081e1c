//! A difference as text, as JSON and as a comment.

use std::fmt::Write as _;

use contract::Locale;

use super::{Changes, Difference, Removed};
use crate::diagnostic::clean;

/// The most addresses of a group that a comment lists: forges limit its length.
const MAX_LISTED: usize = 100;
/// What follows from an address that is gone, and what to do.
const REMEDY: &str =
    "readers find nothing there: add its slug to `aliases` of the entry that takes its place, if there is one";

impl Difference {
    /// Returns what a person reads in a terminal.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        if let Some((old, new)) = &self.site_urls {
            let _ = writeln!(out, "note: built for {} and for {}, so that every page differs", clean(old), clean(new));
        }
        for (name, changes) in self.groups() {
            let _ = writeln!(out, "{name}: {}", changes.counts());
            for (sign, path) in changes.signed() {
                let _ = writeln!(out, "  {sign} {}", clean(path));
            }
            for Removed { path, redirect } in &changes.removed {
                let then = redirect.as_ref().map_or("(404)".to_owned(), |to| format!("-> {}", clean(to)));
                let _ = writeln!(out, "  - {} {then}", clean(path));
            }
        }
        match self.lost() {
            _ if self.is_empty() => out.push_str("no address differs\n"),
            0 => {}
            lost => {
                let _ = writeln!(out, "warning: {lost} gone without a redirect; {REMEDY}");
            }
        }
        out
    }

    /// Returns one JSON object.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Texts and lists of texts always have a JSON form.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Returns a comment on a pull request.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut out = "## Changed addresses\n".to_owned();
        if let Some((old, new)) = &self.site_urls {
            let _ = writeln!(out, "\nBuilt for {} and for {}, so that every page differs.", code(old), code(new));
        }
        for (name, changes) in self.groups() {
            let _ = writeln!(out, "\n### {name}: {}\n", changes.counts());
            let gone = changes.removed.iter().map(|Removed { path, redirect }| match redirect {
                Some(to) => format!("- gone: {}, leads to {}", code(path), code(to)),
                None => format!("- **gone: {}, without a redirect**", code(path)),
            });
            let there = changes.signed().map(|(sign, path)| {
                let said = ["new", "changed", "looks different"][SIGNS.iter().position(|it| *it == sign).unwrap_or(0)];
                format!("- {said}: {}", code(path))
            });
            let lines: Vec<String> = gone.chain(there).collect();
            for line in lines.iter().take(MAX_LISTED) {
                out.extend([line, "\n"]);
            }
            if let Some(more @ 1..) = lines.len().checked_sub(MAX_LISTED) {
                let _ = writeln!(out, "- and {more} more");
            }
        }
        match self.lost() {
            _ if self.is_empty() => out.push_str("\nNone: every page says what it said.\n"),
            0 => {}
            lost => {
                let _ = writeln!(out, "\n**{lost} gone without a redirect:** {REMEDY}.");
            }
        }
        out
    }

    /// Returns every group in which something differs, with its name: languages by their own.
    fn groups(&self) -> Vec<(&'static str, &Changes)> {
        let groups = [
            ("English", &self.pages[Locale::En]),
            ("Türkçe", &self.pages[Locale::Tr]),
            ("Documents", &self.documents),
            ("For programs", &self.programs),
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

/// The signs of what is new, of what says something else, and of what only looks different.
const SIGNS: [char; 3] = ['+', '~', '.'];

impl Changes {
    /// `1 new, 2 changed`
    fn counts(&self) -> String {
        let counts = [
            (self.added.len(), "new"),
            (self.changed.len(), "changed"),
            (self.restyled.len(), "looking different"),
            (self.removed.len(), "gone"),
        ];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
        counts.collect::<Vec<_>>().join(", ")
    }

    /// Returns every address that is there now, with its sign.
    fn signed(&self) -> impl Iterator<Item = (char, &str)> {
        let groups = SIGNS.into_iter().zip([&self.added, &self.changed, &self.restyled]);
        groups.flat_map(|(sign, paths)| paths.iter().map(move |path| (sign, path.as_str())))
    }
}

/// Writes an address as code. Security: a name of a file may hold what Markdown would obey.
fn code(text: &str) -> String {
    format!("`{}`", clean(text).replace('`', "\u{fffd}"))
}
