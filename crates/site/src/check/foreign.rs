//! Markup of other programs, which would be published as text. Each kind is reported once per file.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::LazyLock,
};

use contract::Locale;
use findings::{
    Code, Edit, FileFindings, Finding, Span,
    messages::{self, Text},
};
use memchr::memmem;
use regex_lite::{Captures, Regex};
use serde::Deserialize;

use super::CheckedText;

/// Lines above a paragraph of a statute that are searched for the previous one.
const MAX_LINES: usize = 40;
/// Characters of the markup in a finding.
const MAX_SHOWN: usize = 40;

/// A kind of markup.
#[derive(Deserialize)]
struct MarkupKind {
    /// Every match contains one of these words, so most texts need no search for the pattern.
    words: Vec<String>,
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

/// The kinds with a pattern.
static KINDS: LazyLock<Vec<(MarkupKind, Regex)>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the table is compiled in, and a test reads all of it")]
    let table: MarkupTable =
        toml::from_str(include_str!("foreign.toml")).expect("invariant: the table of markup is TOML");
    table
        .kind
        .into_iter()
        .filter_map(|kind| Some((Regex::new(&kind.pattern).ok()?, kind)))
        .map(|(pattern, kind)| (kind, pattern))
        .collect()
});

/// Checks for the kinds of markup that have a pattern.
pub(super) fn markup(prose: &CheckedText, findings: &mut FileFindings) {
    let mut seen = [false; 128];
    for byte in prose.text.bytes().filter(u8::is_ascii) {
        seen[usize::from(byte)] = true;
    }
    let has = |word: &String| {
        word.bytes().filter(u8::is_ascii).all(|byte| seen[usize::from(byte)])
            && memmem::find(prose.text.as_bytes(), word.as_bytes()).is_some()
    };
    let mut taken: BTreeMap<usize, usize> = written_anchors(prose).map(|(range, _)| (range.start, range.end)).collect();
    let may_be_there =
        |kind: &MarkupKind| kind.locale.is_none_or(|it| it == prose.locale) && kind.words.iter().any(has);
    for (kind, pattern) in KINDS.iter().filter(|(kind, _)| may_be_there(kind)) {
        let mut found: Option<Finding> = None;
        for captures in pattern.captures_iter(prose.text) {
            let Some((range, passage)) = place(prose, &captures) else { continue };
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
                finding.edits.push(Edit { span: (prose.span)(whole.range()), with: replacement });
            }
            taken.insert(range.start, range.end);
        }
        findings.extend(found);
    }
}

/// Returns the range of the markup without blanks, unless it is inside code, a destination or HTML.
fn place<'t>(prose: &CheckedText<'t>, captures: &Captures<'t>) -> Option<(Range<usize>, &'t str)> {
    let whole = captures.get(0)?;
    let passage = whole.as_str().trim();
    let start = whole.start() + whole.as_str().find(passage)?;
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

/// Checks for anchors written after a heading, as in other programs.
pub(super) fn anchors(prose: &CheckedText, findings: &mut FileFindings) {
    let written: Vec<(Range<usize>, &str)> = written_anchors(prose).collect();
    let Some((first, id)) = written.first() else { return };
    let mut clean = prose.text.to_owned();
    for (range, _) in written.iter().rev() {
        clean.replace_range(range.clone(), "");
    }
    let headings = markdown::survey(&clean, prose.locale).headings;
    // Removing anchors does not change the order of the headings.
    let position = |range: &Range<usize>| prose.survey.headings.partition_point(|it| it.offset < range.start);
    let targets: HashMap<&str, &str> = written
        .iter()
        .filter_map(|(range, id)| Some((*id, headings.get(position(range).checked_sub(1)?)?.id.as_str())))
        .collect();
    let links = prose.survey.links.iter().filter_map(|link| Some((link, link.destination.strip_prefix('#')?)));
    let moved = links.filter_map(|(link, anchor)| {
        let new = targets.get(anchor).filter(|new| **new != anchor)?;
        Some((link.range.clone(), format!("#{new}")))
    });
    let edits = written.iter().map(|(range, _)| (range.clone(), String::new())).chain(moved);
    let mut finding = prose.finding(Code::FOREIGN_MARKUP, first, messages::anchor_written(id));
    let new = targets.get(id).copied().unwrap_or_default();
    finding = finding.help(messages::anchor_written_help(new));
    finding = edits.fold(finding, |finding, (range, with)| finding.edit((prose.span)(range), with));
    finding.more = written.len() - 1;
    findings.push(finding);
}

/// Returns the anchors written after headings, with the blanks before them.
pub(super) fn written_anchors<'t>(prose: &CheckedText<'t>) -> impl Iterator<Item = (Range<usize>, &'t str)> {
    let text = prose.text;
    prose.survey.headings.iter().filter_map(move |heading| {
        let line = text[heading.offset..].lines().next()?;
        let (words, anchor) = line.trim_end().strip_suffix('}')?.rsplit_once("{#")?;
        let is_one = !anchor.is_empty() && !anchor.contains(['{', '}', ' ']) && !words.ends_with('\\');
        let start = heading.offset + words.trim_end().len();
        is_one.then(|| (start..heading.offset + line.trim_end().len(), anchor))
    })
}

