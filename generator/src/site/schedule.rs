//! The moments at which the site changes by itself.

use jiff::{Timestamp, civil, tz::TimeZone};

use super::draft::{Draft, Status};
use crate::source::Facts;

/// Returns the next moment at which an entry appears or expires, or the security contact expires; `None` if nothing is
/// scheduled.
pub(crate) fn next_change(draft: &Draft) -> Option<Timestamp> {
    // With `--drafts` all entries are shown at all times.
    let scheduled = draft.records.iter().filter(|_| !draft.drafts);
    let moments = scheduled.filter_map(|record| {
        let Some(Facts::Article(facts)) = &record.facts else { return None };
        match draft.status(record) {
            Status::Early(moment) => Some(moment),
            Status::Published => facts.expires.as_ref().map(|at| at.value).filter(|moment| *moment > draft.now),
            Status::Draft | Status::Expired(_) | Status::Unknown => None,
        }
    });
    let contact = draft.settings.security_expires.as_ref().and_then(|at| end_of(at.value.as_str()));
    moments.chain(contact.filter(|moment| *moment > draft.now)).min()
}

/// Returns the moment at which a day ends, in UTC.
fn end_of(day: &str) -> Option<Timestamp> {
    let next: civil::Date = day.parse().ok()?;
    Some(next.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp())
}
