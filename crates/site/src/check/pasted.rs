//! What converters of word processors and PDFs leave in a text: letters of a typesetter, and lists, columns and
//! quotations that lost their marks.

use std::ops::Range;

use findings::{
    Code, FileFindings,
    messages::{self, Text},
};
use memchr::memmem;

use super::CheckedText;

/// Letters of typesetting that a search does not find, with what they stand for.
const LETTERS: [(char, &str); 8] = [
    ('\u{ad}', ""),
    ('\u{fb00}', "ff"),
    ('\u{fb01}', "fi"),
    ('\u{fb02}', "fl"),
    ('\u{fb03}', "ffi"),
    ('\u{fb04}', "ffl"),
    ('\u{fb05}', "st"),
    ('\u{fb06}', "st"),
];
/// The first bytes of these letters.
const BEGINNINGS: [&[u8]; 2] = [b"\xc2\xad", b"\xef\xac"];
/// The longest paragraph that can be an item, and the longest term of a definition, in bytes.
const MAX_ITEM_BYTES: usize = 300;
const MAX_TERM_BYTES: usize = 60;
/// The width in characters up to which a line is not broken for want of space.
const NARROW: usize = 60;

/// Checks for soft hyphens and for two letters in one, in the fields and in the text.
pub(super) fn letters(prose: &CheckedText, findings: &mut FileFindings) {
    if BEGINNINGS.iter().all(|beginning| memmem::find(prose.whole.as_bytes(), beginning).is_none()) {
        return;
    }
    let fields = &prose.whole[..prose.body_start];
    let all = |text| find_letters(text).map(move |(range, with)| (&text[range.clone()], range, with));
    let of_fields =
        all(fields).map(|(_, range, with)| (word_at(fields, &range), prose.lines.span(fields, range), with));
    let of_text = all(prose.text).filter(|(_, range, _)| !prose.is_shown_as_written(range));
    let of_text = of_text.map(|(_, range, with)| (word_at(prose.text, &range), (prose.span)(range), with));
    let mut found = None;
    for (word, span, with) in of_fields.chain(of_text) {
        let finding = found.get_or_insert_with(|| {
            let clean = LETTERS.iter().fold(word.to_owned(), |word, (letter, with)| word.replace(*letter, with));
            let place = findings::Place::new(prose.file, span);
            let finding = findings::Finding::new(Code::FOREIGN_MARKUP, place, messages::letters_of_pdf(&clean));
            let mut finding = finding.help(messages::letters_of_pdf_help());
            // The first one counts itself.
            finding.more = usize::MAX;
            finding
        });
        finding.more = finding.more.wrapping_add(1);
        finding.edits.push(findings::Edit { span, with: with.to_owned() });
    }
    findings.extend(found);
}

fn find_letters(text: &str) -> impl Iterator<Item = (Range<usize>, &'static str)> {
    text.char_indices().filter_map(|(at, letter)| {
        let (_, with) = LETTERS.iter().find(|(one, _)| *one == letter)?;
        Some((at..at + letter.len_utf8(), *with))
    })
}

/// Returns the word that contains `range`.
fn word_at<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    let start = text[..range.start].rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let end = text[range.end..].find(char::is_whitespace).map_or(text.len(), |at| range.end + at);
    text.get(start..end).unwrap_or(&text[range.clone()])
}

/// Returns the blocks between empty lines, outside of code.
pub(super) fn blocks<'t>(prose: &CheckedText<'t>) -> Vec<(Range<usize>, &'t str)> {
    let (mut all, mut start, mut at) = (Vec::new(), 0, 0);
    for line in prose.text.split_inclusive('\n').chain([""]) {
        if line.trim().is_empty() {
            let block = prose.text[start..at].trim_end();
            let range = start..start + block.len();
            if !block.is_empty() && !prose.is_shown_as_written(&range) {
                all.push((range, block));
            }
            start = at + line.len();
        }
        at += line.len();
    }
    all
}

/// Returns whether a line begins with words, not with the mark of another block or of a clause.
fn is_plain(line: &str) -> bool {
    let first = line.split([' ', '\t']).next().unwrap_or_default();
    let begins_word = line.starts_with(|letter: char| letter.is_alphabetic() || matches!(letter, '“' | '"' | '‘'));
    begins_word && !(first.chars().count() <= 5 && first.ends_with([')', '.', '-']))
}

