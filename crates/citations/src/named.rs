//! The law of an article that names none.

use std::ops::Range;

use crate::{Article, token::TextTokens};

/// The laws that a text names, in the order of the text.
#[derive(Default)]
pub(crate) struct NamedLaws {
    laws: Vec<NamedLaw>,
    /// The articles without a named law, each with its place.
    pub bare: Vec<(Range<usize>, Vec<Article>)>,
}

struct NamedLaw {
    at: usize,
    /// `None` for one that the table lacks.
    number: Option<String>,
    naming: Naming,
}

/// How a law is named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    WithArticle,
    Whole,
    /// It is no law, but a regulation, a convention or the like.
    OtherText,
}

impl NamedLaws {
    pub(crate) fn add(&mut self, at: usize, number: Option<String>, naming: Naming) {
        self.laws.push(NamedLaw { at, number, naming });
    }

    /// Returns the law of an article at a place, if it is certain: the last law of the sentence; or the only one that the
    /// paragraph, or the text, has named so far; or the main law, unless the section has spoken of another one.
    pub(crate) fn law_at(&self, tokens: &TextTokens, at: usize) -> Option<&str> {
        let before = &self.laws[..self.laws.partition_point(|law| law.at < at)];
        let since = |start: usize| &before[before.partition_point(|law| law.at < start)..];
        if let Some(last) = since(sentence_start(tokens, at)).last() {
            return last.number.as_deref();
        }
        let main = self.main();
        let paragraph = since(start(at, |place| tokens.is_break(place)));
        if let Some(number) = only(paragraph) {
            // "(Article 22 of the Commercial Code)" in a text on another law is an aside.
            let is_aside = main.is_some_and(|main| main != number)
                && paragraph.iter().all(|law| law.naming == Naming::WithArticle);
            return (!is_aside).then_some(number);
        }
        let is_heading = |place: usize| tokens.is_break(place) && tokens.is_sign(place + 1, "#");
        let section = since(start(at, is_heading));
        let is_left = section.iter().any(|law| law.naming != Naming::WithArticle && law.number.as_deref() != main);
        let is_named = before.iter().any(|law| law.number.as_deref() == main);
        let main = main.filter(|_| paragraph.is_empty() && is_named && !is_left);
        // So is "(Articles 183 and 184 of the Code of Obligations)" for the sections after its own.
        let is_enclosed = |law: &NamedLaw| law.at.checked_sub(1).is_some_and(|before| tokens.is_sign(before, "("));
        let is_spoken_of = !section.is_empty() || !before.iter().all(is_enclosed);
        only(before).filter(|_| paragraph.is_empty() && is_spoken_of).or(main)
    }

    /// Returns the main law of the text: the one that it names first, and none more often. A law that is named without
    /// an article counts twice.
    fn main(&self) -> Option<&str> {
        let laws = || self.laws.iter().filter(|law| law.naming != Naming::OtherText);
        let first = &laws().next()?.number;
        let count = |number: &Option<String>| {
            let namings = laws().filter(|law| law.number == *number);
            namings.map(|law| 1 + usize::from(law.naming == Naming::Whole)).sum::<usize>()
        };
        let most = count(first);
        first.as_deref().filter(|_| most > 1 && laws().all(|law| count(&law.number) <= most))
    }
}

/// Returns the law if all are the same.
fn only(laws: &[NamedLaw]) -> Option<&str> {
    let (first, others) = laws.split_first()?;
    first.number.as_deref().filter(|_| others.iter().all(|law| law.number == first.number))
}

/// Returns the place after the last one before `at` that fits.
fn start(at: usize, is_end: impl Fn(usize) -> bool) -> usize {
    (0..at).rev().find(|place| is_end(*place)).map_or(0, |end| end + 1)
}

/// Returns whether an English article is cited by its number only: "Article 376 prescribes", but not "Article 5 of the
/// contract" or "GDPR, Article 33".
pub(crate) fn is_bare_article(tokens: &TextTokens, at: usize, after: usize) -> bool {
    let is_article = tokens.get(at).is_some_and(|token| ["Article", "Articles"].contains(&token.text));
    let before = |back: usize| at.checked_sub(back);
    let is_begun = match before(1) {
        Some(place) if tokens.is_sign(place, ",") => before(2).is_some_and(|place| is_plain_word(tokens, place)),
        Some(place) => tokens.is_break(place) || tokens.is_sign(place, ".;:|") || is_plain_word(tokens, place),
        None => true,
    };
    // "Article 6,", and then the second item of a list: "2. must be made"
    let is_end = tokens.is_break(after)
        || tokens.is_sign(after, ";|")
        || tokens.is_sign(after, ".") && !is_plain_word(tokens, after + 1);
    let is_followed = is_plain_word(tokens, after)
        && !["of", "in", "under", "to", "below", "above", "hereof", "thereof"].contains(&tokens.word(after));
    is_article && is_begun && (is_end || is_followed) && !has_other_numbering(tokens, at)
}

/// Returns whether a number may begin a Turkish article that is cited by its number only: "376. madde", but not
/// "sözleşmenin 5. maddesi".
pub(crate) fn is_bare_madde(tokens: &TextTokens, at: usize) -> bool {
    let is_begun = at.checked_sub(1).is_none_or(|before| {
        let word = tokens.word(before);
        let is_owner = ["in", "un"].iter().any(|suffix| word.ends_with(suffix)) || ["ek", "gecici"].contains(&word);
        let is_word = tokens.is_spaced(at) && is_plain_word(tokens, before) && !is_owner;
        tokens.is_break(before) || tokens.is_spaced(at) && tokens.is_sign(before, ".;") || is_word
    });
    tokens.number(at).is_some() && is_begun && !has_other_numbering(tokens, at)
}

fn is_plain_word(tokens: &TextTokens, at: usize) -> bool {
    let is_suffix = at.checked_sub(1).is_some_and(|before| tokens.is_sign(before, "'’") && !tokens.is_spaced(at));
    !tokens.word(at).is_empty() && !tokens.begins_with_capital(at) && !is_suffix
}

/// Returns whether the sentence before a place speaks of a text that has articles or items of its own.
fn has_other_numbering(tokens: &TextTokens, at: usize) -> bool {
    let is_text = |word: &str| {
        ["gundem", "sozlesme", "yonerge", "contract", "agreement", "agenda"].iter().any(|text| word.starts_with(text))
    };
    (sentence_start(tokens, at)..at).any(|place| is_text(tokens.word(place)))
}

/// Returns the place at which the sentence with a place begins.
fn sentence_start(tokens: &TextTokens, at: usize) -> usize {
    start(at, |place| {
        let mut next = place + 1;
        // "a home.[^1] On references", "a home.” On references"
        while tokens.is_sign(next, "^”’\")") || tokens.is_sign(next - 1, "^") {
            next += 1;
        }
        let is_end = tokens.is_sign(place, ".?!") && tokens.is_spaced(next);
        tokens.is_break(place) || is_end && tokens.begins_with_capital(next)
    })
}
