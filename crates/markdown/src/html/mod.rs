//! Markdown as HTML.
//!
//! Events are written as they come; details known only at the end of an element (a heading's anchor, a picture alone in
//! its paragraph) are inserted into the output afterwards. All text of the author is escaped, raw HTML included.

mod blocks;
mod clauses;
mod links;
mod notes;
mod phrases;
mod questions;
mod tables;

use std::ops::Range;

use contract::Locale;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use pulldown_cmark_escape::{escape_html, escape_html_body_text};

pub use self::questions::names_questions;
use self::{
    blocks::OpenHeading, clauses::OpenClauses, links::OpenLinks, notes::Footnotes, phrases::RendererWords,
    questions::OpenQuestion, tables::OpenTable,
};
use super::{
    Heading, OPTIONS, Targets,
    autolinks::Autolinks,
    clauses::Clauses,
    destination,
    heading::Anchors,
    is_line_break,
    numbering::{Numbering, count_nested},
    one_letter::push_title,
    plain::{Plain, PlainWriter},
    twin::Twin,
};
use crate::turkish::{NBSP, needs_nbsp, with_nbsp};

/// A rendered text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Html {
    /// Flow content, to be inserted in a page.
    pub html: String,
    pub headings: Vec<Heading>,
}

/// Renders `text` as HTML, with the words that the renderer adds in the language of `locale`.
pub fn to_html(text: &str, locale: Locale, targets: &dyn Targets) -> Html {
    let clauses = count_nested(Clauses::read(text), targets.numbering(), locale);
    let text = &*clauses.text;
    let mut writer = HtmlWriter::new(&clauses, locale, targets);
    for (event, range) in Autolinks::new(text, Parser::new_ext(text, OPTIONS).into_offset_iter()) {
        writer.write(event, range);
    }
    writer.finish()
}

/// The three forms of a page's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentForms {
    /// The text as [`to_html`] renders it.
    pub html: Html,
    /// The text as [`super::to_twin`] writes it.
    pub twin: String,
    /// The text as [`super::plain`] reads it.
    pub plain: Plain,
}

/// Converts `text` to all three forms in one parse.
pub fn to_forms(text: &str, locale: Locale, page_targets: &dyn Targets, twin_targets: &dyn Targets) -> DocumentForms {
    let clauses = count_nested(Clauses::read(text), page_targets.numbering(), locale);
    let text = &*clauses.text;
    let mut writer = HtmlWriter::new(&clauses, locale, page_targets);
    let mut plain = PlainWriter::new(text);
    let events = Parser::new_ext(text, OPTIONS).into_offset_iter();
    let mut twin = Twin::new(text, twin_targets, events.reference_definitions());
    for (event, range) in Autolinks::new(text, events) {
        twin.process(&event, &range);
        plain.process(&event);
        writer.write(event, range);
    }
    DocumentForms { html: writer.finish(), twin: twin.finish(), plain: plain.finish() }
}

/// Returns the plain text of `text` alone, equal to that of [`to_forms`].
pub fn to_plain(text: &str, locale: Locale, numbering: Numbering) -> Plain {
    let clauses = count_nested(Clauses::read(text), numbering, locale);
    let mut plain = PlainWriter::new(&clauses.text);
    for (event, _) in Autolinks::new(&clauses.text, Parser::new_ext(&clauses.text, OPTIONS).into_offset_iter()) {
        plain.process(&event);
    }
    plain.finish()
}

struct HtmlWriter<'t> {
    /// The output of the text, or of the open footnote.
    out: String,
    targets: &'t dyn Targets,
    phrases: &'static RendererWords,
    headings: Vec<Heading>,
    anchors: Anchors,
    in_code: bool,
    heading: Option<OpenHeading>,
    /// Where the contents of the open paragraph begin.
    paragraph: Option<usize>,
    /// Where the open quotations begin.
    quotations: Vec<usize>,
    links: OpenLinks<'t>,
    tables: OpenTable,
    notes: Footnotes,
    clauses: OpenClauses<'t>,
    question: OpenQuestion,
}

impl<'t> HtmlWriter<'t> {
    fn new(clauses: &'t Clauses<'_>, locale: Locale, targets: &'t dyn Targets) -> Self {
        let text = &*clauses.text;
        Self {
            out: String::with_capacity(text.len() + text.len() / 2),
            targets,
            phrases: RendererWords::of(locale),
            headings: Vec::new(),
            anchors: Anchors::new(text, locale),
            in_code: false,
            heading: None,
            paragraph: None,
            quotations: Vec::new(),
            links: OpenLinks::default(),
            tables: OpenTable::default(),
            notes: Footnotes::default(),
            clauses: OpenClauses::new(clauses, locale),
            question: OpenQuestion::default(),
        }
    }

    fn finish(mut self) -> Html {
        self.close_question(1);
        self.finish_notes();
        Html { html: self.out, headings: self.headings }
    }

