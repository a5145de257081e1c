//! What a person asked for.

use std::ops::Range;

use contract::Locale;

use crate::{common::is_common, fold, stem::stem, words::each_word};

/// Characters of a query that count.
const LONGEST: usize = 256;
/// Words of a query that count.
const MOST: usize = 12;

/// A question, taken apart like a text.
#[derive(Debug)]
pub(super) struct Query {
    /// All words, in their order.
    pub(super) words: Vec<QueryWord>,
    /// The words that must stand together.
    pub(super) phrases: Vec<Range<usize>>,
}

/// A word of a query.
#[derive(Debug)]
pub(super) struct QueryWord {
    /// Folded.
    pub(super) form: String,
    /// What all its forms have in common.
    pub(super) stem: String,
    /// Whether it only holds others together, and others there are.
    pub(super) is_idle: bool,
    /// Whether its end may be missing.
    pub(super) is_open: bool,
}

impl Query {
    pub(super) fn parse(locale: Locale, text: &str) -> Self {
        let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
        let text = &text[..end];
        let mut query = Self { words: Vec::new(), phrases: Vec::new() };
        let mut ends_open = false;
        for (part, quoted) in text.split(['"', '“', '”', '„', '«', '»']).zip([false, true].into_iter().cycle())
        {
            let first = query.words.len();
            let rest = each_word(locale, part, |word| {
                if query.words.len() < MOST {
                    let form = fold(word.text);
                    let stem = stem(locale, &form);
                    query.words.push(QueryWord { form, stem, is_idle: false, is_open: false });
                }
            });
            // Where nothing stands behind a quotation mark, the word before it is the last one.
            if !part.is_empty() {
                ends_open = rest.is_empty() && !quoted;
            }
            if quoted && query.words.len() > first + 1 {
                query.phrases.push(first..query.words.len());
            }
        }
        if ends_open && let Some(last) = query.words.last_mut() {
            last.is_open = true;
        }
        if query.words.iter().any(|word| !is_common(locale, &word.form)) {
            for word in &mut query.words {
                word.is_idle = is_common(locale, &word.form);
            }
        }
        query
    }
}