/// Checks for items that lost their numbers: after a colon, paragraphs that end with a comma, then one with a full stop.
/// Also for numbers that stand alone, above the words that they count.
pub(super) fn lost_marks(prose: &CheckedText, findings: &mut FileFindings) {
    // A series begins behind one of these.
    let begins = |end: usize| [":", "1)", "1.", "a)", "•"].iter().any(|mark| prose.text[..end].ends_with(mark));
    if !memmem::find_iter(prose.text.as_bytes(), b"\n\n").any(begins) {
        return;
    }
    let blocks = blocks(prose);
    let is_item = |block: &str, ends: &[char]| {
        block.len() <= MAX_ITEM_BYTES && !block.contains('\n') && is_plain(block) && block.ends_with(ends)
    };
    let mut report = |range: &Range<usize>, message: Text, help: Text| {
        findings.push(prose.finding(Code::NOT_A_LIST, range, message).help(help));
    };
    let mut at = 0;
    while let Some((_, block)) = blocks.get(at) {
        at += 1;
        if !block.ends_with(':') || !is_plain(block) {
            continue;
        }
        let items = blocks[at..].iter().take_while(|(_, block)| is_item(block, &[',', ';'])).count();
        if items >= 2 && blocks.get(at + items).is_some_and(|(_, block)| is_item(block, &['.'])) {
            report(&blocks[at].0, messages::items_without_marks(items + 1), messages::items_without_marks_help());
            at += items;
        }
    }
    let numbers: Vec<_> = blocks
        .windows(2)
        .filter(|pair| is_lone_mark(pair[0].1) && is_plain(pair[1].1))
        .map(|pair| (&pair[0], pair[1].1))
        .collect();
    if let [((range, mark), words), _, ..] = &*numbers {
        let beginning = words.split(' ').next().unwrap_or_default();
        let mark = if *mark == "•" { "-" } else { mark };
        report(range, messages::mark_alone(mark), messages::mark_alone_help(format_args!("{mark} {beginning} …")));
    }
}

/// Returns whether a block is only the number or letter of an item.
fn is_lone_mark(block: &str) -> bool {
    if block == "•" {
        return true;
    }
    let Some(inside) = block.strip_suffix([')', '.']) else { return false };
    let inside = inside.strip_prefix('(').unwrap_or(inside);
    let is_number = (1..=2).contains(&inside.len()) && inside.bytes().all(|byte| byte.is_ascii_digit());
    is_number || block.ends_with(')') && inside.chars().count() == 1 && inside.starts_with(char::is_alphabetic)
}

/// Checks for columns made with blanks, and for terms with their definitions indented below them.
pub(super) fn columns(prose: &CheckedText, findings: &mut FileFindings) {
    let has_columns = memmem::find(prose.text.as_bytes(), b"   ").is_some();
    if !has_columns && memmem::find(prose.text.as_bytes(), b"\n  ").is_none() {
        return;
    }
    let (mut terms, mut is_reported) = (Vec::new(), false);
    for (range, block) in blocks(prose) {
        let first = block.lines().next().unwrap_or_default();
        if !is_plain(first) || block.contains('|') {
            continue;
        }
        let is_broken = |line: &&str| line.ends_with(['\\']) || line.ends_with("  ");
        let in_columns = block.lines().filter(|line| has_gap(line)).count();
        if !is_reported
            && in_columns >= 2
            && in_columns == block.lines().count()
            && !block.lines().any(|line| is_broken(&line))
        {
            let range = range.start..range.start + first.len();
            let finding = prose.finding(Code::NOT_A_LIST, &range, messages::not_columns());
            findings.push(finding.help(messages::not_columns_help()));
            is_reported = true;
        }
        let is_definition = |line: &str| line.starts_with("  ") && is_plain(line.trim_start());
        let is_term = first.len() <= MAX_TERM_BYTES && !first.ends_with(['.', ',', ';', '!', '?', '\\']);
        if is_term && block.lines().count() > 1 && block.lines().skip(1).all(is_definition) {
            terms.push((range.start..range.start + first.len(), first.trim_end_matches([':', ' '])));
        }
    }
    if let [(range, term), _, ..] = &*terms {
        let finding = prose.finding(Code::NOT_A_LIST, range, messages::definitions_by_blanks(terms.len()));
        findings.push(finding.help(messages::definitions_by_blanks_help(term)));
    }
}

