//! Compressed forms of a file.
//!
//! Brotli and gzip come from C libraries: with the low levels of zstd and gzip in [`Compression::Fast`], they compress
//! a file of 16 KB in 0.29 ms instead of 0.43 ms.

use std::cell::RefCell;

use brotlic::{CompressionMode, Quality, WindowSize};
use contract::manifest::Coding;
use libdeflater::{CompressionLvl, Compressor};

thread_local! {
    /// Compression contexts of the thread. Creating one for Zstandard takes a quarter of the time of compressing a
    /// small file.
    static CONTEXTS: RefCell<Contexts> = RefCell::default();
}

/// The contexts that were used last, each with its level.
#[derive(Default)]
struct Contexts {
    zstd: Option<(i32, zstd::bulk::Compressor<'static>)>,
    gzip: Option<(i32, Compressor)>,
}

/// How hard to compress. A compressed form is kept as long as the bytes of its file stay the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// No compression: a static host or proxy compresses.
    None,
    /// A thirtieth of the time of the best compression, for about a tenth more bytes.
    ///
    /// Every browser accepts Brotli, so it gets level 5: level 4 would lose six bytes in a hundred. The other codings
    /// serve the few programs without Brotli and use the lowest level that loses no more. Long files are few and would
    /// lose a quarter, so they get higher levels.
    #[default]
    Fast,
    /// For releases.
    Best,
}

struct CompressionLevels {
    br: u8,
    zstd: i32,
    gzip: i32,
}

/// The compression libraries: another version may compress the same bytes differently.
const LIBRARIES: &str = "brotlic-sys 0.2.2, libdeflate-sys 1.26.1, zstd-sys 2.1.2+zstd.1.5.7";

/// Size in bytes from which a file counts as long.
const LONG: usize = 32 * 1024;

impl Compression {
    /// Returns the recipe of compressed forms for `.build.json`: forms made by another recipe are made again.
    pub(super) fn recipe(self) -> String {
        let levels = match self {
            Self::None => return "none".to_owned(),
            Self::Fast => "br 5, zstd 1, gzip 1; from 32768: br 5, zstd 3, gzip 4",
            Self::Best => "br 11, zstd 19, gzip 12",
        };
        format!("{levels}; by {LIBRARIES}")
    }

    const fn levels(self, length: usize) -> Option<CompressionLevels> {
        match self {
            Self::None => None,
            Self::Fast if length < LONG => Some(CompressionLevels { br: 5, zstd: 1, gzip: 1 }),
            Self::Fast => Some(CompressionLevels { br: 5, zstd: 3, gzip: 4 }),
            Self::Best => Some(CompressionLevels { br: 11, zstd: 19, gzip: 12 }),
        }
    }

    /// Compresses `bytes` with `coding`; returns `None` if the result is not smaller.
    pub fn compress(self, coding: Coding, bytes: &[u8]) -> Option<Vec<u8>> {
        let levels = self.levels(bytes.len())?;
        let compressed = match coding {
            Coding::Br => brotli_form(bytes, levels.br)?,
            Coding::Zstd => CONTEXTS.with_borrow_mut(|contexts| zstd_form(contexts, bytes, levels.zstd))?,
            Coding::Gzip => CONTEXTS.with_borrow_mut(|contexts| gzip_form(contexts, bytes, levels.gzip))?,
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

/// Returns the window size in bits. A window larger than the file wastes memory; 22 is the library's default.
fn window_bits(length: usize) -> u8 {
    let bits = usize::BITS - length.leading_zeros();
    u8::try_from(bits.clamp(17, 22)).unwrap_or(22)
}

/// Compresses with Zstandard. Equal input gives equal bytes, whatever the context compressed before; the library tests
/// this itself.
fn zstd_form(contexts: &mut Contexts, bytes: &[u8], level: i32) -> Option<Vec<u8>> {
    if contexts.zstd.as_ref().is_none_or(|(made_for, _)| *made_for != level) {
        contexts.zstd = Some((level, zstd::bulk::Compressor::new(level).ok()?));
    }
    contexts.zstd.as_mut()?.1.compress(bytes).ok()
}

/// Compresses with gzip. Equal input gives equal bytes: the header holds neither a name nor a time.
fn gzip_form(contexts: &mut Contexts, bytes: &[u8], level: i32) -> Option<Vec<u8>> {
    if contexts.gzip.as_ref().is_none_or(|(made_for, _)| *made_for != level) {
        contexts.gzip = Some((level, Compressor::new(CompressionLvl::new(level).ok()?)));
    }
    let compressor = &mut contexts.gzip.as_mut()?.1;
    let mut out = vec![0; compressor.gzip_compress_bound(bytes.len())];
    let length = compressor.gzip_compress(bytes, &mut out).ok()?;
    out.truncate(length);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipe_names_the_levels() {
        let levels_of = |compression: Compression, length| {
            let CompressionLevels { br, zstd, gzip } = compression.levels(length).unwrap();
            format!("br {br}, zstd {zstd}, gzip {gzip}")
        };
        let fast = |length| levels_of(Compression::Fast, length);
        let recipe = format!("{}; from {LONG}: {}; by {LIBRARIES}", fast(LONG - 1), fast(LONG));
        assert_eq!(Compression::Fast.recipe(), recipe);
        for length in [0, LONG - 1, LONG] {
            assert_eq!(Compression::Best.recipe(), format!("{}; by {LIBRARIES}", levels_of(Compression::Best, length)));
        }
    }

    #[test]
    fn recipe_names_the_libraries_that_are_built_in() {
        let lock = include_str!("../../../Cargo.lock");
        let versions = ["brotlic-sys", "libdeflate-sys", "zstd-sys"].map(|name| {
            let found: Vec<&str> = lock.split(&format!("name = \"{name}\"\nversion = \"")).skip(1).collect();
            assert_eq!(found.len(), 1, "{name}");
            format!("{name} {}", found[0].split('"').next().unwrap())
        });
        assert_eq!(
            versions.join(", "),
            LIBRARIES,
            "write the versions of Cargo.lock: forms made by others are made anew"
        );
    }

    #[test]
    fn window_fits_the_file_within_17_to_22_bits() {
        for (length, bits) in [(0, 17), (1, 17), (131_071, 17), (131_072, 18), (4_194_303, 22), (1 << 30, 22)] {
            assert_eq!(window_bits(length), bits, "{length}");
        }
    }

    #[test]
    fn compression_does_not_depend_on_earlier_files() {
        let text = "Kira sözleşmesi, taraflarca yazılı olarak yapılır. ".repeat(900);
        // A new thread starts without contexts.
        let alone = |coding, length: usize| {
            let part = text.as_bytes()[..length].to_vec();
            std::thread::spawn(move || Compression::Fast.compress(coding, &part).unwrap()).join().unwrap()
        };
        for coding in Coding::ALL {
            for length in [40_000, 300, 5_000, 33_000, 300, 31_000, 40_000] {
                let form = Compression::Fast.compress(coding, &text.as_bytes()[..length]).unwrap();
                assert_eq!(form, alone(coding, length), "{coding:?} of {length} bytes");
            }
        }
    }
}
