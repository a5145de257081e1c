//! Embeds the files of a folder in a program, for build scripts: as a list of names and bytes.

use std::{
    env, error, fs,
    path::{Path, PathBuf},
};

type EmbedResult = Result<(), Box<dyn error::Error>>;

/// Writes a Rust table of the files below `folder` to `table`, without hidden files and `others`.
pub(crate) fn embed(folder: &Path, others: &[&str], table: &Path) -> EmbedResult {
    // Watching the folder covers its new files as well.
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    list(folder, "", others, &mut files)?;
    files.sort();
    let entry = |(name, path): &(String, PathBuf)| {
        format!("    ({name:?}, include_bytes!({:?})),\n", path.display().to_string())
    };
    Ok(fs::write(table, format!("&[\n{}]\n", files.iter().map(entry).collect::<String>()))?)
}

/// Adds the files below `folder`, named relative to the first one.
fn list(folder: &Path, prefix: &str, others: &[&str], files: &mut Vec<(String, PathBuf)>) -> EmbedResult {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_name().to_string_lossy().starts_with('.') || others.contains(&name.as_str()) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{name}/"), others, files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "cargo tells a build script its folders in the environment")]
pub(crate) fn folder(variable: &str) -> PathBuf {
    env::var_os(variable).unwrap_or_default().into()
}
