//! Draws pictures that differ in a few words only, and writes them as PNG.
//!
//! What all of them have in common, the [`Ground`], is given as pixels, and reduced to a palette and prepared for
//! compression once. A glyph is rasterised once for each size and place in a pixel. A picture is then the sum of both:
//! its words are laid on a copy of the rows that they touch, and these rows alone are examined for what repeats.
//!
//! **Why no library packs the pixels.** A general compressor reads all 750 KB of a picture to find out that most rows
//! are blank: at its fastest level `libdeflate` takes 1.5 ms for that, five times as long as everything else here.
//! What repeats in a row of words is what stands to the left and above; `packing` looks there only.
//!
//! This crate uses no file system and no clock: the same words on the same ground are the same bytes.

mod face;
mod glyphs;
mod ground;
mod lines;
mod packing;
mod palette;

pub use face::{Face, UnreadableFace};
pub use glyphs::Glyphs;
pub use ground::{Ground, Ink, Words};
pub use lines::{SetTitle, cut, set_title};
pub use palette::reduced;
