//! Checks of the register of accepted deviations: each entry names an existing passage that would be reported, and is
//! confirmed at least once a year.

use std::ops::Range;

use content::{DEVIATIONS, Deviation};
use findings::{
    Code, Finding, Place, Span,
    messages::{self, Text},
};
use jiff::{ToSpan, civil::Date};

use super::folded::{Folded, fold_words};

/// Maximum number of passages of a file that an entry accepts.
const MAX_PLACES: usize = 1000;

/// Returns the problem of an entry that does not depend on the texts: a missing file, or its dates.
pub(super) fn entry_fault(deviation: &Deviation, today: Date, is_file: &dyn Fn(&str) -> bool) -> Option<Finding> {
    let file = &deviation.file;
    if !is_file(&file.value) {
        let message = messages::deviation_file_unknown(&file.value);
        return Some(unused_at(file.span, message).help(messages::deviation_file_unknown_help()));
    }
    let (date, until) = (day(&deviation.date.value), day(&deviation.until.value));
    let latest = latest(date);
    let last = until.min(latest);
    let (span, message, help) = if date > today {
        (deviation.date.span, messages::deviation_early(date), messages::deviation_early_help())
    } else if until < date {
        (deviation.until.span, messages::deviation_backwards(until, date), messages::deviation_early_help())
    } else if last < today {
        (deviation.until.span, messages::deviation_expired(last), messages::deviation_expired_help())
    } else if until > latest {
        (deviation.until.span, messages::deviation_too_long(until), messages::deviation_too_long_help(latest))
    } else {
        return None;
    };
    Some(Finding::new(Code::DEVIATION_DATES, Place::new(DEVIATIONS, span), message).help(help))
}

/// Returns whether an entry is valid today; it is valid for at most a year.
pub(super) fn is_in_force(deviation: &Deviation, today: Date) -> bool {
    let (date, until) = (day(&deviation.date.value), day(&deviation.until.value));
    date <= today && today <= until.min(latest(date))
}

/// Returns the last possible day of an entry that was accepted on `date`.
fn latest(date: Date) -> Date {
    date.saturating_add(1.year())
}

fn day(date: &contract::text::Date) -> Date {
    date.as_str().parse().unwrap_or_default()
}

/// Returns the ranges of an entry's words in its file.
pub(super) fn find_places(deviation: &Deviation, text: &Folded, whole: &str) -> Vec<Range<usize>> {
    let words = fold_words(&deviation.words.value);
    if words.is_empty() {
        return Vec::new();
    }
    let found = text.text.match_indices(words.as_str()).take(MAX_PLACES);
    found.map(|(at, words)| text.range(&(at..at + words.len()), whole)).collect()
}

/// Reports an entry whose words no longer occur or would not be reported.
pub(super) fn unused_entry(deviation: &Deviation, places: &[Range<usize>], is_needed: bool) -> Option<Finding> {
    let (words, file) = (&deviation.words, &deviation.file.value);
    let message = if places.is_empty() {
        messages::deviation_words_gone(&words.value, file)
    } else if is_needed {
        return None;
    } else {
        messages::deviation_not_needed(&words.value, deviation.code.id())
    };
    Some(unused_at(words.span, message).help(messages::deviation_idle_help()))
}

fn unused_at(span: Span, message: Text) -> Finding {
    Finding::new(Code::DEVIATION_IDLE, Place::new(DEVIATIONS, span), message)
}
