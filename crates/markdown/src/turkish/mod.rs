//! What depends on a language: case, order, dates, numbers, names, slugs, non-breaking spaces, quotation marks, and
//! folding for search.
//!
//! Turkish is why this module exists (`I` is the capital of `ı`, `İ` of `i`; Ç, Ğ, I, Ö, Ş and Ü have places of their
//! own in the alphabet); English means that of the United Kingdom. Case and order come from ICU4X; what is needed for
//! dates, numbers and names is small enough to be part of this module.

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

pub use calendar::weekday;
pub use language::Language;
pub use nbsp::with_nbsp;
pub(crate) use nbsp::{NBSP, needs_nbsp};
pub use quotes::nested;
pub use search::fold;
pub use slug::slug;

/// Returns `text` in Unicode form NFC: with each letter and its accent in one character, as far as there is one.
#[must_use]
pub fn composed(text: &str) -> Cow<'_, str> {
    // The letters of English and Turkish, and what is used between words, begin with other bytes.
    if text.bytes().all(|byte| byte < 0xCC || byte == 0xE2) {
        return Cow::Borrowed(text);
    }
    ComposingNormalizer::new_nfc().normalize(text)
}

#[cfg(test)]
mod tests;
