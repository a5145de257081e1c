//! Embeds the theme: lists the files below `templates/` that a site is built from, with their bytes.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// What belongs to the repository rather than to the theme.
const OTHERS: [&str; 2] = ["README.md", "assets-licences"];

fn main() -> io::Result<()> {
    let [package, out] = ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(folder);
    let theme = package.join("../templates");
    // A folder stands for everything in it, so a new file is embedded as well.
    println!("cargo::rerun-if-changed={}", theme.display());
    let mut files = Vec::new();
    list(&theme, "", &mut files)?;
    files.sort();
    let mut table = "&[\n".to_owned();
    for (name, path) in files {
        table += &format!("    ({name:?}, include_bytes!({:?})),\n", path.display().to_string());
    }
    fs::write(out.join("theme.rs"), table + "]\n")
}

#[expect(clippy::disallowed_methods, reason = "cargo tells a build script its folders in the environment")]
fn folder(variable: &str) -> PathBuf {
    env::var_os(variable).unwrap_or_default().into()
}

/// Adds the files below `folder`, except hidden ones, with their names below the theme.
fn list(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_name().to_string_lossy().starts_with('.') || OTHERS.contains(&name.as_str()) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}
