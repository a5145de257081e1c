//! The table of patterns, and its matches in a text.
//!
//! All words of the table are searched for at once, and a pattern is tried only around a word of its row. So the time
//! for a text does not grow with the table.

use std::{ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use contract::{Locale, PerLocale};
use findings::Code;
use regex_lite::Regex;
use serde::Deserialize;

use super::folded::{fold_words, plain_letter};

/// Bytes around a word that its pattern reads.
const REACH: usize = 200;
/// Maximum number of times that a pattern is tried in a file; further matches are not counted.
const MAX_LOOKS: usize = 200;

/// Inflections of a Turkish word, no derivations: plural, possessive, case, copula.
const SUFFIXES: &str = "(?:'?(?:l[ae]r)?(?:i?m[iu]z|[iu]?n[iu]z|[iu]m|[iu]n|s?[iu])?(?:n[iu]n|y?[iu]|n[iu]|y?[ae]|n[ae]|\
    n?[dt][ae]n?|n?[dt][ae]ki(?:ler)?|y?l[ae])?(?:[dt][iu]r(?:l[ae]r)?|y?[iu]z|[iu]m)?)\\b";

/// The topic of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Firm,
    /// A practice area: the firm, in the terms of the law.
    Area,
    /// An article: the law.
    Law,
    /// The privacy notice.
    Notice,
}

/// The texts in which a pattern is searched for.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Places {
    Everywhere,
    /// All but articles.
    #[default]
    Site,
    /// Neither in articles nor in practice areas.
    Firm,
    Articles,
    Notice,
}

impl Places {
    const fn has(self, about: Topic) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Site => !matches!(about, Topic::Law),
            Self::Firm => !matches!(about, Topic::Law | Topic::Area),
            Self::Articles => matches!(about, Topic::Law),
            Self::Notice => matches!(about, Topic::Notice),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct PatternRow {
    code: String,
    language: Locale,
    #[serde(default, rename = "where")]
    place: Places,
    words: Vec<String>,
    pattern: String,
    #[serde(default)]
    except: Vec<String>,
    #[cfg(test)]
    hits: Vec<String>,
    #[cfg(test)]
    passes: Vec<String>,
}

/// A required content of a privacy notice.
#[derive(Deserialize)]
pub(super) struct NoticeDuty {
    pub(super) name: PerLocale<String>,
    #[serde(flatten)]
    pub(super) signs: PerLocale<Vec<String>>,
}

#[derive(Deserialize)]
pub(super) struct PatternTable {
    row: Vec<PatternRow>,
    pub(super) duty: Vec<NoticeDuty>,
    pub(super) abroad: PerLocale<Vec<String>>,
}

pub(super) static TABLE: LazyLock<PatternTable> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the table is compiled in, and a test reads all of it")]
    toml::from_str(include_str!("words.toml")).expect("invariant: the table of words is TOML")
});

/// A compiled row.
struct Pattern {
    code: Code,
    language: Locale,
    place: Places,
    regex: Regex,
    except: Vec<Regex>,
}

struct Patterns {
    rows: Vec<Pattern>,
    /// The words of all rows.
    words: AhoCorasick,
    /// The row of each word.
    owners: Vec<usize>,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the table is compiled in, and a test reads all of it")]
    Patterns::new(&TABLE.row).expect("invariant: the table of words has codes and patterns")
});

impl Patterns {
    fn new(rows: &[PatternRow]) -> Option<Self> {
        let words = rows.iter().enumerate().flat_map(|(at, row)| row.words.iter().map(move |word| (at, word)));
        let (owners, words): (Vec<usize>, Vec<String>) = words.map(|(at, word)| (at, word_of(word))).unzip();
        let rows = rows.iter().map(Pattern::new).collect::<Option<_>>()?;
        let words = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(words).ok()?;
        Some(Self { rows, words, owners })
    }
}

/// Returns a word of the table, folded; a space at its end is kept.
fn word_of(word: &str) -> String {
    let end = if word.ends_with(' ') { " " } else { "" };
    fold_words(word) + end
}

fn regex(pattern: &str) -> Option<Regex> {
    Regex::new(&pattern.chars().map(plain_letter).collect::<String>().replace('~', SUFFIXES)).ok()
}

impl Pattern {
    fn new(row: &PatternRow) -> Option<Self> {
        Some(Self {
            code: Code::find(&row.code)?,
            language: row.language,
            place: row.place,
            regex: regex(&row.pattern)?,
            except: row.except.iter().map(|except| regex(except)).collect::<Option<_>>()?,
        })
    }

    fn is_for(&self, about: Topic, language: Option<Locale>) -> bool {
        self.place.has(about) && language.is_none_or(|language| language == self.language)
    }

    /// Returns the match of the pattern in `window` around `word`, unless an exception overlaps it.
    fn match_around(&self, text: &str, window: &Range<usize>, word: &Range<usize>) -> Option<Range<usize>> {
        let around = &text[window.clone()];
        let shift = |found: Range<usize>| window.start + found.start..window.start + found.end;
        let all = self.regex.find_iter(around).map(|found| shift(found.range()));
        let found = all.take_while(|found| found.start <= word.start).find(|found| found.end >= word.end)?;
        let overlaps = |other: Range<usize>| other.start < found.end && found.start < other.end;
        let is_excepted =
            self.except.iter().any(|except| except.find_iter(around).any(|other| overlaps(shift(other.range()))));
        (!is_excepted).then_some(found)
    }
}

