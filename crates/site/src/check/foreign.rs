//! Markup of other programs, which would be published as text. Each kind is reported once per file.

use std::{collections::BTreeMap, ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use contract::Locale;
use findings::{
    Code, Edit, FileFindings, Finding,
    messages::{self, Text},
};
use markdown::{Heading, is_anchor, names_questions, turkish::slug};
use memchr::{memchr, memrchr};
use regex_lite::{Captures, Regex};
use serde::Deserialize;

use super::CheckedText;

/// Characters of the markup in a finding.
const MAX_SHOWN: usize = 40;

#[derive(Deserialize)]
struct MarkupKind {
    /// Every match contains one of these words, so the pattern is tried only on their lines.
    words: Vec<String>,
    /// A word behind this text does not count.
    #[serde(default)]
    not_after: Option<String>,
    pattern: String,
    of: Text,
    help: Text,
    /// The replacement, if it is certain.
    with: Option<String>,
    /// The language of the texts to search; `None` for both.
    locale: Option<Locale>,
}

#[derive(Deserialize)]
struct MarkupTable {
    kind: Vec<MarkupKind>,
}

/// The kinds with a pattern, and their words, all of which one search finds.
struct MarkupPatterns {
    kinds: Vec<(MarkupKind, Regex)>,
    words: AhoCorasick,
    /// The kind of each word.
    owners: Vec<usize>,
}

static PATTERNS: LazyLock<MarkupPatterns> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the table is compiled in, and a test reads all of it")]
    MarkupPatterns::new().expect("invariant: the table of markup is TOML with patterns")
});

impl MarkupPatterns {
    fn new() -> Option<Self> {
        let table: MarkupTable = toml::from_str(include_str!("foreign.toml")).ok()?;
        let kinds = table.kind.into_iter().map(|kind| Some((Regex::new(&kind.pattern).ok()?, kind)));
        let kinds: Vec<(MarkupKind, Regex)> =
            kinds.map(|kind| kind.map(|(pattern, kind)| (kind, pattern))).collect::<Option<_>>()?;
        let words = kinds.iter().enumerate().flat_map(|(at, (kind, _))| kind.words.iter().map(move |word| (at, word)));
        let (owners, words): (Vec<usize>, Vec<&String>) = words.unzip();
        let words = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(words).ok()?;
        Some(Self { kinds, words, owners })
    }

    /// Returns the kinds of which `text` contains a word, each with the lines of its words; no match is longer.
    fn lines_by_kind(&self, text: &str, locale: Locale) -> BTreeMap<usize, Vec<Range<usize>>> {
        let mut found: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
        // A word that begins with a line feed may also begin the text.
        let begins_text = |word: &String| word.strip_prefix('\n').is_some_and(|rest| text.starts_with(rest));
        let of_start = self.kinds.iter().enumerate().filter(|(_, (kind, _))| kind.words.iter().any(begins_text));
        let words = self.words.find_overlapping_iter(text);
        let words = words.map(|word| (self.owners[word.pattern().as_usize()], word.range()));
        for (at, word) in of_start.map(|(at, _)| (at, 0..0)).chain(words) {
            let (kind, _) = &self.kinds[at];
            let is_other = kind.not_after.as_ref().is_some_and(|before| text[..word.start].ends_with(before));
            if is_other || kind.locale.is_some_and(|of_kind| of_kind != locale) {
                continue;
            }
            // The line feed of a word that begins with one ends the line before.
            let start = memrchr(b'\n', &text.as_bytes()[..word.start]).map_or(0, |end| end + 1);
            let end = memchr(b'\n', &text.as_bytes()[word.end..]).map_or(text.len(), |end| word.end + end);
            let lines = found.entry(at).or_default();
            match lines.last_mut() {
                Some(last) if start <= last.end + 1 => *last = last.start.min(start)..last.end.max(end),
                _ => lines.push(start..end),
            }
        }
        found
    }
}

