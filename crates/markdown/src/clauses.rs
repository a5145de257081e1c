//! The clauses of statutes, contracts and by-laws: `(1)`, `a)`, `1)`, `aa)`, `(ii)`, `1.1.`, `Madde 5 –`.
//!
//! Authors write a clause a line. Markdown runs such lines together, or reads `1)` as the mark of a list. Here the text
//! is written as Markdown that means what was typed: a backslash ends the line before a clause, and one inside a mark
//! keeps it from beginning a list. All forms of a text are made from that reading, so they cannot differ.

mod anchors;
mod marks;

use std::{borrow::Cow, ops::Range};

use contract::Locale;
use memchr::memchr;

pub(super) use self::anchors::ClauseAnchors;
pub use self::marks::names_article;
use self::marks::{LineMark, Mark, MarkReading};

/// The deepest level that pages distinguish.
const MAX_LEVEL: usize = 5;
/// Levels that are kept apart.
const MAX_LEVELS: usize = 8;
/// Lines above a clause that are searched for the one before it.
const MAX_LINES: usize = 60;
/// Spaces that make a line code.
const CODE_INDENT: usize = 4;

/// A text with its clauses in lines of their own.
#[derive(Clone, Debug)]
pub struct Clauses<'t> {
    /// Markdown that means what the author typed; the author's own text if nothing had to be changed.
    pub text: Cow<'t, str>,
    /// What was changed, in order; ranges count bytes of the author's text.
    pub(super) edits: Vec<(Range<usize>, &'static str)>,
    pub(super) all: Vec<Clause>,
}

/// A line that begins with the mark of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    /// The mark, in the text as it was written here; only its beginning where the mark is emphasized.
    pub(super) mark: Range<usize>,
    /// 0 for the outermost.
    pub(super) level: usize,
    /// A mark that also occurs in prose, such as `i.`, is one of a clause only if another one follows.
    is_certain: bool,
    /// The mark was that of a numbered list.
    pub(super) is_of_list: bool,
}

impl Clause {
    /// Returns the clause that an item of a list is.
    pub(super) const fn of_list(mark: Range<usize>) -> Self {
        Self { mark, level: 0, is_certain: true, is_of_list: true }
    }

    /// Moves the clause as far as the text from `old` on was moved, to `new`.
    pub(super) fn moved(self, old: usize, new: usize) -> Self {
        let start = new + (self.mark.start - old);
        Self { mark: start..start + self.mark.len(), ..self }
    }
}

/// Returns the letters with which clauses are counted, in their order.
pub(super) const fn alphabet(locale: Locale) -> &'static str {
    match locale {
        Locale::Tr => marks::ALPHABETS[0],
        Locale::En => marks::ALPHABETS[1],
    }
}

impl<'t> Clauses<'t> {
    /// Finds the clauses of `text`.
    #[must_use]
    pub fn read(text: &'t str) -> Self {
        let mut reader = ClauseReader::new(text);
        let mut at = 0;
        while at < text.len() {
            let end = memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length);
            reader.line(at, end);
            at = end + 1;
        }
        reader.finish()
    }

    /// Converts a range of [`Self::text`] to one of the author's text.
    #[must_use]
    pub fn origin(&self, range: Range<usize>) -> Range<usize> {
        if self.edits.is_empty() { range } else { self.place(range.start)..self.place(range.end) }
    }

    fn place(&self, offset: usize) -> usize {
        let (mut old, mut new) = (0, 0);
        for (range, with) in &self.edits {
            let kept = range.start - old;
            if offset < new + kept {
                return old + (offset - new);
            }
            new += kept;
            old = range.start;
            if offset < new + with.len() {
                return old;
            }
            new += with.len();
            old = range.end;
        }
        old + (offset - new)
    }
}

/// A line of a paragraph.
#[derive(Clone, Debug)]
struct Line<'t> {
    /// Its words, without quotation marks and indentation.
    start: usize,
    end: usize,
    words: &'t str,
    /// Spaces before the words.
    indent: usize,
    /// Marks of quotations before the words.
    depth: usize,
    mark: Option<LineMark>,
}

