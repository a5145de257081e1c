//! The marks of clauses, and how they count.

use super::{
    articles::{self, NamedArticle},
    letters::{ROMAN, label, lower},
};

/// Letters in counting order. Turkish statutes count with all Turkish letters, many contracts with the English ones.
pub(super) const ALPHABETS: [&str; 2] = ["abcçdefgğhıijklmnoöprsştuüvyz", "abcdefghijklmnopqrstuvwxyz"];
/// Longest number of a clause, in digits.
const MAX_DIGITS: usize = 3;
/// Most parts of a number such as `1.2.3`, and the base in which they make one number.
const MAX_PARTS: usize = 8;
const PARTS_BASE: u64 = 100;
/// Most marks in a line.
const MAX_MARKS: usize = 3;
/// Counters that an inserted clause, `(1A)`, may stand between two others.
const INSERTED: u32 = 32;

/// What stands around a number or a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum MarkFrame {
    /// `(a)`
    Both,
    /// `a)`
    Behind,
    /// `a.`
    Point,
    /// `a-`
    Dash,
    /// `a-)`, `a.)`
    Double,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Count {
    /// Multiples of [`INSERTED`], so that `1A` has room behind `1`.
    Number,
    /// A letter of one of [`ALPHABETS`].
    Letter {
        alphabet: usize,
        is_upper: bool,
    },
    /// The same letter twice: `aa`, `bb`.
    Twice {
        alphabet: usize,
    },
    Roman {
        is_upper: bool,
    },
    /// `1.2.` is the second below the number `1`.
    Parts {
        above: u64,
    },
}

/// How the clauses of one level are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CountStyle {
    frame: MarkFrame,
    count: Count,
}

/// A way to understand a mark: `i)` is the first Roman number, or a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MarkReading {
    style: CountStyle,
    counter: u32,
}

impl MarkReading {
    pub(super) fn is_first(&self) -> bool {
        self.counter == if self.style.count == Count::Number { INSERTED } else { 1 }
    }

    /// Returns whether it is the next one after one of `others`.
    pub(super) fn succeeds(&self, others: &[Self]) -> bool {
        others.iter().any(|other| self.before().any(|before| before == *other))
    }

    /// Returns whether one of `others` is counted in the same way.
    pub(super) fn is_like(&self, others: &[Self]) -> bool {
        others.iter().any(|other| other.style == self.style)
    }

    /// Returns the readings that it may follow: `(2)` follows `(1)`, and `(1A)` to `(1Z)`.
    pub(super) fn before(self) -> impl Iterator<Item = Self> {
        let step =
            if self.style.count == Count::Number && self.counter.is_multiple_of(INSERTED) { INSERTED } else { 1 };
        (self.counter.saturating_sub(step)..self.counter).map(move |counter| Self { counter, ..self })
    }

    /// Returns the one that commonly follows it.
    pub(super) fn next(self) -> Self {
        let step = if self.style.count == Count::Number { INSERTED - self.counter % INSERTED } else { 1 };
        Self { counter: self.counter + step, ..self }
    }
}

/// A number or a letter that counts a clause.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) frame: MarkFrame,
    /// The ways to understand it.
    pub(super) readings: Vec<MarkReading>,
    /// `1` and `2` for `1.2.`; empty for a letter, and for `(1)`, which does not begin a number of several parts.
    pub(super) numbers: Vec<u32>,
    /// Its part of an anchor.
    pub(super) label: String,
    /// Bytes of the line up to its end.
    pub(super) end: usize,
    /// A note of an amendment stands before it: `(Ek: 7420/3 md.) (1)`.
    pub(super) is_behind_note: bool,
}

impl Mark {
    /// Returns whether the mark repeats the number of the clause around it: `1.2.`.
    pub(super) fn is_whole(&self) -> bool {
        self.numbers.len() > 1
    }

    pub(super) fn is_first(&self) -> bool {
        self.readings.iter().any(MarkReading::is_first)
    }

    /// Returns whether the mark does not occur in prose.
    pub(super) const fn is_certain(&self) -> bool {
        matches!(self.frame, MarkFrame::Both | MarkFrame::Behind | MarkFrame::Double)
    }

    /// Returns whether the mark counts on from another one.
    pub(super) fn follows(&self, other: &Self) -> bool {
        self.readings.iter().any(|reading| reading.succeeds(&other.readings)) || self.counts_on(&other.numbers)
    }

