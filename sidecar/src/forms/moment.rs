//! A moment as people of a locale write it. The words come from the build; the calendar is the only one in use.

use contract::forms::Words;

use super::Milliseconds;
use crate::calendar::date;

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
