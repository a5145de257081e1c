//! The lines of a text in blocks, as Markdown joins them.

use std::{collections::HashSet, ops::Range};

use memchr::memchr;

use super::marks::{self, LineMark};

/// Spaces that make a line code.
pub(super) const CODE_INDENT: usize = 4;
/// Lines above a clause that are searched for the one before it.
const MAX_LINES: usize = 60;
/// Characters within which no author wraps lines, and beyond which none are wrapped.
const WRAPPED: Range<usize> = 60..130;

/// A line of a paragraph.
#[derive(Clone, Debug)]
pub(super) struct Line<'t> {
    /// Its words, without quotation marks and indentation.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) words: &'t str,
    /// Spaces before the words.
    pub(super) indent: usize,
    /// Marks of quotations before the words.
    pub(super) depth: usize,
    /// The line begins a list directly below a quotation: as a paragraph, it would belong to the quotation.
    pub(super) is_below_quotation: bool,
    pub(super) mark: Option<LineMark>,
}

impl Line<'_> {
    /// Returns whether the author ended the line with a hard break.
    pub(super) fn is_broken(&self) -> bool {
        let marks = self.words.len() - self.words.trim_end_matches('\\').len();
        marks % 2 == 1 || self.words.ends_with("  ")
    }

    /// Returns whether the line announces what follows it. Statutes also do so with a semicolon, which ends items, too.
    fn announces(&self) -> bool {
        self.ends_with(&[':', ';'])
    }

    pub(super) fn ends_with_colon(&self) -> bool {
        self.ends_with(&[':'])
    }

    /// Returns whether the line ends a sentence.
    pub(super) fn is_sentence(&self) -> bool {
        self.ends_with(&['.', '!', '?'])
    }

    fn ends_with(&self, marks: &[char]) -> bool {
        self.words.trim_end_matches(['\\', ' ', '*', '_', ')', '”', '"']).ends_with(marks)
    }

    /// Returns whether the line may be the title of an article: it has a number, and is no sentence.
    fn is_title(&self) -> bool {
        let mark = self.mark.as_ref().and_then(LineMark::outer);
        mark.is_some_and(|mark| !mark.is_certain() && !mark.is_whole()) && !self.ends_with(&['.', ',', ';', ':'])
    }

    pub(super) fn is_of_list(&self) -> bool {
        self.mark.as_ref().is_some_and(LineMark::is_of_list)
    }

    /// Spaces before the words of the item that the line begins.
    pub(super) fn content_indent(&self) -> usize {
        self.indent + self.mark.as_ref().and_then(|mark| mark.marks.first()).map_or(0, |mark| mark.end + 1)
    }

    /// Returns whether the line is the item around a clause that `below` begins at the same margin: a letter, or the
    /// number of the item with a further part.
    pub(super) fn is_numbered_around(&self, below: &Line) -> bool {
        let (Some(line), Some(clause)) = (&self.mark, &below.mark) else { return false };
        let (Some(number), Some(mark)) = (line.marks.first(), clause.marks.first()) else { return false };
        let is_part = mark.is_whole() && mark.numbers.starts_with(&number.numbers) && clause.article.is_none();
        is_part && below.indent < self.content_indent() || mark.is_small() && self.may_be_around(below)
    }

    /// Returns whether `below` begins an enumeration at the same margin that may be one of the item in this line: `(1)`
    /// below `1.`.
    pub(super) fn may_be_around(&self, below: &Line) -> bool {
        let mark = below.mark.as_ref().and_then(LineMark::outer);
        let begins = mark.is_some_and(|mark| mark.is_certain() && mark.numbers.is_empty() && mark.is_first());
        begins && below.indent < self.content_indent()
    }

    /// Returns whether the first word had room in the line above, so that the author ended that one on purpose.
    pub(super) fn has_room_above(&self, above: &Self, widest: usize) -> bool {
        let word = self.words.split_whitespace().next().map_or(0, |word| word.chars().count());
        widest > WRAPPED.end || above.width() + 1 + word <= widest.max(WRAPPED.start)
    }

    pub(super) fn width(&self) -> usize {
        self.indent + self.words.trim_end().chars().count()
    }
}

#[derive(Clone, Debug)]
pub(super) enum TextPart {
    /// Lines without an empty one between them.
    Block(Range<usize>),
    Code,
    /// A heading, with the number that it begins with or that of its article.
    Heading(Option<u32>),
    /// A rule between parts of a text.
    Rule,
}

#[derive(Debug, Default)]
pub(super) struct TextLines<'t> {
    pub(super) all: Vec<Line<'t>>,
    pub(super) parts: Vec<TextPart>,
    /// For each line, whether the lines around it in its block show that it begins with the mark of a clause.
    pub(super) is_line: Vec<bool>,
    /// For each line, whether it is a title of the article below: `1. Genel olarak` above `MADDE 1-`.
    pub(super) is_title: Vec<bool>,
    /// Lines directly below bullets that count on from the clause before these.
    pub(super) behind_bullets: HashSet<usize>,
    /// Where the open block begins.
    block: usize,
    /// The mark and length of the fence of open code.
    fence: Option<(u8, usize)>,
}

