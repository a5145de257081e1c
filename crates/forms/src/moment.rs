//! A point in time as people of a locale write it. The words come from the build; the calendar is the only one in use.
//!
//! Times are given in the firm's offset from UTC, which is in the file of words, so that no database of time zones is
//! needed.

use clock::{Time, civil};
use contract::forms::Words;

const MINUTE: i64 = 60_000;

/// Returns `moment` on the firm's clocks, for example `21 November 2026, 16:45 (UTC+3)`.
pub(super) fn format_moment(moment: Time, words: &Words) -> String {
    let shown = civil(moment.millis().saturating_add(i64::from(words.offset_minutes) * MINUTE));
    let month = usize::from(shown.month().unsigned_abs());
    let month = words.months.get(month.wrapping_sub(1)).map_or("", String::as_str);
    words
        .moment
        .replace("{day}", &shown.day().to_string())
        .replace("{month}", month)
        .replace("{year}", &shown.year().to_string())
        .replace("{hour}", &format!("{:02}", shown.hour()))
        .replace("{minute}", &format!("{:02}", shown.minute()))
}
