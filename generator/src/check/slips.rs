//! What was meant as Markdown, but would be shown literally or not at all.

use std::ops::Range;

use markdown::{SPACES, as_title, part};

use super::{
    Prose,
    destinations::{is_address, without_spaces},
    foreign,
};
use crate::diagnostic::{Code, Told};

/// How many bytes of a link's words are searched for their beginning.
const MAX_WORDS_BYTES: usize = 1024;

pub(super) fn links(prose: &Prose, findings: &mut Told) {
    for note in &prose.survey.destinations_cut_off {
        let line = note.label.lines().next().unwrap_or_default();
        let (destination, title) = part(&note.label);
        let taken = as_title(title);
        let is_cut_off = destination.contains(SPACES);
        let why = if is_cut_off && line.contains([' ', '\t']) {
            "a space ends a destination"
        } else if is_cut_off {
            "the end of a line ends a destination"
        } else if title.is_empty() || taken.as_deref() == Some(title) {
            "a parenthesis is not closed"
        } else {
            "the title has one quotation mark too many or too few"
        };
        let finding = prose.finding(Code::LINK_FORM, &note.range, format!("{why}: `{line}` is shown as text"));
        let (before, behind) = (&prose.text[..note.range.start], &prose.text[note.range.end..]);
        let is_closed = behind.starts_with(')');
        findings.push(if !is_closed && (is_cut_off || title.is_empty()) {
            finding.help("close the parenthesis after the destination, which must not contain a space")
        } else if !is_closed {
            finding.help("close the title and, after it, the parenthesis")
        } else if is_cut_off && (destination.contains('\t') || line.len() < note.label.len()) {
            finding.help("write the destination on one line, without spaces")
        } else if is_of_picture(before) && is_address(destination) {
            finding.help("put the file beside the text, if you may, and name it here")
        } else {
            let meant = if is_cut_off { without_spaces(destination) } else { Ok(destination.to_owned()) };
            match (meant, taken) {
                (Ok(meant), _) if title.is_empty() => finding.label(format!("write `{meant}`")),
                (Ok(meant), Some(taken)) if !taken.contains('\n') => finding.label(format!("write `{meant} {taken}`")),
                (Ok(_), _) => {
                    finding.help("write `\\\"` for a quotation mark inside the title, or put `'` at both of its ends")
                }
                (Err(help), _) => finding.help(help),
            }
        });
    }
    for range in &prose.survey.not_links {
        let address = prose.text.get(range.clone()).unwrap_or_default();
        let finding = prose.finding(Code::NOT_A_LINK, range, format!("not a link: `{address}` is shown as text"));
        if prose.text[..range.start].ends_with("](") {
            let help = "a link must not contain a footnote or another link: put these after it";
            findings.push(finding.help(format!("{help}; if it is to be shown as written, write `\\(`")));
            continue;
        }
        let opening = prose.text.get(range.start - 1..range.start).unwrap_or_default();
        let help = "write `[words](address)`, with nothing in between; if it is to be shown as written, write";
        findings.push(finding.help(format!("{help} `\\{opening}`")));
    }
}

