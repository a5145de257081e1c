//! What a word is: the one rule by which documents and queries are taken apart.

use contract::Locale;

/// Octets after which a run of letters is cut; nobody searches for a longer word.
const LONGEST: usize = 64;

/// A word of a text, and what stands between it and the word before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    /// What stands before it, endings after an apostrophe included.
    pub(crate) gap: &'a str,
    /// The word as it is written.
    pub(crate) text: &'a str,
}

/// Takes a text apart: hands every word to `take` and returns what stands after the last one.
///
/// Words are runs of letters and digits; hyphens, slashes and section signs part them. What follows an apostrophe is
/// an ending (`İstanbul'da`, `the firm's`) and no word, except that English takes a long one for a name (`L'Oréal`).
pub(crate) fn each_word<'a>(locale: Locale, text: &'a str, mut take: impl FnMut(Word<'a>)) -> &'a str {
    let mut rest = Scanner { text, at: 0 };
    let mut gap_start = 0;
    while let Some((start, end)) = rest.next_run() {
        take(Word { gap: &text[gap_start..start], text: &text[start..end] });
        gap_start = end;
        rest.skip_ending(locale, &text[start..end]);
    }
    &text[gap_start..]
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn next_run(&mut self) -> Option<(usize, usize)> {
        let bytes = self.text.as_bytes();
        while let Some((is_part, length)) = part_at(self.text, bytes, self.at, starts_word) {
            if is_part {
                break;
            }
            self.at += length;
        }
        let start = self.at;
        while let Some((is_part, length)) = part_at(self.text, bytes, self.at, continues_word) {
            if !is_part || self.at - start >= LONGEST {
                break;
            }
            self.at += length;
        }
        (self.at > start).then_some((start, self.at))
    }

    /// Passes over the ending after an apostrophe, if one follows the word.
    fn skip_ending(&mut self, locale: Locale, word: &str) {
        let bytes = self.text.as_bytes();
        let Some((letter, length)) = letter_at(self.text, bytes, self.at) else { return };
        if !is_apostrophe(letter) || word.len() < 2 {
            return;
        }
        let from = self.at + length;
        let mut end = from;
        let mut letters = 0;
        while let Some((letter, length)) = letter_at(self.text, bytes, end) {
            if !continues_word(letter) {
                break;
            }
            // A capital or a digit begins a word of its own: `'2024`, `'Borçlar Kanunu'`.
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

/// Whether the letter at `at` is part of a word, and its length. Whole languages need no more than the first arms.
#[inline]
fn part_at(text: &str, bytes: &[u8], at: usize, rare: fn(char) -> bool) -> Option<(bool, usize)> {
    match *bytes.get(at)? {
        byte if byte.is_ascii() => Some((byte.is_ascii_alphanumeric(), 1)),
        // From À to ſ all are letters but two signs.
        lead @ 0xc3..=0xc5 => {
            let second = bytes.get(at + 1).copied().unwrap_or_default();
            Some((lead != 0xc3 || !matches!(second, 0x97 | 0xb7), 2))
        }
        _ => text[at..].chars().next().map(|letter| (rare(letter), letter.len_utf8())),
    }
}

fn letter_at(text: &str, bytes: &[u8], at: usize) -> Option<(char, usize)> {
    match *bytes.get(at)? {
        byte if byte.is_ascii() => Some((char::from(byte), 1)),
        _ => text[at..].chars().next().map(|letter| (letter, letter.len_utf8())),
    }
}

fn starts_word(letter: char) -> bool {
    if letter.is_ascii() { letter.is_ascii_alphanumeric() } else { letter.is_alphanumeric() && !is_apostrophe(letter) }
}

/// Marks and invisible joiners do not end a word; folding drops them.
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
        each_word(locale, text, |word| words.push(word.text));
        words
    }

    #[test]
    fn endings_after_an_apostrophe_are_no_words() {
        assert_eq!(words(Locale::Tr, "İstanbul'da KVKK’nın 2024'te"), ["İstanbul", "KVKK", "2024"]);
        assert_eq!(words(Locale::En, "the firm's L'Oréal"), ["the", "firm", "L", "Oréal"]);
        assert_eq!(words(Locale::Tr, "'alıntı' KVKK'NIN"), ["alıntı", "KVKK"]);
    }

    #[test]
    fn signs_part_words() {
        assert_eq!(words(Locale::Tr, "m. 12/3, § 5 — e-imza"), ["m", "12", "3", "5", "e", "imza"]);
        assert_eq!(words(Locale::En, "  "), [""; 0]);
    }

    #[test]
    fn nothing_of_a_text_is_lost() {
        for text in ["", " a ", "İstanbul'da (m. 12/3).", "s\u{327}o\u{308}z\u{ad}leşme", "𝒜𝒷 ½ 漢字"] {
            let mut whole = String::new();
            let rest = each_word(Locale::Tr, text, |word| {
                whole.push_str(word.gap);
                whole.push_str(word.text);
            });
            assert_eq!(whole + rest, text);
        }
    }
}
