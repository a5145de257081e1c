//! Checks of one text.

use std::{cell::OnceCell, collections::HashSet, ops::Range};

use contract::{Locale, text::is_invisible};
use markdown::{Heading, LANGUAGE_SCHEME, Link, Miscount, Ordinal, Survey, language_of_words};

use super::{Conduct, destinations, foreign};
use crate::{
    diagnostic::{Code, Finding, Place, Span, Told, nearest},
    messages::Text,
    source::{Kind, Lines, below, encoded, find_invisible, is_language, scheme, web_address},
};

/// Where to put notes for editors only.
const NOTES: &str = "remove it; a line `# …` in the front matter is a note that is not published";

/// Looking for the intended heading takes time in a long text: so it is done this many times at most.
const SUGGESTIONS: usize = 100;

/// A text, with what its checks need to know, while its file is open.
pub(crate) struct Prose<'a> {
    pub(crate) kind: Kind,
    /// Name of the entry's folder.
    pub(crate) key: &'a str,
    pub(crate) locale: Locale,
    /// Path below the content folder.
    pub(crate) file: &'a str,
    /// The Markdown below the front matter.
    pub(crate) text: &'a str,
    /// What the text contains.
    pub(crate) survey: &'a Survey,
    /// The published key, if `site.toml` has one.
    pub(crate) sandbox_key: Option<&'a str>,
    /// The origin of the site, if that is known.
    pub(crate) origin: Option<&'a str>,
    /// What is shown as it is written, in order, once that was asked for.
    pub(crate) written: OnceCell<Vec<Range<usize>>>,
    /// What advice needs to know.
    pub(crate) conduct: &'a Conduct,
    /// The whole file, and its lines.
    pub(crate) whole: &'a str,
    pub(crate) lines: &'a Lines,
    /// Where in the file the text begins.
    pub(crate) body_start: usize,
    /// Converts a range of the text to its place in the file.
    pub(crate) span: &'a dyn Fn(Range<usize>) -> Span,
}

impl Prose<'_> {
    pub(super) fn finding(&self, code: Code, range: &Range<usize>, message: impl Into<Text>) -> Finding {
        Finding::new(code, Place::new(self.file, (self.span)(range.clone())), message)
    }

    fn is_of_the_site(&self, destination: &str) -> bool {
        self.origin.is_some_and(|origin| below(origin, destination).is_some())
    }

    /// Returns whether a range is part of code, of a destination or of HTML: nothing in it is markup.
    pub(super) fn is_shown_as_written(&self, range: &Range<usize>) -> bool {
        let written = self.written.get_or_init(|| {
            let destinations = self.survey.links.iter().map(|link| &link.range);
            let destinations = destinations.chain(self.survey.images.iter().map(|image| &image.range));
            let all = self.survey.code.iter().chain(&self.survey.raw_html).chain(destinations);
            let mut all: Vec<Range<usize>> = all.cloned().collect();
            all.sort_unstable_by_key(|range| range.start);
            all
        });
        let behind = written.partition_point(|other| other.start <= range.start);
        behind.checked_sub(1).is_some_and(|at| range.end <= written[at].end)
    }

    /// Returns the headings, if the text may have any.
    fn sections(&self) -> &[Heading] {
        if self.kind == Kind::Network { &[] } else { &self.survey.headings }
    }
}

/// Returns the range of a heading's mark and words.
fn heading_range(heading: &Heading) -> Range<usize> {
    let length = usize::from(heading.level) + 1 + heading.text.len();
    heading.offset..heading.offset + length
}

