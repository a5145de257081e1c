//! Builds a firm's site: `content/` in, `dist/` out. The theme is built in, and `templates/` may replace parts of it.
//!
//! The build is in other crates: `content` reads files, `site` checks them and assembles the typed model, `render`
//! turns it into files and routes, `publish` writes these to disk, and `hosts` writes folders for hosts. This crate
//! contains the tools around it: [`init`] and [`scaffold`] create sites and entries, [`fix`] applies corrections,
//! [`preview`] serves the site while it is edited, [`templates`] copies and compares files of the theme,
//! [`translations`] compares the languages, [`vanished`] finds removed addresses, [`portable`] copies a build with
//! relative links, [`schema`] describes the fields, [`diff`] compares two builds, [`citing`] finds the texts that cite a law, and [`doctor`] examines a running
//! site.

pub mod arrange;
pub mod citing;
pub mod diff;
pub mod doctor;
pub mod fix;
// For `fuzz/` only.
#[doc(hidden)]
pub mod fuzzing;
pub mod init;
pub mod portable;
pub mod preview;
mod renumbered;
mod rewording;
pub mod scaffold;
pub mod schema;
pub mod templates;
pub mod translations;
pub mod vanished;
