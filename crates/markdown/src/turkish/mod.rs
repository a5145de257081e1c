//! Rules of languages: case, order, dates, numbers, names, slugs, non-breaking spaces, quotation marks, and folding for
//! search.
//!
//! In Turkish, `I` is the capital of `ı` and `İ` of `i`, and Ç, Ğ, I, Ö, Ş and Ü have places of their own in the
//! alphabet. English is that of the United Kingdom. Case and order come from ICU4X; the data for dates, numbers and
//! names is small enough to stand here.

mod calendar;
pub mod case;
mod language;
mod names;
mod nbsp;
mod quotes;
mod slug;
mod zone;

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizer;

pub use calendar::{month_of, weekday};
pub use language::Language;
pub use nbsp::with_nbsp;
pub(crate) use nbsp::{NBSP, needs_nbsp};
pub use quotes::nested;
pub use search::fold;
pub use slug::slug;

/// Returns `text` in Unicode form NFC.
pub fn compose(text: &str) -> Cow<'_, str> {
    // English and Turkish letters and common punctuation have only these bytes, and are in NFC.
    if text.bytes().all(|byte| byte < 0xCC || byte == 0xE2) {
        return Cow::Borrowed(text);
    }
    ComposingNormalizer::new_nfc().normalize(text)
}

#[cfg(test)]
mod tests;