    fn write(&mut self, event: Event<'t>, range: Range<usize>) {
        self.follow_clauses(&event, &range);
        match event {
            Event::Text(text) if self.in_code => self.verbatim(&text),
            Event::Text(text) => self.words(&text, range.start),
            Event::Code(code) if self.links.in_image() => self.attribute(&code),
            Event::Code(code) => {
                self.out.push_str("<code>");
                self.verbatim(&code);
                self.out.push_str("</code>");
            }
            Event::SoftBreak => self.line_break(" ", "\n"),
            Event::HardBreak => self.line_break(" ", "<br>\n"),
            Event::Html(html) | Event::InlineHtml(html) => self.raw(&html),
            Event::FootnoteReference(label) => self.refer(&label),
            Event::Rule => {
                self.close_question(1);
                self.out.push_str("<hr>\n");
            }
            Event::Start(tag) => self.start(tag, range.start),
            Event::End(end) => self.end(end),
            // Extensions that are off.
            Event::InlineMath(_) | Event::DisplayMath(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'t>, offset: usize) {
        match tag {
            Tag::Paragraph => self.open_paragraph(),
            Tag::Heading { level, id, .. } => self.open_heading(level, id.map(|id| id.as_ref().into()), offset),
            Tag::BlockQuote(_) => self.open_quotation(),
            Tag::CodeBlock(kind) => self.open_code(&kind),
            Tag::HtmlBlock => self.out.push_str("<p>"),
            Tag::List(first) => self.open_list(first, offset),
            Tag::Item => self.out.push_str("<li>"),
            Tag::FootnoteDefinition(label) => self.open_note(&label),
            Tag::Table(alignments) => self.open_table(alignments),
            Tag::TableHead => self.open_head(),
            Tag::TableRow => self.open_row(),
            Tag::TableCell => self.open_cell(),
            Tag::Emphasis => self.tag("<em>"),
            Tag::Strong => self.tag("<strong>"),
            Tag::Strikethrough => self.tag("<del>"),
            Tag::Link { link_type, dest_url, title, .. } => {
                self.open_link(link_type, &destination::resolve_mailbox(link_type, dest_url), &title);
            }
            Tag::Image { dest_url, title, .. } => self.open_image(&dest_url, title),
            // Extensions that are off.
            Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::Paragraph => self.close_paragraph(),
            TagEnd::Heading(_) => self.close_heading(),
            TagEnd::BlockQuote(_) => self.close_quotation(),
            TagEnd::CodeBlock => self.close_code(),
            TagEnd::HtmlBlock => self.out.push_str("</p>\n"),
            TagEnd::List(ordered) => {
                self.leave_list();
                self.out.push_str(if ordered { "</ol>\n" } else { "</ul>\n" });
            }
            TagEnd::Item => self.out.push_str("</li>\n"),
            TagEnd::FootnoteDefinition => self.close_note(),
            TagEnd::Table => self.close_table(),
            TagEnd::TableHead => self.close_head(),
            TagEnd::TableRow => self.out.push_str("</tr>\n"),
            TagEnd::TableCell => self.close_cell(),
            TagEnd::Emphasis => self.tag("</em>"),
            TagEnd::Strong => self.tag("</strong>"),
            TagEnd::Strikethrough => self.tag("</del>"),
            TagEnd::Link => self.close_link(),
            TagEnd::Image => self.close_image(),
            TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    /// Writes a tag, except in a picture's description, which cannot contain elements.
    fn tag(&mut self, tag: &str) {
        if !self.links.in_image() {
            self.out.push_str(tag);
        }
    }

    /// Writes text with non-breaking spaces; inside a picture, as part of the description.
    fn text(&mut self, text: &str) {
        if self.links.in_image() {
            self.attribute(text);
            return;
        }
        // Words before the line feed: a line of the author's text ended here. Otherwise a tag precedes it.
        if self.out.strip_suffix('\n').is_some_and(|before| needs_nbsp(before, text)) {
            self.out.pop();
            self.out.push_str(NBSP);
        }
        if self.heading.is_some() {
            push_title(&mut self.out, text);
        } else {
            // Writing to a string cannot fail.
            let _ = escape_html_body_text(&mut self.out, &with_nbsp(text));
        }
        self.add_to_heading(text);
    }

    /// Writes text without non-breaking spaces, such as code.
    fn verbatim(&mut self, text: &str) {
        let _ = escape_html_body_text(&mut self.out, text);
        self.add_to_heading(text);
    }

    /// Adds text to the name of the open heading, without non-breaking spaces: anchors and labels are made from it.
    fn add_to_heading(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(text);
        }
    }

    /// Writes raw HTML as text, which is not part of a heading's name. A cell has no other notation for a line break.
    fn raw(&mut self, html: &str) {
        if self.tables.cell.is_some() && is_line_break(html) {
            return self.line_break(" ", "<br>");
        }
        if self.links.in_image() {
            self.attribute(html);
            return;
        }
        let _ = escape_html_body_text(&mut self.out, html);
    }

    /// Writes a line break: `html`, or `plain` in a picture's description and in the name of a heading.
    fn line_break(&mut self, plain: &str, html: &str) {
        if self.links.in_image() {
            self.out.push_str(plain);
            return;
        }
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(plain);
        }
        self.out.push_str(html);
    }

    fn attribute(&mut self, text: &str) {
        // Writing to a string cannot fail.
        let _ = escape_html(&mut self.out, text);
    }
}
