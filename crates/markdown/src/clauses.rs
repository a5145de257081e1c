//! The clauses of statutes, contracts and by-laws: `(1)`, `a)`, `1)`, `aa)`, `(ii)`, `1.1.`, `Madde 5 –`.
//!
//! Authors write a clause a line. Markdown runs such lines together, or reads `1)` as the mark of a list. Here the text
//! is written as Markdown that means what was typed: a backslash ends the line before a clause, and one inside a mark
//! keeps it from beginning a list. All forms of a text are made from that reading, so they cannot differ.

mod anchors;
mod articles;
mod counted;
mod letters;
mod lines;
mod marks;
mod path;

use std::{borrow::Cow, ops::Range};

use contract::Locale;

pub use self::anchors::AnchoredClause;
pub(super) use self::anchors::ClauseAnchors;
use self::{
    counted::CountedMarks,
    lines::{BlockKind, CODE_INDENT, Line, TextLines, TextPart},
    marks::{LineMark, Mark},
    path::{ClauseAddress, Path},
};
pub use self::{letters::label as anchor_label, marks::names_article};

/// The deepest level that pages distinguish.
const MAX_LEVEL: usize = 5;
/// Most blocks between two numbered lines that belong together.
const MAX_BLOCKS: usize = 60;

/// A text with its clauses in lines of their own.
#[derive(Clone, Debug)]
pub struct Clauses<'t> {
    /// Markdown that means what the author typed; the author's own text if nothing had to be changed.
    pub text: Cow<'t, str>,
    /// What was changed, in order; ranges count bytes of the author's text.
    pub(super) edits: Vec<(Range<usize>, &'static str)>,
    pub(super) all: Vec<Clause>,
}

/// A line that begins with the mark of a clause, or belongs to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    /// The mark, in the text as it was written here; only its beginning where the mark is emphasized or behind a note,
    /// and of an article.
    pub(super) mark: Range<usize>,
    /// Bytes of the line before its words.
    head: usize,
    /// 0 for the outermost.
    pub(super) level: usize,
    pub(super) role: ClauseRole,
    /// The clauses that begin in the line, outermost first.
    addresses: Vec<ClauseAddress>,
    is_quoted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClauseRole {
    /// `(1) …`
    Numbered,
    /// `Madde 5 – (1) …`, with its anchor.
    Article(String),
    /// Words without a mark: those behind the last item of an enumeration belong to the clause around it.
    Words,
    /// An item of a numbered list, which the page counts.
    Item,
}

impl Clause {
    /// Returns the clause that an item of a list is.
    pub(super) const fn of_list(mark: Range<usize>) -> Self {
        Self { mark, head: 0, level: 0, role: ClauseRole::Item, addresses: Vec::new(), is_quoted: false }
    }

    /// Returns whether it is an article of the text, and not of one that it quotes.
    fn is_own_article(&self) -> bool {
        !self.is_quoted && matches!(self.role, ClauseRole::Article(_))
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
    pub fn read(text: &'t str) -> Self {
        let lines = TextLines::of(text);
        if lines.all.iter().all(|line| line.mark.is_none()) {
            return Self { text: Cow::Borrowed(text), edits: Vec::new(), all: Vec::new() };
        }
        let mut reader = ClauseReader::new(text, &lines);
        for at in 0..lines.parts.len() {
            reader.part(at);
        }
        reader.finish()
    }

    /// Converts a range of [`Self::text`] to one of the author's text.
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

struct ClauseReader<'t, 'l> {
    text: &'t str,
    source: &'l TextLines<'t>,
    /// The marks of the section.
    counted: CountedMarks,
    own: Path,
    /// The clauses of a quotation, and of an item of a list: both count on their own.
    quoted: Path,
    inner: Path,
    /// Marks of quotations before the block.
    depth: usize,
    /// How the block before ended: with a colon, or with a full stop.
    is_announced: bool,
    is_finished: bool,
    /// The block before was a list, or belongs to one.
    in_list: bool,
    /// Where the last run of numbered lines ends, and whether their numbers are typed.
    run: (usize, bool),
    edits: Vec<(Range<usize>, &'static str)>,
    /// Marks count bytes of the author's text.
    all: Vec<Clause>,
}

struct OpenBlock<'b, 't> {
    lines: &'b [Line<'t>],
    is_line: &'b [bool],
    /// Numbers are typed marks, and not those of a list that the page counts.
    is_text: bool,
    /// The first mark of the block below.
    behind: Option<&'b LineMark>,
    /// For each line, the next one that begins a clause.
    next: Vec<Option<usize>>,
    /// Characters in the longest line.
    widest: usize,
}

impl<'b, 't> OpenBlock<'b, 't> {
    fn new(lines: &'b [Line<'t>], is_line: &'b [bool], is_text: bool, behind: Option<&'b LineMark>) -> Self {
        let widest = lines.iter().map(Line::width).max().unwrap_or_default();
        let mut block = Self { lines, is_line, is_text, behind, next: vec![None; lines.len()], widest };
        let mut next = None;
        for at in (0..lines.len()).rev() {
            block.next[at] = next;
            next = block.clause(at).map(|_| at).or(next);
        }
        block
    }

    /// Returns the mark of the clause that line `at` begins.
    fn clause(&self, at: usize) -> Option<&'b LineMark> {
        let mark = self.lines[at].mark.as_ref().filter(|_| at == 0 || self.is_line[at])?;
        (!mark.is_of_list() || self.is_text).then_some(mark)
    }

