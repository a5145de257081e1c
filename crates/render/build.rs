//! Embeds the built-in theme, and computes a digest of the sources of this crate, which tells the pages of one program
//! from those of another.

mod embed;

use std::{
    error, fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io,
    path::Path,
};

/// Files of `templates/` that are not part of the theme.
const BESIDE_THE_THEME: [&str; 2] = ["README.md", "assets-licences"];

fn main() -> Result<(), Box<dyn error::Error>> {
    let [package, out] = ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(embed::folder);
    let sources = package.join("src");
    println!("cargo::rerun-if-changed={}", sources.display());
    let mut digest = DefaultHasher::new();
    add(&sources, &mut digest)?;
    println!("cargo::rustc-env=PAGES_DIGEST={:016x}", digest.finish());
    embed::embed(&package.join("../../templates"), &BESIDE_THE_THEME, &out.join("theme.rs"))
}

/// Adds a file, or all files of a folder in the order of their names.
fn add(path: &Path, digest: &mut DefaultHasher) -> io::Result<()> {
    if !path.is_dir() {
        fs::read(path)?.hash(digest);
        return Ok(());
    }
    let mut entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| {
        entry.file_name().hash(digest);
        add(entry, digest)
    })
}
