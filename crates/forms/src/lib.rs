//! Forms and messages of the build in use, and the page of search results, ready to be filled. Knows no HTTP library,
//! no store and no mail server.
//!
//! The build renders each of them with a marker for every value that is known only later (`contract::forms`). They are
//! split into pieces once, when the build is loaded; a build is refused if its forms do not have exactly the agreed
//! slots, or have one where no escaping would be safe. Filling joins pieces and escaped values, and cannot fail.

mod catalogue;
mod email;
mod html_context;
mod moment;
mod page;
mod search;
mod sheet;
mod value;

use contract::Locale;

pub use self::{
    catalogue::Forms,
    email::{Content, Email, Stamp},
    page::{AccessItem, Page},
    search::{SearchAnswer, SearchPage},
    value::{SlotValues, Value},
};

/// The locales in which a part exists.
const LOCALES: [Locale; 2] = Locale::ALL;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