    /// Returns the mark of the next clause below line `at`, and whether it is in this block.
    fn next(&self, at: usize) -> Option<(&'b LineMark, bool)> {
        let here = self.next[at].and_then(|at| self.clause(at));
        here.map(|mark| (mark, true)).or_else(|| Some((self.behind?, false)))
    }
}

impl<'t, 'l> ClauseReader<'t, 'l> {
    fn new(text: &'t str, lines: &'l TextLines<'t>) -> Self {
        Self {
            text,
            source: lines,
            counted: CountedMarks::of_section(lines, 0),
            own: Path::default(),
            quoted: Path::default(),
            inner: Path::default(),
            depth: 0,
            is_announced: false,
            is_finished: false,
            in_list: false,
            run: (0, false),
            edits: Vec::new(),
            all: Vec::new(),
        }
    }

    fn part(&mut self, at: usize) {
        match &self.source.parts[at] {
            TextPart::Block(range) => self.block(at, range.clone()),
            TextPart::Code => {}
            TextPart::Heading(_) | TextPart::Rule => {
                self.own.clear();
                self.is_announced = false;
                self.counted = CountedMarks::of_section(self.source, at);
            }
        }
    }

    fn path(&mut self, is_text: bool) -> &mut Path {
        if !is_text {
            &mut self.inner
        } else if self.depth > 0 {
            &mut self.quoted
        } else {
            &mut self.own
        }
    }

    /// Reads a paragraph, or a list without empty lines.
    fn block(&mut self, at: usize, range: Range<usize>) {
        let source = self.source;
        if source.behind_bullets.contains(&range.start) {
            let end = source.all[range.start - 1].end;
            self.edits.push((end..end, "\n"));
        }
        let (lines, is_line) = (&source.all[range.clone()], &source.is_line[range.clone()]);
        let is_title = &source.is_title[range];
        let [first, ..] = lines else { return };
        let last = lines.last().unwrap_or(first);
        if first.depth != self.depth {
            self.depth = first.depth;
            self.is_announced = false;
            self.quoted.clear();
        }
        let kind = lines::kind_of(lines, self.in_list);
        self.in_list = kind == BlockKind::List || kind == BlockKind::Opaque && first.words.starts_with("[^");
        if kind == BlockKind::Opaque {
            return;
        }
        let is_announced = std::mem::replace(&mut self.is_announced, last.ends_with_colon());
        let is_finished = std::mem::replace(&mut self.is_finished, last.is_sentence());
        if lines.iter().all(|line| line.mark.is_none()) {
            if kind == BlockKind::Text && first.indent < CODE_INDENT {
                self.path(true).pass_prose();
            }
            return;
        }
        let path = self.path(true);
        let goes_on = first.mark.as_ref().and_then(LineMark::outer).is_some_and(|mark| {
            let is_below = path.is_in_clause() && mark.is_first() && (is_announced || !is_finished);
            path.is_continued_by(mark) || is_below
        });
        let is_indented = first.indent >= CODE_INDENT && kind == BlockKind::Text;
        if is_indented && !goes_on {
            return;
        }
        let may_be_text = kind == BlockKind::Text && !first.is_below_quotation;
        let is_run = may_be_text && first.is_of_list() && self.is_run_of_clauses(at);
        let is_text = is_run || may_be_text && (is_title[0] || is_text(lines, is_line, goes_on));
        self.in_list |= !is_text && first.is_of_list();
        let block = OpenBlock::new(lines, is_line, is_text, self.mark_behind(at));
        self.inner.clear();
        if block.clause(0).is_none() && is_text {
            self.path(true).pass_prose();
        }
        self.clauses(&block, is_title, is_indented, is_announced);
    }

