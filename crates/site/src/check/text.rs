//! Checks of one text.

use std::{cell::OnceCell, collections::HashSet, ops::Range};

use content::{Kind, Lines, encode_address, find_invisible, is_language, path_on_site, scheme, web_address};
use contract::{Locale, text::is_invisible};
use findings::{
    Code, FileFindings, Finding, Place, Span,
    messages::{self, Text},
    nearest,
};
use markdown::{Heading, LANGUAGE_SCHEME, Link, Miscount, Ordinal, Survey, language_of_words};

use super::{Conduct, anchors::with_anchors, destinations};

/// Maximum number of searches for the intended heading, which are slow in a long text.
const SUGGESTIONS: usize = 100;

/// A text with its context, while its file is open.
pub(crate) struct CheckedText<'a> {
    pub(crate) kind: Kind,
    /// Name of the entry's folder.
    pub(crate) key: &'a str,
    pub(crate) locale: Locale,
    /// Path below the content folder.
    pub(crate) file: &'a str,
    /// The title or name in the front matter.
    pub(crate) title: &'a str,
    /// The Markdown below the front matter.
    pub(crate) text: &'a str,
    pub(crate) survey: &'a Survey,
    pub(crate) sandbox_key: Option<&'a str>,
    /// The origin of the site.
    pub(crate) origin: Option<&'a str>,
    /// Ranges of code, destinations and HTML, in order; computed on demand.
    pub(crate) written: OnceCell<Vec<Range<usize>>>,
    pub(crate) conduct: &'a Conduct,
    /// The whole file, and its lines.
    pub(crate) whole: &'a str,
    pub(crate) lines: &'a Lines,
    /// Position of the text in the file.
    pub(crate) body_start: usize,
    /// Converts a range of the text to a place in the file.
    pub(crate) span: &'a dyn Fn(Range<usize>) -> Span,
}

impl CheckedText<'_> {
    pub(super) fn finding(&self, code: Code, range: &Range<usize>, message: Text) -> Finding {
        Finding::new(code, Place::new(self.file, (self.span)(range.clone())), message)
    }

    fn is_of_the_site(&self, destination: &str) -> bool {
        self.origin.is_some_and(|origin| path_on_site(origin, destination).is_some())
    }

    /// Returns whether a range is inside code, a destination or HTML, where nothing is markup.
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

    /// Returns the headings, none for firms of the network.
    fn sections(&self) -> &[Heading] {
        if self.kind == Kind::Network { &[] } else { &self.survey.headings }
    }
}

/// Returns the range of a heading's mark and words.
fn heading_range(heading: &Heading) -> Range<usize> {
    let length = usize::from(heading.level) + 1 + heading.text.len();
    heading.offset..heading.offset + length
}

/// Checks that the headings begin at the second level and skip no level.
pub(super) fn outline(prose: &CheckedText, findings: &mut FileFindings) {
    let headings: Vec<&Heading> = prose.sections().iter().filter(|heading| !is_wordless(heading)).collect();
    let levels = levels(headings.iter().map(|heading| heading.level));
    let mut wrong: Vec<(Finding, Vec<(&Heading, u8)>)> = Vec::new();
    let mut before = 1;
    for (heading, level) in headings.into_iter().zip(levels) {
        let skips = heading.level > before + 1;
        let is_first = heading.level == 1 && wrong.last().is_none_or(|(it, _)| it.code != Code::FIRST_LEVEL_HEADING);
        if level != heading.level && (skips || is_first) {
            let (code, message) = if skips {
                (Code::SKIPPED_LEVEL, messages::heading_level_skipped(heading.level, before))
            } else {
                (Code::FIRST_LEVEL_HEADING, messages::heading_of_first_level())
            };
            wrong.push((prose.finding(code, &heading_range(heading), message), Vec::new()));
        }
        if let Some((_, moved)) = wrong.last_mut().filter(|_| level != heading.level) {
            moved.push((heading, level));
        }
        // A first-level heading is reported itself, and counts as second level here.
        before = heading.level.max(2);
    }
    findings.extend(wrong.into_iter().map(|(finding, moved)| with_levels(prose, finding, &moved)));
}

