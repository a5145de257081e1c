//! The rules of one locale.

use std::cmp::Ordering;

use contract::{Locale, text::Date};
use icu_collator::{Collator, CollatorBorrowed, options::CollatorOptions};
use icu_locale_core::locale;

use super::{
    calendar,
    names::{self, CodeKind},
    zone,
};

/// The rules of a locale. Build it once per locale; threads may share it.
#[derive(Debug)]
pub struct Language {
    locale: Locale,
    order: CollatorBorrowed<'static>,
}

impl Language {
    /// Loads the rules of `locale`.
    pub fn new(locale: Locale) -> Self {
        let tag = match locale {
            Locale::En => locale!("en-GB"),
            Locale::Tr => locale!("tr"),
        };
        #[expect(
            clippy::expect_used,
            clippy::missing_panics_doc,
            reason = "the rules are compiled in; a test builds both locales"
        )]
        let order = Collator::try_new(tag.into(), CollatorOptions::default())
            .expect("invariant: the collations of both locales are compiled in");
        Self { locale, order }
    }

    pub fn locale(&self) -> Locale {
        self.locale
    }

    /// Returns the name of a time zone: `İstanbul saati (UTC+3)` for `Europe/Istanbul`.
    pub fn time_zone(&self, id: &str) -> String {
        zone::zone(self.locale, id)
    }

    /// Compares two texts in the order of the locale's dictionary. Only identical texts are equal.
    pub fn compare(&self, a: &str, b: &str) -> Ordering {
        self.order.compare(a, b).then_with(|| a.cmp(b))
    }

    /// Formats a date: `20 Kasım 2026`, `20 November 2026`.
    pub fn date(&self, date: &Date) -> String {
        calendar::date(self.locale, date)
    }

    /// Returns the names of the months, from January on.
    pub fn months(&self) -> [&'static str; 12] {
        calendar::months(self.locale)
    }

    /// Formats a number: `1.234.567`, `1,234,567`.
    pub fn number(&self, number: u64) -> String {
        let separator = match self.locale {
            Locale::En => ',',
            Locale::Tr => '.',
        };
        let digits = number.to_string();
        let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                grouped.push(separator);
            }
            grouped.push(digit);
        }
        grouped
    }

    /// Joins names: `A, B and C`, `A, B ve C`.
    pub fn list(&self, names: &[&str]) -> String {
        let and = match self.locale {
            Locale::En => " and ",
            Locale::Tr => " ve ",
        };
        match names {
            [] => String::new(),
            [one] => (*one).to_owned(),
            [others @ .., last] => [others.join(", ").as_str(), last].join(and),
        }
    }

    /// Returns the name of an ISO 639-1 language (`tr`).
    pub fn language_name(&self, code: &str) -> Option<String> {
        names::name(CodeKind::Language, code, self.locale).map(str::to_owned)
    }

    /// Returns the name of an ISO 3166-1 country (`TR`).
    pub fn country_name(&self, code: &str) -> Option<String> {
        names::name(CodeKind::Country, code, self.locale).map(str::to_owned)
    }

    /// Returns the name of a day, `mon` to `sun`.
    pub fn weekday(&self, day: &str) -> Option<&'static str> {
        calendar::weekday(self.locale, day)
    }

    /// Returns the names of several days, with spans: `Pazartesi–Cuma`. Unknown codes are left out.
    pub fn weekdays<'a>(&self, days: impl IntoIterator<Item = &'a str>) -> String {
        calendar::weekdays(self.locale, days.into_iter())
    }

    /// Formats a time of day `HH:MM`: `09.00` in Turkish.
    pub fn time(&self, time: &str) -> String {
        calendar::time(self.locale, time)
    }
}