impl<'t> TextLines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut lines = Self::default();
        let mut at = 0;
        while at < text.len() {
            let end = memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length);
            lines.read(&text[at..end], end);
            at = end + 1;
        }
        lines.end_block();
        lines.find_titles();
        lines
    }

    /// Finds the lines whose mark counts titles, and not the clauses of the article before.
    fn find_titles(&mut self) {
        self.is_title = vec![false; self.all.len()];
        let mut below: Option<usize> = None;
        for part in self.parts.iter().rev() {
            let TextPart::Block(range) = part else {
                below = None;
                continue;
            };
            for at in range.clone().rev() {
                let is_above = below.is_some_and(|below| {
                    let next = &self.all[below];
                    let is_article = next.mark.as_ref().is_some_and(LineMark::is_of_statute);
                    next.depth == self.all[at].depth && (is_article || self.is_title[below])
                });
                // Lines that count on from each other are an enumeration, whatever is below.
                let before = at.checked_sub(1).and_then(|before| self.all[before].mark.as_ref());
                let counts_on =
                    before.zip(self.all[at].mark.as_ref()).is_some_and(|(before, mark)| mark.follows(before));
                self.is_title[at] = is_above && !counts_on && self.all[at].is_title();
                self.is_line[at] |= self.is_title[at];
                below = Some(at);
            }
        }
    }

    fn read(&mut self, whole: &'t str, end: usize) {
        let mut words = whole;
        let mut depth = 0;
        let indent = loop {
            let inside = words.trim_start_matches(' ');
            let indent = words.len() - inside.len();
            if let Some(tabbed) = inside.strip_prefix('\t') {
                words = tabbed.trim_start_matches([' ', '\t']);
                break CODE_INDENT;
            }
            let Some(quoted) = inside.strip_prefix('>').filter(|_| indent < CODE_INDENT) else {
                words = inside;
                break indent;
            };
            depth += 1;
            words = quoted.strip_prefix(' ').unwrap_or(quoted);
        };
        if self.is_code(words) {
            return;
        }
        if words.trim_end().is_empty() {
            return self.end_block();
        }
        let mark = marks::of_line(words);
        let open = self.all.last().filter(|_| self.block < self.all.len()).map_or(depth, |line| line.depth);
        // A line below a quotation belongs to it, also without a mark of its own, unless it begins a list.
        let begins_list = is_bullet(words) || mark.as_ref().is_some_and(LineMark::is_of_list);
        let depth = if depth < open && !begins_list { open } else { depth };
        if depth != open {
            self.end_block();
        }
        if words.starts_with('#') {
            return self.part(TextPart::Heading(marks::number_of_heading(words.trim_start_matches(['#', ' ']))));
        }
        if is_rule(words) {
            return self.part(TextPart::Rule);
        }
        self.all.push(Line {
            start: end - words.len(),
            end,
            words,
            indent,
            depth,
            is_below_quotation: depth < open,
            mark,
        });
    }

    /// Returns whether a line belongs to fenced code, which it may open or close.
    fn is_code(&mut self, words: &str) -> bool {
        let mark = words.bytes().next().unwrap_or_default();
        let length =
            if matches!(mark, b'`' | b'~') { words.bytes().take_while(|byte| *byte == mark).count() } else { 0 };
        match self.fence {
            Some((open, wanted)) => {
                if mark == open && length >= wanted && words[length..].trim().is_empty() {
                    self.fence = None;
                }
                true
            }
            None if length >= 3 && !(mark == b'`' && words[length..].contains('`')) => {
                self.part(TextPart::Code);
                self.fence = Some((mark, length));
                true
            }
            None => false,
        }
    }

    fn part(&mut self, part: TextPart) {
        self.end_block();
        self.parts.push(part);
    }

    fn end_block(&mut self) {
        let block = std::mem::replace(&mut self.block, self.all.len())..self.all.len();
        if !block.is_empty() {
            self.is_line.extend(lines_of_clauses(&self.all[block.clone()]));
            self.split_at_bullets(block);
        }
    }

    /// Adds a block: the bullets in a clause, and the clauses behind them, are blocks of their own.
    fn split_at_bullets(&mut self, block: Range<usize>) {
        let lines = &self.all[block.clone()];
        let is_clause = |line: &Line| line.depth == 0 && line.mark.is_some() && !line.is_of_list();
        let bullets = lines.iter().position(|line| is_bullet(line.words)).filter(|at| {
            let above = &lines[..*at];
            above.iter().any(is_clause) && !above.iter().any(Line::is_of_list)
        });
        let Some(bullets) = bullets else { return self.parts.push(TextPart::Block(block)) };
        let counts_on = |line: &Line| {
            let mut above = lines[..bullets].iter().filter_map(|line| line.mark.as_ref());
            let mark = line.mark.as_ref().filter(|_| is_clause(line) && line.indent < 2);
            mark.is_some_and(|mark| above.any(|above| mark.follows(above)))
        };
        let behind = lines.iter().skip(bullets).position(counts_on).map(|at| block.start + bullets + at);
        self.parts.push(TextPart::Block(block.start..block.start + bullets));
        self.parts.push(TextPart::Block(block.start + bullets..behind.unwrap_or(block.end)));
        if let Some(behind) = behind {
            self.behind_bullets.insert(behind);
            self.split_at_bullets(behind..block.end);
        }
    }
}

