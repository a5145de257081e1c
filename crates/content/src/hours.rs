//! Opening hours.

use findings::{Code, messages};

use super::{At, OpeningHours, fields::Fields, types};

/// Reads the hours of the firm or of an office.
pub(super) fn hours(fields: &mut Fields) -> Option<At<OpeningHours>> {
    let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].map(|day| (day, day));
    let group = fields.group("hours", |hours| {
        let list = hours.list("days", &types::one_of(&days));
        let opens = hours.optional("opens", &types::time());
        let closes = hours.optional("closes", &types::time());
        let time_zone = hours.optional("time_zone", &types::time_zone());
        if let (Some(opens), Some(closes)) = (&opens, &closes)
            && opens.value >= closes.value
        {
            let message = messages::hours_reversed(&closes.value, &opens.value);
            hours.report(hours.finding(Code::HOURS_ORDER, closes.span, message));
        }
        let days = list.map(|list| list.value.into_iter().map(|day| day.value.to_owned()).collect());
        let [opens, closes, time_zone] = [opens, closes, time_zone].map(|field| field.map(|field| field.value));
        OpeningHours { days: days.unwrap_or_default(), opens, closes, time_zone }
    })?;
    // With an unreadable field the rest is dropped: it would also be reported as different from the other language's
    // hours. An empty group counts as absent.
    let is_whole = group.failed.is_empty() && group.value != OpeningHours::default();
    is_whole.then(|| At::new(group.value, group.span))
}
