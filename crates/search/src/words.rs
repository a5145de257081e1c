//! What a word is: the one rule by which documents and queries are split.

use std::ops::Range;

use contract::Locale;

/// Number of bytes after which a run of letters is cut; nobody searches for a longer word.
const LONGEST: usize = 64;

/// Splits a text: passes every word, as it is written, to `take` and returns what follows the last one.
pub(crate) fn each_word<'a>(locale: Locale, text: &'a str, mut take: impl FnMut(&'a str)) -> &'a str {
    let rest = each_range(locale, text, |_, word| take(&text[word]));
    &text[rest..]
}

/// Splits a text: passes to `take` where the gap before each word begins, and the place of the word. Returns where the
/// text after the last word begins.
///
/// Words are runs of letters and digits; hyphens, slashes and section signs separate them. What follows an apostrophe
/// is an ending (`İstanbul'da`, `the firm's`) and not a word, except that English takes a long one for a name
/// (`L'Oréal`).
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

/// What a byte says about the letter that it begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    /// An ASCII letter or digit.
    Part,
    /// Any other ASCII character.
    Gap,
    /// A character from À to ſ; all of these are letters except two signs.
    Latin,
    /// Anything else.
    Rare,
}

/// [`Begins`] for every byte; whole languages need only the first three.
const BEGINS: [Begins; 256] = {
    let mut begins = [Begins::Rare; 256];
    let mut byte: u8 = 0;
    while byte.is_ascii() {
        begins[byte as usize] = if byte.is_ascii_alphanumeric() { Begins::Part } else { Begins::Gap };
        byte += 1;
    }
    [begins[0xc3], begins[0xc4], begins[0xc5]] = [Begins::Latin; 3];
    begins
};

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn next_run(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            let byte = *bytes.get(at)?;
            match BEGINS[usize::from(byte)] {
                Begins::Part => break,
                Begins::Gap => at += 1,
                Begins::Latin if is_letter(byte, bytes.get(at + 1)) => break,
                Begins::Latin => at += 2,
                Begins::Rare => match self.rare(at, starts_word) {
                    (true, _) => break,
                    (false, length) => at += length,
                },
            }
        }
        let start = at;
        let most = bytes.len().min(start + LONGEST);
        // Most words consist of plain bytes only, and this is where most of the time goes.
        while let Some(rest) = bytes.get(at..most) {
            at += plain(rest);
            let Some(byte) = bytes[..most].get(at) else { break };
            match BEGINS[usize::from(*byte)] {
                Begins::Latin if is_letter(*byte, bytes.get(at + 1)) => at += 2,
                Begins::Rare => match self.rare(at, continues_word) {
                    (true, length) => at += length,
                    (false, _) => break,
                },
                _ => break,
            }
        }
        self.at = at;
        Some(start..at)
    }

    /// Whether the letter at `at` is part of a word, and its length.
    fn rare(&self, at: usize, is_part: fn(char) -> bool) -> (bool, usize) {
        self.text[at..].chars().next().map_or((false, 1), |letter| (is_part(letter), letter.len_utf8()))
    }

    /// Whether an apostrophe may follow.
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

/// How many ASCII letters and digits `bytes` begin with. Eight are examined at once: nearly all words end within them.
fn plain(bytes: &[u8]) -> usize {
    let (blocks, rest) = bytes.as_chunks();
    let mut count = 0;
    for block in blocks {
        let others = !plain_bits(u64::from_le_bytes(*block)) & HIGH;
        if others != 0 {
            return count + others.trailing_zeros() as usize / 8;
        }
        count += block.len();
    }
    count + rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

/// The high bit of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Sets the high bit of each byte that is an ASCII letter or digit; the other bits mean nothing.
const fn plain_bits(bytes: u64) -> u64 {
    /// A byte in every place.
    const fn all(byte: u8) -> u64 {
        byte as u64 * 0x0101_0101_0101_0101
    }
    /// Sets the high bit of each byte that is at least `least`. No byte may have its high bit set.
    const fn reaches(bytes: u64, least: u8) -> u64 {
        bytes + all(0x80 - least)
    }
    let low = bytes & !HIGH;
    // Small and capital letters differ in this bit only.
    let small = low | all(0x20);
    let letters = reaches(small, b'a') & !reaches(small, b'z' + 1);
    let digits = reaches(low, b'0') & !reaches(low, b'9' + 1);
    (letters | digits) & !bytes
}

/// Whether a character from À to ſ is a letter: all are but × and ÷.
fn is_letter(first: u8, second: Option<&u8>) -> bool {
    first != 0xc3 || !matches!(second, Some(0x97 | 0xb7))
}

fn letter_at(text: &str, at: usize) -> Option<(char, usize)> {
    text[at..].chars().next().map(|letter| (letter, letter.len_utf8()))
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
    fn signs_part_words() {
        assert_eq!(words(Locale::Tr, "m. 12/3, § 5 — e-imza"), ["m", "12", "3", "5", "e", "imza"]);
        assert_eq!(words(Locale::En, "  "), [""; 0]);
    }

    #[test]
    fn plain_bytes_are_counted_up_to_the_first_other_one() {
        for byte in 0..=u8::MAX {
            for place in 0..20 {
                let mut bytes = *b"aZ09bYkMzA5qRsTuVwX8";
                bytes[place] = byte;
                let expected = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                for end in place + 1..=bytes.len() {
                    assert_eq!(plain(&bytes[..end]), expected.min(end), "{byte:#x} at {place} of {end}");
                }
            }
        }
    }

    #[test]
    fn nothing_of_a_text_is_lost() {
        for text in ["", " a ", "İstanbul'da (m. 12/3).", "s\u{327}o\u{308}z\u{ad}leşme", "𝒜𝒷 ½ 漢字"] {
            let mut whole = String::new();
            let rest = each_range(Locale::Tr, text, |gap, word| whole.push_str(&text[gap..word.end]));
            assert_eq!(whole + &text[rest..], text);
        }
    }
}
