//! What a person asked for.

use std::ops::Range;

use contract::{Locale, mcp::limits::QUERY};

use crate::{
    fold,
    stem::stem,
    stop_words::{is_lawyer, is_stop_word},
    words::each_word,
};

/// How many words of a query count, besides those that only hold others together.
const MAX_TELLING_WORDS: usize = 12;
/// How many words of a query are considered in all; phrases rely on it being less than 64.
const MAX_WORDS: usize = 60;

/// The scores from which a page has the only word of a query in its title, and from which it has much of several words.
const MIN_SCORE_OF_ONE: f32 = 1.0;
const MIN_SCORE_OF_SEVERAL: f32 = 0.1;

/// A query, split like a text.
#[derive(Debug)]
pub(super) struct Query {
    /// All words, in their order.
    pub(super) words: Vec<QueryWord>,
    /// The words that must stand together.
    pub(super) phrases: Vec<Range<usize>>,
    /// Whether some words are certainly of the other language.
    pub(super) is_mixed: bool,
    /// Whether it asks for a lawyer of a field.
    pub(super) asks_for_person: bool,
    /// How many of its words are not idle; none if it has only words that hold others together.
    pub(super) telling: usize,
}

/// A word of a query.
#[derive(Debug)]
pub(super) struct QueryWord {
    /// Folded.
    pub(super) form: String,
    /// What all its forms have in common.
    pub(super) stem: String,
    /// Whether it is left out: it only holds others together, while there are others, or more of its kind than count.
    pub(super) is_idle: bool,
    /// Whether it is such a word by its folded form alone: `iş`, which is work, is not the English `is`. It means
    /// nothing in this language, and a lot in the other.
    pub(super) is_foreign: bool,
    /// Whether its end may be missing.
    pub(super) is_open: bool,
}

impl Query {
    pub(super) fn parse(locale: Locale, text: &str) -> Self {
        Self::beside(locale, text, None)
    }

    /// Splits a query that was put to an index of the other language, with the words of it that say nothing here;
    /// `None` if it is in this language as far as is known.
    pub(super) fn beside(locale: Locale, text: &str, idle: Option<&[String]>) -> Self {
        let end = text.char_indices().nth(QUERY).map_or(text.len(), |(at, _)| at);
        let text = &text[..end];
        let mut query = Self {
            words: Vec::new(),
            phrases: Vec::new(),
            is_mixed: idle.is_some(),
            asks_for_person: false,
            telling: 0,
        };
        let is_left_out = |form: &String| idle.is_some_and(|idle| idle.contains(form));
        let (mut ends_open, mut is_full) = (false, false);
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
                query.asks_for_person |= is_lawyer;
                let is_idle = is_lawyer || is_stop_word(locale, &form) || is_left_out(&form);
                is_full = query.words.len() == MAX_WORDS || !is_idle && query.telling == MAX_TELLING_WORDS;
                if !is_full {
                    query.telling += usize::from(!is_idle);
                    let is_foreign = is_idle && locale == Locale::En && !word.is_ascii();
                    query.words.push(QueryWord { form, stem, is_idle, is_foreign, is_open: false });
                }
            });
            // If nothing follows a quotation mark, the word before it is the last one.
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
            last.is_open = true;
        }
        if query.telling == 0 {
            let words = query.words.iter_mut().filter(|word| !word.is_foreign && !is_left_out(&word.form));
            words.take(MAX_TELLING_WORDS).for_each(|word| word.is_idle = false);
        }
        query
    }

    /// Whether a page with the `best` score hardly answers it: whether the page has little of several words, or a
    /// sentence asks about one word, and the page has that in no title.
    pub(super) fn is_hardly_answered(&self, best: f32) -> bool {
        let needed = match self.telling {
            1 if self.words.len() > 2 => MIN_SCORE_OF_ONE,
            0 | 1 => 0.0,
            _ => MIN_SCORE_OF_SEVERAL,
        };
        best < needed && self.phrases.is_empty() && !self.asks_for_person
    }
}
