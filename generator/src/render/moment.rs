//! Days of the content, where a format takes moments only.

use contract::text::Date;

/// The moment that stands for a day: noon in Istanbul, which is the same day from Alaska to New Zealand (decision 111).
pub(super) fn moment(day: &Date) -> String {
    format!("{day}T09:00:00Z")
}
