//! Moments for the dates of the content, in formats that accept only moments.

use contract::text::Date;

/// Returns the moment that represents a day: noon in Istanbul, which is the same day from Alaska to New Zealand
/// (decision 111).
pub(super) fn moment(day: &Date) -> String {
    format!("{day}T09:00:00Z")
}
