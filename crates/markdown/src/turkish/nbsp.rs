//! Non-breaking spaces, as in `Article 344`, `m. 344` and `1 Temmuz 2024`.
//!
//! One table serves both languages: the pages of each language mention laws and dates of the other, and no entry is
//! wrong in the other language.
//!
//! Only visible text of pages has them. Markdown, JSON, feeds, code, attributes and anchors keep the author's spaces,
//! because they are searched, compared and copied.

use std::borrow::Cow;

use contract::Locale;

use super::calendar;

/// NO-BREAK SPACE.
pub(crate) const NBSP: &str = "\u{a0}";

/// Prevents a line break at its position.
const WORD_JOINER: &str = "\u{2060}";

/// Words that stay with a number after them.
const BEFORE_A_NUMBER: &[&str] = &[
    "m.", "md.", "Madde", "madde", "Art.", "Arts.", "Article", "Articles", "No.", "Nos.", "no.", "nos.", "No:", "s.",
    "p.", "pp.", "§", "§§", "TRY", "EUR", "USD", "₺", "€", "$", "£",
];

/// Words that stay with a number before them, apart from the names of months.
const AFTER_A_NUMBER: &[&str] = &["%", "‰", "TL", "TRY", "EUR", "USD", "₺", "€", "$", "£", "kW", "MW", "kWh", "MWh"];

/// Stems of the words for parts of a law after an ordinal number: `344. maddesi`, `2. fıkrası`, `1. bent`.
const AFTER_AN_ORDINAL: &[&str] = &["madde", "fıkra", "bent", "bend"];

/// Returns `text` with non-breaking spaces and word joiners.
pub fn with_nbsp(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    // Most texts have no number. Examining every byte takes less time than stopping at the first digit.
    if !bytes.iter().fold(false, |any, byte| any | byte.is_ascii_digit()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut done = 0;
    for at in memchr::memchr2_iter(b' ', b'-', bytes) {
        if bytes[at] == b'-' {
            if is_in_range(&bytes[..at], &bytes[at + 1..]) {
                out.extend([&text[done..=at], WORD_JOINER]);
                done = at + 1;
            }
        } else if needs_nbsp(&text[..at], &text[at + 1..]) {
            out.extend([&text[done..at], NBSP]);
            done = at + 1;
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Returns whether a hyphen joins two numbers, as in `18-21. maddeler`; days and file numbers have more parts.
fn is_in_range(before: &[u8], after: &[u8]) -> bool {
    fn ends<'b>(mut bytes: impl Iterator<Item = &'b u8>) -> bool {
        let mut digits = 0;
        let next = bytes.by_ref().inspect(|_| digits += 1).find(|byte| !byte.is_ascii_digit());
        digits -= usize::from(next.is_some());
        (1..=4).contains(&digits) && next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"-/_".contains(byte))
    }
    ends(before.iter().rev()) && ends(after.iter())
}

/// Returns whether a digit or the point of an ordinal is next to a space: a cheap check that most spaces fail.
fn may_need_nbsp(before: &[u8], after: &[u8]) -> bool {
    before.last().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.')
        || after.first().is_some_and(u8::is_ascii_digit)
}

/// Returns whether the space between `before` and `after` must not break.
pub(crate) fn needs_nbsp(before: &str, after: &str) -> bool {
    if !may_need_nbsp(before.as_bytes(), after.as_bytes()) {
        return false;
    }
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let is_of_word =
        |letter: char| letter.is_alphabetic() || matches!(letter, '.' | ':' | '§' | '%' | '‰' | '₺' | '€' | '$' | '£');
    if is_digit(after.as_bytes().first()) {
        let word = before.rsplit(|letter| !is_of_word(letter)).next().unwrap_or_default();
        if BEFORE_A_NUMBER.contains(&word) {
            return true;
        }
    }
    if let Some(number) = before.strip_suffix('.') {
        return is_digit(number.as_bytes().last()) && AFTER_AN_ORDINAL.iter().any(|part| after.starts_with(part));
    }
    is_digit(before.as_bytes().last()) && {
        let word = after.split(|letter| !is_of_word(letter)).next().unwrap_or_default();
        let word = word.trim_end_matches(['.', ':']);
        AFTER_A_NUMBER.contains(&word) || Locale::ALL.into_iter().any(|locale| calendar::months(locale).contains(&word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `text` with its non-breaking spaces written as `~`.
    fn marked(text: &str) -> String {
        with_nbsp(text).replace(NBSP, "~")
    }

    #[test]
    fn number_stays_with_what_it_counts() {
        for text in [
            "Under Article~344 of Law No.~6098, (Art.~5) and Articles~16 to 21",
            "6098 sayılı Kanun (m.~344/4, md.~5), B. No:~2019/40991, s.~12 ve §~5",
            "from 1~July 2024 to 30~June; 1~Temmuz’dan 11~Eylül, 3~Aralık 2024’te",
            "TRY~250 million, 250~TL’lik, 25~%, 50~kW.",
            "Kanun’un 344.~maddesi, 2.~fıkrasının 1.~bendi, 3.~bent ve m.~5; İİK’nın 206.~maddesinde",
            "12.500~₺, 12.500~€’luk, $~300, £~20 ve 30~$",
        ] {
            assert_eq!(marked(&text.replace('~', " ")), text);
        }
    }

    #[test]
    fn hyphen_between_two_numbers_ends_no_line() {
        let marked = |text| with_nbsp(text).replace(WORD_JOINER, "~").replace(NBSP, " ");
        assert_eq!(
            marked("feshin geçerliliğine 18-21. maddelere göre (16-18)"),
            "feshin geçerliliğine 18-~21. maddelere göre (16-~18)"
        );
        for text in ["2026-03-09", "a-5", "5-a", "12345-6", "no. 5/6-7", "-5", "5-"] {
            assert_eq!(marked(text), text);
        }
    }

    #[test]
    fn other_texts_are_neither_changed_nor_copied() {
        for text in [
            "",
            "No number in an Article at all, m. and so on",
            "the 3 parties, 6098 sayılı Kanun, in 2024 the court",
            "film. 5 kişi, Farm. 12, 5 Mayor, 7 Martı, 12 kWhs",
            "in 2024. The court, 344. Kanun, 5 madde, a. madde, 1. Dairesi",
            "Article  5",
            "Article\u{a0}5",
        ] {
            assert!(matches!(with_nbsp(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }
}