/// Returns whether blanks separate the words of a line into columns.
pub(super) fn has_gap(line: &str) -> bool {
    let inside = line.trim();
    inside.find("   ").is_some_and(|at| inside[..at].ends_with(|letter: char| !letter.is_whitespace()))
        || inside.contains("  : ")
}

/// Checks for a source that follows no quotation: its words lost their `>`.
pub(super) fn lost_quotations(prose: &CheckedText, findings: &mut FileFindings) {
    if memmem::find(prose.text.as_bytes(), "\n— ".as_bytes()).is_none() {
        return;
    }
    let blocks = blocks(prose);
    for pair in blocks.windows(2) {
        let ((_, above), (range, source)) = (&pair[0], &pair[1]);
        let is_source = source.strip_prefix("— ").is_some_and(|words| !words.contains('\n') && names_place(words));
        if is_source && is_plain(above) {
            let finding = prose.finding(Code::SOURCE_QUOTED, range, messages::source_without_quotation());
            findings.push(finding.help(messages::source_without_quotation_help()));
        }
    }
}

/// Returns whether words name an article, a page or a decision.
fn names_place(words: &str) -> bool {
    let signs = ["m. ", "s. ", "p. ", "Art. ", "Article ", "art. ", "E. ", "K. ", "§ ", "sayılı "];
    let digits = |rest: &str| rest.starts_with(|letter: char| letter.is_ascii_digit());
    signs.iter().any(|sign| {
        words.match_indices(sign).any(|(at, _)| {
            let begins_word = words[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
            (begins_word && digits(&words[at + sign.len()..]))
                || *sign == "sayılı " && words[..at].trim_end().ends_with(|letter: char| letter.is_ascii_digit())
        })
    })
}

/// Checks for lines directly below a note or a quotation that become part of it although they begin anew.
pub(super) fn taken_in(prose: &CheckedText, findings: &mut FileFindings) {
    let has_notes = prose.text.starts_with("[^") || memmem::find(prose.text.as_bytes(), b"\n[^").is_some();
    if !has_notes && prose.survey.quotations.is_empty() {
        return;
    }
    for (block, text) in blocks(prose) {
        let (mut at, mut above) = (block.start, "");
        // The last line that began a note or quotation goes on until the end of the block.
        let mut inside = None;
        for line in text.split_inclusive('\n') {
            let range = at..at + line.trim_end().len();
            at += line.len();
            let line = line.trim_end();
            let begins = match line.strip_prefix("[^").and_then(|rest| rest.split_once("]:")) {
                Some((label, _)) if !label.contains(['[', ']']) => Some(true),
                _ if line.starts_with('>') => Some(false),
                _ => None,
            };
            if let (None, Some(is_note)) = (begins, inside)
                && is_plain(line)
                && begins_anew(above, line)
                && !prose.is_shown_as_written(&range)
            {
                let message = if is_note { messages::line_in_note() } else { messages::line_in_quotation() };
                findings.push(prose.finding(Code::LINE_TAKEN_IN, &range, message).help(messages::line_taken_in_help()));
                break;
            }
            inside = begins.or(inside);
            above = line;
        }
    }
}

/// Returns whether a line begins a sentence of its own: the one above ends a sentence, or had room for its first word.
fn begins_anew(above: &str, line: &str) -> bool {
    let is_sentence = line.starts_with(|letter: char| letter.is_uppercase() || matches!(letter, '“' | '"'));
    let first = line.split(' ').next().unwrap_or_default();
    let had_room = above.chars().count() + 1 + first.chars().count() <= NARROW;
    is_sentence
        && !above.ends_with(['\\', ',', ';', '-'])
        && (had_room || above.ends_with(['.', '!', '?', '”', '"', ')']))
}
