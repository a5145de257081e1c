//! A moment as people of a locale write it. The words come from the build; the calendar is the only one in use.

use contract::forms::Words;

use super::Milliseconds;

const MINUTE: i64 = 60_000;

/// `moment` on the firm's clocks, for example `21 November 2026, 16:45 (UTC+3)`.
pub(super) fn tell(moment: Milliseconds, words: &Words) -> String {
    let minutes = moment.div_euclid(MINUTE).saturating_add(i64::from(words.offset_minutes));
    let (days, minute) = (minutes.div_euclid(24 * 60), minutes.rem_euclid(24 * 60));
    let (year, month, day) = date(days);
    let month = words.months.get(month.wrapping_sub(1)).map_or("", String::as_str);
    words
        .moment
        .replace("{day}", &day.to_string())
        .replace("{month}", month)
        .replace("{year}", &year.to_string())
        .replace("{hour}", &format!("{:02}", minute / 60))
        .replace("{minute}", &format!("{:02}", minute % 60))
}

/// Year, month from 1 on and day of the month, `days` after 1 January 1970. Counts in cycles of 400 years, in which
/// years begin in March, so that the leap day is the last of its year.
fn date(days: i64) -> (i64, usize, i64) {
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