    /// Returns the first mark of the block below a part.
    fn mark_behind(&self, at: usize) -> Option<&'l LineMark> {
        let Some(TextPart::Block(range)) = self.source.parts.get(at + 1) else { return None };
        let first = &self.source.all[range.start];
        first.mark.as_ref().filter(|_| first.depth == self.depth)
    }

    /// Reads the clauses of a block.
    fn clauses(&mut self, block: &OpenBlock, is_title: &[bool], is_indented: bool, mut is_announced: bool) {
        // How many clauses enclose the words that stand on lines of their own below the last clause.
        let mut words = None;
        let mut is_in_clause = false;
        for (at, line) in block.lines.iter().enumerate() {
            let above = at.checked_sub(1).map(|above| &block.lines[above]);
            is_announced = above.map_or(is_announced, Line::ends_with_colon);
            let Some(mark) = block.clause(at) else {
                if line.is_of_list() {
                    self.inner.clear();
                } else if is_in_clause
                    && line.mark.is_none()
                    && let Some(above) = above
                {
                    self.words(block, at, above, &mut words);
                }
                continue;
            };
            if let Some(above) = above.filter(|above| !above.is_broken()) {
                self.edits.push((above.end..above.end, "\\"));
            }
            if is_indented {
                self.edits.push((line.start - self.margin(line)..line.start, ""));
            }
            if let Some(number) = mark.marks.first().filter(|_| mark.is_of_list()) {
                let point = line.start + number.end - 1;
                self.edits.push((point..point, "\\"));
            }
            words = None;
            if is_title[at] {
                self.path(true).pass_prose();
                is_in_clause = false;
                continue;
            }
            let next = block.next(at).map(|(next, _)| next);
            is_in_clause |= self.clause(line.start, mark, next, block.is_text, is_announced) && block.is_text;
        }
    }

    /// Reads a line without a mark below a clause. Words that follow the last item of an enumeration on a line of their
    /// own belong to the clause around it.
    fn words(&mut self, block: &OpenBlock, at: usize, above: &Line, words: &mut Option<usize>) {
        let line = &block.lines[at];
        let path = self.path(true);
        let is_last = block.next(at).is_none_or(|(next, is_here)| {
            let Some(mark) = next.outer() else { return true };
            let is_below = is_here && mark.is_first() && !path.is_continued_by(mark);
            !is_below && !path.is_last_continued_by(mark)
        });
        let is_title =
            above.is_sentence() && block.next(at).is_some_and(|(next, is_here)| is_here && next.article.is_some());
        let is_begun_on_purpose = line.indent <= above.indent && line.has_room_above(above, block.widest);
        if !(above.is_broken() || is_title || is_last && is_begun_on_purpose) {
            return;
        }
        let of_clause = path.level().min(MAX_LEVEL);
        let of_words = if is_last { of_clause } else { of_clause + 1 };
        let enclosing = match *words {
            _ if is_title => 0,
            None => of_words,
            // What is not the end of a sentence goes on outside of the clause that it ends.
            Some(enclosing) if above.is_sentence() => enclosing,
            Some(enclosing) => enclosing.saturating_sub(1),
        };
        *words = Some(enclosing);
        if !above.is_broken() {
            self.edits.push((above.end..above.end, "\\"));
        }
        if let Some(level) = enclosing.checked_sub(1) {
            let (mark, is_quoted) = (line.start..line.start, self.depth > 0);
            self.all.push(Clause { mark, head: 0, level, role: ClauseRole::Words, addresses: Vec::new(), is_quoted });
        }
    }

    /// Records a clause, and returns whether it is one. `next` is the mark of the clause below.
    fn clause(
        &mut self,
        start: usize,
        line: &LineMark,
        next: Option<&LineMark>,
        is_text: bool,
        is_announced: bool,
    ) -> bool {
        // The numbers of a list are marks here only if others show it.
        let is_counted = |mark| line.is_of_list() || self.counted.contains(mark);
        if !line.outer().is_none_or(is_counted) {
            return false;
        }
        let next = next.and_then(LineMark::outer);
        let is_continued = |mark: &Mark| next.is_some_and(|next| next.follows(mark));
        let marks = line.marks.iter().rposition(is_continued).map_or(line.joined, |last| line.joined.max(last + 1));
        let marks = &line.marks[..marks];
        let is_quoted = self.depth > 0;
        let path = self.path(is_text);
        if line.article.is_some() {
            path.clear();
        }
        let mut entered = Vec::new();
        for (at, mark) in marks.iter().enumerate() {
            if at + 1 == marks.len() || !path.return_to(mark) {
                entered.push(path.enter(mark, is_announced || at > 0));
            }
        }
        let level = entered.first().map_or(0, |outer| outer.level.min(MAX_LEVEL));
        let is_marked = line.article.is_none() && !line.is_emphasized;
        let head = marks.last().map_or(line.article_end, |last| last.end);
        // A note before a mark is no part of it.
        let shown = marks.iter().take_while(|mark| is_marked && !mark.is_behind_note).last();
        let length = shown.map_or(0, |last| last.end);
        let role = match &line.article {
            Some(article) => ClauseRole::Article(article.anchor.clone()),
            None => ClauseRole::Numbered,
        };
        let addresses = entered.into_iter().map(|clause| clause.address).collect();
        self.all.push(Clause { mark: start..start + length, head, level, role, addresses, is_quoted });
        true
    }

    /// Returns the bytes of blanks before the words of a line.
    fn margin(&self, line: &Line) -> usize {
        let before = &self.text[..line.start];
        before.len() - before.trim_end_matches([' ', '\t']).len()
    }

    /// Returns whether the numbered lines of this block and of those that follow it are typed, because clauses stand
    /// between or behind them at the same margin: `1. Taraflar`, below it `1.1.`.
    fn is_run_of_clauses(&mut self, at: usize) -> bool {
        if at < self.run.0 {
            return self.run.1;
        }
        let mut above: Option<&Line> = None;
        let mut is_typed = false;
        let mut end = at;
        for part in &self.source.parts[at..] {
            let TextPart::Block(range) = part else { break };
            let lines = &self.source.all[range.clone()];
            let [first, ..] = lines else { break };
            if first.depth != self.depth || lines::kind_of(lines, false) != BlockKind::Text {
                break;
            }
            if !first.is_of_list() {
                is_typed = above.is_some_and(|above| {
                    above.is_numbered_around(first) || above.may_be_around(first) && self.is_resumed(end, above)
                });
                break;
            }
            end += 1;
            if is_text(lines, &self.source.is_line[range.clone()], false) {
                is_typed = true;
                break;
            }
            above = lines.iter().rev().find(|line| line.is_of_list());
        }
        self.run = (end, is_typed);
        is_typed
    }

    /// Returns whether numbered lines count on from line `above` behind other clauses, which begin at part `at`.
    fn is_resumed(&self, at: usize, above: &Line) -> bool {
        let parts = self.source.parts[at..].iter().take(MAX_BLOCKS);
        let blocks = parts.map_while(|part| if let TextPart::Block(range) = part { Some(range) } else { None });
        let marks = blocks.map_while(|range| self.source.all[range.start].mark.as_ref());
        let mut numbers = marks.filter(|mark| mark.is_of_list());
        numbers.next().zip(above.mark.as_ref()).is_some_and(|(next, above)| next.follows(above))
    }

    fn finish(self) -> Clauses<'t> {
        let Self { text, edits, mut all, .. } = self;
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
    let is_of_list = Line::is_of_list;
    let Some(first) = block.first() else { return false };
    if !is_of_list(first) {
        // After prose, the first mark decides.
        let lines = block
            .iter()
            .enumerate()
            .filter(|(at, line)| line.mark.is_some() && (*at == 0 || is_line[*at] || is_of_list(line)));
        return lines.map(|(_, line)| !is_of_list(line)).next().unwrap_or_default();
    }
    goes_on
        || block.iter().zip(is_line).skip(1).any(|(line, is_line)| *is_line && line.mark.is_some() && !is_of_list(line))
}