/// Checks for the kinds of markup that have a pattern.
pub(super) fn markup(prose: &CheckedText, findings: &mut FileFindings) {
    let lines_by_kind = PATTERNS.lines_by_kind(prose.text, prose.locale);
    if lines_by_kind.is_empty() {
        return;
    }
    let mut taken: BTreeMap<usize, usize> =
        written_anchors(prose).map(|(range, ..)| (range.start, range.end)).collect();
    for (at, lines) in lines_by_kind {
        let (kind, pattern) = &PATTERNS.kinds[at];
        let mut found: Option<Finding> = None;
        for (lines, captures) in lines
            .iter()
            .flat_map(|lines| pattern.captures_iter(&prose.text[lines.clone()]).map(move |captures| (lines, captures)))
        {
            let Some((range, passage)) = place(prose, lines.start, &captures) else { continue };
            if taken.range(..range.end).next_back().is_some_and(|(_, end)| *end > range.start) {
                continue;
            }
            match &mut found {
                Some(finding) => finding.more += 1,
                None => found = Some(markup_finding(prose, kind, &range, passage)),
            }
            if let (Some(with), Some(finding), Some(whole)) = (&kind.with, &mut found, captures.get(0)) {
                let mut replacement = String::new();
                captures.expand(with, &mut replacement);
                let whole = lines.start + whole.start()..lines.start + whole.end();
                finding.edits.push(Edit { span: (prose.span)(whole), with: replacement });
            }
            taken.insert(range.start, range.end);
        }
        findings.extend(found);
    }
}

/// Returns the range of the markup without blanks, unless it is inside code, a destination or HTML. `start` is the
/// position of the searched lines.
fn place<'t>(prose: &CheckedText<'t>, start: usize, captures: &Captures<'t>) -> Option<(Range<usize>, &'t str)> {
    let whole = captures.get(0)?;
    let passage = whole.as_str().trim();
    let start = start + whole.start() + whole.as_str().find(passage)?;
    let range = start..start + passage.len();
    (!prose.is_shown_as_written(&range)).then_some((range, passage))
}

fn markup_finding(prose: &CheckedText, kind: &MarkupKind, range: &Range<usize>, passage: &str) -> Finding {
    let line = passage.lines().next_back().unwrap_or_default();
    let start = range.end - line.len();
    let mut short: String = line.chars().take(MAX_SHOWN).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    let message = messages::markup_of_program(short, kind.of.clone());
    prose.finding(Code::FOREIGN_MARKUP, &(start..range.end), message).help(kind.help.clone())
}

/// Checks that the anchors written behind headings can be used.
pub(super) fn anchors(prose: &CheckedText, findings: &mut FileFindings) {
    for (range, heading, written) in written_anchors(prose) {
        if heading.id == written {
            continue;
        }
        let finding = if is_anchor(written) {
            let finding = prose.finding(Code::OWN_ANCHOR, &range, messages::anchor_twice(written));
            finding.help(messages::anchor_twice_help(&heading.id))
        } else {
            let finding = prose.finding(Code::OWN_ANCHOR, &range, messages::anchor_unusable(written));
            finding.label(messages::words_to_write(format_args!("{{#{}}}", slug(written, prose.locale))))
        };
        findings.push(finding);
    }
}

/// Returns the anchors written behind headings, with their places.
fn written_anchors<'t>(prose: &CheckedText<'t>) -> impl Iterator<Item = (Range<usize>, &'t Heading, &'t str)> {
    let text = prose.text;
    prose.survey.headings.iter().filter_map(move |heading| {
        let written = heading.written.as_deref()?;
        let line = text[heading.offset..].lines().next()?;
        let start = heading.offset + line.rfind('{')?;
        Some((start..heading.offset + line.trim_end().len(), heading, written))
    })
}

/// Checks for lines in bold in place of headings.
pub(super) fn bold_headings(prose: &CheckedText, findings: &mut FileFindings) {
    if !["**", "__"].iter().any(|mark| prose.text.contains(mark)) {
        return;
    }
    // Beside headings, only numbers tell such a line from an emphasized sentence.
    let has_headings = !prose.survey.headings.is_empty();
    let is_numbered = |words: &str| words.starts_with(|letter: char| letter.is_ascii_digit());
    let mut at = 0;
    let mut lines = Vec::new();
    let mut is_after_empty = true;
    for line in prose.text.split_inclusive('\n') {
        let (start, words) = (at, line.trim_end());
        at += line.len();
        let is_alone = is_after_empty && prose.text[at..].lines().next().is_none_or(|next| next.trim().is_empty());
        is_after_empty = words.is_empty();
        let between = |mark| words.strip_prefix(mark)?.strip_suffix(mark).filter(|inside| !inside.contains(mark));
        let inside = between("**").or_else(|| between("__"));
        let Some(inside) = inside.filter(|inside| is_alone && !inside.is_empty()) else { continue };
        // Salutation and signature of a letter.
        let is_of_letter = ["Sayın ", "Dear ", "Av. ", "Saygı"].iter().any(|start| inside.starts_with(start));
        let is_meant = !is_of_letter && !inside.ends_with(['.', ',', ';', '!', '?']);
        if is_meant && (!has_headings || is_numbered(inside)) {
            lines.push((start..start + words.len(), inside.trim_end_matches(':')));
        }
    }
    // One or two such lines may be emphasized sentences.
    let Some((first, words)) = lines.first().filter(|_| lines.len() >= 3) else { return };
    let finding = prose.finding(Code::FOREIGN_MARKUP, first, messages::lines_in_bold(lines.len()));
    let finding = finding.help(messages::lines_in_bold_help(words));
    findings.push(lines.iter().fold(finding, |finding, (range, words)| {
        finding.edit((prose.span)(range.clone()), format!("{} {words}", marks_of(words)))
    }));
}

