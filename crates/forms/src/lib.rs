//! Forms, messages and the page of search results, filled with values. Independent of the HTTP library, the store and
//! the mail server.
//!
//! The build renders each with a marker for every value (`contract::forms`). They are split into pieces when the build
//! is loaded; a build is rejected if its forms do not have exactly the slots of the contract, or have one where no
//! escaping is safe. Filling joins pieces and escaped values, and cannot fail.

mod catalogue;
mod email;
mod html_context;
mod page;
mod search;
mod sheet;
mod value;

use contract::Locale;

pub use self::{
    catalogue::Forms,
    email::{EmailContent, EmailDraft, Stamp},
    page::{AccessItem, FormPage},
    search::{SearchAnswer, SearchPage, SearchSources},
    value::{SlotValue, SlotValues},
};

/// The locales in which a part exists.
const LOCALES: [Locale; 2] = Locale::ALL;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
