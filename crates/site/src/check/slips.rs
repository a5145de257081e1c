//! Checks for failed Markdown, which would be shown literally or not at all.

use std::ops::Range;

use findings::{
    Code, FileFindings,
    messages::{self, Text},
};
use markdown::{SPACES, mend_title, split_title};

use super::{
    CheckedText,
    destinations::{is_address, without_spaces},
};

/// The deepest nesting of quotations that is read.
pub(crate) const MAX_QUOTES: usize = 32;

/// Returns the first line that opens more than [`MAX_QUOTES`] quotations. Found before the text is parsed: the parser's
/// work grows with the square of the depth.
pub(crate) fn nested_quotes(text: &str) -> Option<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n').find_map(|line| {
        let at = start;
        start += line.len();
        // Other blocks may be between them: `> - > 1. >`.
        let marks = line.bytes().take_while(|byte| b"> \t-+*.)".contains(byte) || byte.is_ascii_digit());
        let (mut length, mut quotes) = (0, 0);
        for byte in marks {
            length += 1;
            quotes += usize::from(byte == b'>');
        }
        (quotes > MAX_QUOTES).then(|| at..at + length)
    })
}

/// Bytes of a link's words that are searched for their beginning.
const MAX_WORDS_BYTES: usize = 1024;

pub(super) fn links(prose: &CheckedText, findings: &mut FileFindings) {
    for note in &prose.survey.destinations_cut_off {
        let line = note.label.lines().next().unwrap_or_default();
        let (destination, title) = split_title(&note.label);
        let taken = mend_title(title);
        let is_cut_off = destination.contains(SPACES);
        let why = if is_cut_off && line.contains([' ', '\t']) {
            messages::destination_ended_by_space()
        } else if is_cut_off {
            messages::destination_ended_by_line()
        } else if title.is_empty() || taken.as_deref() == Some(title) {
            messages::parenthesis_not_closed()
        } else {
            messages::title_with_odd_quotes()
        };
        let finding = prose.finding(Code::LINK_FORM, &note.range, messages::link_shown_as_text(why, line));
        let (before, behind) = (&prose.text[..note.range.start], &prose.text[note.range.end..]);
        let is_closed = behind.starts_with(')');
        findings.push(if !is_closed && (is_cut_off || title.is_empty()) {
            finding.help(messages::destination_not_closed_help())
        } else if !is_closed {
            finding.help(messages::title_not_closed_help())
        } else if is_cut_off && (destination.contains('\t') || line.len() < note.label.len()) {
            finding.help(messages::destination_in_lines_help())
        } else if is_of_picture(before) && is_address(destination) {
            finding.help(messages::picture_elsewhere_help())
        } else {
            let is_file = is_cut_off && !is_address(destination) && !destination.contains(['<', '>', '\n']);
            let corrected = match destination {
                // Markdown allows spaces between angle brackets.
                name if is_file => Ok(format!("<{name}>")),
                _ if is_cut_off => without_spaces(destination),
                _ => Ok(destination.to_owned()),
            };
            let finding = match &corrected {
                Ok(name) if is_file && title.is_empty() => {
                    finding.edit((prose.span)(note.range.clone()), name.as_str())
                }
                _ => finding,
            };
            match (corrected, taken) {
                (Ok(corrected), _) if title.is_empty() => finding.label(messages::words_to_write(corrected)),
                (Ok(corrected), Some(taken)) if !taken.contains('\n') => {
                    finding.label(messages::words_to_write(format_args!("{corrected} {taken}")))
                }
                (Ok(_), _) => finding.help(messages::title_with_quotes_help()),
                (Err(help), _) => finding.help(help),
            }
        });
    }
    for range in &prose.survey.not_links {
        let address = prose.text.get(range.clone()).unwrap_or_default();
        let finding = prose.finding(Code::NOT_A_LINK, range, messages::not_a_link(address));
        if prose.text[..range.start].ends_with("](") {
            findings.push(finding.help(messages::link_in_link_help()));
            continue;
        }
        let opening = prose.text.get(range.start - 1..range.start).unwrap_or_default();
        findings.push(finding.help(messages::not_a_link_help(opening)));
    }
}