/// Checks for questions that no heading names, in a section of questions: only headings one level below its own are
/// folded.
pub(super) fn bold_questions(prose: &CheckedText, findings: &mut FileFindings) {
    let headings = &prose.survey.headings;
    let whole = names_questions(prose.title).then_some((0, prose.text.len(), 1));
    let sections = headings.iter().enumerate().filter(|(_, heading)| names_questions(&heading.text));
    let sections = sections.map(|(at, heading)| {
        let next = headings[at + 1..].iter().find(|next| next.level <= heading.level);
        (heading.offset, next.map_or(prose.text.len(), |next| next.offset), heading.level)
    });
    for (start, end, level) in sections.chain(whole) {
        let marks = "#".repeat(usize::from(level) + 1);
        // Headings of the section's own level that follow it at once.
        let behind = headings.iter().filter(|heading| heading.offset >= end && end < prose.text.len());
        let beside: Vec<&Heading> =
            behind.take_while(|heading| heading.level == level && heading.text.trim_end().ends_with('?')).collect();
        if let [first, _, ..] = &*beside {
            let marks_now = first.offset..first.offset + usize::from(level);
            let message = messages::questions_beside_section(beside.len());
            let finding = prose.finding(Code::NOT_A_HEADING, &marks_now, message);
            let finding = finding.help(messages::questions_beside_section_help(&marks, first.text.trim()));
            findings.push(
                beside
                    .iter()
                    .fold(finding, |finding, heading| finding.edit((prose.span)(heading.offset..heading.offset), "#")),
            );
        }
        let questions: Vec<(Range<usize>, &str, bool)> =
            bold_lines(prose, start..end).filter(|(range, ..)| !prose.is_shown_as_written(range)).collect();
        let [(first, words, _), _, ..] = &*questions else { continue };
        let finding = prose.finding(Code::NOT_A_HEADING, first, messages::questions_in_bold(questions.len()));
        let finding = finding.help(messages::questions_in_bold_help(&marks, words));
        let alone = questions.iter().filter(|(.., is_alone)| *is_alone);
        findings.push(alone.fold(finding, |finding, (range, words, _)| {
            finding.edit((prose.span)(range.clone()), format!("{marks} {words}"))
        }));
    }
}

/// Returns the questions in bold that begin a line, and whether nothing else is in their paragraph.
fn bold_lines<'t>(
    prose: &CheckedText<'t>,
    section: Range<usize>,
) -> impl Iterator<Item = (Range<usize>, &'t str, bool)> {
    let text = prose.text;
    let (mut at, mut is_after_empty) = (section.start, true);
    text[section].split_inclusive('\n').filter_map(move |whole| {
        let (start, line) = (at, whole.trim_end());
        at += whole.len();
        let is_first = std::mem::replace(&mut is_after_empty, line.is_empty());
        let item = line.trim_start_matches(|letter: char| letter.is_ascii_digit() || " \t-.)".contains(letter));
        let (words, rest) = item.strip_prefix("**")?.split_once("**")?;
        // `**Soru 1:** Süre ne kadar?`
        let is_number = words.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
        let is_label = words.ends_with(':') || rest.starts_with(':') || is_number;
        let is_labelled = is_label && rest.trim_end().ends_with('?');
        let is_question = words.trim_end().ends_with('?') || rest.starts_with('?') || is_labelled;
        let words = if is_labelled { rest.trim_matches([':', ' ']) } else { words };
        let is_alone = is_first && item.len() == line.len() && rest.is_empty();
        let is_alone = is_alone && text[at..].lines().next().is_none_or(|next| next.trim().is_empty());
        let range = start + line.len() - item.len()..start + line.len() - rest.len();
        is_question.then_some((range, words.trim(), is_alone))
    })
}

/// Returns the marks of a heading by its number: `2.1. Süre` is below `2. Dava`.
fn marks_of(words: &str) -> &'static str {
    let number = words.split(' ').next().unwrap_or_default().trim_end_matches('.');
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match number.matches('.').count() {
        1 if is_number => "###",
        2.. if is_number => "####",
        _ => "##",
    }
}