/// Returns the correct levels of headings: one below the nearest heading above that has a smaller written level.
fn levels(written: impl Iterator<Item = u8>) -> Vec<u8> {
    let mut open: Vec<u8> = Vec::new();
    let level = |written| {
        open.retain(|above| *above < written);
        open.push(written);
        (open.len() as u8 + 1).min(6)
    };
    written.map(level).collect()
}

/// Returns the words of a heading without a written anchor, which has its own finding.
fn without_anchor(words: &str) -> &str {
    words.rsplit_once("{#").filter(|(_, anchor)| anchor.ends_with('}')).map_or(words, |(words, _)| words.trim_end())
}

/// Adds the correct levels of headings as help, and as edits where possible.
fn with_levels(prose: &CheckedText, finding: Finding, moved: &[(&Heading, u8)]) -> Finding {
    const MAX_SHOWN: usize = 3;
    let levels = moved.iter().take(MAX_SHOWN).map(|(heading, level)| {
        let marks = "#".repeat((*level).into());
        Text::verbatim(format_args!("`{marks} {}`", without_anchor(&heading.text)))
    });
    let levels = levels.reduce(messages::headings_in_order).unwrap_or_default();
    let levels = match moved.len().saturating_sub(MAX_SHOWN) {
        0 => levels,
        more => messages::headings_likewise(levels, more),
    };
    let finding = if finding.code == Code::FIRST_LEVEL_HEADING {
        finding.help(messages::heading_of_first_level_help(levels))
    } else {
        finding.help(messages::heading_levels_help(levels))
    };
    // A heading may be marked by a line below it instead of number signs.
    if !moved.iter().all(|(heading, _)| prose.text[heading.offset..].starts_with('#')) {
        return finding;
    }
    moved.iter().fold(finding, |finding, (heading, level)| {
        let marks = heading.offset..heading.offset + usize::from(heading.level);
        finding.edit((prose.span)(marks), "#".repeat((*level).into()))
    })
}

/// Returns whether a heading has no words besides those of a picture and the mark of a footnote.
fn is_wordless(heading: &Heading) -> bool {
    heading.text.trim().is_empty()
}

pub(super) fn headings_without_words(prose: &CheckedText, findings: &mut FileFindings) {
    for heading in prose.sections().iter().filter(|heading| is_wordless(heading)) {
        let marks = heading.offset..heading.offset + usize::from(heading.level);
        let finding = prose.finding(Code::HEADING_WITHOUT_WORDS, &marks, messages::heading_wordless());
        findings.push(finding.help(messages::heading_wordless_help()));
    }
}

/// Checks the texts on firms of the network, which share one page: headings would divide it, and footnotes collide.
pub(super) fn of_network(prose: &CheckedText, findings: &mut FileFindings) {
    if prose.kind != Kind::Network {
        return;
    }
    for heading in &prose.survey.headings {
        let finding = prose.finding(Code::NETWORK_TEXT, &heading_range(heading), messages::heading_of_firm());
        findings.push(finding.help(messages::text_of_firm_help()));
    }
    for range in &prose.survey.footnotes {
        let finding = prose.finding(Code::NETWORK_TEXT, range, messages::footnote_of_firm());
        findings.push(finding.help(messages::text_of_firm_help()));
    }
}

pub(super) fn raw_html(prose: &CheckedText, findings: &mut FileFindings) {
    // Only opening tags are reported.
    let opening = |range: &&Range<usize>| !prose.text.get((*range).clone()).unwrap_or_default().starts_with("</");
    for range in prose.survey.raw_html.iter().filter(opening) {
        let finding = prose.finding(Code::RAW_HTML, range, messages::html_in_text());
        findings.push(finding.help(instead_of_html(prose.text.get(range.clone()).unwrap_or_default())));
    }
}

