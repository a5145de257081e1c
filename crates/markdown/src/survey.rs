//! What the checks need to know about a text, found in one parse.

mod definitions;
mod emphasis;
mod lines;
mod lists;
mod notes;
mod ordinals;
mod quotes;
mod rows;
mod slips;
mod tables;
mod words;

use std::ops::Range;

use contract::Locale;
use pulldown_cmark::{BrokenLink, CodeBlockKind, Event, LinkType, Parser, RefDefs, Tag, TagEnd};

pub(super) use self::definitions::Definitions;
pub use self::ordinals::{Miscount, Ordinal};
use self::{
    emphasis::Emphasis, notes::Notes, ordinals::Ordinals, quotes::Quotes, slips::Slips, tables::Tables, words::Words,
};
use super::{
    Heading, OPTIONS,
    autolinks::Autolinks,
    destination,
    fences::Fences,
    heading::Anchors,
    spans::{Span, Spans},
};

/// Everything the checks need. Ranges count bytes of the surveyed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The headings, in order, with the anchors that [`super::to_html`] gives them.
    pub headings: Vec<Heading>,
    /// The links, in order of their ends, followed by the references to which no link refers.
    pub links: Vec<Link>,
    /// The images, in order of their ends.
    pub images: Vec<Image>,
    /// Code, which is shown as it is written.
    pub code: Vec<Range<usize>>,
    /// Block quotes, without those inside of others.
    pub quotations: Vec<Range<usize>>,
    /// Raw HTML, which is shown as text instead of being rendered.
    pub raw_html: Vec<Range<usize>>,
    /// Footnote references `[^label]` with a definition.
    pub footnotes: Vec<Range<usize>>,
    /// Footnote references `[^label]` without a definition.
    pub footnotes_undefined: Vec<Note>,
    /// Footnote definitions that nothing refers to; they are not rendered.
    pub footnotes_unused: Vec<Note>,
    /// Further definitions of a footnote; they are not rendered.
    pub footnotes_repeated: Vec<Note>,
    /// What looks like the destination of a link but is not one, because it contains a space or a line break:
    /// `[text](/en/a b)`.
    pub destinations_cut_off: Vec<Note>,
    /// The addresses of what looks like a link but is not one: `[text] (/en/a)`, `(text)[/en/a]`, `[text[^1]](/en/a)`.
    pub not_links: Vec<Range<usize>>,
    /// The marks of what looks like a heading but is not one: `##Heading`.
    pub not_headings: Vec<Range<usize>>,
    /// The lines of hyphens of what looks like a table but is not one; or its first line, if it has no such line.
    pub not_tables: Vec<Range<usize>>,
    /// The marks of what looks like a list but is not one: `• item`.
    pub not_lists: Vec<Range<usize>>,
    /// The first lines of what was copied from a spreadsheet: tabs do not separate cells.
    pub not_cells: Vec<Range<usize>>,
    /// Boxes at the start of items, which only some readers of Markdown know: `- [ ] item`.
    pub boxes: Vec<Range<usize>>,
    /// Lines that look empty but are not.
    pub not_empty: Vec<Range<usize>>,
    /// What looks like emphasis but is not, with its marks; or a single mark: `**“word”**s`.
    pub not_emphasis: Vec<Range<usize>>,
    /// The first lines of text that is code because of its indentation, outside of lists.
    pub indented_code: Vec<Range<usize>>,
    /// Code that begins and ends inside of words, with its backticks.
    pub code_in_words: Vec<Range<usize>>,
    /// Lines of hyphens that turn into a heading what was hardly meant as one.
    pub underlines: Vec<Range<usize>>,
    /// Last lines of quotations that look like their source but are shown as part of the quotation.
    pub sources_quoted: Vec<Range<usize>>,
    /// Cells of tables beyond the last column; they are not rendered.
    pub cells_beyond: Vec<Range<usize>>,
    /// Lines directly below the rows of a table, which become rows of it although they have no bar.
    pub rows_without_bars: Vec<Range<usize>>,
    /// Links `[text][label]` without a definition of the label.
    pub references_undefined: Vec<Note>,
    /// Further definitions `[label]: destination` of a label; no link leads there.
    pub references_repeated: Vec<Note>,
    /// Definitions that nothing refers to and that contain words, or lead nowhere: they appear only in the twins.
    pub hidden: Vec<Range<usize>>,
    /// The opening fences of code that is never closed.
    pub code_not_closed: Vec<Range<usize>>,
    /// Marks of lists that are not shown as they are written, or begin a list other than the intended one.
    pub ordinals: Vec<Ordinal>,
    /// Number of words, code included.
    pub words: u32,
    /// Whether there is any text at all.
    pub has_text: bool,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it leads, as the author wrote it, without escapes.
    pub destination: String,
    /// The range of the destination, if it can be found; for a reference, that in its definition. Otherwise the whole
    /// link.
    pub range: Range<usize>,
    /// Plain text, including the texts of its pictures.
    pub text: String,
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The file, as the author wrote it, without escapes.
    pub destination: String,
    /// What it shows.
    pub alt: String,
    /// The range of the destination, if it can be found; for a reference, that in its definition. Otherwise the whole
    /// image.
    pub range: Range<usize>,
}