    /// Returns whether its number comes next after `numbers`: 1.2.1, 1.3, 2 and 2.1 after 1.2. Of two plain numbers,
    /// the frames decide.
    pub(super) fn counts_on(&self, numbers: &[u32]) -> bool {
        let next = &self.numbers;
        if numbers.is_empty() || numbers.len().max(next.len()) < 2 {
            return false;
        }
        let common = numbers.iter().zip(next).take_while(|(one, other)| one == other).count();
        let is_next = match (numbers.get(common), next.get(common)) {
            (None, Some(first)) => *first == 1,
            (Some(number), Some(next)) => number + 1 == *next,
            (_, None) => false,
        };
        is_next && next[common + 1..].iter().all(|first| *first == 1)
    }

    /// Returns whether it is a small letter or Roman number.
    pub(super) fn is_small(&self) -> bool {
        self.numbers.is_empty()
            && self.readings.iter().any(|reading| match reading.style.count {
                Count::Letter { is_upper, .. } | Count::Roman { is_upper } => !is_upper,
                Count::Twice { .. } => true,
                Count::Number | Count::Parts { .. } => false,
            })
    }
}

/// The marks with which a line begins.
#[derive(Clone, Debug)]
pub(super) struct LineMark {
    /// `Madde 5 –`
    pub(super) article: Option<NamedArticle>,
    /// Bytes of the line up to the words or marks behind the article.
    pub(super) article_end: usize,
    /// The marks in the line, outermost first: two for `(a)(i)`.
    pub(super) marks: Vec<Mark>,
    /// How many of the marks are certain to be marks of this line. Others may be words, as in `(3) (a) bendi`, unless
    /// the next clause counts on from them.
    pub(super) joined: usize,
    /// Emphasis begins before the mark, so it begins no list.
    pub(super) is_emphasized: bool,
    /// The author wrote `1\)`, which begins no list either.
    pub(super) is_escaped: bool,
}

impl LineMark {
    /// Returns whether Markdown reads the mark as that of a list.
    pub(super) fn is_of_list(&self) -> bool {
        let Some(mark) = self.outer() else { return false };
        let may_begin_list = matches!(mark.frame, MarkFrame::Behind | MarkFrame::Point);
        let is_number = mark.numbers.len() == 1 && mark.label.bytes().all(|byte| byte.is_ascii_digit());
        may_begin_list && is_number && !self.is_emphasized && !self.is_escaped && !mark.is_behind_note
    }

    /// Returns the outermost mark, unless the line begins an article.
    pub(super) fn outer(&self) -> Option<&Mark> {
        self.marks.first().filter(|_| self.article.is_none())
    }

    /// Returns whether the line begins an article of a statute, and not an annex or the like.
    pub(super) fn is_of_statute(&self) -> bool {
        self.article.as_ref().is_some_and(|article| article.is_of_statute)
    }

    /// Returns whether the mark does not occur in prose.
    pub(super) fn is_certain(&self) -> bool {
        match (&self.article, self.marks.first()) {
            (Some(article), _) => article.is_certain,
            (None, mark) => mark.is_some_and(Mark::is_certain),
        }
    }

    /// Returns whether the first mark of the line is counted like one of another line, and comes later.
    pub(super) fn is_behind(&self, other: &Self) -> bool {
        self.pairs(other).any(|(reading, other)| other.style == reading.style && other.counter < reading.counter)
    }

    /// Returns whether the first mark of the line is counted like one of another line.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.pairs(other).any(|(reading, other)| other.style == reading.style)
    }

    /// Returns the readings of the first mark, each with all those of another line.
    fn pairs<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a MarkReading, &'a MarkReading)> {
        let readings = self.outer().into_iter().flat_map(|mark| &mark.readings);
        let others = move || other.marks.iter().flat_map(|other| &other.readings);
        readings.flat_map(move |reading| others().map(move |other| (reading, other)))
    }

    /// Returns whether the first mark of the line counts on from a mark of another line.
    pub(super) fn follows(&self, other: &Self) -> bool {
        let Some(mark) = self.outer() else { return false };
        other.marks.iter().any(|other| mark.follows(other))
    }
}

