//! The links, pictures, headings and slips of a text, found in one parse for the checks.

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
use self::{
    emphasis::Emphasis, notes::FootnoteLabels, ordinals::Ordinals, quotes::Quotes, slips::Slips, tables::TableRows,
    words::WordCounter,
};
pub use self::{
    lists::pictograph,
    ordinals::{Miscount, Ordinal},
};
use super::{
    Heading, OPTIONS,
    autolinks::Autolinks,
    destination,
    fences::Fences,
    heading::Anchors,
    is_line_break,
    spans::{LinkSpan, OpenSpans},
};

/// What one parse finds. Ranges count bytes of the surveyed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The headings, in order, with the anchors that [`super::to_html`] gives them.
    pub headings: Vec<Heading>,
    /// The anchors of the clauses, if the caller adds them: [`super::Clauses::anchors`].
    pub clause_anchors: Vec<String>,
    /// The links, in order of their ends, followed by the unused definitions of references.
    pub links: Vec<Link>,
    /// The images, in order of their ends.
    pub images: Vec<Image>,
    /// Code spans and blocks.
    pub code: Vec<Range<usize>>,
    /// Outermost block quotes.
    pub quotations: Vec<Range<usize>>,
    /// Raw HTML, which is shown as text.
    pub raw_html: Vec<Range<usize>>,
    /// Footnote references `[^label]` with a definition.
    pub footnotes: Vec<Range<usize>>,
    /// Footnote references `[^label]` without a definition.
    pub footnotes_undefined: Vec<Note>,
    /// Footnote definitions that nothing refers to; they are not rendered.
    pub footnotes_unused: Vec<Note>,
    /// Further definitions of a footnote; they are not rendered.
    pub footnotes_repeated: Vec<Note>,
    /// Footnote definitions whose label is that of another one in capitals: `[^ı]` and `[^i]`. Many programs that read
    /// the twin compare labels in capitals.
    pub footnotes_alike: Vec<Note>,
    /// Intended destinations with a space or a line break, which the parser takes for text: `[text](/en/a b)`.
    pub destinations_cut_off: Vec<Note>,
    /// Addresses of failed links: `[text] (/en/a)`, `(text)[/en/a]`, `[text[^1]](/en/a)`.
    pub not_links: Vec<Range<usize>>,
    /// Marks of failed headings: `##Heading`.
    pub not_headings: Vec<Range<usize>>,
    /// Lines of hyphens of failed tables; the first line of a table without such a line.
    pub not_tables: Vec<Range<usize>>,
    /// Marks of failed lists: `• item`.
    pub not_lists: Vec<Range<usize>>,
    /// First lines of text copied from a spreadsheet: tabs do not separate cells.
    pub not_cells: Vec<Range<usize>>,
    /// Task boxes `- [ ] item`, which are not rendered as boxes here.
    pub boxes: Vec<Range<usize>>,
    /// Lines that look empty but hold an invisible character.
    pub not_empty: Vec<Range<usize>>,
    /// Failed emphasis with its marks, or a single mark: `**“word”**s`.
    pub not_emphasis: Vec<Range<usize>>,
    /// Words with emphasis whose asterisks were meant as signs of multiplication: `10.000*12*3`.
    pub products: Vec<Range<usize>>,
    /// First lines of code by indentation, outside of lists.
    pub indented_code: Vec<Range<usize>>,
    /// Code that begins and ends inside of words, with its backticks.
    pub code_in_words: Vec<Range<usize>>,
    /// Lines of hyphens below a paragraph that is hardly a heading.
    pub underlines: Vec<Range<usize>>,
    /// Last lines of quotations that look like a source but are part of the quoted paragraph.
    pub sources_quoted: Vec<Range<usize>>,
    /// Cells beyond the last column of a table; they are not rendered.
    pub cells_beyond: Vec<Range<usize>>,
    /// Lines directly below a table that become rows of it although they have no bar.
    pub rows_without_bars: Vec<Range<usize>>,
    /// Links `[text][label]` without a definition of the label.
    pub references_undefined: Vec<Note>,
    /// Further definitions `[label]: destination` of a label, which no link uses.
    pub references_repeated: Vec<Note>,
    /// Unused definitions that contain words or lead nowhere: they appear only in the twins.
    pub hidden: Vec<Range<usize>>,
    /// The opening fences of code that is never closed.
    pub code_not_closed: Vec<Range<usize>>,
    /// Marks of lists that are rendered as another number, or begin an unintended list.
    pub ordinals: Vec<Ordinal>,
    /// Number of words, code included.
    pub words: u32,
    /// The text is more than white space.
    pub has_text: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// As the author wrote it, without escapes.
    pub destination: String,
    /// The range of the destination, for a reference in its definition; the whole link if it is not found.
    pub range: Range<usize>,
    /// Plain text, including the texts of its pictures.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The file, as the author wrote it, without escapes.
    pub destination: String,
    /// The description.
    pub alt: String,
    /// The range of the destination, for a reference in its definition; the whole image if it is not found.
    pub range: Range<usize>,
}