/// Checks that the headings are an outline below the title: they begin at the second level and skip none.
pub(super) fn outline(prose: &Prose, findings: &mut Told) {
    let headings: Vec<&Heading> = prose.sections().iter().filter(|heading| !is_wordless(heading)).collect();
    let levels = levels(headings.iter().map(|heading| heading.level));
    let mut wrong: Vec<(Finding, Vec<(&Heading, u8)>)> = Vec::new();
    let mut before = 1;
    for (heading, level) in headings.into_iter().zip(levels) {
        let skips = heading.level > before + 1;
        let is_first = heading.level == 1 && wrong.last().is_none_or(|(it, _)| it.code != Code::FIRST_LEVEL_HEADING);
        if level != heading.level && (skips || is_first) {
            let (code, message) = if skips {
                (Code::SKIPPED_LEVEL, format!("heading of level {} after one of level {before}", heading.level))
            } else {
                (Code::FIRST_LEVEL_HEADING, "first-level heading in the text".to_owned())
            };
            wrong.push((prose.finding(code, &heading_range(heading), message), Vec::new()));
        }
        if let Some((_, moved)) = wrong.last_mut().filter(|_| level != heading.level) {
            moved.push((heading, level));
        }
        // A first-level heading is refused as such; it was meant to be of the second level.
        before = heading.level.max(2);
    }
    findings.extend(wrong.into_iter().map(|(finding, moved)| with_levels(prose, finding, &moved)));
}

/// Returns the levels of headings below the title: each is one further in than the nearest heading before it whose level
/// was higher in the outline.
fn levels(written: impl Iterator<Item = u8>) -> Vec<u8> {
    let mut open: Vec<u8> = Vec::new();
    let level = |written| {
        open.retain(|above| *above < written);
        open.push(written);
        (open.len() as u8 + 1).min(6)
    };
    written.map(level).collect()
}

/// Returns the words of a heading without an anchor behind them, which is reported by itself.
fn without_anchor(words: &str) -> &str {
    words.rsplit_once("{#").filter(|(_, anchor)| anchor.ends_with('}')).map_or(words, |(words, _)| words.trim_end())
}

/// Says which levels headings are to have.
fn with_levels(prose: &Prose, finding: Finding, moved: &[(&Heading, u8)]) -> Finding {
    let shown: Vec<String> = moved
        .iter()
        .take(3)
        .map(|(heading, level)| format!("`{} {}`", "#".repeat((*level).into()), without_anchor(&heading.text)))
        .collect();
    let why = if finding.code == Code::FIRST_LEVEL_HEADING { "the title is the first level; " } else { "" };
    let rest = match moved.len() - shown.len() {
        0 => String::new(),
        more => format!(", and likewise for {more} more below"),
    };
    let finding = finding.help(format!("{why}write {}{rest}", shown.join(", then ")));
    // A heading may also be marked by a line below it.
    if !moved.iter().all(|(heading, _)| prose.text[heading.offset..].starts_with('#')) {
        return finding;
    }
    moved.iter().fold(finding, |finding, (heading, level)| {
        let marks = heading.offset..heading.offset + usize::from(heading.level);
        finding.edit((prose.span)(marks), "#".repeat((*level).into()))
    })
}

/// Returns whether nothing of a heading can be read out: it has no words, or only those of a picture or the mark of a
/// footnote.
fn is_wordless(heading: &Heading) -> bool {
    heading.text.trim().is_empty()
}

pub(super) fn headings_without_words(prose: &Prose, findings: &mut Told) {
    for heading in prose.sections().iter().filter(|heading| is_wordless(heading)) {
        let marks = heading.offset..heading.offset + usize::from(heading.level);
        let finding = prose.finding(Code::HEADING_WITHOUT_WORDS, &marks, "heading without words");
        findings.push(finding.help("write what the section is about, or remove the marks"));
    }
}

/// Checks the texts on firms of the network: all are on one page, where headings would divide it and footnotes of the
/// same number collide.
pub(super) fn of_network(prose: &Prose, findings: &mut Told) {
    if prose.kind != Kind::Network {
        return;
    }
    let help = "say it in one or two sentences, and link to a page for more";
    for heading in &prose.survey.headings {
        let finding = prose.finding(Code::NETWORK_TEXT, &heading_range(heading), "heading in the text on a firm");
        findings.push(finding.help(help));
    }
    for range in &prose.survey.footnotes {
        let finding = prose.finding(Code::NETWORK_TEXT, range, "footnote in the text on a firm");
        findings.push(finding.help(help));
    }
}