/// What a block is, apart from its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Text,
    /// A list without numbers, or a paragraph in an item of a list.
    List,
    /// A table, a picture, or definitions of references and notes.
    Opaque,
}

/// Returns what a block is. Text with an indentation belongs to the item of a list before it.
pub(super) fn kind_of(block: &[Line], is_in_list: bool) -> BlockKind {
    let Some(first) = block.first() else { return BlockKind::Opaque };
    let is_definition = first.words.starts_with('[') && first.words.contains("]:");
    let is_picture = first.words.starts_with("![") && first.words.trim_end().ends_with(')') && block.len() == 1;
    let is_table = block.iter().any(|line| line.words.starts_with('|') || is_table_rule(line.words));
    if is_definition || is_picture || is_table {
        return BlockKind::Opaque;
    }
    let is_below_list = is_in_list && first.indent >= 2;
    if is_below_list || block.iter().any(|line| is_bullet(line.words)) { BlockKind::List } else { BlockKind::Text }
}

/// Returns for each line of a block whether it begins with the mark of a clause: the line above ends with a break or a
/// colon, or another line has the number before or after it.
fn lines_of_clauses(block: &[Line]) -> Vec<bool> {
    let mut is_line = vec![false; block.len()];
    let mut widest = None;
    for at in 0..block.len() {
        let Some(line) = &block[at].mark else { continue };
        let above = at.checked_sub(1).map(|above| &block[above]);
        if line.article.is_some() {
            let is_behind_article =
                |above: &Line| is_line[at - 1] && above.mark.as_ref().is_some_and(|mark| mark.article.is_some());
            let may_follow = |above: &Line| {
                above.is_broken() || above.is_sentence() || above.announces() || is_behind_article(above)
            };
            is_line[at] = line.is_certain() || above.is_none_or(may_follow);
            continue;
        }
        let begins = line.marks.first().is_some_and(marks::Mark::is_first);
        if above.is_some_and(|above| above.is_broken() || begins && above.announces()) {
            is_line[at] = true;
        }
        // Initials of names count too: `A. Örnek ile`, below it `B. Örnek`. They rarely begin a paragraph.
        let may_be_first = |before: usize| {
            let above = before.checked_sub(1).map(|above| &block[above]);
            let is_certain = block[before].mark.as_ref().is_some_and(LineMark::is_certain);
            is_certain
                || is_line[before]
                || above.is_none_or(|above| above.mark.is_some() || above.announces() || above.is_broken())
        };
        let marks_above = |before: &usize| block[*before].mark.as_ref();
        let before = at.saturating_sub(MAX_LINES)..at;
        let counted = before
            .clone()
            .rev()
            .find(|before| may_be_first(*before) && marks_above(before).is_some_and(|before| line.follows(before)));
        if let Some(before) = counted {
            is_line[at] = true;
            is_line[before] = true;
        }
        let Some(above) = above.filter(|_| !is_line[at] && line.is_certain() && !line.is_of_list()) else { continue };
        let clauses = || before.clone().filter(|at| *at == 0 || is_line[*at]).filter_map(|at| marks_above(&at));
        let mut has_room = || {
            let widest = *widest.get_or_insert_with(|| block.iter().map(Line::width).max().unwrap_or_default());
            block[at].has_room_above(above, widest)
        };
        is_line[at] = if above.is_sentence() || above.announces() {
            // The one before it is not in the text.
            clauses().next().is_some()
        } else if above.ends_with(&[',']) {
            // One between them is missing.
            clauses().any(|before| line.is_behind(before)) && has_room()
        } else {
            // `A)` begins anew below `II- Organlar`.
            begins
                && above.mark.is_some()
                && is_line[at - 1]
                && clauses().any(|before| line.is_like(before))
                && has_room()
        };
    }
    is_line
}

/// Returns whether a line separates the head of a table from its rows: `--- | ---`.
fn is_table_rule(words: &str) -> bool {
    words.starts_with(['-', ':']) && words.contains('|') && words.bytes().all(|byte| b"-:| ".contains(&byte))
}

/// Returns whether a line begins an item of a list without numbers.
fn is_bullet(words: &str) -> bool {
    ["- ", "* ", "+ "].iter().any(|mark| words.starts_with(mark))
}

/// Returns whether a line is a rule or underlines a heading.
fn is_rule(words: &str) -> bool {
    let mark = words.as_bytes()[0];
    matches!(mark, b'-' | b'=' | b'*' | b'_') && words.bytes().all(|byte| byte == mark || byte == b' ')
}
