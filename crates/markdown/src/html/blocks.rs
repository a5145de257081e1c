//! Paragraphs, quotations, headings, lists and code.

use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, HeadingLevel};
use pulldown_cmark_escape::escape_html;

use super::{HtmlWriter, links::Figure};
use crate::Heading;

const QUOTATION: &str = "<blockquote>\n";

/// The beginning of the paragraph that names the source of a quotation. The last paragraph is not always a source: an
/// article of a law has several. Markdown has no notation for it, and the dash reads well in the twin.
const SOURCE: &str = "<p>— ";

#[derive(Debug)]
pub(super) struct OpenHeading {
    level: u8,
    /// Bytes before the heading in the author's text.
    offset: usize,
    written: Option<Box<str>>,
    /// Where the contents begin in the output.
    start: usize,
    /// Plain text so far.
    pub(super) text: String,
}

impl HtmlWriter<'_> {
    pub(super) fn open_paragraph(&mut self) {
        self.out.push_str("<p>");
        self.paragraph = Some(self.out.len());
    }

    /// Closes a paragraph. A paragraph of one picture becomes a figure, with the picture's title as caption.
    pub(super) fn close_paragraph(&mut self) {
        let start = self.paragraph.take();
        match self.links.take_figure() {
            Some(Figure { end, title }) if end == self.out.len() => {
                let start = start.unwrap_or(end) - "<p>".len();
                self.out.replace_range(start..start + "<p>".len(), "<figure>");
                if !title.is_empty() {
                    self.out.push_str("<figcaption>");
                    self.text(&title);
                    self.out.push_str("</figcaption>");
                }
                self.out.push_str("</figure>\n");
            }
            figure => {
                if let Some(Figure { end, title }) = figure {
                    self.add_title(end, &title);
                }
                self.out.push_str("</p>\n");
            }
        }
    }

    pub(super) fn open_quotation(&mut self) {
        self.quotations.push(self.out.len());
        self.out.push_str(QUOTATION);
    }

    /// Closes a quotation. HTML has no element for a source inside a quotation, so one around both holds it; programs
    /// that extract texts drop a `figure` with its words. If several paragraphs begin with a dash, the quotation is a
    /// dialogue without a source.
    pub(super) fn close_quotation(&mut self) {
        let start = self.quotations.pop().unwrap_or_default();
        let words = start + QUOTATION.len();
        let last = self.out[words..].rfind("<p>").map_or(words, |at| words + at);
        let source = self.out[last..].strip_prefix(SOURCE).and_then(|source| source.strip_suffix("</p>\n"));
        match source.filter(|_| last > words && !self.out[words..last].contains(SOURCE)) {
            Some(source) => {
                let caption = format!("</blockquote>\n<p class=\"source\">— {source}</p></div>\n");
                self.out.truncate(last);
                self.out.push_str(&caption);
                self.out.insert_str(start, "<div class=\"quotation\">");
            }
            None => self.out.push_str("</blockquote>\n"),
        }
    }

    pub(super) fn open_heading(&mut self, level: HeadingLevel, written: Option<Box<str>>, offset: usize) {
        self.close_question(level as u8);
        let (level, start, text) = (level as u8, self.out.len(), String::with_capacity(64));
        self.heading = Some(OpenHeading { level, offset, written, start, text });
    }

    /// Closes a heading. The permalink stands beside the heading, so that it is not part of the heading's name. The element
    /// around both is one that says so: programs that extract texts drop a `div` of few words and a link, with its heading.
    pub(super) fn close_heading(&mut self) {
        let Some(OpenHeading { level, offset, written, start, text }) = self.heading.take() else { return };
        let id = self.anchors.assign(&text, written.as_deref());
        let heading = Heading { level, id, text, written, offset };
        let article = self.clauses.anchors.enter(&heading);
        // The anchor of an article outlives the words of its heading.
        let article = article.map(|anchor| format!(" id=\"{anchor}\"")).unwrap_or_default();
        let Heading { id, text, .. } = &heading;
        if self.is_question(level, text) {
            self.open_question(level);
            let opening = format!("<details class=\"question\"{article}><summary><h{level} id=\"{id}\">");
            self.out.insert_str(start, &opening);
            let _ = writeln!(self.out, "</h{level}></summary>");
        } else {
            self.out.insert_str(start, &format!("<hgroup class=\"heading\"{article}><h{level} id=\"{id}\">"));
            let _ = write!(self.out, "</h{level}> <p><a class=\"anchor\" href=\"#{id}\" aria-label=\"");
            let (before, after) = self.phrases.permalink.split_once("{}").unwrap_or_default();
            self.out.push_str(before);
            self.attribute(text);
            self.out.push_str(after);
            self.out.push_str("\"><span aria-hidden=\"true\">#</span></a></p></hgroup>\n");
        }
        self.enter_heading(level);
        self.headings.push(heading);
    }

    /// Opens a list. Lists whose marks are written out have no bullets; `1)` stays `1)`.
    pub(super) fn open_list(&mut self, first: Option<u64>, offset: usize) {
        self.enter_list();
        let Some(first) = first else {
            let is_counted = self.clauses.is_in_list(offset);
            self.out.push_str(if is_counted { "<ul class=\"counted\" role=\"list\">\n" } else { "<ul>\n" });
            return;
        };
        self.out.push_str("<ol");
        if self.clauses.is_point_a_parenthesis(offset) {
            self.out.push_str(" class=\"parenthesis\"");
        }
        if first != 1 {
            let _ = write!(self.out, " start=\"{first}\"");
        }
        self.out.push_str(">\n");
    }

    /// Opens a block of code. Its long lines scroll, so it is reachable by keyboard and has a name.
    pub(super) fn open_code(&mut self, kind: &CodeBlockKind<'_>) {
        self.in_code = true;
        self.out.extend(["<pre tabindex=\"0\" role=\"group\" aria-label=\"", self.phrases.code, "\"><code"]);
        if let CodeBlockKind::Fenced(info) = kind
            && let Some(language) = info.split([' ', '\t', ',']).next().filter(|language| !language.is_empty())
        {
            self.out.push_str(" class=\"language-");
            let _ = escape_html(&mut self.out, language);
            self.out.push('"');
        }
        self.out.push('>');
    }

    pub(super) fn close_code(&mut self) {
        self.in_code = false;
        self.out.push_str("</code></pre>\n");
    }
}
