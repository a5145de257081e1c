//! Embeds what a firm does not have to bring along: the theme (`templates/`), and the folder from which a site is started
//! (`starter/`). Each becomes a list of names and bytes.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// What belongs to the repository rather than to the theme.
const BESIDE_THE_THEME: [&str; 2] = ["README.md", "assets-licences"];

fn main() -> io::Result<()> {
    let [package, out] = ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(folder);
    embed(&package.join("../templates"), &BESIDE_THE_THEME, &out.join("theme.rs"))?;
    embed(&package.join("starter"), &[], &out.join("starter.rs"))
}

#[expect(clippy::disallowed_methods, reason = "cargo tells a build script its folders in the environment")]
fn folder(variable: &str) -> PathBuf {
    env::var_os(variable).unwrap_or_default().into()
}

/// Writes the list of the files below `folder` to `table`, without the hidden ones and `others`.
fn embed(folder: &Path, others: &[&str], table: &Path) -> io::Result<()> {
    // A folder stands for everything in it, so a new file is embedded as well.
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    list(folder, "", others, &mut files)?;
    files.sort();
    let entry = |(name, path): &(String, PathBuf)| {
        format!("    ({name:?}, include_bytes!({:?})),\n", path.display().to_string())
    };
    fs::write(table, format!("&[\n{}]\n", files.iter().map(entry).collect::<String>()))
}

/// Adds the files below `folder`, with their names below the first one.
fn list(folder: &Path, prefix: &str, others: &[&str], files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
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
