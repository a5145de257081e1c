//! What copies leave of petitions, of contents and notes on paper, and of chats: lines that belong apart, and marks
//! without a meaning here.

use std::ops::Range;

use content::scheme;
use findings::{
    Code, FileFindings, Finding,
    messages::{self, Text},
};
use markdown::pictograph;
use memchr::{memchr, memchr_iter, memmem};

use super::{
    CheckedText,
    pasted::{blocks, has_gap},
};

/// The longest label at the beginning of a line, in characters.
const MAX_LABEL_CHARS: usize = 40;
/// The most words of a label that is not in capitals, and the fewest lines of such labels.
const MAX_LABEL_WORDS: usize = 4;
const MIN_LABELS: usize = 3;

/// Checks for lines that begin with labels, like those at the head of a petition: Markdown joins them.
pub(super) fn labelled_lines(prose: &CheckedText, findings: &mut FileFindings) {
    if memchr(b':', prose.text.as_bytes()).is_none() {
        return;
    }
    let mut found: Option<Finding> = None;
    for (range, block) in blocks(prose) {
        let mut at = range.start;
        let lines: Vec<(Range<usize>, &str)> = block
            .split_inclusive('\n')
            .map(|line| {
                at += line.len();
                let words = line.trim_start_matches(['>', ' ']);
                let start = at - words.len();
                (start..start + words.trim_end().len(), words.trim_end_matches('\n'))
            })
            .collect();
        let labels: Vec<Option<LineLabel>> = lines.iter().map(|(_, line)| label(line)).collect();
        let is_joined = |at: usize| at > 0 && !lines[at - 1].1.ends_with('\\') && !lines[at - 1].1.ends_with("  ");
        let joined = |is_meant: fn(&LineLabel) -> bool| {
            let meant = |at: usize| labels[at].as_ref().is_some_and(is_meant);
            let first = (0..lines.len()).find(|at| meant(*at))?;
            (first + 1..lines.len()).any(|at| meant(at) && is_joined(at)).then_some(first)
        };
        let all = || {
            let are_all = labels.len() >= MIN_LABELS && labels.iter().all(Option::is_some);
            joined(|_| true).filter(|_| are_all)
        };
        let first = joined(|label| label.is_certain).or_else(all);
        // Columns of blanks have a finding of their own.
        let Some(first) = first.filter(|_| !lines.iter().all(|(_, line)| has_gap(line))) else { continue };
        if let Some(finding) = &mut found {
            finding.more += 1;
        } else {
            let words = labels[first].as_ref().map_or("", |label| label.words);
            let finding = prose.finding(Code::NOT_A_LIST, &lines[first].0, messages::labelled_lines(words));
            found = Some(finding.help(messages::labelled_lines_help(words)));
        }
    }
    findings.extend(found);
}

/// The label at the beginning of a line: `DAVACI` of `DAVACI : Deniz Yolcu`.
#[derive(Debug, PartialEq, Eq)]
struct LineLabel<'t> {
    words: &'t str,
    /// Sentences hardly begin this way: in capitals, in bold, with a number, or with a blank before the colon.
    is_certain: bool,
}

fn label(line: &str) -> Option<LineLabel<'_>> {
    let inside = line.trim_start_matches(['*', '_']);
    let is_bold = inside.len() < line.len();
    let (before, value) = inside.split_once(':')?;
    let words = before.trim_end_matches([' ', '\t', '*', '_']);
    let value = value.trim_start_matches(['*', '_']);
    let is_short = (2..=MAX_LABEL_CHARS).contains(&words.chars().count());
    let is_sentence = words.contains([',', ';', '!', '?', '“', '”', '"', '|', '`', '[']);
    let is_in_capitals = is_in_capitals(words);
    let is_one = is_in_capitals || words.split_whitespace().count() <= MAX_LABEL_WORDS && !words.contains('.');
    let is_apart = before.ends_with([' ', '\t']);
    let has_value = (is_apart || value.starts_with([' ', '\t'])) && !value.trim().is_empty() && !value.contains('|');
    let is_label = words.starts_with(char::is_uppercase) && is_short && !is_sentence && is_one && has_value;
    let is_certain = is_in_capitals || is_bold || is_apart || words.ends_with(|letter: char| letter.is_ascii_digit());
    is_label.then_some(LineLabel { words, is_certain })
}

