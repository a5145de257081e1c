//! When the site changes by itself.

use super::draft::{Draft, Status};
use crate::source::Facts;

/// The next moment at which an entry appears or expires, in RFC 3339; `None` if nothing is scheduled.
pub(crate) fn next_change(draft: &Draft) -> Option<String> {
    let moments = draft.records.iter().filter_map(|record| {
        let Some(Facts::Article(facts)) = &record.facts else { return None };
        match draft.status(record) {
            Status::Early(moment) => Some(moment),
            Status::Published => facts.expires.as_ref().map(|at| at.value).filter(|moment| *moment > draft.now),
            Status::Draft | Status::Expired(_) => None,
        }
    });
    moments.min().map(|moment| moment.to_string())
}
