//! Calendar dates.

use super::{Invalid, text_type};

/// A calendar date `YYYY-MM-DD` (RFC 3339 `full-date`) that exists in the Gregorian calendar. Sorts by time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(String);

impl Date {
    /// Parses `text` without correcting it.
    ///
    /// # Errors
    /// If the form is different, or the calendar has no such day.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let bytes = text.as_bytes();
        let form_is_fine = bytes.len() == 10
            && bytes.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !form_is_fine {
            return Err(Invalid::Date);
        }
        let date = Self(text.to_owned());
        let day_exists =
            (1..=12).contains(&date.month()) && (1..=days_in_month(date.year(), date.month())).contains(&date.day());
        if day_exists { Ok(date) } else { Err(Invalid::Date) }
    }

    /// Returns the year, 0 to 9999.
    pub fn year(&self) -> u16 {
        self.number(0..4)
    }

    /// Returns the month, 1 to 12.
    pub fn month(&self) -> u16 {
        self.number(5..7)
    }

    /// Returns the day of the month, from 1.
    pub fn day(&self) -> u16 {
        self.number(8..10)
    }

    fn number(&self, digits: std::ops::Range<usize>) -> u16 {
        self.0.as_bytes()[digits].iter().fold(0, |number, digit| number * 10 + u16::from(digit - b'0'))
    }
}

fn days_in_month(year: u16, month: u16) -> u16 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

text_type!(Date, Some("date"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn date_exists_in_the_calendar() {
        for good in ["2024-02-29", "2000-02-29", "2026-12-31"] {
            assert!(Date::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "2023-02-29",
            "1900-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-1-01",
            "2024-04-31",
            "01.02.2024",
            "2024-01-01T00",
        ] {
            assert!(Date::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn dates_sort_by_time() {
        assert!(Date::parse("2024-01-31").unwrap() < Date::parse("2024-02-01").unwrap());
    }
}
