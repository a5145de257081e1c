//! Computes a digest of everything that decides the findings of a text, which tells the verdicts and the pages of one
//! program from those of another.

use std::{
    error, fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io,
    path::Path,
};

/// The crates that read and check texts.
const CRATES: [&str; 7] = ["citations", "content", "contract", "findings", "markdown", "search", "site"];

fn main() -> Result<(), Box<dyn error::Error>> {
    let mut digest = DefaultHasher::new();
    for source in CRATES.map(|name| format!("../{name}")).iter().map(String::as_str).chain(["../../Cargo.lock"]) {
        println!("cargo::rerun-if-changed={source}");
        // The folder of the package is the current one.
        add(Path::new(source), &mut digest)?;
    }
    println!("cargo::rustc-env=CHECKS_DIGEST={:016x}", digest.finish());
    Ok(())
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
