//! Builds a firm's site: `content/` in, `dist/` out. The theme is built in, and `templates/` may replace parts of it.
//!
//! Data flows one way: [`source`] reads files, [`check`] finds every fault in them, [`site`] assembles the typed model,
//! [`render`] turns it into files and routes, and [`publish`] puts them on disk; [`load`] does the first half of that.
//! [`diagnostic`] knows how to tell people what to correct. Apart from that flow, [`scaffold`] starts an entry, [`fix`]
//! rewrites what has one right form, [`preview`] shows the site while it is written, [`templates`] copies and compares
//! files of the theme, [`translations`] compares the languages, [`portable`] copies a build so that it opens anywhere,
//! [`schema`] tells editors' programs which fields there are, [`diff`] compares two builds, [`hosts`] makes folders for
//! hosts from a build, and [`doctor`] examines a running site.

pub mod check;
pub mod diagnostic;
pub mod diff;
pub mod doctor;
pub mod fix;
mod folder;
// For `fuzz/` only.
#[doc(hidden)]
pub mod fuzzing;
mod hex;
pub mod hosts;
pub mod init;
mod load;
pub mod messages;
mod palette;
pub mod portable;
pub mod preview;
pub mod publish;
pub mod render;
mod rewording;
pub mod scaffold;
pub mod schema;
pub mod site;
pub mod source;
pub mod templates;
pub mod translations;
pub mod vanished;

pub use load::{HeldBack, Loaded, Loading, load, load_whole, load_with, misfits};
