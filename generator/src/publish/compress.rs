//! Compressed forms of a file.

use brotlic::{CompressionMode, Quality, WindowSize};
use contract::manifest::Coding;
use libdeflater::{CompressionLvl, Compressor};

/// How hard to compress. Compressed forms are kept as long as a file's bytes stay the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all: a static host or proxy compresses.
    None,
    /// A thirtieth of the time of the best, for about a tenth more octets.
    ///
    /// Brotli, which every browser takes, is worth its fifth level: the fourth would lose five octets in a hundred. The
    /// other two are for the few programs that do not know Brotli, and are made as quickly as they can be without
    /// losing more than that.
    #[default]
    Fast,
    /// For releases.
    Best,
}

/// The level of each coding.
struct Levels {
    br: u8,
    zstd: i32,
    gzip: i32,
}

impl Compression {
    /// How compressed forms are made, as `.build.json` has it: those that were made otherwise are made anew.
    #[must_use]
    pub(super) const fn recipe(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Fast => "br 5, zstd 3, gzip 4",
            Self::Best => "br 11, zstd 19, gzip 12",
        }
    }

    const fn levels(self) -> Option<Levels> {
        match self {
            Self::None => None,
            Self::Fast => Some(Levels { br: 5, zstd: 3, gzip: 4 }),
            Self::Best => Some(Levels { br: 11, zstd: 19, gzip: 12 }),
        }
    }

    /// `bytes` in `coding`, or `None` where that would not be smaller.
    pub(super) fn compress(self, coding: Coding, bytes: &[u8]) -> Option<Vec<u8>> {
        let levels = self.levels()?;
        let compressed = match coding {
            Coding::Br => brotli_form(bytes, levels.br)?,
            // A context that has seen other files may choose other matches, and the same input must give the same bytes.
            Coding::Zstd => zstd::bulk::compress(bytes, levels.zstd).ok()?,
            Coding::Gzip => gzip_form(bytes, levels.gzip)?,
        };
        (compressed.len() < bytes.len()).then_some(compressed)
    }
}

fn brotli_form(bytes: &[u8], level: u8) -> Option<Vec<u8>> {
    let quality = Quality::new(level).ok()?;
    let window = WindowSize::new(window_bits(bytes.len())).ok()?;
    let mut out = vec![0; brotlic::compress_bound(bytes.len(), quality)?];
    let length = brotlic::compress(bytes, &mut out, quality, window, CompressionMode::Generic).ok()?;
    out.truncate(length);
    Some(out)
}

/// A window beyond the file is memory for nothing; 22 bits are the library's default.
fn window_bits(length: usize) -> u8 {
    let bits = usize::BITS - length.leading_zeros();
    u8::try_from(bits.clamp(17, 22)).unwrap_or(22)
}

/// The header has neither a name nor a time: same input, same bytes.
fn gzip_form(bytes: &[u8], level: i32) -> Option<Vec<u8>> {
    let mut compressor = Compressor::new(CompressionLvl::new(level).ok()?);
    let mut out = vec![0; compressor.gzip_compress_bound(bytes.len())];
    let length = compressor.gzip_compress(bytes, &mut out).ok()?;
    out.truncate(length);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recipe_names_the_levels() {
        for compression in [Compression::Fast, Compression::Best] {
            let Levels { br, zstd, gzip } = compression.levels().unwrap();
            assert_eq!(compression.recipe(), format!("br {br}, zstd {zstd}, gzip {gzip}"));
        }
    }

    #[test]
    fn the_window_holds_the_file_and_stays_within_what_the_library_does_well() {
        for (length, bits) in [(0, 17), (1, 17), (131_071, 17), (131_072, 18), (4_194_303, 22), (1 << 30, 22)] {
            assert_eq!(window_bits(length), bits, "{length}");
        }
    }

    #[test]
    fn the_same_bytes_are_compressed_to_the_same_bytes_whatever_came_before() {
        let text = "Kira sözleşmesi, taraflarca yazılı olarak yapılır. ".repeat(900);
        for coding in Coding::ALL {
            let first = Compression::Fast.compress(coding, text.as_bytes()).unwrap();
            for length in [300, 5_000, 40_000] {
                let _ = Compression::Fast.compress(coding, &text.as_bytes()[..length]);
            }
            assert_eq!(Compression::Fast.compress(coding, text.as_bytes()).unwrap(), first, "{coding:?}");
        }
    }
}