/// Returns the marks with which `words` begin.
pub(super) fn of_line(words: &str) -> Option<LineMark> {
    let bare = words.trim_start_matches(['*', '_']);
    let emphasis = words.len() - bare.len();
    if emphasis > 3 {
        return None;
    }
    let (article, rest) = match articles::of_line(bare, emphasis > 0) {
        Some((article, rest)) => (Some(article), rest),
        None => (None, bare),
    };
    let mut at = words.len() - rest.len();
    let mut line = LineMark {
        article,
        article_end: at,
        marks: Vec::new(),
        joined: 0,
        is_emphasized: emphasis > 0,
        is_escaped: false,
    };
    while let Some(mark) = counted(words, at).or_else(|| behind_note(words, at)) {
        if line.marks.len() == MAX_MARKS {
            break;
        }
        let gap = mark.start - line.marks.last().map_or(mark.start, |last| last.end);
        let (is_joined, may_be_mark) = match line.marks.last() {
            None if mark.mark.is_certain() => (true, true),
            None if line.article.is_some() => (false, true),
            None => (!mark.mark.is_behind_note, false),
            Some(last) => {
                let is_other = !mark.mark.readings.iter().all(|reading| reading.is_like(&last.readings));
                let is_joined = gap == 0 && (last.frame == MarkFrame::Both || last.is_whole());
                (is_joined && is_other, is_other && mark.mark.is_certain() && mark.mark.is_first())
            }
        };
        if !is_joined && !may_be_mark {
            break;
        }
        line.joined += usize::from(is_joined && line.joined == line.marks.len());
        line.is_escaped |= line.marks.is_empty() && words[mark.start..mark.mark.end].contains('\\');
        at = mark.mark.end;
        line.marks.push(mark.mark);
    }
    (line.article.is_some() || !line.marks.is_empty()).then_some(line)
}

/// Returns whether a heading is that of an article: `Madde 5`, `Article 5. Scope`.
pub fn names_article(words: &str) -> bool {
    articles::of_heading(words).is_some()
}

/// Returns the number of a heading or of its article: 5 for `5. Fesih` and for `Madde 5`.
pub(super) fn number_of_heading(words: &str) -> Option<u32> {
    let words = words.trim_start_matches(['*', '_']);
    let digits = words.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let number = words[..words.len() - digits.len()].parse().ok().filter(|_| !digits.starts_with(char::is_alphabetic));
    number.or_else(|| articles::of_heading(words).map(|article| article.number)).filter(|number| *number > 0)
}

/// Returns the mark behind the notes of amendments at `at`: `(1)` in `(Ek: 7420/3 md.) (1)`.
fn behind_note(line: &str, at: usize) -> Option<PlacedMark> {
    let rest = articles::behind_notes(&line[at..]);
    let placed = (rest.len() < line.len() - at).then(|| counted(line, line.len() - rest.len()))??;
    Some(PlacedMark { mark: Mark { is_behind_note: true, ..placed.mark }, ..placed })
}

/// A mark and where it begins in the line.
struct PlacedMark {
    start: usize,
    mark: Mark,
}

/// Returns the mark that begins at or behind the blanks at `at`.
fn counted(line: &str, at: usize) -> Option<PlacedMark> {
    let words = line[at..].trim_start_matches([' ', '\u{a0}', '*', '_']);
    let inside = words.strip_prefix('(').unwrap_or(words);
    let is_open = inside.len() < words.len();
    let first = inside.bytes().next()?;
    let is_number = first.is_ascii_digit();
    if !is_number && !inside.starts_with(char::is_alphabetic) {
        return None;
    }
    let start = line.len() - words.len();
    if let Some((number, length)) = whole_number(words) {
        let numbers: Vec<u32> = number.split('.').filter_map(|part| part.parse().ok()).collect();
        let (last, above) = numbers.split_last()?;
        let above = above.iter().fold(1, |above, part| above * PARTS_BASE + u64::from(*part));
        let style = CountStyle { frame: MarkFrame::Point, count: Count::Parts { above } };
        let readings = vec![MarkReading { style, counter: *last }];
        let (label, end) = (number.to_owned(), start + length);
        let mark = Mark { frame: MarkFrame::Point, readings, label, numbers, end, is_behind_note: false };
        return Some(PlacedMark { start, mark });
    }
    // Longest is `xviii`.
    let length = inside.char_indices().take(6).find(|(_, letter)| !letter.is_alphanumeric())?.0;
    let (word, rest) = inside.split_at(length);
    let rest = rest.strip_prefix('\\').unwrap_or(rest);
    let (frame, closing) = match (is_open, rest.as_bytes()) {
        (true, [b')', ..]) => (MarkFrame::Both, 1),
        (false, [b')', ..]) => (MarkFrame::Behind, 1),
        (false, [b'-' | b'.', b')', ..]) => (MarkFrame::Double, 2),
        (false, [b'.', ..]) => (MarkFrame::Point, 1),
        (false, [b'-', ..]) => (MarkFrame::Dash, 1),
        _ => return None,
    };
    let length = words.len() - rest.len() + closing;
    let behind = &words[length..];
    let may_touch = frame == MarkFrame::Both || frame == MarkFrame::Behind && !is_number;
    let begins_word = may_touch && behind.starts_with(|letter: char| letter.is_alphabetic() || letter == '(');
    let is_mark = behind.is_empty() || behind.starts_with([' ', '\t', '\u{a0}', '*', '_', '\\']) || begins_word;
    let (readings, numbers) =
        if is_number { read_number(word, frame)? } else { (read_letters(word, frame), Vec::new()) };
    let mark = Mark { frame, readings, numbers, label: label(word), end: start + length, is_behind_note: false };
    (is_mark && !mark.readings.is_empty()).then_some(PlacedMark { start, mark })
}

