//! Sets the version, with the commit if the sources are in a Git checkout. Git is not run, so a source archive or a
//! machine without Git builds the same way, without the commit.

use std::{
    fs,
    path::{Path, PathBuf},
};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let version = env!("CARGO_PKG_VERSION");
    match git_folder(&root).and_then(|git| head_commit(&git)) {
        Some(commit) => println!("cargo:rustc-env=MECELLE_VERSION={version} ({commit})"),
        None => println!("cargo:rustc-env=MECELLE_VERSION={version}"),
    }
}

/// Returns the Git directory; in a linked worktree `.git` is a file with its path.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(&git).ok()?;
    Some(root.join(text.strip_prefix("gitdir:")?.trim()))
}

fn head_commit(git: &Path) -> Option<String> {
    let head = read(&git.join("HEAD"))?;
    let Some(reference) = head.strip_prefix("ref:").map(str::trim) else {
        return abbreviate(&head);
    };
    let common = read(&git.join("commondir")).map_or_else(|| git.to_owned(), |path| git.join(path.trim()));
    if let Some(commit) = read(&common.join(reference)) {
        return abbreviate(&commit);
    }
    let packed = read(&common.join("packed-refs"))?;
    abbreviate(packed.lines().find(|line| line.ends_with(&format!(" {reference}")))?)
}

/// Reads a file of the repository, and makes Cargo build again when it changes.
fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    println!("cargo:rerun-if-changed={}", path.display());
    Some(text)
}

fn abbreviate(commit: &str) -> Option<String> {
    let digits = commit.get(..9)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| digits.to_owned())
}