/// Returns what to write instead of an HTML tag.
fn instead_of_html(tag: &str) -> Text {
    let name = tag.trim_start_matches('<').split(|letter: char| !letter.is_ascii_alphanumeric()).next();
    match name.unwrap_or_default().to_ascii_lowercase().as_str() {
        "" if tag.starts_with("<!--") => messages::notes_help(),
        "br" => messages::line_break_help(),
        "b" | "strong" => messages::words_to_write("**…**"),
        "i" | "em" => messages::words_to_write("*…*"),
        "a" => messages::html_link_help(),
        "img" => messages::words_to_write("![…](….jpg)"),
        "p" | "div" | "span" | "u" | "font" | "center" | "o" => messages::html_without_use_help(),
        _ => match tag.strip_prefix('<').and_then(|tag| tag.strip_suffix('>')) {
            // A blank of a form: `<Ad Soyad>`.
            Some(words) if words.starts_with(char::is_uppercase) && !words.contains(['=', '<', '\n']) => {
                messages::html_blank_help(words)
            }
            _ => messages::html_in_text_help(),
        },
    }
}

/// Checks for hidden notes: they are invisible on the page but public in its Markdown, which language models read.
pub(super) fn hidden_notes(prose: &CheckedText, findings: &mut FileFindings) {
    for range in &prose.survey.hidden {
        let finding = prose.finding(Code::HIDDEN_NOTE, range, messages::note_hidden());
        findings.push(finding.help(messages::notes_help()));
    }
}

/// Checks for code that is never closed: all following text would be code, also that of other pages in the full text of
/// the site.
pub(super) fn code(prose: &CheckedText, findings: &mut FileFindings) {
    for range in &prose.survey.code_not_closed {
        let fence = prose.text.get(range.clone()).unwrap_or_default();
        let finding = prose.finding(Code::CODE_NOT_CLOSED, range, messages::code_not_closed());
        findings.push(finding.help(messages::code_not_closed_help(fence)));
    }
}

pub(super) fn invisible(prose: &CheckedText, findings: &mut FileFindings) {
    let hidden = |letter: char| is_invisible(letter) && !matches!(letter, '\n' | '\t');
    let mut at = 0;
    while let Some(start) = find_invisible(&prose.text[at..]).map(|found| at + found) {
        let rest = &prose.text[start..];
        at = start + rest.find(|letter| !hidden(letter)).unwrap_or(rest.len());
        let first = rest.chars().next().map_or(0, u32::from);
        let range = start..at;
        let (what, with) = invisible_name(first);
        let message = messages::invisible(what, format_args!("{first:04X}"));
        let finding = prose.finding(Code::INVISIBLE, &range, message);
        let finding = match with {
            Some("") => finding.help(messages::invisible_help()).edit((prose.span)(range), ""),
            Some(with) => finding.help(messages::invisible_line_break_help()).edit((prose.span)(range), with),
            None => finding.help(messages::invisible_unsure_help()),
        };
        findings.push(finding);
    }
}

/// Returns the name of an invisible character, and its replacement if that is certain.
fn invisible_name(letter: u32) -> (Text, Option<&'static str>) {
    match letter {
        0x0b | 0x2028 => (messages::line_break_of_word_processor(), Some("\\\n")),
        0x0c => (messages::page_break_of_word_processor(), Some("")),
        0x200b | 0x2060 | 0xfeff => (messages::space_of_no_width(), Some("")),
        0x202a..=0x202e | 0x2066..=0x2069 => (messages::direction_mark(), None),
        0xe0000..=0xe0fff => (messages::letter_never_shown(), None),
        _ => (messages::control_character(), None),
    }
}

pub(super) fn pictures_without_alt(prose: &CheckedText, findings: &mut FileFindings) {
    let is_file = |image: &&markdown::Image| !image.destination.starts_with("data:");
    for image in prose.survey.images.iter().filter(is_file).filter(|image| image.alt.trim().is_empty()) {
        let message = messages::picture_undescribed(&image.destination);
        let finding = prose.finding(Code::PICTURE_WITHOUT_ALT, &image.range, message);
        findings.push(finding.help(messages::picture_undescribed_help(&image.destination)));
    }
}