/// Checks for page numbers left over from copying a paper.
pub(super) fn page_numbers(prose: &CheckedText, findings: &mut FileFindings) {
    let mut at = 0;
    let mut numbers = Vec::new();
    for line in prose.text.split_inclusive('\n') {
        let range = at..at + line.trim_end().len();
        at += line.len();
        if is_page_number(line.trim()) && !prose.is_shown_as_written(&range) {
            numbers.push(range);
        }
    }
    // A single number is no evidence, but the number of all pages beside it is.
    let is_certain = |range: &Range<usize>| of_all_pages(prose.text[range.clone()].trim());
    let Some(first) = numbers.first().filter(|first| numbers.len() > 1 || is_certain(first)) else { return };
    let message = if numbers.len() == 1 { messages::page_number() } else { messages::page_numbers(numbers.len()) };
    let finding = prose.finding(Code::FOREIGN_MARKUP, first, message);
    findings.push(finding.help(messages::page_numbers_help()));
}

/// Returns the page number of `Sayfa 3`, `Page: 3 of 12`, `3 | Page`.
fn named_page(line: &str) -> Option<&str> {
    const NAMES: [&str; 6] = ["Sayfa", "SAYFA", "Sf.", "Page", "PAGE", "Pg."];
    let before = |name: &&str| Some(line.strip_prefix(*name)?.trim_start_matches([':', '|', ' ']));
    let behind = |name: &&str| Some(line.strip_suffix(*name)?.trim_end().strip_suffix('|')?.trim_end());
    NAMES.iter().find_map(|name| before(name).or_else(|| behind(name)))
}

fn is_number(text: &str) -> bool {
    let text = text.trim();
    (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn of_all(text: &str) -> bool {
    let parts = text.split_once('/').or_else(|| text.split_once(" of "));
    parts.is_some_and(|(page, all)| is_number(page) && is_number(all))
}

/// `Sayfa 3 / 12`
fn of_all_pages(line: &str) -> bool {
    named_page(line).is_some_and(of_all)
}

/// Returns whether a line is only a page number: `- 3 -`, `3 / 12`, `Sayfa 3`, `Page 3 of 12`.
fn is_page_number(line: &str) -> bool {
    const DASHES: [char; 3] = ['-', '–', '—'];
    if line.len() > 24 || !line.contains(|letter: char| letter.is_ascii_digit()) {
        return false;
    }
    let between = line.strip_prefix(DASHES).and_then(|rest| rest.strip_suffix(DASHES));
    between.is_some_and(is_number)
        || of_all(line)
        || named_page(line).is_some_and(|page| is_number(page) || of_all(page))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn patterns_are_valid() {
        for (kind, _) in &PATTERNS.kinds {
            assert!(Locale::ALL.into_iter().all(|locale| !kind.help[locale].ends_with('.')), "{}", kind.pattern);
        }
    }

    #[test]
    fn lines_of_words_contain_every_match() {
        let mut searched = 0;
        for text in texts_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures")) {
            for locale in Locale::ALL {
                let lines_by_kind = PATTERNS.lines_by_kind(&text, locale);
                for (at, (kind, pattern)) in PATTERNS.kinds.iter().enumerate() {
                    let is_searched = kind.locale.is_none_or(|of_kind| of_kind == locale);
                    let whole = pattern.find_iter(&text).filter(|_| is_searched).map(|found| found.as_str().trim());
                    let lines = lines_by_kind.get(&at).into_iter().flatten();
                    let in_lines = lines.flat_map(|lines| pattern.find_iter(&text[lines.clone()]));
                    let in_lines: Vec<&str> = in_lines.map(|found| found.as_str().trim()).collect();
                    assert_eq!(whole.collect::<Vec<_>>(), in_lines, "{}", kind.pattern);
                    searched += in_lines.len();
                }
            }
        }
        assert!(searched > 50, "{searched}");
    }

    #[test]
    fn mark_of_a_footnote_is_no_raised_character() {
        let found = |text| PATTERNS.lines_by_kind(text, Locale::En).len();
        assert_eq!(found("A return.[^1]\n\n[^1]: A turn of phrase†."), 0);
        assert_eq!(found("10 m^2n^ of land"), 1);
    }

    /// Returns the texts in a folder and those below it.
    fn texts_below(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let texts = entries.flat_map(|path| match path.is_dir() {
            true => texts_below(&path),
            false if path.extension().is_some_and(|ending| ending == "md") => {
                String::from_utf8(fs::read(&path).unwrap()).into_iter().collect()
            }
            false => Vec::new(),
        });
        texts.collect()
    }
}