/// A label that refers to something, or is referred to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The label, without brackets.
    pub label: String,
    /// Where it is.
    pub range: Range<usize>,
}

/// Surveys `text` once, for the checks.
#[must_use]
pub fn survey(text: &str, locale: Locale) -> Survey {
    let mut references_undefined = Vec::new();
    let undefined = |link: BrokenLink<'_>| {
        // `[sic]` is a shortcut without a definition, and ordinary prose.
        if matches!(link.link_type, LinkType::Reference | LinkType::Collapsed) {
            references_undefined.push(Note { label: link.reference.to_string(), range: link.span });
        }
        None
    };
    let mut surveyor = Surveyor::new(text, locale);
    let parser = Parser::new_with_broken_link_callback(text, OPTIONS, Some(undefined));
    let mut events = Autolinks::new(text, parser.into_offset_iter());
    while let Some((event, range)) = events.next() {
        if let Some(span) = surveyor.spans.see(&event, &range) {
            surveyor.close(span, events.events().reference_definitions());
        }
        surveyor.definitions.see(&event, &range);
        surveyor.see(event, range);
    }
    let survey = surveyor.finish(events.events().reference_definitions());
    drop(events);
    Survey { references_undefined, ..survey }
}

/// Bytes of a link's text beyond which inner links and pictures add nothing.
const MAX_TEXT_BYTES: usize = 1024;

struct Surveyor<'t> {
    text: &'t str,
    survey: Survey,
    spans: Spans<'t>,
    /// Texts of the open links and images, each without the texts of the inner ones.
    texts: Vec<String>,
    heading: Option<Heading>,
    anchors: Anchors,
    notes: Notes<'t>,
    definitions: Definitions<'t>,
    fences: Fences,
    slips: Slips,
    emphasis: Emphasis,
    tables: Tables,
    ordinals: Ordinals,
    quotes: Quotes,
    words: Words,
    /// Whether the current text is code, where brackets mean nothing.
    in_code: bool,
    in_html: bool,
}

impl<'t> Surveyor<'t> {
    fn new(text: &'t str, locale: Locale) -> Self {
        Self {
            text,
            survey: Survey::default(),
            spans: Spans::new(text),
            texts: Vec::new(),
            heading: None,
            anchors: Anchors::new(locale),
            notes: Notes::default(),
            definitions: Definitions::new(text),
            fences: Fences::default(),
            slips: Slips::default(),
            emphasis: Emphasis::default(),
            tables: Tables::default(),
            ordinals: Ordinals::default(),
            quotes: Quotes::default(),
            words: Words::default(),
            in_code: false,
            in_html: false,
        }
    }

    fn see(&mut self, event: Event<'t>, range: Range<usize>) {
        if let Some(code) = self.fences.see(self.text, &event, &range).filter(|code| !code.is_closed) {
            self.survey.code_not_closed.push(code.fence);
        }
        match event {
            Event::Text(words) => {
                if !self.in_code {
                    self.notes.look_for_undefined(self.text, &range);
                    self.slips.look(self.text, &range);
                    self.quotes.look(self.text, range.start, self.slips.paragraph);
                    self.emphasis.look(self.text, &range);
                }
                self.take(&words);
            }
            Event::Code(code) => {
                if slips::is_in_words(self.text, &range) {
                    self.survey.code_in_words.push(range.clone());
                }
                self.survey.code.push(range);
                self.take(&code);
            }
            Event::SoftBreak => {
                self.quotes.go_on();
                self.take(" ");
            }
            Event::HardBreak => {
                self.quotes.go_on();
                self.slips.break_line();
                self.take(" ");
            }
            Event::Html(_) if self.in_html => {}
            Event::Html(_) | Event::InlineHtml(_) => self.survey.raw_html.push(range),
            Event::FootnoteReference(label) => {
                self.notes.refer(&label);
                self.survey.footnotes.push(range);
            }
            Event::Start(tag) => self.start(tag, range),
            Event::End(end) => self.end(end, &range),
            Event::Rule => {
                self.ordinals.part();
                self.pause();
            }
            _ => self.pause(),
        }
    }

    fn start(&mut self, tag: Tag<'t>, range: Range<usize>) {
        match tag {
            Tag::Link { .. } | Tag::Image { .. } => return self.texts.push(String::new()),
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => return,
            Tag::Heading { level, .. } => {
                self.ordinals.part();
                self.heading =
                    Some(Heading { level: level as u8, id: String::new(), text: String::new(), offset: range.start });
            }
            Tag::Paragraph => self.slips.paragraph = range.start,
            Tag::Table(_) => self.slips.in_table = true,
            Tag::CodeBlock(kind) => {
                self.in_code = true;
                self.survey.code.push(range.clone());
                if matches!(kind, CodeBlockKind::Indented) && !self.ordinals.is_in_list() {
                    let line = self.text[range.clone()].lines().next().unwrap_or_default();
                    self.survey.indented_code.push(range.start..range.start + line.trim_end().len());
                }
            }
            Tag::HtmlBlock => {
                self.in_html = true;
                self.survey.raw_html.push(range);
            }
            Tag::FootnoteDefinition(label) => {
                self.ordinals.block();
                self.notes.define(label, range);
            }
            Tag::BlockQuote(_) => {
                self.ordinals.block();
                self.quotes.begin(range);
            }
            Tag::List(start) => self.ordinals.list(self.text, start, range.start),
            Tag::Item => {
                let mark = self.ordinals.item(self.text, range.start);
                self.survey.boxes.extend(slips::tick_box(self.text, &mark));
            }
            _ => {}
        }
        self.quotes.go_on();
        // The text of a tight item ends where a nested list begins.
        self.pause();
    }

