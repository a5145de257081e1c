//! Copies of the repository's folders that tests may change.

use std::{fs, path::Path};

use walkdir::WalkDir;

/// Copies everything below `from` into `to` and overwrites existing files.
pub(crate) fn copy(from: &Path, to: &Path) {
    for entry in WalkDir::new(from).into_iter().map(Result::unwrap) {
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
