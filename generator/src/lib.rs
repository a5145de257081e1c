//! Builds a firm's site: `content/` in, `dist/` out. The theme is built in, and `templates/` may replace parts of it.
//!
//! Below it, each a crate: `content` reads files, `site` finds every fault in them and assembles the typed model,
//! `render` turns it into files and routes, `publish` puts these on disk, and `hosts` makes folders for hosts from a
//! build. Here are the tools around that flow: [`scaffold`] starts an entry, [`fix`] rewrites what has one right form,
//! [`preview`] shows the site while it is written, [`templates`] copies and compares files of the theme,
//! [`translations`] compares the languages, [`vanished`] names what a build no longer publishes, [`portable`] copies a
//! build so that it opens anywhere, [`schema`] tells editors' programs which fields there are, [`diff`] compares two
//! builds, and [`doctor`] examines a running site.

pub mod diff;
pub mod doctor;
pub mod fix;
// For `fuzz/` only.
#[doc(hidden)]
pub mod fuzzing;
pub mod init;
pub mod portable;
pub mod preview;
mod rewording;
pub mod scaffold;
pub mod schema;
pub mod templates;
pub mod translations;
pub mod vanished;
