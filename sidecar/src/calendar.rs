//! The calendar: from milliseconds since 1970 to dates. There is no time zone here but UTC.

const DAY: i64 = 86_400_000;

/// `2026-11-21T13:45:00.000Z` (RFC 3339), as every moment is written on the wire.
pub(crate) fn timestamp(milliseconds: i64) -> String {
    let (year, month, day) = date(milliseconds.div_euclid(DAY));
    let rest = milliseconds.rem_euclid(DAY);
    let (seconds, millis) = (rest / 1000, rest % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Year, month from 1 on and day of the month, `days` after 1 January 1970. Counts in cycles of 400 years, in which
/// years begin in March, so that the leap day is the last of its year.
pub(crate) fn date(days: i64) -> (i64, usize, i64) {
    let days = days.saturating_add(719_468);
    let (cycle, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (cycle * 400 + year + i64::from(month <= 2), usize::try_from(month).unwrap_or(1), day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_to_the_millisecond() {
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
    fn days_become_dates() {
        for (days, expected) in [
            (0, (1970, 1, 1)),
            (-1, (1969, 12, 31)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (19_782, (2024, 2, 29)),
            (20_778, (2026, 11, 21)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(date(days), expected, "{days}");
        }
    }

    #[test]
    fn no_day_is_skipped_or_told_twice() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..60_000 {
            assert_eq!(date(days), (year, month, day));
            let leap = month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            day += 1;
            if day > lengths[month - 1] + i64::from(leap) {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }
}