/// Returns whether `before` ends with the description of a picture: `![words](`.
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

pub(super) fn headings(prose: &CheckedText, findings: &mut FileFindings) {
    for range in &prose.survey.not_headings {
        let marks = prose.text.get(range.clone()).unwrap_or_default();
        let finding = prose.finding(Code::NOT_A_HEADING, range, messages::shown_as_text(marks));
        findings.push(finding.help(match other_space(prose.text, range.end) {
            Some(space) => messages::heading_with_other_space_help(space, marks),
            None => messages::heading_without_space_help(marks),
        }));
    }
}

/// Returns the name of the character at `at` if it looks like a space but is none to Markdown.
fn other_space(text: &str, at: usize) -> Option<Text> {
    let letter = text[at..].chars().next().filter(|letter| !letter.is_ascii() && letter.is_whitespace())?;
    let other = || messages::other_space_there(format!("{:04X}", u32::from(letter)));
    Some(if letter == '\u{a0}' { messages::no_break_space() } else { other() })
}

pub(super) fn lists(prose: &CheckedText, findings: &mut FileFindings) {
    for range in &prose.survey.not_lists {
        let mark = &prose.text[range.clone()];
        let finding = prose.finding(Code::NOT_A_LIST, range, messages::not_a_list(mark));
        let number = mark.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let wanted = match mark.strip_prefix(number) {
            // `1.1.` is no mark of a list in Markdown.
            Some(_) if number.contains('.') => "-".to_owned(),
            Some("." | ")") if number.starts_with(|letter: char| letter.is_ascii_digit()) => mark.to_owned(),
            Some(_) if number.starts_with(|letter: char| letter.is_ascii_digit()) => format!("{number}."),
            _ => "-".to_owned(),
        };
        let is_count = mark.starts_with('(') || number.contains('.') || mark.contains(char::is_alphabetic);
        let help = if mark == wanted || is_count {
            messages::list_item_help(wanted)
        } else {
            messages::list_mark_help(wanted, mark)
        };
        findings.push(finding.help(match other_space(prose.text, range.end).filter(|_| mark.is_ascii()) {
            Some(space) => messages::list_with_other_space_help(space, help),
            None if keeps_lines(mark) => messages::list_or_lines_help(help),
            None => help,
        }));
    }
    for range in &prose.survey.not_cells {
        let finding = prose.finding(Code::NOT_A_LIST, range, messages::not_cells());
        findings.push(finding.help(messages::not_cells_help()));
    }
}

/// Checks that lists have no task boxes, which the page shows as text.
pub(super) fn boxes(prose: &CheckedText, findings: &mut FileFindings) {
    for range in &prose.survey.boxes {
        let mark = &prose.text[range.clone()];
        let sign = if mark == "[ ]" { "☐" } else { "☑" };
        let finding = prose.finding(Code::NOT_A_LIST, range, messages::not_a_box(mark));
        findings.push(finding.help(messages::not_a_box_help(sign, mark)));
    }
}

/// Returns whether lines beginning with `mark` may be meant as separate lines, which end in a backslash, instead of
/// items of a list. Bullets always mark items.
fn keeps_lines(mark: &str) -> bool {
    mark != "o" && mark.starts_with(|first: char| first.is_alphanumeric() || "(-*–—−‐✓✔→➔➤►".contains(first))
}

/// Checks for lines that only look empty: their invisible character does not end a paragraph in Markdown.
pub(super) fn empty_lines(prose: &CheckedText, findings: &mut FileFindings) {
    for range in &prose.survey.not_empty {
        let line = &prose.text[range.clone()];
        let at = line.find(|letter: char| !letter.is_ascii()).map(|at| range.start + at);
        let space = at.and_then(|at| other_space(prose.text, at)).unwrap_or_else(|| Text::verbatim("`&nbsp;`"));
        let finding = prose.finding(Code::NOT_EMPTY, range, messages::line_not_empty(space));
        findings.push(finding.help(messages::line_not_empty_help()));
    }
}