    fn end(&mut self, end: TagEnd, range: &Range<usize>) {
        match end {
            TagEnd::Link | TagEnd::Image | TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => return,
            TagEnd::Heading(_) => {
                self.survey.underlines.extend(slips::underline(self.text, range));
                if let Some(mut heading) = self.heading.take() {
                    heading.id = self.anchors.give(&heading.text);
                    self.survey.headings.push(heading);
                }
            }
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::HtmlBlock => self.in_html = false,
            TagEnd::TableCell => self.tables.cell(range.end),
            TagEnd::TableRow => self.tables.row(self.text, range),
            TagEnd::Table => {
                self.slips.in_table = false;
                self.tables.end();
            }
            TagEnd::List(_) => self.ordinals.end(range.end),
            TagEnd::Item | TagEnd::FootnoteDefinition => {
                self.quotes.go_on();
                self.ordinals.end_block();
            }
            TagEnd::BlockQuote(_) => {
                self.quotes.end();
                self.ordinals.end_block();
            }
            _ => {}
        }
        self.pause();
    }

    /// Ends the current block.
    fn pause(&mut self) {
        self.words.pause();
        self.emphasis.pause(self.text);
        self.slips.pause();
    }

    /// Adds text to the innermost of the links and pictures around it, and to the heading unless it is in a picture.
    fn take(&mut self, words: &str) {
        if let Some(text) = self.texts.last_mut() {
            text.push_str(words);
        }
        if self.spans.in_image() {
            return;
        }
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(words);
        }
        self.words.read(words);
    }

    fn close(&mut self, span: Span<'t>, definitions: &RefDefs<'_>) {
        let text = self.texts.pop().unwrap_or_default();
        // Thousands of nested pictures would repeat the innermost words thousands of times.
        if let Some(outer) = self.texts.last_mut().filter(|outer| outer.len() < MAX_TEXT_BYTES) {
            outer.push_str(&text);
        }
        self.definitions.close(&span, definitions);
        let range = destination_range(self.text, &span, definitions);
        let destination = span.destination.into_string();
        if span.image {
            self.survey.images.push(Image { destination, alt: text, range });
        } else {
            self.survey.links.push(Link { destination, range, text });
        }
    }

    fn finish(mut self, definitions: &RefDefs<'_>) -> Survey {
        let notes = self.notes.finish();
        let references = self.definitions.finish(self.text, definitions, &self.survey.headings);
        let (words, has_text) = self.words.finish();
        let (sources_quoted, quotations) = self.quotes.finish();
        self.survey.links.extend(references.unused);
        Survey {
            words,
            has_text,
            footnotes_undefined: notes.undefined,
            footnotes_unused: notes.unused,
            footnotes_repeated: notes.repeated,
            references_repeated: references.repeated,
            hidden: references.hidden,
            destinations_cut_off: self.slips.destinations,
            not_links: self.slips.links,
            not_headings: self.slips.headings,
            not_tables: self.slips.rows.bars,
            not_cells: self.slips.rows.tabs,
            not_empty: [self.slips.empty, self.tables.empty].concat(),
            not_lists: self.slips.lists.finish(),
            not_emphasis: self.emphasis.finish(),
            sources_quoted,
            quotations,
            cells_beyond: self.tables.beyond,
            rows_without_bars: self.tables.lines,
            ordinals: self.ordinals.finish(),
            ..self.survey
        }
    }
}

fn destination_range(text: &str, span: &Span<'_>, definitions: &RefDefs<'_>) -> Range<usize> {
    let written = match span.form {
        LinkType::Inline => {
            destination::of_inline(text, &span.range, span.inner_end, &span.destination).map(|written| written.range)
        }
        // A bare address has no brackets.
        LinkType::Autolink | LinkType::Email if !text[span.range.start..].starts_with('<') => {
            return span.range.clone();
        }
        LinkType::Autolink | LinkType::Email => return span.range.start + 1..span.range.end - 1,
        _ => definitions
            .get(&span.label)
            .and_then(|definition| definition_range(text, &definition.span, &definition.dest)),
    };
    written.unwrap_or_else(|| span.range.clone())
}

/// Returns the range of a definition's destination.
fn definition_range(text: &str, definition: &Range<usize>, destination: &str) -> Option<Range<usize>> {
    destination::of_definition(text, definition, destination).map(|written| written.range)
}
