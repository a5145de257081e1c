//! What depends on a language: case, order, dates, numbers, names, slugs, ties, quotation marks, and folding for search.
//!
//! Turkish is why this module exists (`I` is the capital of `ı`, `İ` of `i`; Ç, Ğ, I, Ö, Ş and Ü have places of their
//! own in the alphabet); English means that of the United Kingdom. Case and order come from ICU4X; what is needed for
//! dates, numbers and names is small enough to be part of this module.

mod calendar;
pub(crate) mod case;
mod language;
mod names;
mod quotes;
mod slug;
mod nbsp;
mod zone;

pub(crate) use calendar::weekday;
pub use language::Language;
pub(crate) use quotes::nested;
pub use search::fold;
pub use slug::slug;
pub(crate) use nbsp::{NBSP, needs_nbsp, with_nbsp};

#[cfg(test)]
mod tests;
