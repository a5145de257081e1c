//! Draws pictures that differ only in a few words, and writes them as PNG.
//!
//! The common part, the [`Ground`], is given as pixels; it is reduced to a palette and prepared for compression once. A
//! glyph is rasterised once for each size and subpixel position. A picture copies the rows that its words touch, lays
//! the words on them, and compresses only these rows again.
//!
//! **Why no library compresses the pixels.** A general compressor reads all 750 KB of a picture, most of which is
//! blank: at its fastest level `libdeflate` takes 1.5 ms, five times as long as everything else here. In a row of
//! words, repetitions are to the left and above; `packing` looks only there.
//!
//! The crate uses no file system and no clock: the same words on the same ground give the same bytes.

mod face;
mod glyphs;
mod ground;
mod lines;
mod memory;
mod packing;
mod palette;

pub use face::{Face, UnreadableFace};
pub use glyphs::Glyphs;
pub use ground::{Ground, Ink, TextLine};
pub use lines::{SetTitle, cut, set_title};
pub use memory::{DecodeMemory, MemoryShare};
pub use palette::reduce_palette;