/// Checks for lines in bold in place of headings.
pub(super) fn bold_headings(prose: &CheckedText, findings: &mut FileFindings) {
    if prose.survey.headings.iter().any(|heading| heading.level <= 6)
        || !["**", "__"].iter().any(|mark| prose.text.contains(mark))
    {
        return;
    }
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
        if !is_of_letter && !inside.ends_with(['.', ',', ';', '!', '?']) {
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
    // A single such line is no evidence.
    let Some(first) = numbers.first().filter(|_| numbers.len() > 1) else { return };
    let finding = prose.finding(Code::FOREIGN_MARKUP, first, messages::page_numbers(numbers.len()));
    findings.push(finding.help(messages::page_numbers_help()));
}

/// Returns whether a line is only a page number: `- 3 -`, `3 / 12`, `Sayfa 3`, `Page 3 of 12`.
fn is_page_number(line: &str) -> bool {
    const DASHES: [char; 3] = ['-', '–', '—'];
    let is_number = |text: &str| (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if line.len() > 24 || !line.contains(|letter: char| letter.is_ascii_digit()) {
        return false;
    }
    let between = line.strip_prefix(DASHES).and_then(|rest| rest.strip_suffix(DASHES));
    let named = ["Sayfa ", "Page "].into_iter().find_map(|name| line.strip_prefix(name));
    let of_all = |text: &str| {
        let parts = text.split_once('/').or_else(|| text.split_once(" of "));
        parts.is_some_and(|(page, all)| is_number(page.trim()) && is_number(all.trim()))
    };
    between.is_some_and(|page| is_number(page.trim()))
        || of_all(line)
        || named.is_some_and(|page| is_number(page) || of_all(page))
}

/// Checks for paragraphs and clauses of a statute that would run together: `MADDE 2 – (1) …`, below it `(2) …`.
pub(super) fn statutes(prose: &CheckedText, findings: &mut FileFindings) {
    if !["\n(", ") ", "\nMADDE ", "\nMadde "].iter().any(|sign| prose.text.contains(sign)) {
        return;
    }
    let mut found: Option<Finding> = None;
    for (end, mark) in paragraphs(prose.text).iter().flat_map(|lines| run_on(prose, lines)) {
        let finding = found.take().map(|finding| Finding { more: finding.more + 1, ..finding });
        let finding = finding.unwrap_or_else(|| {
            let mark_text = &prose.text[mark.clone()];
            let finding = prose.finding(Code::FOREIGN_MARKUP, &mark, messages::statute_runs_on(mark_text));
            finding.help(messages::statute_runs_on_help())
        });
        let last = (prose.span)(end.saturating_sub(1)..end);
        found = Some(finding.edit(Span { column: last.column + last.length, length: 0, ..last }, "\\"));
    }
    findings.extend(found);
}

/// Returns the ranges of statutes that [`statutes`] reports.
pub(super) fn statutes_that_run_on(prose: &CheckedText) -> Vec<Range<usize>> {
    let paragraphs = paragraphs(prose.text).into_iter().filter(|lines| !run_on(prose, lines).is_empty());
    paragraphs.filter_map(|lines| Some(lines.first()?.start..lines.last()?.end)).collect()
}

/// Returns the lines of each paragraph; empty lines separate paragraphs.
fn paragraphs(text: &str) -> Vec<Vec<Range<usize>>> {
    let mut paragraphs = vec![Vec::new()];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.trim_end_matches('\n').len();
        at += line.len();
        match paragraphs.last_mut() {
            Some(lines) if !line.trim().is_empty() => lines.push(range),
            Some(lines) if !lines.is_empty() => paragraphs.push(Vec::new()),
            _ => {}
        }
    }
    paragraphs
}

/// Returns the marks of a statute at the beginning of lines that would run together, each with the end of the line
/// above.
fn run_on(prose: &CheckedText, lines: &[Range<usize>]) -> Vec<(usize, Range<usize>)> {
    let text = |line: &Range<usize>| &prose.text[line.clone()];
    let Some((first, last)) = lines.first().zip(lines.last()) else { return Vec::new() };
    let whole = first.start..last.end;
    let follows = |at: usize| {
        let mark = mark(text(&lines[at]).trim());
        mark.is_some_and(|mark| {
            lines[at.saturating_sub(MAX_LINES)..at].iter().any(|line| precedes(text(line).trim(), mark))
        })
    };
    // Lines after an item of a list belong to the list.
    let lines = lines.iter().position(|line| is_item(text(line).trim())).map_or(lines, |item| &lines[..item]);
    // A paragraph that looks like a list from its first line on is reported as a list.
    let is_list = prose.survey.not_lists.iter().any(|mark| first.contains(&mark.start));
    if is_list || !(1..lines.len()).any(follows) || prose.is_shown_as_written(&whole) {
        return Vec::new();
    }
    let runs_on = |pair: &[Range<usize>]| {
        let [above, line] = pair else { return None };
        let mark_text = mark(text(line).trim())?.display_text();
        let is_broken = text(above).ends_with('\\') || text(above).ends_with("  ");
        let start = line.start + text(line).find(mark_text)?;
        (!is_broken).then(|| (above.end, start..start + mark_text.len()))
    };
    lines.windows(2).filter_map(runs_on).collect()
}

/// The mark of a paragraph (number), of a clause (letter) or of an article of a statute.
#[derive(Clone, Copy)]
enum Mark<'t> {
    Number(u32, &'t str),
    Letter(char, &'t str),
    Article(&'t str),
}

impl<'t> Mark<'t> {
    const fn display_text(self) -> &'t str {
        match self {
            Self::Number(_, text) | Self::Letter(_, text) | Self::Article(text) => text,
        }
    }
}

/// Returns whether a line begins an item of a list.
fn is_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
    rest.len() < line.len() && (rest.starts_with(") ") || rest.starts_with(". ")) || line.starts_with("- ")
}

/// Returns the mark at the beginning of a line: `(2)`, `b)` or `MADDE 5`.
fn mark(words: &str) -> Option<Mark<'_>> {
    if let Some(number) = words.strip_prefix("MADDE ").or_else(|| words.strip_prefix("Madde ")) {
        let digits = number.len() - number.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        let is_article = digits > 0 && number[digits..].trim_start().starts_with(['-', '–', '—']);
        return is_article.then(|| Mark::Article(&words[..words.len() - number.len() + digits]));
    }
    let end = words.find(')')? + 1;
    let words_of_mark = &words[..end];
    if !words[end..].starts_with(' ') {
        return None;
    }
    if let Some(number) = words_of_mark.strip_prefix('(') {
        return Some(Mark::Number(
            number.trim_end_matches(')').parse().ok().filter(|number| *number < 100)?,
            words_of_mark,
        ));
    }
    let mut letters = words_of_mark.trim_end_matches(')').chars();
    let letter = letters.next().filter(|letter| letter.is_lowercase() && letters.next().is_none())?;
    Some(Mark::Letter(letter, words_of_mark))
}

/// Returns whether a line has the predecessor of `mark`.
fn precedes(line: &str, mark: Mark) -> bool {
    match mark {
        Mark::Number(number, _) => {
            let wanted = format!("({}) ", number.saturating_sub(1));
            number > 1 && (line.starts_with(&wanted) || line.contains(&format!(" {wanted}")))
        }
        // Any line may precede an article.
        Mark::Article(_) => true,
        Mark::Letter(letter, _) => {
            const LETTERS: &str = "abcçdefgğhıijklmnoöpqrsştuüvwxyz";
            let before = LETTERS.split(letter).next().unwrap_or_default().chars().rev();
            before.take(2).any(|before| line.starts_with(&format!("{before}) ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_valid() {
        let table: MarkupTable = toml::from_str(include_str!("foreign.toml")).unwrap();
        assert_eq!(KINDS.len(), table.kind.len());
        for kind in table.kind {
            assert!(Locale::ALL.into_iter().all(|locale| !kind.help[locale].ends_with('.')), "{}", kind.pattern);
        }
    }
}
