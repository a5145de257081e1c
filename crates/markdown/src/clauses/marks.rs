//! The marks of clauses, and how they count.

/// Letters in counting order. Turkish statutes count with all Turkish letters, many contracts with the English ones.
pub(super) const ALPHABETS: [&str; 2] = ["abcçdefgğhıijklmnoöprsştuüvyz", "abcdefghijklmnopqrstuvwxyz"];
const ROMAN: [&str; 20] = [
    "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii",
    "xviii", "xix", "xx",
];
/// Words before the number of an article, in capitals or not.
const ARTICLES: [&str; 8] =
    ["MADDE ", "Madde ", "EK MADDE ", "Ek Madde ", "GEÇİCİ MADDE ", "Geçici Madde ", "ARTICLE ", "Article "];
/// Longest number of a clause, in digits.
const MAX_DIGITS: usize = 3;

/// What stands around a number or a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkFrame {
    /// `(a)`
    Both,
    /// `a)`
    Behind,
    /// `a.`
    Point,
    /// `a-`
    Dash,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
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
    /// `1.1.` has two parts.
    Parts(usize),
}

/// How the clauses of one level are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CountStyle {
    frame: MarkFrame,
    count: Count,
}

/// A way to understand a mark: `i)` is the first Roman number, or a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MarkReading {
    style: CountStyle,
    pub(super) number: u32,
}

impl MarkReading {
    /// Returns whether it is the next one after one of `others`.
    pub(super) fn succeeds(&self, others: &[Self]) -> bool {
        others.iter().any(|other| other.style == self.style && other.number + 1 == self.number)
    }

