//! Upper and lower case, by the rules of a language: only in Turkish are `i` and `İ`, and `ı` and `I`, pairs.

use contract::Locale;
use icu_casemap::{
    CaseMapper, CaseMapperBorrowed,
    options::{LeadingAdjustment, TitlecaseOptions},
};
use icu_locale_core::{LanguageIdentifier, langid};
use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;

const CASES: CaseMapperBorrowed<'static> = CaseMapper::new();
static ENGLISH: LanguageIdentifier = langid!("en-GB");
static TURKISH: LanguageIdentifier = langid!("tr");

/// Converts `text` to lower case: `ILIMAN İSTANBUL` becomes `ılıman istanbul` in Turkish.
pub fn lower(locale: Locale, text: &str) -> String {
    CASES.lowercase_to_string(text, tag(locale)).into_owned()
}

/// Converts `text` to upper case: `istanbul ılık` becomes `İSTANBUL ILIK` in Turkish.
pub fn upper(locale: Locale, text: &str) -> String {
    CASES.uppercase_to_string(text, tag(locale)).into_owned()
}

/// Converts the first character to upper case and the others to lower case: `iş HUKUKU` becomes `İş hukuku` in
/// Turkish.
pub fn capitalize(locale: Locale, text: &str) -> String {
    let mut options = TitlecaseOptions::default();
    // Only the first character: `3'lü` must not become `3'Lü`.
    options.leading_adjustment = Some(LeadingAdjustment::None);
    CASES.titlecase_segment_with_only_case_data_to_string(text, tag(locale), options).into_owned()
}

/// Capitalizes each word: `“iş HUKUKU”` becomes `“İş Hukuku”` in Turkish.
pub fn title(locale: Locale, text: &str) -> String {
    text.split_inclusive(ends_a_word).map(|word| capitalize(locale, word)).collect()
}

/// Returns whether a new word begins after a character.
fn ends_a_word(letter: char) -> bool {
    let is_accent = || CanonicalCombiningClassMapBorrowed::new().get_u8(letter) != 0;
    let is_inside = matches!(letter, '\'' | '’' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    !letter.is_alphanumeric() && !is_inside && !is_accent()
}

fn tag(locale: Locale) -> &'static LanguageIdentifier {
    match locale {
        Locale::En => &ENGLISH,
        Locale::Tr => &TURKISH,
    }
}