/// Checks for rows with bars that are no table, because the line of hyphens is missing.
pub(super) fn rows(prose: &CheckedText, findings: &mut FileFindings) {
    if memmem::find(prose.text.as_bytes(), b" | ").is_none() {
        return;
    }
    let is_row = |line: &str, bars: usize| {
        bars > 0 && !line.starts_with(['|', '\\', '#']) && line.matches(" | ").count() == bars
    };
    let tables = blocks(prose).into_iter().filter(|(_, block)| {
        let bars = block.lines().next().unwrap_or_default().matches(" | ").count();
        let are_kept = block.lines().any(|line| line.ends_with('\\') || line.ends_with("  "));
        let has_hyphens = block.lines().nth(1).is_some_and(|line| line.chars().all(|mark| "|-: ".contains(mark)));
        block.lines().count() >= MIN_ITEMS && !are_kept && !has_hyphens && block.lines().all(|line| is_row(line, bars))
    });
    for (range, block) in tables.take(1) {
        let first = range.start..range.start + block.lines().next().unwrap_or_default().len();
        let finding = prose.finding(Code::NOT_A_LIST, &first, messages::bars_without_table());
        findings.push(finding.help(messages::bars_without_table_help()));
    }
}

fn is_in_capitals(words: &str) -> bool {
    words.chars().filter(|letter| letter.is_alphabetic()).nth(1).is_some() && !words.contains(char::is_lowercase)
}

/// Checks for the contents of a paper: headings with dots and the numbers of their pages.
pub(super) fn contents(prose: &CheckedText, findings: &mut FileFindings) {
    if memmem::find(prose.text.as_bytes(), b"...").is_none()
        && memmem::find(prose.text.as_bytes(), "…".as_bytes()).is_none()
    {
        return;
    }
    let lines: Vec<Range<usize>> = lines(prose).filter(|range| is_dotted_entry(&prose.text[range.clone()])).collect();
    if let [first, _, ..] = &*lines {
        let finding = prose.finding(Code::FOREIGN_MARKUP, first, messages::contents_of_paper(lines.len()));
        findings.push(finding.help(messages::contents_of_paper_help()));
    }
}

/// Returns whether a line is an entry of a table of contents: `Giriş ........ 3`.
fn is_dotted_entry(line: &str) -> bool {
    let words = line.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = line.len() - words.len();
    let words = words.trim_end();
    let title = words.trim_end_matches(['.', '…', ' ']);
    let dots: usize =
        words[title.len()..].chars().map(|letter| if letter == '…' { 3 } else { usize::from(letter == '.') }).sum();
    (1..=3).contains(&digits) && dots >= 4 && title.contains(char::is_alphabetic)
}

/// Returns the lines outside of code, without their ends.
fn lines<'p>(prose: &'p CheckedText) -> impl Iterator<Item = Range<usize>> + 'p {
    let mut at = 0;
    let ranges = prose.text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..start + line.trim_end().len()
    });
    ranges.filter(|range| !prose.is_shown_as_written(range))
}

/// What a mark in brackets at the end of a word stands for in the program that it comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BracketMark {
    /// `Kanunu[1]`, `Kanunu[ii]`
    Note,
    /// `[a]` of a document of Google, or `[AY1]` of Word.
    Comment,
}

