//! Dates, points in time and times of day.

use contract::{Locale, text::Date};
use findings::{Code, messages};
use jiff::{Timestamp, civil, tz::Offset};
use markdown::turkish::{month_of, weekday};

use super::{
    Review,
    node::Node,
    problem::{Problem, Reading},
    values::{expected, scalar},
};

/// The earliest year of a date; an earlier one is a typing error.
const MIN_YEAR: u16 = 1900;

/// The offset of Istanbul from UTC, all year.
const ISTANBUL: &str = "+03:00";

pub(super) fn date(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    let date = day_of(text).map_or_else(|| Date::parse(text), Ok);
    let is_too_old = date.as_ref().is_ok_and(|date| date.year() < MIN_YEAR);
    let wanted = match date {
        Ok(date) if !is_too_old => return Ok(date.to_string()),
        Ok(_) => messages::date_too_old(),
        Err(invalid) => invalid.into(),
    };
    let problem = Problem::new(Code::BAD_DATE, expected(wanted, text));
    Err(Some(match (suggest_date(text), last_day(text)) {
        (Some(date), _) if is_unambiguous(text, &date) => problem.correction(date.as_str()),
        (Some(date), _) => problem.label(messages::words_to_write(date)),
        (None, Some(last)) => problem.help(messages::last_day_of_month_help(last)),
        (None, None) if is_too_old => problem.help(messages::date_too_old_help()),
        (None, None) => problem.help(messages::date_form_help()),
    }))
}

/// Returns the day of a moment (ISO 8601), which programs write for a day. It is the day as written, except that a
/// moment in UTC that is midnight in Istanbul belongs to the day that begins then.
fn day_of(text: &str) -> Option<Date> {
    let (day, time) = text.split_once(['T', 't', ' '])?;
    let date = Date::parse(day).ok()?;
    let time = time.trim();
    let zone = time.find(['Z', 'z', '+', '-', ' ']).map_or("", |at| time[at..].trim());
    let clock = time[..time.len() - zone.len()].trim();
    let whole = format!("{day}T{clock}{}", if zone.is_empty() { "Z" } else { zone });
    let moment: Timestamp = whole.parse().ok()?;
    let in_istanbul = Offset::constant(3).to_datetime(moment);
    let is_midnight = zone.eq_ignore_ascii_case("z") && in_istanbul.time() == civil::Time::midnight();
    if is_midnight { Date::parse(&in_istanbul.date().to_string()).ok() } else { Some(date) }
}

/// Returns the last day of the month in `text`, of the form `YYYY-MM-DD`, if the day exceeds it.
fn last_day(text: &str) -> Option<civil::Date> {
    let (month, day) = text.rsplit_once('-').filter(|(month, _)| month.len() == 7)?;
    let first: civil::Date = format!("{month}-01").parse().ok()?;
    let last = first.last_of_month();
    (day.parse::<i8>().ok()? > last.day()).then_some(last)
}

/// Converts `14.03.2025`, `14/3/2025`, `2025-3-14` and `2025-03-14T10:00` to the required form.
fn suggest_date(text: &str) -> Option<Date> {
    let text = super::line_mender::inside_other_marks(text).unwrap_or(text);
    if let Some((date, _)) = date_in_words(text) {
        return Some(date);
    }
    let day_only = text.split(['T', ' ']).next()?;
    let mut numbers = day_only.split(['.', '/', '-']);
    let (first, second, third) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let (year, day) = if first.len() == 4 { (first, third) } else { (third, first) };
    let date = Date::parse(&format!("{year:0>4}-{second:0>2}-{day:0>2}"));
    date.ok().filter(|date| date.year() >= MIN_YEAR)
}