impl Line<'_> {
    /// Returns whether the author ended the line with a hard break.
    fn is_broken(&self) -> bool {
        let marks = self.words.len() - self.words.trim_end_matches('\\').len();
        marks % 2 == 1 || self.words.ends_with("  ")
    }

    fn announces(&self) -> bool {
        self.words.trim_end_matches(['\\', ' ', '*', '_']).ends_with(':')
    }
}

/// An enclosing clause.
#[derive(Clone, Debug)]
struct ClauseLevel {
    /// The ways to understand its last mark.
    readings: Vec<MarkReading>,
    /// Index of its first clause.
    first: usize,
}

struct ClauseReader<'t> {
    text: &'t str,
    block: Vec<Line<'t>>,
    /// The mark and length of the fence of open code.
    fence: Option<(u8, usize)>,
    /// The enclosing clauses of the next line, outermost first.
    levels: Vec<ClauseLevel>,
    /// The paragraph before ended with a colon.
    is_announced: bool,
    /// The block before was a list, or belongs to one.
    in_list: bool,
    edits: Vec<(Range<usize>, &'static str)>,
    /// Marks count bytes of the author's text.
    all: Vec<Clause>,
}

impl<'t> ClauseReader<'t> {
    const fn new(text: &'t str) -> Self {
        Self {
            text,
            block: Vec::new(),
            fence: None,
            levels: Vec::new(),
            is_announced: false,
            in_list: false,
            edits: Vec::new(),
            all: Vec::new(),
        }
    }