/// The label of a footnote or of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The label, without brackets.
    pub label: String,
    pub range: Range<usize>,
}

/// Surveys `text` in one parse.
pub fn survey(text: &str, locale: Locale) -> Survey {
    let mut references_undefined = Vec::new();
    let undefined = |link: BrokenLink<'_>| {
        // A shortcut without a definition, such as `[sic]`, is ordinary prose.
        if matches!(link.link_type, LinkType::Reference | LinkType::Collapsed) {
            references_undefined.push(Note { label: link.reference.to_string(), range: link.span });
        }
        None
    };
    let mut surveyor = Surveyor::new(text, locale);
    let parser = Parser::new_with_broken_link_callback(text, OPTIONS, Some(undefined));
    let mut events = Autolinks::new(text, parser.into_offset_iter());
    while let Some((event, range)) = events.next() {
        if let Some(span) = surveyor.spans.process(&event, &range) {
            surveyor.close(span, events.events().reference_definitions());
        }
        surveyor.definitions.process(&event, &range);
        surveyor.process(event, range);
    }
    let survey = surveyor.finish(events.events().reference_definitions());
    drop(events);
    Survey { references_undefined, ..survey }
}

/// Bytes of a link's text; beyond them, the texts of inner links and pictures are left out.
const MAX_TEXT_BYTES: usize = 1024;

struct Surveyor<'t> {
    text: &'t str,
    survey: Survey,
    spans: OpenSpans<'t>,
    /// Texts of the open links and images, each without the texts of the inner ones.
    texts: Vec<String>,
    heading: Option<Heading>,
    anchors: Anchors,
    notes: FootnoteLabels<'t>,
    definitions: Definitions<'t>,
    fences: Fences,
    slips: Slips,
    emphasis: Emphasis,
    tables: TableRows,
    ordinals: Ordinals,
    quotes: Quotes,
    words: WordCounter,
    /// In code, brackets mean nothing.
    in_code: bool,
    in_html: bool,
}

impl<'t> Surveyor<'t> {
    fn new(text: &'t str, locale: Locale) -> Self {
        Self {
            text,
            survey: Survey::default(),
            spans: OpenSpans::new(text),
            texts: Vec::new(),
            heading: None,
            anchors: Anchors::new(text, locale),
            notes: FootnoteLabels::default(),
            definitions: Definitions::new(text),
            fences: Fences::default(),
            slips: Slips::default(),
            emphasis: Emphasis::default(),
            tables: TableRows::default(),
            ordinals: Ordinals::default(),
            quotes: Quotes::default(),
            words: WordCounter::default(),
            in_code: false,
            in_html: false,
        }
    }

    fn process(&mut self, event: Event<'t>, range: Range<usize>) {
        if let Some(code) = self.fences.process(self.text, &event, &range).filter(|code| !code.is_closed) {
            self.survey.code_not_closed.push(code.fence);
        }
        match event {
            Event::Text(words) => {
                if !self.in_code {
                    self.notes.find_undefined(self.text, &range);
                    self.slips.examine(self.text, &range);
                    self.quotes.examine(self.text, range.start, self.slips.paragraph);
                    self.emphasis.examine(self.text, &range);
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
            Event::InlineHtml(html) if self.slips.in_table && is_line_break(&html) => self.take(" "),
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
            Tag::Emphasis | Tag::Strong => {
                self.survey.products.extend(emphasis::find_product(self.text, &range));
                return;
            }
            Tag::Strikethrough => return,
            Tag::Heading { level, id, .. } => {
                self.ordinals.part();
                let (level, written, offset) = (level as u8, id.map(|id| id.as_ref().into()), range.start);
                self.heading = Some(Heading { level, id: String::new(), text: String::new(), written, offset });
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
                self.survey.boxes.extend(slips::find_tick_box(self.text, &mark));
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
                self.survey.underlines.extend(slips::find_underline(self.text, range));
                if let Some(mut heading) = self.heading.take() {
                    heading.id = self.anchors.assign(&heading.text, heading.written.as_deref());
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

    /// Adds text to the innermost open link or picture, and outside of pictures to the heading and the word count.
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

    fn close(&mut self, span: LinkSpan<'t>, definitions: &RefDefs<'_>) {
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
            footnotes_alike: notes.alike,
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

fn destination_range(text: &str, span: &LinkSpan<'_>, definitions: &RefDefs<'_>) -> Range<usize> {
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