    /// Returns whether one of `others` is counted in the same way.
    pub(super) fn is_like(&self, others: &[Self]) -> bool {
        others.iter().any(|other| other.style == self.style)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// `Madde 5 –`
    Article,
    Counted {
        frame: MarkFrame,
        word: String,
    },
}

/// The mark with which a line begins.
#[derive(Clone, Debug)]
pub(super) struct LineMark {
    pub(super) mark: Mark,
    /// The first paragraph of an article in the line of its number.
    pub(super) inner: Option<Mark>,
    /// Bytes of the mark.
    pub(super) length: usize,
    /// Emphasis begins before the mark, so it begins no list.
    pub(super) is_emphasized: bool,
    /// The author wrote `1\)`, which begins no list either.
    pub(super) is_escaped: bool,
    /// The mark does not occur in prose.
    pub(super) is_certain: bool,
}

impl LineMark {
    /// Returns whether Markdown reads the mark as that of a list.
    pub(super) fn is_of_list(&self) -> bool {
        let Mark::Counted { frame: MarkFrame::Behind | MarkFrame::Point, word } = &self.mark else { return false };
        !self.is_emphasized && !self.is_escaped && word.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Returns all readings of the marks in the line.
    pub(super) fn all(&self) -> impl Iterator<Item = MarkReading> {
        self.mark.readings().into_iter().chain(self.inner.iter().flat_map(Mark::readings))
    }
}

impl Mark {
    /// Returns the ways to understand the mark.
    pub(super) fn readings(&self) -> Vec<MarkReading> {
        let Self::Counted { frame, word } = self else { return Vec::new() };
        let reading = |count, number| MarkReading { style: CountStyle { frame: *frame, count }, number };
        if let Ok(number) = word.parse() {
            return vec![reading(Count::Number, number)];
        }
        if let Some((_, last)) = word.rsplit_once('.') {
            let parts = word.split('.').count();
            return last.parse().map(|number| reading(Count::Parts(parts), number)).into_iter().collect();
        }
        let is_upper = word.chars().all(char::is_uppercase);
        let lower = if is_upper { lower(word) } else { word.clone() };
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
}

/// Returns a mark in lower case: a capital I is the Roman number or the English letter.
pub(super) fn lower(word: &str) -> String {
    word.chars()
        .map(|letter| if letter == 'İ' { 'i' } else { letter.to_lowercase().next().unwrap_or(letter) })
        .collect()
}

/// Returns the mark with which `words` begin.
pub(super) fn of_line(words: &str) -> Option<LineMark> {
    let bare = words.trim_start_matches(['*', '_']);
    let is_emphasized = bare.len() < words.len();
    if is_emphasized && words.len() - bare.len() > 3 {
        return None;
    }
    if let Some(behind) = article(bare) {
        let inner = behind.trim_start_matches(['*', '_', ' ', '\u{a0}']);
        let inner = counted(inner).map(|(mark, _)| mark);
        return Some(LineMark {
            mark: Mark::Article,
            inner,
            length: 0,
            is_emphasized,
            is_escaped: false,
            is_certain: true,
        });
    }
    let (mark, length) = counted(bare)?;
    let Mark::Counted { frame, word } = &mark else { return None };
    let is_certain = matches!(frame, MarkFrame::Both | MarkFrame::Behind);
    let is_known = word.contains('.') || !mark.readings().is_empty();
    let is_escaped = bare[..length].contains('\\');
    is_known.then_some(LineMark { mark, inner: None, length, is_emphasized, is_escaped, is_certain })
}

/// Returns whether a heading is that of an article: `Madde 5`, `Article 5. Scope`.
#[must_use]
pub fn names_article(words: &str) -> bool {
    article_of(words).is_some()
}

/// Returns `Madde 5/A` for `Madde 5/A – Amaç`.
pub(super) fn article_of(words: &str) -> Option<&str> {
    let number = ARTICLES.iter().find_map(|article| words.strip_prefix(article))?;
    let behind = number.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let lettered = behind.strip_prefix('/').map_or(behind, |letter| letter.trim_start_matches(char::is_alphabetic));
    let end = words.len() - lettered.len();
    (behind.len() < number.len()).then(|| words[..end].trim_end_matches('/'))
}

/// Returns what follows `Madde 5 –`.
fn article(words: &str) -> Option<&str> {
    if !words.starts_with(['M', 'E', 'G', 'A']) {
        return None;
    }
    let number = ARTICLES.iter().find_map(|article| words.strip_prefix(article))?;
    let behind = number.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_number = behind.len() < number.len();
    let behind = behind.strip_prefix('/').map_or(behind, |letter| letter.trim_start_matches(char::is_alphabetic));
    let behind = behind.trim_start_matches([' ', '*', '_', '\u{a0}']);
    behind.strip_prefix(['-', '–', '—', '.', ':']).filter(|_| is_number)
}

/// Returns a mark and its length in bytes.
fn counted(words: &str) -> Option<(Mark, usize)> {
    let inside = words.strip_prefix('(').unwrap_or(words);
    let is_open = inside.len() < words.len();
    let first = inside.bytes().next()?;
    let is_digits = first.is_ascii_digit();
    if !is_digits && !inside.starts_with(char::is_alphabetic) {
        return None;
    }
    let rest = if is_digits {
        inside.trim_start_matches(|letter: char| letter.is_ascii_digit())
    } else {
        // Longest is `xviii`.
        let end = inside.char_indices().take(6).find(|(_, letter)| !letter.is_alphabetic())?;
        &inside[end.0..]
    };
    let word = &inside[..inside.len() - rest.len()];
    if is_digits && word.len() > MAX_DIGITS {
        return None;
    }
    if is_digits && !is_open && rest.starts_with('.') && rest[1..].starts_with(|letter: char| letter.is_ascii_digit()) {
        return parts(words);
    }
    let rest = rest.strip_prefix('\\').unwrap_or(rest);
    let frame = match (is_open, rest.bytes().next()?) {
        (true, b')') => MarkFrame::Both,
        (false, b')') => MarkFrame::Behind,
        (false, b'.') => MarkFrame::Point,
        (false, b'-') => MarkFrame::Dash,
        _ => return None,
    };
    let length = words.len() - rest.len() + 1;
    let behind = &words[length..];
    let may_touch = frame == MarkFrame::Both || frame == MarkFrame::Behind && !is_digits;
    let begins_word = may_touch && behind.starts_with(char::is_alphabetic);
    let is_mark = behind.is_empty() || behind.starts_with([' ', '\t', '\u{a0}', '*', '_']) || begins_word;
    is_mark.then(|| (Mark::Counted { frame, word: word.to_owned() }, length))
}

/// Returns `1.1.` or `1.1` and its length.
fn parts(words: &str) -> Option<(Mark, usize)> {
    let end = words.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
    let number = words[..end].strip_suffix('.').unwrap_or(&words[..end]);
    let is_part = |part: &str| matches!(part.len(), 1 | 2);
    let is_mark = words[end..].starts_with([' ', '\t', '\u{a0}']) && number.split('.').all(is_part);
    is_mark.then(|| (Mark::Counted { frame: MarkFrame::Point, word: number.to_owned() }, end))
}
