//! Upper and lower case, by the rules of a language: `i` and `İ`, `ı` and `I` are pairs in Turkish only.

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

/// `ILIMAN İSTANBUL` is `ılıman istanbul` in Turkish.
pub(crate) fn lower(locale: Locale, text: &str) -> String {
    CASES.lowercase_to_string(text, tag(locale)).into_owned()
}

/// `istanbul ılık` is `İSTANBUL ILIK` in Turkish.
pub(crate) fn upper(locale: Locale, text: &str) -> String {
    CASES.uppercase_to_string(text, tag(locale)).into_owned()
}

/// The first character in upper case, the others in lower case: `iş HUKUKU` is `İş hukuku` in Turkish.
pub(crate) fn capitalize(locale: Locale, text: &str) -> String {
    let mut options = TitlecaseOptions::default();
    // Else the first letter would be looked for: `3'lü` is no `3'Lü`.
    options.leading_adjustment = Some(LeadingAdjustment::None);
    CASES.titlecase_segment_with_only_case_data_to_string(text, tag(locale), options).into_owned()
}

/// Each word capitalized: `“iş HUKUKU”` is `“İş Hukuku”` in Turkish.
pub(crate) fn title(locale: Locale, text: &str) -> String {
    text.split_inclusive(ends_a_word).map(|word| capitalize(locale, word)).collect()
}

/// Whether a word begins behind a character: all that is no letter and no number, but what stands inside of words.
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
