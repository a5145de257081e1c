//! Footnotes: numbered in the order of their references and collected at the end, each with links back.
//!
//! A reference inside a footnote is numbered after the whole text, so it is first written as the note's index between
//! two NULs, which the parser never leaves in a text.

use std::{collections::HashMap, fmt::Write as _};

use super::HtmlWriter;
use crate::spans::fold_label;

const MARK: char = '\0';

#[derive(Debug, Default)]
pub(super) struct Footnotes {
    all: Vec<Footnote>,
    /// Indices in `all`, by folded label.
    places: HashMap<String, usize>,
    /// Indices in `all`, in order of the first references.
    order: Vec<usize>,
    /// For each open definition, the output before it and the index of its footnote.
    outer: Vec<(String, usize)>,
}

#[derive(Debug, Default)]
struct Footnote {
    body: Option<String>,
    /// From 1; 0 without a reference.
    number: usize,
    references: usize,
}

impl Footnotes {
    fn place(&mut self, label: &str) -> usize {
        let next = self.all.len();
        let place = *self.places.entry(fold_label(label)).or_insert(next);
        if place == next {
            self.all.push(Footnote::default());
        }
        place
    }

    /// Returns whether no definition is open.
    pub(super) const fn is_outside(&self) -> bool {
        self.outer.is_empty()
    }

    /// Numbers and writes a reference.
    fn refer(&mut self, place: usize, out: &mut String) {
        let Some(note) = self.all.get_mut(place) else { return };
        if note.references == 0 {
            self.order.push(place);
            note.number = self.order.len();
        }
        note.references += 1;
        let number = note.number;
        let _ = write!(out, "<sup><a href=\"#fn-{number}\" id=\"");
        write_reference_id(out, number, note.references);
        let _ = write!(out, "\" role=\"doc-noteref\" aria-describedby=\"footnote-label\">{number}</a></sup>");
    }

    /// Numbers the references in a footnote.
    fn resolve(&mut self, body: &str) -> String {
        let mut resolved = String::with_capacity(body.len());
        for (at, part) in body.split(MARK).enumerate() {
            match part.parse() {
                Ok(place) if at % 2 == 1 => self.refer(place, &mut resolved),
                _ => resolved.push_str(part),
            }
        }
        resolved
    }
}

/// Writes the anchor of a reference: `fnref-1` for the first, then `fnref-1-2`.
fn write_reference_id(out: &mut String, number: usize, reference: usize) {
    let _ = write!(out, "fnref-{number}");
    if reference > 1 {
        let _ = write!(out, "-{reference}");
    }
}

impl HtmlWriter<'_> {
    /// Writes a reference. The parser finds none inside a link or a picture's description.
    pub(super) fn refer(&mut self, label: &str) {
        let place = self.notes.place(label);
        if self.notes.outer.is_empty() {
            self.notes.refer(place, &mut self.out);
        } else {
            let _ = write!(self.out, "{MARK}{place}{MARK}");
        }
    }

    pub(super) fn open_note(&mut self, label: &str) {
        let place = self.notes.place(label);
        self.notes.outer.push((std::mem::take(&mut self.out), place));
    }

    pub(super) fn close_note(&mut self) {
        let Some((outer, place)) = self.notes.outer.pop() else { return };
        let body = std::mem::replace(&mut self.out, outer);
        self.notes.all[place].body.get_or_insert(body);
    }

    /// Writes the footnotes to which references exist.
    pub(super) fn finish_notes(&mut self) {
        if self.notes.order.is_empty() {
            return;
        }
        let mut bodies = Vec::new();
        while let Some(place) = self.notes.order.get(bodies.len()).copied() {
            let body = self.notes.all[place].body.take().unwrap_or_default();
            bodies.push(self.notes.resolve(&body));
        }
        let _ = write!(
            self.out,
            "<section class=\"footnotes\" role=\"doc-endnotes\" aria-labelledby=\"footnote-label\">\n\
             <h2 id=\"footnote-label\" class=\"visually-hidden\">{}</h2>\n<ol>\n",
            self.phrases.footnotes
        );
        for (at, body) in bodies.iter().enumerate() {
            let references = self.notes.all[self.notes.order[at]].references;
            self.write_note(at + 1, references, body);
        }
        self.out.push_str("</ol>\n</section>\n");
    }

    /// Writes a footnote, with the links back at the end of its last paragraph.
    fn write_note(&mut self, number: usize, references: usize, body: &str) {
        let _ = write!(self.out, "<li id=\"fn-{number}\">");
        let paragraph = body.strip_suffix("</p>\n");
        self.out.push_str(paragraph.unwrap_or(body));
        if paragraph.is_none() {
            self.out.push_str("<p>");
        }
        for reference in 1..=references {
            self.out.push_str(" <a class=\"footnote-back\" href=\"#");
            write_reference_id(&mut self.out, number, reference);
            let name = if reference == 1 { number.to_string() } else { format!("{number}-{reference}") };
            let label = self.phrases.back.replace("{}", &name);
            let _ = write!(self.out, "\" role=\"doc-backlink\" aria-label=\"{label}\">↩\u{fe0e}");
            if reference > 1 {
                let _ = write!(self.out, "<sup>{reference}</sup>");
            }
            self.out.push_str("</a>");
        }
        self.out.push_str("</p></li>\n");
    }
}