/// Checks for marks of notes and comments that are no footnotes here: `Kanunu[1]`, and `[1]` before the note.
pub(super) fn bracket_marks(prose: &CheckedText, findings: &mut FileFindings) {
    let text = prose.text;
    let all: Vec<(Range<usize>, BracketMark, bool)> = memchr_iter(b'[', text.as_bytes())
        .filter_map(|at| bracket_mark(text, at))
        .filter(|(range, ..)| !prose.is_shown_as_written(range))
        .collect();
    for kind in [BracketMark::Note, BracketMark::Comment] {
        let of_kind = || all.iter().filter(|(_, of, _)| *of == kind);
        let begins_line = |label: &str| of_kind().any(|(range, _, at_word)| !at_word && text[range.clone()] == *label);
        // One mark is evidence only if it names a person; others need a second one, or the note itself.
        let is_evident = |range: &Range<usize>| match kind {
            BracketMark::Note => of_kind().count() > 1,
            BracketMark::Comment => {
                let label = &text[range.clone()];
                label.contains(|letter: char| letter.is_ascii_digit()) || begins_line(label)
            }
        };
        let mut marks = of_kind().filter(|(range, _, at_word)| *at_word && is_evident(range));
        let Some((first, ..)) = marks.next() else { continue };
        let (program, help) = match kind {
            BracketMark::Note => (messages::note_of_word_processor(), messages::note_of_word_processor_help()),
            BracketMark::Comment => (messages::comment_of_word_processor(), messages::comment_of_word_processor_help()),
        };
        let message = messages::markup_of_program(&text[first.clone()], program);
        let mut finding = prose.finding(Code::FOREIGN_MARKUP, first, message).help(help);
        finding.more = of_kind().count() - 1;
        findings.push(finding);
    }
}

/// Returns the mark whose bracket opens at `at`, and whether it follows a word; otherwise it begins a line.
fn bracket_mark(text: &str, at: usize) -> Option<(Range<usize>, BracketMark, bool)> {
    let rest = &text[at + 1..];
    let length = memchr(b']', &rest.as_bytes()[..rest.len().min(10)])?;
    let inside = &rest[..length];
    let is_escaped = inside.ends_with('\\') && text[..at].ends_with('\\');
    let label = if is_escaped { &inside[..inside.len() - 1] } else { inside };
    let start = at - usize::from(is_escaped);
    let initials = label.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = label.len() - initials.len();
    let is_numeral = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"].contains(&label);
    let kind = match initials.chars().count() {
        _ if is_numeral => BracketMark::Note,
        0 if (1..=3).contains(&digits) => BracketMark::Note,
        1 if digits == 0 && initials.starts_with(|letter: char| letter.is_ascii_lowercase()) => BracketMark::Comment,
        1..=4 if (1..=3).contains(&digits) && initials.chars().all(char::is_uppercase) => BracketMark::Comment,
        _ => return None,
    };
    let end = at + 1 + length + 1;
    let is_other = text[end..].starts_with(['(', '[', ':', '{'])
        || memmem::find(text.as_bytes(), format!("\n[{label}]:").as_bytes()).is_some();
    let before = text[..start].chars().next_back();
    let at_word = before.is_some_and(|letter| letter.is_alphanumeric() || ".,;:!?)’”\"'%".contains(letter));
    let begins_line = before.is_none_or(|letter| letter == '\n') && text[end..].starts_with(' ');
    (!is_other && (at_word || begins_line)).then_some((start..end, kind, at_word))
}

/// The number of paragraphs from which on marks make a list.
const MIN_ITEMS: usize = 3;

/// Checks for items that other programs mark by a letter `o`, a small picture or an escaped hyphen.
pub(super) fn bullets(prose: &CheckedText, findings: &mut FileFindings) {
    let mut report = |range: &Range<usize>, mark: &str, message: Text| {
        findings.push(prose.finding(Code::NOT_A_LIST, range, message).help(messages::list_mark_help("-", mark)));
    };
    let circles = circles(prose);
    if let [first, _, ..] = &*circles {
        report(&(first.start..first.start + 1), "o", messages::letter_for_bullet(circles.len()));
    }
    let blocks = blocks(prose);
    let mark = |block: &str| match pictograph(block) {
        Some(length) => Some(length),
        None => block.starts_with("\\- ").then_some(2),
    };
    let mut at = 0;
    while let Some((range, block)) = blocks.get(at) {
        let is_item = |block: &str| !block.contains('\n') && mark(block).is_some();
        let items = blocks[at..].iter().take_while(|(_, block)| is_item(block)).count();
        let is_dialogue = blocks[at..at + items].iter().any(|(_, block)| block.ends_with('?'));
        if let Some(length) = mark(block).filter(|_| items >= MIN_ITEMS && !is_dialogue) {
            let mark = &block[..length];
            report(&(range.start..range.start + length), mark, messages::mark_of_no_list(mark, items));
        }
        at += items.max(1);
    }
}