pub(super) fn pictures_elsewhere(prose: &CheckedText, findings: &mut FileFindings) {
    for image in &prose.survey.images {
        let destination = image.destination.as_str();
        let (code, message, help) = if is_path(destination) {
            (Code::PICTURE_NOT_FOUND, messages::file_by_path(), messages::file_by_path_help())
        } else if destination.starts_with("data:") {
            (Code::PICTURE_ELSEWHERE, messages::picture_in_text(), messages::picture_in_text_help())
        } else if scheme(destination).is_some() || destination.starts_with("//") {
            (Code::PICTURE_ELSEWHERE, messages::picture_elsewhere(), messages::picture_elsewhere_help())
        } else if destination.is_empty() || destination.starts_with(['#', '@', '/']) {
            (Code::PICTURE_NOT_FOUND, messages::picture_not_named(), messages::picture_not_named_help())
        } else {
            continue;
        };
        findings.push(prose.finding(code, &image.range, message).help(help));
    }
}

/// Returns whether a destination is a path on a computer: `C:\\a.png`, `file:///a.png`.
fn is_path(destination: &str) -> bool {
    scheme(destination).is_some_and(|scheme| scheme.len() == 1 || scheme == "file")
}

pub(super) fn footnotes(prose: &CheckedText, findings: &mut FileFindings) {
    let survey = prose.survey;
    for note in &survey.footnotes_undefined {
        let message = messages::footnote_without_text(&note.label);
        let finding = prose.finding(Code::FOOTNOTE_UNDEFINED, &note.range, message);
        let labels = survey.footnotes_unused.iter().map(|unused| unused.label.as_str());
        let word = nearest(&note.label, labels);
        findings.push(finding.did_you_mean(word).help(messages::footnote_without_text_help(&note.label)));
    }
    for note in &survey.footnotes_unused {
        let finding = prose.finding(Code::FOOTNOTE_UNUSED, &note.range, messages::footnote_unused(&note.label));
        findings.push(finding.help(messages::footnote_unused_help(&note.label)));
    }
    for note in &survey.footnotes_repeated {
        let finding = prose.finding(Code::FOOTNOTE_TWICE, &note.range, messages::footnote_twice(&note.label));
        findings.push(finding.help(messages::footnote_twice_help()));
    }
    for note in &survey.footnotes_alike {
        let finding = prose.finding(Code::FOOTNOTE_TWICE, &note.range, messages::footnote_alike(&note.label));
        findings.push(finding.help(messages::footnote_twice_help()));
    }
}

pub(super) fn references(prose: &CheckedText, findings: &mut FileFindings) {
    // `[1][2]` are two marks of notes, which have a finding of their own.
    let are_marks = |range: &Range<usize>| {
        let whole = prose.text.get(range.clone()).unwrap_or_default();
        whole.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '[' | ']')) && !whole.contains("[]")
    };
    for note in prose.survey.references_undefined.iter().filter(|note| !are_marks(&note.range)) {
        let message = messages::reference_undefined(&note.label);
        let finding = prose.finding(Code::REFERENCE_UNDEFINED, &note.range, message);
        findings.push(finding.help(messages::reference_undefined_help(&note.label)));
    }
    for note in &prose.survey.references_repeated {
        let finding = prose.finding(Code::REFERENCE_TWICE, &note.range, messages::reference_twice(&note.label));
        findings.push(finding.help(messages::reference_twice_help()));
    }
}

pub(super) fn ordinals(prose: &CheckedText, findings: &mut FileFindings) {
    for Ordinal { range, slip } in &prose.survey.ordinals {
        let mark = prose.text.get(range.clone()).unwrap_or_default();
        let (number, point) = mark.split_at(mark.len().saturating_sub(1));
        let (code, message, help) = match slip {
            Miscount::Starts => (Code::ORDINAL_AS_LIST, messages::list_started(mark), None),
            Miscount::ShownAs(displayed) => (
                Code::ORDINAL_AS_LIST,
                messages::number_shown_as(mark, displayed),
                Some(messages::numbers_counted_on()),
            ),
            Miscount::Shallow { shown, item, indent } => (
                Code::ORDINAL_AS_LIST,
                messages::number_shown_as(mark, shown),
                Some(messages::number_of_inner_item_help(item, indent)),
            ),
            Miscount::Outside { item, indent } => (
                Code::LIST_CUT,
                messages::list_begun_again(mark, item),
                Some(messages::list_begun_again_help(indent, item)),
            ),
        };
        let escape = (!number.is_empty()).then(|| messages::number_no_item_help(number, point));
        let both = |one: Text, other: Text| Text::build(|locale| format!("{}; {}", &one[locale], &other[locale]));
        let help = help.into_iter().chain(escape).reduce(both);
        findings.push(prose.finding(code, range, message).help(help.unwrap_or_default()));
    }
}

