//! Compressed forms of a file.

use std::io::Write as _;

use contract::manifest::Coding;

/// How hard to compress. Compressed forms are kept as long as a file's bytes stay the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all: a static host or proxy compresses.
    None,
    /// Brotli 5, Zstandard 6, gzip 6: a fortieth of the time of the best, for about a tenth more octets.
    ///
    /// The next levels of Zstandard and gzip would cost half as much again for less than one octet in a hundred; the
    /// level below Brotli's would lose six.
    #[default]
    Fast,
    /// Brotli 11, Zstandard 19, gzip 9: for releases.
    Best,
}

impl Compression {
    /// The word on the command line and in `build.json`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Fast => "fast",
            Self::Best => "best",
        }
    }

    /// `bytes` in `coding`, or `None` where that would not be smaller.
    pub(super) fn compress(self, coding: Coding, bytes: &[u8]) -> Option<Vec<u8>> {
        let best = match self {
            Self::None => return None,
            Self::Fast => false,
            Self::Best => true,
        };
        let compressed = match coding {
            Coding::Br => brotli_form(bytes, if best { 11 } else { 5 }),
            // A context that has seen other files may choose other matches, and the same input must give the same bytes.
            Coding::Zstd => zstd::bulk::compress(bytes, if best { 19 } else { 6 }).ok()?,
            Coding::Gzip => gzip_form(bytes, if best { 9 } else { 6 })?,
        };
        (compressed.len() < bytes.len()).then_some(compressed)
    }
}

fn brotli_form(bytes: &[u8], quality: i32) -> Vec<u8> {
    let params = brotli::enc::BrotliEncoderParams {
        quality,
        lgwin: window_bits(bytes.len()),
        size_hint: bytes.len(),
        ..Default::default()
    };
    let mut out = Vec::with_capacity(bytes.len() / 3);
    // Writing to memory cannot fail; a short result would be larger than nothing and is caught by the reader's digest.
    let _ = brotli::BrotliCompress(&mut &bytes[..], &mut out, &params);
    out
}

/// A window beyond the file is memory that is cleared for nothing. Below 17 bits the library searches in another way,
/// which is slower; 22 bits are its default.
fn window_bits(length: usize) -> i32 {
    let bits = usize::BITS - length.leading_zeros();
    i32::try_from(bits.clamp(17, 22)).unwrap_or(22)
}

fn gzip_form(bytes: &[u8], level: u32) -> Option<Vec<u8>> {
    // No file name and no time in the header: same input, same bytes.
    let level = flate2::Compression::new(level);
    let mut encoder = flate2::GzBuilder::new().write(Vec::with_capacity(bytes.len() / 3), level);
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