    fn line(&mut self, start: usize, end: usize) {
        let whole = &self.text[start..end];
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
            self.end_block();
            return;
        }
        if self.block.last().is_some_and(|line| line.depth != depth) {
            self.end_block();
            self.part();
        }
        if words.starts_with('#') || is_rule(words) {
            self.end_block();
            self.part();
            return;
        }
        let mark = marks::of_line(words);
        self.block.push(Line { start: end - words.len(), end, words, indent, depth, mark });
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
                self.end_block();
                self.part();
                self.fence = Some((mark, length));
                true
            }
            None => false,
        }
    }

    /// Ends the clauses: what follows does not belong to them.
    fn part(&mut self) {
        self.levels.clear();
        self.is_announced = false;
    }

    /// Reads a paragraph, or a list without empty lines.
    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        let Some((first, last)) = block.first().zip(block.last()) else { return };
        let is_announced = std::mem::replace(&mut self.is_announced, last.announces());
        let is_below_list = self.in_list && first.indent >= 2;
        let is_item = |line: &Line| ["- ", "* ", "+ "].iter().any(|mark| line.words.starts_with(mark));
        let has_items = block.iter().any(is_item);
        self.in_list = is_below_list || has_items;
        let is_opaque = first.words.starts_with('[') && first.words.contains("]:")
            || block.iter().any(|line| line.words.starts_with('|') || is_table_rule(line.words));
        if is_opaque || block.iter().all(|line| line.mark.is_none()) {
            self.in_list |= first.words.starts_with("[^");
            self.part();
            self.is_announced = last.announces();
            self.recycle(block);
            return;
        }
        let is_line = lines_of_clauses(&block);
        let is_indented = first.indent >= CODE_INDENT && !is_below_list;
        let goes_on = first.mark.as_ref().is_some_and(|line| self.goes_on(line, is_announced));
        if is_indented && !goes_on {
            self.part();
            self.recycle(block);
            return;
        }
        let is_list = has_items || is_below_list;
        let is_text = !is_list && is_text(&block, &is_line, goes_on);
        if !is_text {
            // The marks of lists are counted by the page. Inside of an item, clauses begin anew.
            self.part();
            self.in_list |= first.mark.as_ref().is_some_and(LineMark::is_of_list);
        }
        let mut is_clause_above = false;
        for (at, line) in block.iter().enumerate() {
            let Some(mark) = &line.mark else { continue };
            if mark.is_of_list() && !(is_text && (at == 0 || is_clause_above || is_line[at])) {
                self.levels.clear();
                continue;
            }
            if at > 0 && !is_line[at] {
                continue;
            }
            if let Some(above) = at.checked_sub(1).map(|above| &block[above]).filter(|above| !above.is_broken()) {
                self.edits.push((above.end..above.end, "\\"));
            }
            if is_indented {
                self.edits.push((line.start - self.margin(line)..line.start, ""));
            }
            if mark.is_of_list() {
                let point = line.start + mark.length - 1;
                self.edits.push((point..point, "\\"));
            }
            is_clause_above = true;
            self.clause(line.start, mark);
        }
        self.recycle(block);
    }

    /// Keeps the memory of a block for the next one.
    fn recycle(&mut self, mut block: Vec<Line<'t>>) {
        block.clear();
        self.block = block;
    }

    /// Returns the bytes of blanks before the words of a line.
    fn margin(&self, line: &Line) -> usize {
        let before = &self.text[..line.start];
        before.len() - before.trim_end_matches([' ', '\t']).len()
    }

    /// Returns whether a paragraph's first mark continues the clauses before it, or begins some that were announced.
    fn goes_on(&self, line: &LineMark, is_announced: bool) -> bool {
        let follows = |reading: &MarkReading| self.levels.iter().any(|level| reading.succeeds(&level.readings));
        let begins = is_announced && !self.levels.is_empty();
        line.mark.readings().iter().any(|reading| follows(reading) || begins && reading.number == 1)
    }

    /// Records a clause and finds its level.
    fn clause(&mut self, start: usize, line: &LineMark) {
        let index = self.all.len();
        if line.mark == Mark::Article {
            self.part();
            if let Some(inner) = &line.inner {
                self.enter(&inner.readings(), index);
            }
            return;
        }
        let level = self.enter(&line.mark.readings(), index);
        if let Some(first) = self.levels.get(level).map(|level| level.first).filter(|first| *first < index) {
            self.all[first].is_certain = true;
        }
        let is_certain = line.is_certain || self.levels.get(level).is_some_and(|level| level.first < index);
        let length = if line.is_emphasized { 0 } else { line.length };
        self.all.push(Clause {
            mark: start..start + length,
            level: level.min(MAX_LEVEL),
            is_certain,
            is_of_list: false,
        });
    }

    /// Returns the level of a mark, and makes it the innermost one.
    fn enter(&mut self, readings: &[MarkReading], index: usize) -> usize {
        let next = self.levels.iter().enumerate().rev().find_map(|(at, level)| {
            let next: Vec<MarkReading> =
                readings.iter().filter(|next| next.succeeds(&level.readings)).copied().collect();
            (!next.is_empty()).then_some((at, next))
        });
        if let Some((at, readings)) = next {
            self.levels.truncate(at + 1);
            self.levels[at].readings = readings;
            return at;
        }
        let begun: Vec<MarkReading> = readings.iter().filter(|reading| reading.number == 1).copied().collect();
        let is_first = !begun.is_empty();
        let readings = if is_first { begun } else { readings.to_vec() };
        let known = self.levels.iter().rposition(|level| level.readings.iter().any(|known| known.is_like(&readings)));
        let is_deepest = |at: usize| at + 1 == self.levels.len();
        let deepest = (self.levels.len() == MAX_LEVELS).then_some(MAX_LEVELS - 1);
        if let Some(at) = known.filter(|at| !is_first || is_deepest(*at)).or(deepest) {
            self.levels.truncate(at + 1);
            self.levels[at].readings = readings;
            return at;
        }
        self.levels.push(ClauseLevel { readings, first: index });
        self.levels.len() - 1
    }

    fn finish(mut self) -> Clauses<'t> {
        self.end_block();
        let Self { text, edits, mut all, .. } = self;
        all.retain(|clause| clause.is_certain);
        if edits.is_empty() {
            return Clauses { text: Cow::Borrowed(text), edits, all };
        }
        let mut written = String::with_capacity(text.len() + edits.len());
        let mut before = std::mem::take(&mut all).into_iter().peekable();
        let mut done = 0;
        for (range, with) in &edits {
            while let Some(mut clause) = before.next_if(|clause| clause.mark.start < range.start) {
                // The escape of a mark is part of it.
                let escape = usize::from(clause.mark.contains(&range.start));
                clause = clause.moved(done, written.len());
                clause.mark.end += escape;
                all.push(clause);
            }
            written.push_str(&text[done..range.start]);
            written.push_str(with);
            done = range.end;
        }
        all.extend(before.map(|clause| clause.moved(done, written.len())));
        written.push_str(&text[done..]);
        Clauses { text: Cow::Owned(written), edits, all }
    }
}