pub(super) fn link_forms(prose: &CheckedText, findings: &mut FileFindings) {
    for link in &prose.survey.links {
        let destination = link.destination.as_str();
        if link.text.trim().is_empty() {
            let finding = prose.finding(Code::LINK_WITHOUT_TEXT, &link.range, messages::link_wordless());
            findings.push(finding.help(messages::link_wordless_help()));
        }
        if scheme(destination) == Some(LANGUAGE_SCHEME) && link.text != destination {
            findings.extend(unknown_language(prose, link));
            continue;
        }
        if let Some(address) = destinations::with_scheme(destination) {
            let finding = prose.finding(Code::LINK_FORM, &link.range, messages::link_without_scheme());
            findings.push(finding.label(messages::words_to_write(address)));
            continue;
        }
        let of_the_web = matches!(scheme(destination), Some("https" | "http"));
        if let Some(wanted) = of_the_web.then(|| web_address(destination).err()).flatten() {
            let finding = prose.finding(Code::LINK_FORM, &link.range, messages::link_no_web_address());
            findings.push(match encode_address(destination) {
                Some(address) => finding.label(messages::words_to_write(address)),
                None => finding.help(messages::link_no_web_address_help(wanted)),
            });
            continue;
        }
        if is_path(destination) {
            let finding = prose.finding(Code::LINK_FORM, &link.range, messages::file_by_path());
            findings.push(finding.help(messages::file_by_path_help()));
            continue;
        }
        let problem = match scheme(destination) {
            // The checks of the site suggest the replacement for a whole address of this site.
            Some("http") if link.text != destination && prose.is_of_the_site(destination) => None,
            Some("http") => {
                let finding = prose.finding(Code::LINK_WITHOUT_TLS, &link.range, messages::link_without_tls());
                let rest = destination.trim_start_matches("http");
                findings.push(finding.help(messages::link_without_tls_help(rest)));
                None
            }
            Some("https" | "mailto" | "tel") => destinations::behind_its_scheme(destination),
            Some(_) => Some(messages::link_of_other_scheme()),
            None if destination.is_empty() => Some(messages::link_without_destination()),
            None if destination.starts_with("//") => Some(messages::link_to_other_site_without_scheme()),
            None => None,
        };
        if let Some(message) = problem {
            let finding = prose.finding(Code::LINK_FORM, &link.range, message);
            findings.push(finding.help(messages::link_forms_help()));
        }
    }
}

/// Checks for words that are marked with an unknown language.
fn unknown_language(prose: &CheckedText, link: &Link) -> Option<Finding> {
    if language_of_words(&link.destination).is_some_and(is_language) {
        return None;
    }
    let finding = prose.finding(Code::BAD_LANGUAGE, &link.range, messages::language_unknown());
    Some(finding.help(messages::language_unknown_help()))
}

pub(super) fn own_anchors(prose: &CheckedText, findings: &mut FileFindings) {
    let links = prose.survey.links.iter().filter_map(|link| Some((link, link.destination.strip_prefix('#')?)));
    let mut links = links.peekable();
    if links.peek().is_none() {
        return;
    }
    let of_clauses = prose.survey.clause_anchors.iter().map(String::as_str);
    let ids = || prose.survey.headings.iter().map(|heading| heading.id.as_str()).chain(of_clauses.clone());
    // A written anchor that cannot be used is reported at its heading.
    let written = prose.survey.headings.iter().filter_map(|heading| heading.written.as_deref());
    let known: HashSet<&str> = ids().chain(written).collect();
    for (at, (link, anchor)) in links.filter(|(_, anchor)| !known.contains(anchor)).enumerate() {
        let finding = prose.finding(Code::LINK_ANCHOR, &link.range, messages::own_heading_unknown(anchor));
        findings.push(if at < SUGGESTIONS { with_anchors(finding, anchor, ids()) } else { finding });
    }
}
