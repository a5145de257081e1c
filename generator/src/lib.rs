//! Builds a firm's site: `content/` and `templates/` in, `dist/` out.
//!
//! Data flows one way: [`source`] reads files, [`site`] assembles the typed model, [`check`] finds every fault in it,
//! [`render`] turns it into files and routes, [`publish`] puts them on disk. [`markdown`] and [`turkish`] know text,
//! [`diagnostic`] knows how to tell a person what to mend. Beside that way, [`scaffold`] starts an entry, [`translations`]
//! compares the languages, and [`doctor`] looks at a running site.

pub mod check;
pub mod diagnostic;
pub mod doctor;
mod fingerprint;
mod folder;
mod hex;
pub mod markdown;
pub mod publish;
pub mod render;
pub mod scaffold;
pub mod site;
pub mod source;
pub mod translations;
pub mod turkish;
