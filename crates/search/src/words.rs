//! The rule that splits documents and queries into words.

use std::ops::Range;

use contract::Locale;

/// Longest word, in bytes; a longer run of letters is cut.
const MAX_WORD_BYTES: usize = 64;

/// Splits a text: passes every word as written to `take`, and returns the text after the last one.
pub(crate) fn each_word<'a>(locale: Locale, text: &'a str, mut take: impl FnMut(&'a str)) -> &'a str {
    let rest = each_range(locale, text, |_, word| take(&text[word]));
    &text[rest..]
}

/// Splits a text: passes the start of the gap before each word and the range of the word to `take`. Returns the start
/// of the text after the last word.
///
/// Words are runs of letters and digits; hyphens, slashes and section signs separate them. Letters after an apostrophe
/// are an ending (`İstanbul'da`, `the firm's`) and no word, except for more than two in English, a name (`L'Oréal`).
pub(crate) fn each_range(locale: Locale, text: &str, mut take: impl FnMut(usize, Range<usize>)) -> usize {
    let mut rest = Scanner { text, at: 0 };
    let mut gap_start = 0;
    while let Some(word) = rest.next_run() {
        take(gap_start, word.clone());
        gap_start = word.end;
        if rest.may_have_ending() {
            rest.skip_ending(locale, word);
        }
    }
    gap_start
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn next_run(&mut self) -> Option<Range<usize>> {
        let start = self.at + self.text[self.at..].find(starts_word)?;
        let most = self.text.len().min(start + MAX_WORD_BYTES);
        let mut at = start;
        while at < most
            && let Some((letter, length)) = letter_at(self.text, at)
            && continues_word(letter)
        {
            at += length;
        }
        self.at = at;
        Some(start..at)
    }

    /// Returns whether an apostrophe may follow.
    fn may_have_ending(&self) -> bool {
        self.text.as_bytes().get(self.at).is_some_and(|byte| !byte.is_ascii() || *byte == b'\'')
    }

    /// Skips the ending after an apostrophe, if one follows the word.
    fn skip_ending(&mut self, locale: Locale, word: Range<usize>) {
        let Some((letter, length)) = letter_at(self.text, self.at) else { return };
        if !is_apostrophe(letter) || word.len() < 2 {
            return;
        }
        let word = &self.text[word];
        let from = self.at + length;
        let mut end = from;
        let mut letters = 0;
        while let Some((letter, length)) = letter_at(self.text, end) {
            if !continues_word(letter) {
                break;
            }
            // A capital or a digit begins a new word: `'2024`, `'Borçlar Kanunu'`.
            if letters == 0 && !letter.is_lowercase() && !word.chars().all(char::is_uppercase) {
                return;
            }
            letters += 1;
            end += length;
        }
        let longest = match locale {
            Locale::En => 2,
            Locale::Tr => 12,
        };
        if (1..=longest).contains(&letters) {
            self.at = end;
        }
    }
}

fn letter_at(text: &str, at: usize) -> Option<(char, usize)> {
    text[at..].chars().next().map(|letter| (letter, letter.len_utf8()))
}

fn starts_word(letter: char) -> bool {
    if letter.is_ascii() { letter.is_ascii_alphanumeric() } else { letter.is_alphanumeric() && !is_apostrophe(letter) }
}

/// Returns whether `letter` may continue a word: also marks and invisible joiners, which folding drops.
fn continues_word(letter: char) -> bool {
    starts_word(letter)
        || matches!(letter, '\u{300}'..='\u{36f}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '’' | '‘' | 'ʼ' | '′')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(locale: Locale, text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        each_word(locale, text, |word| words.push(word));
        words
    }

    #[test]
    fn endings_after_an_apostrophe_are_no_words() {
        assert_eq!(words(Locale::Tr, "İstanbul'da KVKK’nın 2024'te"), ["İstanbul", "KVKK", "2024"]);
        assert_eq!(words(Locale::En, "the firm's L'Oréal"), ["the", "firm", "L", "Oréal"]);
        assert_eq!(words(Locale::Tr, "'alıntı' KVKK'NIN"), ["alıntı", "KVKK"]);
    }

    #[test]
    fn signs_separate_words() {
        assert_eq!(words(Locale::Tr, "m. 12/3, § 5 — e-imza"), ["m", "12", "3", "5", "e", "imza"]);
        assert_eq!(words(Locale::En, "  "), [""; 0]);
    }

    #[test]
    fn texts_are_split_without_loss() {
        for text in ["", " a ", "İstanbul'da (m. 12/3).", "s\u{327}o\u{308}z\u{ad}leşme", "𝒜𝒷 ½ 漢字"] {
            let mut whole = String::new();
            let rest = each_range(Locale::Tr, text, |gap, word| whole.push_str(&text[gap..word.end]));
            assert_eq!(whole + &text[rest..], text);
        }
    }
}