pub(super) fn raw_html(prose: &Prose, findings: &mut Told) {
    // A closing tag belongs to the opening one, which has been reported already.
    let opening = |range: &&Range<usize>| !prose.text.get((*range).clone()).unwrap_or_default().starts_with("</");
    for range in prose.survey.raw_html.iter().filter(opening) {
        let finding = prose.finding(Code::RAW_HTML, range, "HTML in the text");
        let is_comment = prose.text[range.start..].starts_with("<!--");
        let help = if is_comment { NOTES } else { "write Markdown; put it in backticks if readers are to see it" };
        findings.push(finding.help(help));
    }
}

/// Checks for hidden notes: readers of the page do not see them, but its Markdown is public, and language
/// models read it.
pub(super) fn hidden_notes(prose: &Prose, findings: &mut Told) {
    for range in &prose.survey.hidden {
        let message = "no link uses this reference: readers do not see it, but programs do";
        findings.push(prose.finding(Code::HIDDEN_NOTE, range, message).help(NOTES));
    }
}

/// Checks for code that is never closed: everything after it would be code, also in the full text of the site, where
/// other texts follow.
pub(super) fn code(prose: &Prose, findings: &mut Told) {
    for range in &prose.survey.code_not_closed {
        let fence = prose.text.get(range.clone()).unwrap_or_default();
        let finding = prose.finding(Code::CODE_NOT_CLOSED, range, "code is opened here and never closed");
        findings.push(finding.help(format!("after the code, write a line of {fence} alone")));
    }
}

pub(super) fn invisible(prose: &Prose, findings: &mut Told) {
    let hidden = |letter: char| is_invisible(letter) && !matches!(letter, '\n' | '\t');
    let mut at = 0;
    while let Some(start) = find_invisible(&prose.text[at..]).map(|found| at + found) {
        let rest = &prose.text[start..];
        at = start + rest.find(|letter| !hidden(letter)).unwrap_or(rest.len());
        let first = rest.chars().next().map_or(0, u32::from);
        let range = start..at;
        let (what, with) = invisible_name(first);
        let finding = prose.finding(Code::INVISIBLE, &range, format!("{what} (U+{first:04X}) is invisible"));
        let finding = match with {
            Some("") => finding.help("delete it").edit((prose.span)(range), ""),
            Some(with) => finding.help("for a line break, end the line with `\\`").edit((prose.span)(range), with),
            None => finding.help("delete it, or type the words around it again"),
        };
        findings.push(finding);
    }
}

/// Returns what an invisible character is called, and what to write for it if that is certain.
const fn invisible_name(letter: u32) -> (&'static str, Option<&'static str>) {
    match letter {
        0x0b | 0x2028 => ("a line break of a word processor", Some("\\\n")),
        0x0c => ("a page break of a word processor", Some("")),
        0x200b | 0x2060 | 0xfeff => ("a space of no width", Some("")),
        0x202a..=0x202e | 0x2066..=0x2069 => ("a mark that turns the direction of writing", None),
        0xe0000..=0xe0fff => ("a letter that is never shown", None),
        _ => ("a control character", None),
    }
}

pub(super) fn pictures_without_alt(prose: &Prose, findings: &mut Told) {
    for image in prose.survey.images.iter().filter(|image| image.alt.trim().is_empty()) {
        let message = format!("picture `{}` has no description", image.destination);
        let finding = prose.finding(Code::PICTURE_WITHOUT_ALT, &image.range, message);
        findings.push(finding.help(format!("say what it shows: `![…]({})`", image.destination)));
    }
}

pub(super) fn pictures_elsewhere(prose: &Prose, findings: &mut Told) {
    for image in &prose.survey.images {
        let destination = image.destination.as_str();
        if is_path(destination) {
            let message = "this is a path on one computer: readers do not have it";
            let finding = prose.finding(Code::PICTURE_NOT_FOUND, &image.range, message);
            findings.push(finding.help("put the file beside the text and write its name alone"));
        } else if destination.starts_with("data:") {
            let finding = prose.finding(Code::PICTURE_ELSEWHERE, &image.range, "the picture is inside the text");
            let help =
                "save it as a file beside the text, and write the name of that file: `![What it shows](picture.png)`";
            findings.push(finding.help(help));
        } else if scheme(destination).is_some() || destination.starts_with("//") {
            let finding = prose.finding(Code::PICTURE_ELSEWHERE, &image.range, "picture on another site");
            findings.push(finding.help("put the file beside the text, if you may, and name it here"));
        } else if destination.is_empty() || destination.starts_with(['#', '@', '/']) {
            let finding = prose.finding(Code::PICTURE_NOT_FOUND, &image.range, "this is not the name of a picture");
            findings.push(finding.help("name a file beside the text, such as `timeline.svg`"));
        }
    }
}

