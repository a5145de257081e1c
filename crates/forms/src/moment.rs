//! Formats moments for people. The words and the firm's offset from UTC come from the build, so that no database of
//! time zones is needed.

use clock::{Time, civil};
use contract::forms::Words;

const MINUTE: i64 = 60_000;

/// Formats `moment` in the firm's offset, for example `21 November 2026, 16:45 (UTC+3)`.
pub(super) fn format_moment(moment: Time, words: &Words) -> String {
    let local = civil(moment.millis().saturating_add(i64::from(words.offset_minutes) * MINUTE));
    let month = usize::from(local.month().unsigned_abs());
    let month = words.months.get(month.wrapping_sub(1)).map_or("", String::as_str);
    words
        .moment
        .replace("{day}", &local.day().to_string())
        .replace("{month}", month)
        .replace("{year}", &local.year().to_string())
        .replace("{hour}", &format!("{:02}", local.hour()))
        .replace("{minute}", &format!("{:02}", local.minute()))
}
