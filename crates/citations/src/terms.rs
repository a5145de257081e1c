//! Citations as words of a search index, so that a search for `6102 m. 553`, however it is written, finds each text that
//! cites the article.

use contract::PerLocale;
use search::{Found, Index, Languages};

use crate::{
    Article, Cited, Laws, find,
    numbers::{after_marker, is_marker},
    token::TextTokens,
};

/// Reads a law or an article, in the text form or as a search for it: `6102/553-557`, `TTK 553`, `Article 553 TCC`.
#[must_use]
pub fn cited(text: &str, laws: &Laws) -> Option<Cited> {
    let text = text.trim();
    let of_word = || {
        let law = law_of_word(&TextTokens::of(text), 0, laws).filter(|_| text.chars().all(char::is_alphanumeric))?;
        Some(Cited::Law(law.to_owned()))
    };
    let written = || [text, written_out(text, laws).as_str()].into_iter().flat_map(|text| find(text, laws)).next_back();
    text.parse().ok().or_else(of_word).or_else(|| Some(written()?.cited))
}

/// Returns the words that stand for a citation in the index: one for the law, and one for each article.
#[must_use]
pub fn search_terms(cited: &Cited) -> Vec<String> {
    let Some(law) = cited.law() else { return Vec::new() };
    let mut terms = vec![term(law, None)];
    if let Cited::Article(_, article) = cited {
        terms.extend(article.each().map(|article| term(law, Some(&article))));
    }
    terms
}

/// Returns a search with each article replaced by its word, or with the law if it is the whole search; `None` if it
/// names neither.
#[must_use]
fn with_search_terms(query: &str, laws: &Laws) -> Option<String> {
    let query = query.trim();
    if let Some(law) = law_of_word(&TextTokens::of(query), 0, laws).filter(|_| query.chars().all(char::is_alphanumeric))
    {
        return Some(term(law, None));
    }
    replaced(query, laws).or_else(|| replaced(&written_out(query, laws), laws))
}

fn replaced(query: &str, laws: &Laws) -> Option<String> {
    let (mut terms, mut at) = (String::new(), 0);
    for citation in find(query, laws) {
        let Cited::Article(law, article) = &citation.cited else { continue };
        // Several articles of one citation have the same range.
        terms.push_str(query.get(at..citation.range.start).unwrap_or(" "));
        terms.push_str(&term(law, Some(&Article { last: None, ..article.whole() })));
        at = citation.range.end;
    }
    terms.push_str(&query[at..]);
    (at > 0).then_some(terms)
}

/// Searches pages as [`search::find`] does; an article of a law finds the pages that cite it, if there are any.
#[must_use]
pub fn search<'a>(
    indexes: &'a PerLocale<Option<Index>>,
    laws: &Laws,
    query: &str,
    languages: Languages,
    limit: usize,
) -> Option<Vec<Found<'a>>> {
    let citing = with_search_terms(query, laws).and_then(|terms| search::find(indexes, &terms, languages, limit));
    citing.filter(|found| !found.is_empty()).or_else(|| search::find(indexes, query, languages, limit))
}

/// Writes the short forms of searches, such as `6102 m. 553`, `6102/553` and `ttk 553`, as texts do.
fn written_out(query: &str, laws: &Laws) -> String {
    let tokens = TextTokens::of(query);
    let (mut written, mut at) = (String::new(), 0);
    for place in 0..tokens.len() {
        let Some(law) = law_of_word(&tokens, place, laws) else { continue };
        let next = tokens.after_suffix(place + 1);
        let number = if is_marker(&tokens, next) {
            after_marker(&tokens, next)
        } else if tokens.is_sign(next, "/") {
            next + 1
        } else {
            // Two numbers beside each other are no article of a law.
            next + usize::from(tokens.digits(place).is_some())
        };
        if let Some(number) = tokens.get(number).filter(|_| tokens.digits(number).is_some())
            && let Some(before) = tokens.get(place).and_then(|token| query.get(at..token.start))
        {
            written.push_str(before);
            written.push_str(law);
            written.push_str(" sayılı Kanun m. ");
            at = number.start;
        }
    }
    written + &query[at..]
}

/// Returns the number of the law whose number or abbreviation is at a place, in whatever case.
fn law_of_word<'l>(tokens: &TextTokens<'l>, at: usize, laws: &'l Laws) -> Option<&'l str> {
    match tokens.digits(at) {
        Some(digits) => laws.get(digits).map(|_| digits),
        None => laws.abbreviated(tokens.word(at)),
    }
}

/// A word that no text contains. The digits are repeated, so that a number with a slip is no other number, and the last
/// letter ends it, so that no number is the beginning of another.
fn term(law: &str, article: Option<&Article>) -> String {
    let plain = article.map_or_else(|| law.to_owned(), |article| format!("{law}m{article}")).to_lowercase();
    let letters = plain.chars().filter(|letter| letter.is_alphanumeric());
    let repeated = letters.flat_map(|letter| std::iter::repeat_n(letter, if letter.is_ascii_digit() { 3 } else { 1 }));
    ["law"].into_iter().flat_map(str::chars).chain(repeated).chain(['x']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_553: &str = "law666111000222m555555333x";

    #[test]
    fn spellings_of_an_article_become_one_word() {
        let laws = Laws::default();
        for query in [
            "6102 m. 553",
            "6102 m.553/1",
            "6102/553",
            "6102 madde 553",
            "TTK 553",
            "ttk m.553",
            "TTK'nın 553. maddesi",
            "6102 sayılı Kanun m. 553",
            "6102 sayılı Türk Ticaret Kanunu'nun 553. maddesi",
            "Law No. 6102, art. 553",
            "Article 553 of the Turkish Commercial Code",
            "tcc art. 553",
        ] {
            assert_eq!(with_search_terms(query, &laws).as_deref().map(str::trim), Some(OF_553), "{query}");
        }
        let among = with_search_terms("sorumluluk TTK m. 553 zarar", &laws).unwrap();
        assert_eq!(among.split_whitespace().collect::<Vec<_>>(), ["sorumluluk", OF_553, "zarar"]);
    }

    #[test]
    fn cited_article_is_read_in_each_spelling() {
        let read = |text: &str| cited(text, &Laws::default()).map(|cited| cited.to_string());
        for (text, expected) in [
            ("TTK", "6102"),
            ("6102/553-557", "6102/553-557"),
            ("6102/ek-7", "6102/ek-7"),
            ("ttk 553", "6102/553"),
            ("TTK m. 553", "6102/553"),
            ("Article 553 TCC", "6102/553"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!([read(""), read("board"), read("m. 553")], [None, None, None]);
    }

    #[test]
    fn law_is_a_word_only_as_the_whole_search() {
        let of = |query| with_search_terms(query, &Laws::default());
        for query in ["6102", " TTK ", "ttk"] {
            assert_eq!(of(query).as_deref(), Some("law666111000222x"), "{query}");
        }
        for query in
            ["", "kira artışı 2026", "İş Kanunu kıdem tazminatı", "0212 553 18 20", "9999", "6102 553", "9999/5"]
        {
            assert_eq!(of(query), None, "{query}");
        }
    }

    #[test]
    fn each_article_of_a_range_is_a_word() {
        let terms = |text: &str| search_terms(&text.parse().unwrap());
        assert_eq!(terms("9/5-6"), ["law999x", "law999m555x", "law999m666x"]);
        assert_eq!(terms("213/gecici-2"), ["law222111333x", "law222111333mgecici222x"]);
        assert_eq!(terms("6102/1-9999").len(), 202);
    }
}
