//! The words and phrases of a query.

use std::ops::Range;

use contract::{Locale, mcp::limits::QUERY};

use crate::{
    fold,
    stem::stem,
    stop_words::{is_dative, is_everyday, is_lawyer, is_stop_word, is_work_of_a_person},
    words::each_word,
};

/// Maximum number of words of a query, besides stop words.
const MAX_MEANINGFUL_WORDS: usize = 12;
/// Maximum number of words of a query, stop words included; less than 64, because phrases use one bit per word.
const MAX_WORDS: usize = 60;

/// Fewest letters of an unfinished word behind several others.
const MIN_BEGINNING_IN_QUESTION: usize = 4;
/// Fewest digits of the end of a telephone number.
const MIN_DIGITS: usize = 7;

/// The score of a page with much of several words.
const MIN_SCORE_OF_SEVERAL: f32 = 0.11;

/// A query, split into words like a text.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) words: Vec<QueryWord>,
    /// Words in quotation marks, which must follow one another.
    pub(super) phrases: Vec<Range<usize>>,
    /// Some words are certainly of the other language.
    pub(super) is_mixed: bool,
    /// The query has a word for lawyers or requests who works on a subject, so it looks for a person.
    pub(super) names_lawyer: bool,
    /// Number of words besides stop words, and of those of them that are not words of everyday language.
    pub(super) meaningful: usize,
    pub(super) telling: usize,
}

#[derive(Debug, Default)]
pub(super) struct QueryWord {
    /// The folded word.
    pub(super) form: String,
    pub(super) stem: String,
    /// The word is left out: a stop word beside other words.
    pub(super) is_idle: bool,
    /// The word is a stop word only when folded: the Turkish `iş` is not the English `is`.
    pub(super) is_foreign: bool,
    /// The end of the word may be missing.
    pub(super) is_open: bool,
}

impl Query {
    pub(super) fn parse(locale: Locale, text: &str) -> Self {
        Self::beside(locale, text, None)
    }

    /// Splits a query that was searched in the other language. `idle` are its stop words of that language; `None` if
    /// the query may be in this language.
    pub(super) fn beside(locale: Locale, text: &str, idle: Option<&[String]>) -> Self {
        let end = text.char_indices().nth(QUERY).map_or(text.len(), |(at, _)| at);
        let text = &text[..end];
        let mut query = Self {
            words: Vec::new(),
            phrases: Vec::new(),
            is_mixed: idle.is_some(),
            names_lawyer: false,
            meaningful: 0,
            telling: 0,
        };
        let is_left_out = |form: &String| idle.is_some_and(|idle| idle.contains(form));
        let (mut ends_open, mut is_full) = (false, false);
        let (mut asks_who, mut names_work) = (false, false);
        for (part, quoted) in text.split(['"', '“', '”', '„', '«', '»']).zip([false, true].into_iter().cycle())
        {
            let first = query.words.len();
            let rest = each_word(locale, part, |word| {
                if is_full {
                    return;
                }
                let form = fold(word);
                let stem = stem(locale, &form);
                let is_lawyer = is_lawyer(locale, &form, &stem);
                query.names_lawyer |= is_lawyer;
                asks_who |= matches!(form.as_str(), "who" | "kim");
                names_work |= is_work_of_a_person(locale, &form);
                let is_idle =
                    is_lawyer || is_stop_word(locale, &form) && !is_dative(locale, word) || is_left_out(&form);
                is_full = query.words.len() == MAX_WORDS || !is_idle && query.meaningful == MAX_MEANINGFUL_WORDS;
                if !is_full {
                    query.meaningful += usize::from(!is_idle);
                    query.telling += usize::from(!is_idle && !is_everyday(locale, &form, &stem));
                    let is_foreign = is_idle && locale == Locale::En && !word.is_ascii();
                    query.words.push(QueryWord { form, stem, is_idle, is_foreign, is_open: false });
                }
            });
            // A part after the last quotation mark counts only if it is not empty.
            if !part.is_empty() {
                ends_open = rest.is_empty() && !quoted;
            }
            if quoted && query.words.len() > first + 1 {
                query.phrases.push(first..query.words.len());
            }
        }
        if ends_open
            && !is_full
            && let Some(last) = query.words.last_mut()
        {
            // In a question the last word is whole: `car` does not begin `cards` there.
            last.is_open = query.meaningful < 3 || last.form.len() >= MIN_BEGINNING_IN_QUESTION;
        }
        query.names_lawyer |= asks_who && names_work;
        if query.meaningful == 0 {
            let words = query.words.iter_mut().filter(|word| !word.is_foreign && !is_left_out(&word.form));
            words.take(MAX_MEANINGFUL_WORDS).for_each(|word| word.is_idle = false);
        }
        query
    }

    /// Replaces a query with adjacent groups of digits that `number` completes to a telephone number by that number: it
    /// is found however it is grouped, and with or without the code of its country.
    pub(super) fn join_digits<'a>(&mut self, number: impl Fn(&str) -> Option<&'a str>) {
        let groups = self.words.split(|word| !word.form.bytes().all(|byte| byte.is_ascii_digit()));
        let digits = groups.map(|group| group.iter().map(|word| word.form.as_str()).collect::<String>());
        let significant = digits.map(|digits| digits.trim_start_matches('0').to_owned());
        let found = significant.filter(|digits| digits.len() >= MIN_DIGITS).find_map(|digits| number(&digits));
        if let Some(number) = found.filter(|_| self.phrases.is_empty()) {
            self.words = vec![QueryWord { form: number.into(), stem: number.into(), ..QueryWord::default() }];
            (self.meaningful, self.telling) = (1, 1);
        }
    }

    /// Returns whether `best` is the score of a weak match: of a page with little of several words.
    pub(super) fn is_weak_match(&self, best: f32) -> bool {
        let is_weak = self.meaningful > 1 && best < MIN_SCORE_OF_SEVERAL;
        is_weak && self.phrases.is_empty() && !self.names_lawyer
    }
}
