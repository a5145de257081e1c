//! Dates, days and times of day, in the forms of Unicode CLDR 48 for `en-GB` and `tr`.

use contract::{Locale, PerLocale, text::Date};

use super::slug;

#[rustfmt::skip]
const MONTHS: PerLocale<[&str; 12]> = PerLocale {
    en: [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ],
    tr: ["Ocak", "Şubat", "Mart", "Nisan", "Mayıs", "Haziran", "Temmuz", "Ağustos", "Eylül", "Ekim", "Kasım", "Aralık"],
};

/// The codes of the days in the content, in the order of the week.
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

const WEEKDAYS: PerLocale<[&str; 7]> = PerLocale {
    en: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    tr: ["Pazartesi", "Salı", "Çarşamba", "Perşembe", "Cuma", "Cumartesi", "Pazar"],
};

/// Formats a date: `20 Kasım 2026`, `20 November 2026`. The long form has the same order in both locales.
pub(super) fn date(locale: Locale, date: &Date) -> String {
    let month = MONTHS[locale][usize::from(date.month()) - 1];
    format!("{} {month} {}", date.day(), date.year())
}

/// Returns the number of a month from its name or the first three letters of it, in either language.
pub fn month_of(name: &str) -> Option<u8> {
    let plain = |locale, words: &str| slug(words.trim_end_matches(['.', ',']), locale);
    let is_month = |locale: Locale, month: &str| {
        let (month, name) = (plain(locale, month), plain(locale, name));
        month == name || name.len() == 3 && month.starts_with(&name)
    };
    let find = |locale: Locale| MONTHS[locale].iter().zip(1..).find(|(month, _)| is_month(locale, month));
    [Locale::Tr, Locale::En].into_iter().find_map(find).map(|(_, number)| number)
}

/// Returns the names of the months, from January on.
pub(super) fn months(locale: Locale) -> [&'static str; 12] {
    MONTHS[locale]
}

/// Returns the name of a day, `mon` to `sun`.
pub fn weekday(locale: Locale, day: &str) -> Option<&'static str> {
    DAYS.iter().position(|code| *code == day).map(|place| WEEKDAYS[locale][place])
}

/// Returns the names of several days. Three or more consecutive days become a span: `Pazartesi–Cuma`. Unknown codes
/// are left out.
pub(super) fn weekdays<'a>(locale: Locale, days: impl Iterator<Item = &'a str>) -> String {
    let mut open = [false; 7];
    for place in days.filter_map(|day| DAYS.iter().position(|code| *code == day)) {
        open[place] = true;
    }
    let mut text = String::new();
    let mut place = 0;
    while place < open.len() {
        let run = open[place..].iter().take_while(|open| **open).count();
        let names = &WEEKDAYS[locale][place..place + run];
        let separator = if text.is_empty() || names.is_empty() { "" } else { ", " };
        text.push_str(separator);
        match names {
            [first, _, .., last] => {
                text.push_str(first);
                text.push('–');
                text.push_str(last);
            }
            few => text.push_str(&few.join(", ")),
        }
        place += run.max(1);
    }
    text
}

/// Formats a time of day. In Turkish, a full stop separates hour and minute, according to the orthography of the
/// Turkish Language Association.
pub(super) fn time(locale: Locale, time: &str) -> String {
    match locale {
        Locale::En => time.to_owned(),
        Locale::Tr => time.replace(':', "."),
    }
}