/// Returns `1.2` and its length with what closes it: `1.2.`, `1.2)`, `1.2-` or a blank.
fn whole_number(words: &str) -> Option<(&str, usize)> {
    let end = words.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
    let number = words[..end].strip_suffix('.').unwrap_or(&words[..end]);
    let parts = number.split('.').count();
    if !(2..=MAX_PARTS).contains(&parts) || !number.split('.').all(|part| matches!(part.len(), 1 | 2)) {
        return None;
    }
    let behind = &words[end..];
    if behind.starts_with([')', '-']) {
        return behind[1..].starts_with([' ', '\t', '\u{a0}']).then_some((number, end + 1));
    }
    // `1.2.a)` is two marks.
    let mut letters = behind.chars();
    let is_lettered = number.len() < end
        && letters.next().is_some_and(char::is_alphabetic)
        && letters.next().is_some_and(|frame| matches!(frame, ')' | '.'));
    (behind.starts_with([' ', '\t', '\u{a0}', '*', '_']) || is_lettered).then_some((number, end))
}

/// Returns the reading and the number of `5` or `5A`.
fn read_number(word: &str, frame: MarkFrame) -> Option<(Vec<MarkReading>, Vec<u32>)> {
    let digits = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    if digits.len() > MAX_DIGITS {
        return None;
    }
    let number: u32 = digits.parse().ok()?;
    let inserted = match &word.as_bytes()[digits.len()..] {
        [] => 0,
        [letter] => u32::from(letter.to_ascii_lowercase() - b'a' + 1),
        _ => return None,
    };
    let style = CountStyle { frame, count: Count::Number };
    let numbers = if frame == MarkFrame::Both || inserted > 0 { Vec::new() } else { vec![number] };
    Some((vec![MarkReading { style, counter: number * INSERTED + inserted }], numbers))
}

/// Returns the ways to understand letters.
fn read_letters(word: &str, frame: MarkFrame) -> Vec<MarkReading> {
    let reading = |count, counter| MarkReading { style: CountStyle { frame, count }, counter };
    let is_upper = word.chars().all(char::is_uppercase);
    let lower = if is_upper { lower(word) } else { word.to_owned() };
    let mut letters = lower.chars();
    let (first, second) = (letters.next(), letters.next());
    let is_single = second.is_none();
    let is_double = second.is_some() && first == second && letters.next().is_none();
    let index = |alphabet: &str| {
        let at = alphabet.chars().position(|letter| Some(letter) == first)?;
        u32::try_from(at + 1).ok()
    };
    let roman = ROMAN.iter().zip(1..).find(|(roman, _)| **roman == lower.replace('ı', "i"));
    let roman = roman.map(|(_, number)| reading(Count::Roman { is_upper }, number));
    let letters = ALPHABETS.iter().enumerate().flat_map(|(alphabet, letters)| {
        let number = index(letters).unwrap_or_default();
        // `aa` follows `z`, or begins a level of its own.
        let last = u32::try_from(letters.chars().count()).unwrap_or_default();
        let letter = is_single.then_some(number).or(is_double.then_some(last + number));
        let letter = letter.map(|number| reading(Count::Letter { alphabet, is_upper }, number));
        let twice = is_double.then(|| reading(Count::Twice { alphabet }, number));
        letter.into_iter().chain(twice).filter(move |_| number > 0)
    });
    letters.chain(roman).collect()
}