/// Returns whether a destination names a file by its place on a computer: `C:\\a.png`, `file:///a.png`.
fn is_path(destination: &str) -> bool {
    scheme(destination).is_some_and(|scheme| scheme.len() == 1 || scheme == "file")
}

pub(super) fn footnotes(prose: &Prose, findings: &mut Told) {
    let survey = prose.survey;
    for note in &survey.footnotes_undefined {
        let message = format!("footnote `[^{}]` has no text", note.label);
        let finding = prose.finding(Code::FOOTNOTE_UNDEFINED, &note.range, message);
        let labels = survey.footnotes_unused.iter().map(|unused| unused.label.as_str());
        let word = nearest(&note.label, labels);
        findings.push(finding.did_you_mean(word).help(format!("write a line `[^{}]: …`", note.label)));
    }
    for note in &survey.footnotes_unused {
        let message = format!("nothing refers to footnote `[^{}]`", note.label);
        let finding = prose.finding(Code::FOOTNOTE_UNUSED, &note.range, message);
        findings.push(finding.help(format!("put `[^{}]` where it belongs, or remove the footnote", note.label)));
    }
    for note in &survey.footnotes_repeated {
        let message = format!("footnote `[^{}]` has a second text", note.label);
        let finding = prose.finding(Code::FOOTNOTE_TWICE, &note.range, message);
        findings.push(finding.help("give it a name of its own"));
    }
}

pub(super) fn references(prose: &Prose, findings: &mut Told) {
    for note in &prose.survey.references_undefined {
        let message = format!("reference `[{}]` has no destination", note.label);
        let finding = prose.finding(Code::REFERENCE_UNDEFINED, &note.range, message);
        findings.push(finding.help(format!("write a line `[{}]: destination`", note.label)));
    }
    for note in &prose.survey.references_repeated {
        let message = format!("reference `[{}]` has a second destination", note.label);
        let finding = prose.finding(Code::REFERENCE_TWICE, &note.range, message);
        findings.push(finding.help("give it a name of its own, or remove the line"));
    }
}

pub(super) fn ordinals(prose: &Prose, findings: &mut Told) {
    for Ordinal { range, slip } in &prose.survey.ordinals {
        let mark = prose.text.get(range.clone()).unwrap_or_default();
        let (number, point) = mark.split_at(mark.len().saturating_sub(1));
        let (code, message, help) = match slip {
            Miscount::Starts => (Code::ORDINAL_AS_LIST, format!("`{mark}` starts a numbered list here"), None),
            Miscount::ShownAs(shown) => (
                Code::ORDINAL_AS_LIST,
                format!("`{mark}` is shown as {shown}"),
                Some("items are counted on from the first number".to_owned()),
            ),
            Miscount::Shallow { shown, item, indent } => (
                Code::ORDINAL_AS_LIST,
                format!("`{mark}` is shown as {shown}"),
                Some(format!("if it is part of item {item}, put {indent} spaces before it")),
            ),
            Miscount::Outside { item, indent } => (
                Code::LIST_CUT,
                format!("`{mark}` begins another list: item {item} ends above it"),
                Some(format!("put {indent} spaces before the words of each line that belongs to item {item}")),
            ),
        };
        let escape = (!number.is_empty()).then(|| format!("if it does not count items, write `{number}\\{point}`"));
        let help: Vec<_> = help.into_iter().chain(escape).collect();
        findings.push(prose.finding(code, range, message).help(help.join("; ")));
    }
}