/// Checks that a horizontal line and the source of a quotation follow an empty line.
pub(super) fn last_lines(prose: &CheckedText, findings: &mut FileFindings) {
    for range in &prose.survey.underlines {
        let finding = prose.finding(Code::UNDERLINED, range, messages::underlined());
        findings.push(finding.help(messages::underlined_help()));
    }
    for range in &prose.survey.sources_quoted {
        let finding = prose.finding(Code::SOURCE_QUOTED, range, messages::source_quoted());
        findings.push(finding.help(messages::source_quoted_help()));
    }
}

pub(super) fn code(prose: &CheckedText, findings: &mut FileFindings) {
    for range in &prose.survey.indented_code {
        let finding = prose.finding(Code::INDENTED_CODE, range, messages::code_by_indentation());
        findings.push(finding.help(messages::code_by_indentation_help()));
    }
    for range in &prose.survey.code_in_words {
        let finding = prose.finding(Code::INDENTED_CODE, range, messages::code_in_words());
        findings.push(finding.help(messages::code_in_words_help()));
    }
}

pub(super) fn emphasis(prose: &CheckedText, findings: &mut FileFindings) {
    let mut end = 0;
    for range in &prose.survey.products {
        // Several may stand between two blanks.
        if range.start >= end {
            let message = messages::product_as_emphasis(&prose.text[range.clone()]);
            let finding = prose.finding(Code::NOT_EMPHASIS, range, message);
            findings.push(finding.help(messages::product_as_emphasis_help()));
            end = range.end;
        }
    }
    for range in &prose.survey.not_emphasis {
        let all = &prose.text[range.clone()];
        if all.starts_with('_') {
            let finding = prose.finding(Code::NOT_EMPHASIS, range, messages::emphasis_in_word());
            findings.push(finding.help(messages::emphasis_in_word_help()));
            continue;
        }
        let inside = all.trim_start_matches('*');
        let marks = &all[..all.len() - inside.len()];
        let words = inside.trim_end_matches('*');
        let is_followed = prose.text[range.end..].starts_with(char::is_alphanumeric);
        let (why, help) = if words.is_empty() {
            // The intended closing mark may have closed other emphasis.
            (messages::emphasis_unmatched(), messages::emphasis_unmatched_help())
        } else if words.trim().len() < words.len() {
            (messages::emphasis_with_space(), messages::emphasis_with_space_help())
        } else if is_followed && !words.ends_with(char::is_alphanumeric) {
            (messages::emphasis_before_suffix(), messages::emphasis_before_suffix_help())
        } else {
            (messages::emphasis_of_nothing(), messages::emphasis_of_nothing_help())
        };
        let finding = prose.finding(Code::NOT_EMPHASIS, range, messages::not_emphasis(marks, why));
        findings.push(finding.help(messages::not_emphasis_help(help)));
    }
}

pub(super) fn tables(prose: &CheckedText, findings: &mut FileFindings) {
    for range in &prose.survey.not_tables {
        let line = &prose.text[range.clone()];
        let is_of = |marks: &[char]| line.chars().all(|mark| matches!(mark, '|' | ':' | ' ') || marks.contains(&mark));
        let (message, help) = if is_of(&['-']) {
            (messages::table_without_header(), messages::table_without_header_help())
        } else if is_of(&['-', '–', '—']) {
            (messages::table_with_dashes(), messages::table_with_dashes_help())
        } else {
            (messages::table_without_hyphens(), messages::table_without_hyphens_help())
        };
        findings.push(prose.finding(Code::TABLE, range, message).help(help));
    }
    for range in &prose.survey.cells_beyond {
        let words = prose.text.get(range.clone()).unwrap_or_default();
        let finding = prose.finding(Code::TABLE, range, messages::cell_beyond_columns(words));
        findings.push(finding.help(messages::cell_beyond_columns_help()));
    }
    for range in &prose.survey.rows_without_bars {
        let finding = prose.finding(Code::ROW_WITHOUT_BARS, range, messages::row_without_bars());
        findings.push(finding.help(messages::row_without_bars_help()));
    }
}
