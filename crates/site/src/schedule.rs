//! The moments at which the site changes without an edit.

use content::{Kind, Record};
use jiff::{Timestamp, ToSpan as _, civil, tz::TimeZone};

use super::draft::{Draft, Status};

/// Returns the next moment at which an entry appears or expires, a review becomes due, a change of law is in force or
/// the security contact expires; `None` if nothing is scheduled.
pub(crate) fn next_change(draft: &Draft) -> Option<Timestamp> {
    // With `--drafts` all entries are shown at all times.
    let scheduled = draft.records.iter().filter(|_| !draft.drafts);
    let moments = scheduled.filter_map(|record| match draft.status(record) {
        Status::Early(moment) => Some(moment),
        Status::Published => {
            record.values.get::<Timestamp>("expires").map(|at| at.value).filter(|moment| *moment > draft.now)
        }
        Status::Draft | Status::Expired(_) | Status::Unknown => None,
    });
    let contact = draft.settings.security_expires.as_ref().and_then(|at| end_of(at.value.as_str()));
    let reviews = draft.records.iter().filter(|record| draft.status(record) == Status::Published);
    let reviews = reviews.filter_map(|record| start_of(review_due(draft, record)?));
    let changes = draft.settings.law_changes.iter();
    let changes = changes.filter_map(|change| start_of(change.in_force.as_str().parse().ok()?));
    moments.chain(contact.into_iter().chain(reviews).chain(changes).filter(|moment| *moment > draft.now)).min()
}

/// Returns whether a publication was never reviewed, or not within the period in the settings.
pub(crate) fn is_unreviewed(draft: &Draft, record: &Record) -> bool {
    let is_watched = draft.settings.review_after.is_some() && record.kind == Kind::Publications;
    is_watched && review_due(draft, record).is_none_or(|day| day <= draft.today())
}

/// Returns the day from which the last review of a publication is too long ago.
fn review_due(draft: &Draft, record: &Record) -> Option<civil::Date> {
    let months = draft.settings.review_after.as_ref().filter(|_| record.kind == Kind::Publications)?.value;
    let updated: civil::Date = record.head.updated.as_ref()?.value.as_str().parse().ok()?;
    updated.checked_add(i32::from(months).months()).ok()
}

/// Returns the moment at which a day begins, in UTC.
fn start_of(day: civil::Date) -> Option<Timestamp> {
    Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// Returns the moment at which a day ends, in UTC.
fn end_of(day: &str) -> Option<Timestamp> {
    start_of(day.parse::<civil::Date>().ok()?.tomorrow().ok()?)
}
