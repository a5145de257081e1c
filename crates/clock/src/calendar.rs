//! Converts milliseconds since the epoch to dates and times of day in UTC.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

/// Formats as `2026-11-21T13:45:00.000Z` (RFC 3339), the form of all moments on the wire.
pub fn timestamp(milliseconds: i64) -> String {
    format!("{:.3}", moment(milliseconds))
}

/// Returns the date and the time of day.
pub fn civil(milliseconds: i64) -> DateTime {
    moment(milliseconds).to_zoned(TimeZone::UTC).datetime()
}

/// Parses a moment with its offset (RFC 3339), or a day or a time of day in UTC: `2026-11-21`, `2026-11-21T13:45`.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let moment = text.parse::<Timestamp>().ok().or_else(|| {
        let civil = text.parse::<DateTime>().ok()?;
        Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
    });
    Some(moment?.as_millisecond())
}

/// Returns the moment, or the nearest one that can be formatted.
fn moment(milliseconds: i64) -> Timestamp {
    let end = if milliseconds < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(milliseconds).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moment_is_written_to_the_millisecond() {
        for (milliseconds, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (1_795_268_700_042, "2026-11-21T13:45:00.042Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        ] {
            assert_eq!(timestamp(milliseconds), expected);
        }
    }

    #[test]
    fn moment_is_read_with_its_offset_and_a_day_from_its_beginning() {
        for (text, expected) in [
            ("2026-11-21T13:45:00.042Z", Some(1_795_268_700_042)),
            ("2026-11-21T16:45:00.042+03:00", Some(1_795_268_700_042)),
            ("2026-11-21T13:45", Some(1_795_268_700_000)),
            ("2000-02-29", Some(951_782_400_000)),
            ("2023-02-29", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn no_number_is_beyond_the_calendar() {
        assert!(timestamp(i64::MAX).starts_with("9999-") && timestamp(i64::MIN).starts_with("-009999-"));
    }
}