/// Returns the lines that begin with `o` in place of a circle: behind a sentence or an item, before a capital.
fn circles(prose: &CheckedText) -> Vec<Range<usize>> {
    let (mut found, mut above) = (Vec::new(), "");
    if !prose.text.starts_with("o ") && !["\no ", " o "].iter().any(|mark| prose.text.contains(mark)) {
        return found;
    }
    for range in lines(prose) {
        let line = &prose.text[range.clone()];
        let words = line.trim_start();
        if words.is_empty() {
            continue;
        }
        let is_circle = words.strip_prefix("o ").is_some_and(|words| words.starts_with(char::is_uppercase));
        let is_behind = above.is_empty()
            || above.ends_with(['.', ':', ';', ','])
            || ["- ", "* ", "o ", "• "].iter().any(|mark| above.starts_with(mark));
        if is_circle && is_behind {
            found.push(range.end - words.len()..range.end);
        }
        above = words;
    }
    found
}

/// Names that assistants add to the addresses that they give.
const ASSISTANTS: [&str; 6] = ["chatgpt.com", "openai", "perplexity", "copilot.com", "gemini", "claude.ai"];

/// Checks for addresses with the name of the assistant from which they were copied.
pub(super) fn traced_links(prose: &CheckedText, findings: &mut FileFindings) {
    let mut found: Option<Finding> = None;
    for link in prose.survey.links.iter().filter(|link| scheme(&link.destination).is_some()) {
        let Some((address, tail)) = link.destination.split_once("utm_source=") else { continue };
        if !ASSISTANTS.iter().any(|name| tail.starts_with(name)) {
            continue;
        }
        if let Some(finding) = &mut found {
            finding.more += 1;
        } else {
            let finding = prose.finding(Code::FOREIGN_MARKUP, &link.range, messages::link_of_assistant());
            found = Some(finding.help(messages::link_of_assistant_help(address.trim_end_matches(['?', '&']))));
        }
    }
    findings.extend(found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_is_a_few_words_before_a_colon() {
        for (line, words, is_certain) in [
            ("DAVACI : Deniz Yolcu", "DAVACI", true),
            ("MAHKEMESİ :Asliye", "MAHKEMESİ", true),
            ("T.C. KİMLİK NO: 1", "T.C. KİMLİK NO", true),
            ("**Konu:** İtiraz", "Konu", true),
            ("Kiraya veren : A", "Kiraya veren", true),
            ("Ek-1: Liste", "Ek-1", true),
            ("Tarih: 5 Mayıs", "Tarih", false),
        ] {
            assert_eq!(label(line), Some(LineLabel { words, is_certain }), "{line}");
        }
        for line in [
            "saat: 5",
            "https://a.example",
            "Bu dava üç sebebe dayanır: süre",
            "Kiracı, kiraya veren: A",
            "Konu:",
            "Ankara’da",
        ] {
            assert_eq!(label(line), None, "{line}");
        }
    }

    #[test]
    fn mark_in_brackets_belongs_to_the_word_before_it() {
        let found = |text: &str| {
            memchr_iter(b'[', text.as_bytes())
                .filter_map(|at| bracket_mark(text, at))
                .map(|it| text[it.0].to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(found("Kanunu[1] der.\\[2\\]\n[1] Kaynak"), ["[1]", "\\[2\\]", "[1]"]);
        assert_eq!(found("metin[AY1] ve söz[b]"), ["[AY1]", "[b]"]);
        assert!(found("a [1] b[1](c) d[1][2] e[2019] f[sic] g[1]\n\n[1]: https://a.example").is_empty());
    }
}