pub(super) fn link_forms(prose: &Prose, findings: &mut Told) {
    for link in &prose.survey.links {
        let destination = link.destination.as_str();
        if link.text.trim().is_empty() {
            let finding = prose.finding(Code::LINK_WITHOUT_TEXT, &link.range, "link without words");
            findings.push(finding.help("write `[words](destination)`"));
        }
        if scheme(destination) == Some(LANGUAGE_SCHEME) && link.text != destination {
            findings.extend(unknown_language(prose, link));
            continue;
        }
        if let Some(address) = destinations::meant(destination) {
            let finding = prose.finding(Code::LINK_FORM, &link.range, "an address needs its scheme, in lower case");
            findings.push(finding.label(format!("write `{address}`")));
            continue;
        }
        let of_the_web = matches!(scheme(destination), Some("https" | "http"));
        if let Some(wanted) = of_the_web.then(|| web_address(destination).err()).flatten() {
            let finding = prose.finding(Code::LINK_FORM, &link.range, "this is not a web address");
            findings.push(match encoded(destination) {
                Some(address) => finding.label(format!("write `{address}`")),
                None => finding.help(format!("expected {wanted}")),
            });
            continue;
        }
        let problem = match scheme(destination) {
            // For a whole address of this site, the replacement is suggested once all of its addresses are known.
            Some("http") if link.text != destination && prose.is_of_the_site(destination) => None,
            Some("http") => {
                let finding = prose.finding(Code::LINK_WITHOUT_TLS, &link.range, "link with http://");
                findings.push(finding.help(format!("try `https{}`", destination.trim_start_matches("http"))));
                None
            }
            Some("https" | "mailto" | "tel") => destinations::behind_its_scheme(destination),
            Some(_) => Some("links must not use this scheme".into()),
            None if destination.is_empty() => Some("link without a destination".into()),
            None if destination.starts_with("//") => Some("an address of another site needs its scheme".into()),
            None => None,
        };
        if let Some(message) = problem {
            let finding = prose.finding(Code::LINK_FORM, &link.range, message);
            findings
                .push(finding.help("a link is `https://…`, `mailto:…`, `tel:…`, `@/kind/key`, `/en/…` or `#heading`"));
        }
    }
}

/// Checks for words that are marked as being in an unknown language.
fn unknown_language(prose: &Prose, link: &Link) -> Option<Finding> {
    if language_of_words(&link.destination).is_some_and(is_language) {
        return None;
    }
    let finding = prose.finding(Code::BAD_LANGUAGE, &link.range, "this is not the code of a language");
    Some(finding.help("write `[words](lang:tr)`, with a language code such as `tr`, `en` or `de`"))
}

pub(super) fn own_anchors(prose: &Prose, findings: &mut Told) {
    let links = prose.survey.links.iter().filter_map(|link| Some((link, link.destination.strip_prefix('#')?)));
    let mut links = links.peekable();
    if links.peek().is_none() {
        return;
    }
    let ids = || prose.survey.headings.iter().map(|heading| heading.id.as_str());
    // An anchor that is written behind a heading is reported there.
    let written = foreign::written_anchors(prose).map(|(_, anchor)| anchor);
    let known: HashSet<&str> = ids().chain(written).collect();
    for (at, (link, anchor)) in links.filter(|(_, anchor)| !known.contains(anchor)).enumerate() {
        let finding = prose.finding(Code::LINK_ANCHOR, &link.range, format!("no heading `#{anchor}` in this text"));
        findings.push(if at < SUGGESTIONS { with_anchors(finding, anchor, ids()) } else { finding });
    }
}

/// Adds the anchor that was probably meant, or else those that exist.
pub(super) fn with_anchors<'a>(finding: Finding, anchor: &str, ids: impl Iterator<Item = &'a str>) -> Finding {
    let ids: Vec<&str> = ids.collect();
    match nearest(anchor, ids.iter().copied()) {
        Some(id) => finding.did_you_mean(Some(&format!("#{id}"))),
        None if ids.is_empty() => finding.help("the text has no headings"),
        None => {
            let shown: Vec<String> = ids.iter().take(8).map(|id| format!("`#{id}`")).collect();
            finding.help(format!("headings there: {}", shown.join(", ")))
        }
    }
}
