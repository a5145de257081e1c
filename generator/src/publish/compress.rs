//! Compressed forms of a file.

use std::io::Write as _;

use contract::manifest::Coding;

/// How hard to compress. Compressed forms are kept as long as a file's bytes stay the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all: a static host or proxy compresses.
    None,
    /// Brotli 5, Zstandard 9, gzip 9: a fiftieth of the time of the best, for about a tenth more octets.
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
            Coding::Zstd => zstd::bulk::compress(bytes, if best { 19 } else { 9 }).ok()?,
            Coding::Gzip => gzip_form(bytes)?,
        };
        (compressed.len() < bytes.len()).then_some(compressed)
    }
}

fn brotli_form(bytes: &[u8], quality: i32) -> Vec<u8> {
    let params = brotli::enc::BrotliEncoderParams { quality, size_hint: bytes.len(), ..Default::default() };
    let mut out = Vec::with_capacity(bytes.len() / 3);
    // Writing to memory cannot fail; a short result would be larger than nothing and is caught by the reader's digest.
    let _ = brotli::BrotliCompress(&mut &bytes[..], &mut out, &params);
    out
}

fn gzip_form(bytes: &[u8]) -> Option<Vec<u8>> {
    // No file name and no time in the header: same input, same bytes.
    let mut encoder = flate2::GzBuilder::new().write(Vec::with_capacity(bytes.len() / 3), flate2::Compression::new(9));
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}