/// Returns whether the words that end `before` describe a picture: `![words](`.
fn is_of_picture(before: &str) -> bool {
    let mut open = 0_u32;
    for (at, mark) in before.bytes().enumerate().rev().skip(1).take(MAX_WORDS_BYTES) {
        match mark {
            b']' => open += 1,
            b'[' if open == 1 => return before[..at].ends_with('!'),
            b'[' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    false
}

pub(super) fn headings(prose: &Prose, findings: &mut Told) {
    for range in &prose.survey.not_headings {
        let marks = prose.text.get(range.clone()).unwrap_or_default();
        let finding = prose.finding(Code::NOT_A_HEADING, range, format!("`{marks}` is shown as text"));
        let what = match other_space(prose.text, range.end) {
            Some(space) => format!("what follows it is not a space but {space}: write a space"),
            None => "write a space after it".to_owned(),
        };
        findings.push(finding.help(format!("{what} for a heading; if none is meant, write `\\{marks}`")));
    }
}

/// Returns the name of the character at `at` if it looks like a space but is not one to Markdown.
fn other_space(text: &str, at: usize) -> Option<String> {
    let letter = text[at..].chars().next().filter(|letter| !letter.is_ascii())?;
    letter.is_whitespace().then(|| format!("U+{:04X}", u32::from(letter)))
}

pub(super) fn lists(prose: &Prose, findings: &mut Told) {
    let statutes = if prose.survey.not_lists.is_empty() { Vec::new() } else { foreign::statutes_that_run_on(prose) };
    let is_of_statute = |range: &&Range<usize>| {
        let behind = statutes.partition_point(|statute| statute.start <= range.start);
        behind.checked_sub(1).is_some_and(|at| range.end <= statutes[at].end)
    };
    for range in prose.survey.not_lists.iter().filter(|range| !is_of_statute(range)) {
        let mark = &prose.text[range.clone()];
        let message = format!("`{mark}` does not begin a list: these lines are one paragraph");
        let finding = prose.finding(Code::NOT_A_LIST, range, message);
        let number = mark.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let wanted = match mark.strip_prefix(number) {
            Some("." | ")") if number.starts_with(|letter: char| letter.is_ascii_digit()) => mark.to_owned(),
            Some(_) if number.starts_with(|letter: char| letter.is_ascii_digit()) => format!("{number}."),
            _ => "-".to_owned(),
        };
        let wanted = format!("write `{wanted} ` before each item, with an empty line above the first");
        findings.push(match other_space(prose.text, range.end).filter(|_| mark.is_ascii()) {
            Some(space) => finding.help(format!("what follows it is not a space but {space}: {wanted}")),
            None if keeps_lines(mark) => finding.help(format!("{wanted}; or end each line but the last with `\\`")),
            None => finding.help(wanted),
        });
    }
    for range in &prose.survey.not_cells {
        let finding =
            prose.finding(Code::NOT_A_LIST, range, "tabs do not separate cells: these lines are one paragraph");
        findings.push(finding.help(
            "for a table, write `| a | b |`, and a line `| --- | --- |` below the first one; \
             or end each line but the last with `\\`",
        ));
    }
}

/// Checks that lists have no boxes, which the page would show as text and its Markdown as boxes to be ticked.
pub(super) fn boxes(prose: &Prose, findings: &mut Told) {
    for range in &prose.survey.boxes {
        let mark = &prose.text[range.clone()];
        let wanted = if mark == "[ ]" { "☐" } else { "☑" };
        let finding = prose.finding(Code::NOT_A_LIST, range, format!("`{mark}` is shown as text, not as a box"));
        findings.push(finding.help(format!("write `{wanted}`; if it is to be shown as written, write `\\{mark}`")));
    }
}

/// Whether lines that begin with `mark` may be meant as lines, not as the items of a list: they are kept apart by a
/// backslash at their ends. Bullets are always those of a list.
fn keeps_lines(mark: &str) -> bool {
    mark != "o" && mark.starts_with(|first: char| first.is_alphanumeric() || "(-*–—−‐✓✔→➔➤►".contains(first))
}

/// Checks for lines that only look empty: a character that is not a space to Markdown ends no paragraph.
pub(super) fn empty_lines(prose: &Prose, findings: &mut Told) {
    for range in &prose.survey.not_empty {
        let line = &prose.text[range.clone()];
        let at = line.find(|letter: char| !letter.is_ascii()).map(|at| range.start + at);
        let space = at.and_then(|at| other_space(prose.text, at)).unwrap_or_else(|| "`&nbsp;`".to_owned());
        let message = format!("this line looks empty but contains {space}");
        let finding = prose.finding(Code::NOT_EMPTY, range, message);
        findings.push(finding.help("delete it: only an empty line ends a paragraph or a table"));
    }
}

/// Checks that a horizontal line and the source of a quotation follow an empty line.
pub(super) fn last_lines(prose: &Prose, findings: &mut Told) {
    for range in &prose.survey.underlines {
        let finding =
            prose.finding(Code::UNDERLINED, range, "these hyphens turn the paragraph above them into a heading");
        findings.push(finding.help("for a horizontal line, put an empty line above them; a heading is written `## …`"));
    }
    for range in &prose.survey.sources_quoted {
        let finding = prose.finding(Code::SOURCE_QUOTED, range, "this source is shown as part of what is quoted");
        findings.push(finding.help(
            "put a line with `>` alone above it, and begin both with as many `>` as the line above them; \
             if it belongs to the quoted words, put the dash at the end of the line above",
        ));
    }
}

pub(super) fn code(prose: &Prose, findings: &mut Told) {
    for range in &prose.survey.indented_code {
        let finding = prose.finding(Code::INDENTED_CODE, range, "shown as code, because of the spaces before it");
        findings.push(finding.help("remove them; put code between two lines of three backticks"));
    }
    for range in &prose.survey.code_in_words {
        let message = "the words between these backticks are shown as code";
        let finding = prose.finding(Code::INDENTED_CODE, range, message);
        findings.push(finding.help("an apostrophe is `’` or `'`; code has a space before it"));
    }
}

pub(super) fn emphasis(prose: &Prose, findings: &mut Told) {
    for range in &prose.survey.not_emphasis {
        let all = &prose.text[range.clone()];
        if all.starts_with('_') {
            let message = "`__` is shown as text: with underscores, emphasis cannot end inside of a word";
            let finding = prose.finding(Code::NOT_EMPHASIS, range, message);
            findings.push(
                finding
                    .help("write `**` at both ends of the words; underscores that are to be shown are written `\\_`"),
            );
            continue;
        }
        let inside = all.trim_start_matches('*');
        let marks = &all[..all.len() - inside.len()];
        let words = inside.trim_end_matches('*');
        let is_followed = prose.text[range.end..].starts_with(char::is_alphanumeric);
        let (why, help) = if words.is_empty() {
            // The mark that was meant to match may have ended other emphasis, which begins where the inner one does not
            // end.
            (
                "it has no matching mark",
                "write it at both ends of the words, and do not let emphasis inside them end between a punctuation mark and a letter",
            )
        } else if words.trim().len() < words.len() {
            ("there is a space just inside the marks", "write it directly next to the words")
        } else if is_followed && !words.ends_with(char::is_alphanumeric) {
            (
                "emphasis cannot end between a punctuation mark and a letter",
                "put the suffix inside, or write `’` before it",
            )
        } else {
            ("these two do not enclose words", "write it at both ends of the words")
        };
        let finding = prose.finding(Code::NOT_EMPHASIS, range, format!("`{marks}` is shown as text: {why}"));
        findings.push(finding.help(format!("{help}; an asterisk that is to be shown is written `\\*`")));
    }
}

pub(super) fn tables(prose: &Prose, findings: &mut Told) {
    for range in &prose.survey.not_tables {
        let line = &prose.text[range.clone()];
        let is_of = |marks: &[char]| line.chars().all(|mark| matches!(mark, '|' | ':' | ' ') || marks.contains(&mark));
        let (message, help) = if is_of(&['-']) {
            (
                "there is no table header above this line: everything is shown as text",
                "the line above needs as many cells as this one, with an empty line above the two",
            )
        } else if is_of(&['-', '–', '—']) {
            (
                "these are dashes, not hyphens: everything is shown as text",
                "write three hyphens in each cell: `| --- | --- |`",
            )
        } else {
            (
                "there is no line of hyphens below the header of this table: everything is shown as text",
                "write one below the first line, with as many cells: `| --- | --- |`; \
                 if no table is meant, write `\\|` at the start of each line",
            )
        };
        findings.push(prose.finding(Code::TABLE, range, message).help(help));
    }
    for range in &prose.survey.cells_beyond {
        let words = prose.text.get(range.clone()).unwrap_or_default();
        let message = format!("`{words}` is beyond the last column and is not shown");
        let finding = prose.finding(Code::TABLE, range, message);
        findings.push(finding.help("write `\\|` for a bar inside a cell, or add a column to the header of the table"));
    }
    for range in &prose.survey.rows_without_bars {
        let finding = prose.finding(Code::ROW_WITHOUT_BARS, range, "this line is a row of the table above it");
        findings.push(finding.help("put an empty line above it; if it is a row, write a `|` before its first cell"));
    }
}