/// Reads `28 Kasım 2026`, `November 28, 2026` and `28.Kas.2026`; also returns what follows.
fn date_in_words(text: &str) -> Option<(Date, &str)> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while parts.len() < 3 {
        let end = rest.find([' ', '.', ',', '-', '/', '\u{a0}']).unwrap_or(rest.len());
        parts.push(&rest[..end]);
        rest = rest[end..].trim_start_matches([' ', '.', ',', '-', '/', '\u{a0}']);
    }
    let (day, month, year) = match parts[..] {
        [month, day, year] if month.starts_with(char::is_alphabetic) => (day, month, year),
        [day, month, year] => (day, month, year),
        _ => return None,
    };
    let month = month_of(month).filter(|_| month.starts_with(char::is_alphabetic))?;
    let date = Date::parse(&format!("{year}-{month:02}-{:02}", day.parse::<u8>().ok()?)).ok()?;
    let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let names = weekdays.iter().flat_map(|day| Locale::ALL.map(|locale| weekday(locale, day))).flatten();
    let rest =
        names.fold(rest, |rest, name| rest.strip_prefix(name).map_or(rest, |rest| rest.trim_start_matches([',', ' '])));
    (date.year() >= MIN_YEAR).then_some((date, rest))
}

/// Returns whether `text` can only mean `date`. With slashes, the month may come first.
fn is_unambiguous(text: &str, date: &Date) -> bool {
    let day = date.as_str().rsplit('-').next().and_then(|day| day.parse::<u8>().ok());
    !text.contains('/')
        || text.split('/').next().is_some_and(|first| first.len() == 4)
        || day.is_some_and(|day| day > 12)
}

/// Converts `14.03.2025 17.30`, `2025-03-14 17:30:00 +03:00` and `14/3/2025 9:00 Z` to the required form. Also returns
/// whether the text states an offset from UTC.
fn suggest_moment(text: &str) -> Option<(String, bool)> {
    let (date, time) = match date_in_words(text) {
        Some(words) => words,
        None => (suggest_date(text)?, text.split_once(['T', ' '])?.1),
    };
    let time = time.trim().trim_start_matches("saat ").trim_start_matches("at ");
    let (time, distance) = time.split_at(time.find([' ', '+', '-', 'Z', 'z']).unwrap_or(time.len()));
    let is_whole = !distance.is_empty();
    // The end of a day is the beginning of the next one.
    let is_midnight =
        time.strip_prefix("24").is_some_and(|rest| rest.bytes().all(|byte| matches!(byte, b'0' | b':' | b'.')));
    let (date, time) = match date.as_str().parse::<civil::Date>() {
        Ok(day) if is_midnight => (day.tomorrow().ok()?.to_string(), "00:00"),
        _ => (date.to_string(), time),
    };
    let moment = format!("{date}T{}{}", suggest_time(time)?, if is_whole { distance.trim() } else { ISTANBUL });
    moment.parse::<Timestamp>().is_ok().then_some((moment, is_whole))
}