/// Returns the matches of the table in a folded text. `None` stands for both languages.
pub(super) fn find(text: &str, about: Topic, language: Option<Locale>) -> Vec<(Code, Range<usize>)> {
    let Patterns { rows, words, owners } = &*PATTERNS;
    let mut found = Vec::new();
    // For each row: the number of tries, and the end of the last match.
    let mut tried = vec![(0, 0); rows.len()];
    for word in words.find_overlapping_iter(text) {
        let row = owners[word.pattern().as_usize()];
        let (pattern, (looks, end)) = (&rows[row], &mut tried[row]);
        if *looks >= MAX_LOOKS || word.start() < *end || !pattern.is_for(about, language) {
            continue;
        }
        *looks += 1;
        if let Some(range) = pattern.match_around(text, &window(text, &word.range()), &word.range()) {
            *end = range.end;
            found.push((pattern.code, range));
        }
    }
    found
}

/// Returns the surroundings of a word in its paragraph, without parts of other words.
fn window(text: &str, word: &Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(word.start.saturating_sub(REACH));
    let before = &text[start..word.start];
    let is_cut = start > 0;
    let begin = before.rfind('\n').or_else(|| before.find(' ').filter(|_| is_cut)).map_or(0, |at| at + 1);
    let end = text.ceil_char_boundary(text.len().min(word.end + REACH));
    let after = &text[word.end..end];
    let is_cut = end < text.len();
    let length = after.find('\n').or_else(|| after.rfind(' ').filter(|_| is_cut)).unwrap_or(after.len());
    start + begin..word.end + length
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the codes of what a row finds in `text`.
    fn codes(row: &PatternRow, text: &str) -> Vec<Code> {
        let about = match row.place {
            Places::Everywhere | Places::Articles => Topic::Law,
            Places::Site => Topic::Area,
            Places::Firm => Topic::Firm,
            Places::Notice => Topic::Notice,
        };
        find(&fold_words(text), about, Some(row.language)).into_iter().map(|(code, _)| code).collect()
    }

    #[test]
    fn rows_match_their_hits_and_not_their_passes() {
        for row in &TABLE.row {
            let code = Code::find(&row.code).unwrap_or_else(|| panic!("{}", row.code));
            assert!(!row.hits.is_empty() && !row.passes.is_empty(), "{}", row.pattern);
            for text in &row.hits {
                assert!(codes(row, text).contains(&code), "{code:?} is not found in: {text}");
            }
            for text in &row.passes {
                assert_eq!(codes(row, text), [], "{text}");
            }
        }
    }

    #[test]
    fn hits_contain_a_word_of_their_row() {
        let patterns = Patterns::new(&TABLE.row).unwrap();
        for (row, pattern) in TABLE.row.iter().zip(&patterns.rows) {
            for text in &row.hits {
                let text = fold_words(text);
                let words = row.words.iter().map(|word| word_of(word));
                let found = pattern.regex.find(&text).unwrap_or_else(|| panic!("{text}"));
                assert!(
                    words.into_iter().any(|word| found.as_str().contains(&word)),
                    "no word of the row is in: {text}"
                );
            }
        }
    }

    #[test]
    fn words_of_the_law_are_not_reported() {
        for text in [
            "Uzmanlık tezi, uzman görüşü ve uzman bilirkişi raporu dosyadadır.",
            "Başarı ücreti m. 164’e göre kararlaştırılır; garanti sözleşmesi ve en iyi çaba yükümü ayrıdır.",
            "Çocuğun en iyi yararı; en geç on gün; lider banka; uzmanlaşmış mahkeme.",
        ] {
            assert_eq!(find(&fold_words(text), Topic::Firm, Some(Locale::Tr)), [], "{text}");
        }
        for text in [
            "The leading case on best efforts; an expert witness; a success fee; a letter of guarantee.",
            "The best interests of the child, free movement, specialised courts, the firm with the larger share.",
        ] {
            assert_eq!(find(&fold_words(text), Topic::Firm, Some(Locale::En)), [], "{text}");
        }
    }

    #[test]
    fn suffixes_end_a_word() {
        for word in ["lider", "lideri", "liderdir", "liderlerindendir", "Lider’in", "LİDERİZ", "liderliğinde"] {
            assert_eq!(find(&fold_words(word), Topic::Firm, Some(Locale::Tr)).len(), 1, "{word}");
        }
        for word in ["liderahmet", "kolider", "lidersiz"] {
            assert_eq!(find(&fold_words(word), Topic::Firm, Some(Locale::Tr)), [], "{word}");
        }
    }

    #[test]
    fn articles_may_use_words_that_texts_on_the_firm_may_not() {
        let found = |about, locale| find(&fold_words("uzmanlar; en iyi"), about, Some(locale)).len();
        assert_eq!(
            [Topic::Firm, Topic::Notice, Topic::Area, Topic::Law].map(|about| found(about, Locale::Tr)),
            [2, 2, 1, 0]
        );
        assert_eq!(found(Topic::Firm, Locale::En), 0);
    }

    #[test]
    fn pattern_is_tried_a_limited_number_of_times_in_a_file() {
        let found = |times| find(&fold_words(&"uzmanlar; ".repeat(times)), Topic::Firm, Some(Locale::Tr)).len();
        assert_eq!([MAX_LOOKS - 1, MAX_LOOKS, 2_000].map(found), [MAX_LOOKS - 1, MAX_LOOKS, MAX_LOOKS]);
    }
}
