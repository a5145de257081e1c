//! Builds a firm's site: `content/` and `templates/` in, `dist/` out.
//!
//! Data flows one way: [`source`] reads files, [`check`] finds every fault in them, [`site`] assembles the typed model,
//! [`render`] turns it into files and routes, [`publish`] puts them on disk; [`load`] goes the first half of that way. [`markdown`] and [`turkish`] know text,
//! [`diagnostic`] knows how to tell a person what to mend. Beside that way, [`scaffold`] starts an entry, [`translations`]
//! compares the languages, and [`doctor`] looks at a running site.

pub mod check;
pub mod diagnostic;
pub mod doctor;
mod fingerprint;
mod folder;
mod hex;
mod load;
pub mod markdown;
pub mod publish;
pub mod render;
pub mod scaffold;
pub mod site;
pub mod source;
pub mod translations;
pub mod turkish;

pub use load::{Loaded, Loading, load};