/// Returns whether the numbers of a block are typed marks, and not those of a list that the page counts.
fn is_text(block: &[Line], is_line: &[bool], goes_on: bool) -> bool {
    let is_of_list = |line: &Line| line.mark.as_ref().is_some_and(LineMark::is_of_list);
    let Some(first) = block.first() else { return false };
    if !is_of_list(first) {
        // After prose, the first mark decides.
        let lines = block
            .iter()
            .enumerate()
            .filter(|(at, line)| line.mark.is_some() && (*at == 0 || is_line[*at] || is_of_list(line)));
        return lines.map(|(_, line)| !is_of_list(line)).next().unwrap_or_default();
    }
    let content = first.mark.as_ref().map_or(0, |mark| mark.length + 1);
    goes_on
        || block.iter().enumerate().skip(1).any(|(at, line)| {
            is_line[at] && line.mark.is_some() && !is_of_list(line) && line.indent < first.indent + content
        })
}

/// Returns for each line of a block whether it begins with the mark of a clause: the line above ends with a break or a
/// colon, or another line has the number before or after it.
fn lines_of_clauses(block: &[Line]) -> Vec<bool> {
    let mut is_line = vec![false; block.len()];
    let readings_of = |line: &Line| line.mark.iter().flat_map(LineMark::all).collect();
    let all: Vec<Vec<MarkReading>> = block.iter().map(readings_of).collect();
    for at in 0..block.len() {
        let Some(line) = &block[at].mark else { continue };
        let above = at.checked_sub(1).map(|above| &block[above]);
        let readings = line.mark.readings();
        let begins = readings.iter().any(|reading| reading.number == 1);
        if line.mark == Mark::Article || above.is_some_and(|above| above.is_broken() || begins && above.announces()) {
            is_line[at] = true;
        }
        // Initials of names count too: `A. Örnek ile`, below it `B. Örnek`. They rarely begin a paragraph.
        let may_be_first = |before: usize| {
            let above = before.checked_sub(1).map(|above| &block[above]);
            let is_certain = block[before].mark.as_ref().is_some_and(|mark| mark.is_certain);
            is_certain
                || is_line[before]
                || above.is_none_or(|above| above.mark.is_some() || above.announces() || above.is_broken())
        };
        let mut before = (at.saturating_sub(MAX_LINES)..at).rev();
        let before = before
            .find(|before| may_be_first(*before) && readings.iter().any(|reading| reading.succeeds(&all[*before])));
        if let Some(before) = before {
            is_line[at] = true;
            is_line[before] = true;
        }
    }
    is_line
}

/// Returns whether a line separates the head of a table from its rows: `--- | ---`.
fn is_table_rule(words: &str) -> bool {
    words.starts_with(['-', ':']) && words.contains('|') && words.bytes().all(|byte| b"-:| ".contains(&byte))
}

/// Returns whether a line is a rule or underlines a heading.
fn is_rule(words: &str) -> bool {
    let mark = words.as_bytes()[0];
    matches!(mark, b'-' | b'=' | b'*' | b'_') && words.bytes().all(|byte| byte == mark || byte == b' ')
}
