//! What depends on a language: case, order, dates, numbers, names, slugs, non-breaking spaces, quotation marks, and folding for search.
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

use icu_normalizer::ComposingNormalizer;

pub use calendar::weekday;
pub use language::Language;
pub use nbsp::with_nbsp;
pub(crate) use nbsp::{NBSP, needs_nbsp};
pub use quotes::nested;
pub use search::fold;
pub use slug::slug;

/// Returns whether no letter of a name is separate from its accent.
#[must_use]
pub fn is_composed(name: &str) -> bool {
    ComposingNormalizer::new_nfc().is_normalized(name)
}

/// Returns whether two names are the same once each letter is joined with its accent.
#[must_use]
pub fn are_alike_composed(one: &str, other: &str) -> bool {
    let nfc = ComposingNormalizer::new_nfc();
    nfc.normalize_iter(one.chars()).eq(nfc.normalize_iter(other.chars()))
}

#[cfg(test)]
mod tests;