/// Converts `9:00`, `09.00` and `17:30:00` to the form that a moment requires.
fn suggest_time(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split([':', '.']).collect();
    let (hour, minute, second) = match parts[..] {
        [hour, minute] => (hour, minute, "00"),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    let number = |text: &str, least: u8| text.parse().ok().filter(|number: &u8| text.len() <= 2 && *number < least);
    Some(format!("{:02}:{:02}:{:02}", number(hour, 24)?, number(minute, 60)?, number(second, 60)?))
}

pub(super) fn moment(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    text.parse().map(|moment: Timestamp| moment.to_string()).map_err(|_| {
        let problem = Problem::new(Code::BAD_MOMENT, expected(messages::moment_wanted(), text));
        Some(match (suggest_moment(text), suggest_date(text)) {
            (Some((moment, true)), Some(date)) if is_unambiguous(text, &date) => problem.correction(moment),
            (Some((moment, true)), _) => problem.label(messages::words_to_write(moment)),
            (Some((moment, false)), _) => problem.label(messages::moment_in_istanbul(moment)),
            (None, Some(date)) if !text.trim().contains(['T', ' ']) => {
                problem.label(messages::nine_in_istanbul(format!("{date}T09:00:00{ISTANBUL}")))
            }
            _ => problem,
        })
    })
}

/// Reads the state of a text that was compared with the other language.
pub(super) fn review(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    if Review::is_commit(text) { Ok(text.to_owned()) } else { date(node) }
}

/// Reads a time of day, `HH:MM`.
pub(super) fn time(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    let number = |part: &str, limit: u8| {
        part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit()) && part.parse::<u8>().is_ok_and(|n| n < limit)
    };
    if text.split_once(':').is_some_and(|(hours, minutes)| number(hours, 24) && number(minutes, 60)) {
        return Ok(text.to_owned());
    }
    let problem = Problem::new(Code::BAD_TIME, expected(messages::time_wanted(), text));
    Err(Some(match suggest_time(text).as_deref().and_then(|time| time.strip_suffix(":00")) {
        Some(time) => problem.correction(format!("\"{time}\"")),
        // A day has no minute 24:00.
        None if matches!(text, "24:00" | "24.00") => problem.label(messages::words_to_write("\"23:59\"")),
        None => problem,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::tests::{label, plain};

    #[test]
    fn moment_is_converted_to_its_day() {
        for (written, day) in [
            ("2025-09-03", "2025-09-03"),
            ("2025-09-03T00:00:00.000Z", "2025-09-03"),
            ("2025-09-03T09:00:00+03:00", "2025-09-03"),
            ("2025-09-03T23:30:00-05:00", "2025-09-03"),
            ("2025-09-03 09:00:00 +0300", "2025-09-03"),
            ("2025-09-03t10:00:00z", "2025-09-03"),
            ("2025-09-03T10:00", "2025-09-03"),
            ("2025-09-02T21:00:00.000Z", "2025-09-03"),
            ("2025-09-02T22:15:00Z", "2025-09-02"),
        ] {
            assert_eq!(date(&plain(written)).unwrap(), day, "{written}");
        }
        for none in
            ["2025-02-30T00:00:00Z", "2025-09-03T25:00:00Z", "2025-09-03 sabah", "2025-09-03T", "03.09.2025 10:00"]
        {
            assert!(date(&plain(none)).is_err(), "{none}");
        }
    }

    #[test]
    fn refused_day_or_time_has_a_suggestion() {
        assert_eq!(label(date(&plain("14.03.2025"))), "write `2025-03-14`");
        assert_eq!(label(date(&plain("2025-3-4"))), "write `2025-03-04`");
        let old = date(&plain("1899-12-31")).unwrap_err().unwrap();
        assert!(old.message[Locale::En].contains("from 1900 on") && !old.help.unwrap()[Locale::En].contains("digits"));
        assert!(label(moment(&plain("2026-12-01"))).starts_with("write `2026-12-01T09:00:00+03:00`"));
        for (written, suggestion) in [
            ("2026-12-01 09:00:00 +03:00", "2026-12-01T09:00:00+03:00"),
            ("1.12.2026 9.00 +02:00", "2026-12-01T09:00:00+02:00"),
            ("2026-12-01 9:00 Z", "2026-12-01T09:00:00Z"),
            ("2026-12-01T09.00.00+03:00", "2026-12-01T09:00:00+03:00"),
            ("1 Aralık 2026 09:00 +03:00", "2026-12-01T09:00:00+03:00"),
            ("2026-12-31T24:00+03:00", "2027-01-01T00:00:00+03:00"),
        ] {
            assert_eq!(label(moment(&plain(written))), format!("write `{suggestion}`"), "{written}");
        }
        for (written, suggestion) in [
            ("1 Aralık 2026 09:00", "2026-12-01T09:00:00+03:00"),
            ("1 Aralık 2026 Salı, saat 09.00", "2026-12-01T09:00:00+03:00"),
            ("December 1, 2026 24:00", "2026-12-02T00:00:00+03:00"),
        ] {
            assert!(label(moment(&plain(written))).starts_with(&format!("write `{suggestion}`")), "{written}");
        }
        for written in ["28 Kasım 2026", "28 KASIM 2026", "November 28, 2026", "28 Nov 2026", "28.Kas.2026"] {
            assert_eq!(label(date(&plain(written))), "write `2026-11-28`", "{written}");
        }
        assert_eq!(label(time(&plain("24:00"))), "write `\"23:59\"`");
        for none in ["2026-12-01 09:00:00 yarın", "2026-12-01 25:00 +03:00"] {
            assert_eq!(label(moment(&plain(none))), "", "{none}");
        }
        for written in ["9:00", "09.00", "9.00", "09:00:00"] {
            assert_eq!(label(time(&plain(written))), "write `\"09:00\"`", "{written}");
        }
        for none in ["25:00", "9", "nine", "09:00:30"] {
            assert_eq!(label(time(&plain(none))), "", "{none}");
        }
    }
}
