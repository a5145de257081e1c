//! Writes the folder for a host. All files are made and checked in a subfolder first; then they replace the former
//! files by renaming.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

use contract::manifest::{PREVIOUS, is_file_path};
use findings::messages::{self, Text};
use sha2::{Digest as _, Sha256};
use walkdir::WalkDir;

use super::{HostFile, HostFileContent};

/// Lists the files of the folder, one per line after the host's name, so that the next run can tell them from foreign
/// files. Generated files carry a digest, so that manual edits are detected.
const LIST: &str = ".mecelle-host";
/// Subfolder in which new files are made.
const NEXT: &str = ".mecelle-next";
/// Subfolder of [`NEXT`] that holds the former files until they are removed.
const FORMER: &str = ".mecelle-former";
/// Files that host tools keep in the folder.
const OF_TOOLS: [&str; 5] = [".git", ".netlify", ".vercel", ".wrangler", "node_modules"];

/// Writes `files` to `out`; removes files of an earlier run that are no longer needed.
pub(super) fn write(dist: &Path, out: &Path, host: &str, files: &[HostFile]) -> Result<(), Text> {
    check_not_nested(dist, out)?;
    if out.exists() && !out.is_dir() {
        return Err(messages::host_folder_is_none(out.display()));
    }
    read_own_files(out)?;
    let next = out.join(NEXT);
    fs::create_dir_all(out).map_err(unchanged(out))?;
    // One run at a time: a second one would remove the files that this one makes.
    let lock =
        fs::File::options().create(true).append(true).open(out.join(LIST)).map_err(unchanged(&out.join(LIST)))?;
    lock.try_lock().map_err(|_| messages::host_folder_busy(out.display()))?;
    let former = read_own_files(out)?;
    if next.symlink_metadata().is_ok() {
        fs::remove_dir_all(&next).map_err(unchanged(&next))?;
    }
    fs::create_dir_all(next.join(FORMER)).map_err(unchanged(&next))?;
    let made = files.iter().try_for_each(|file| make(dist, &next, file));
    if let Err(error) = made {
        let _ = fs::remove_dir_all(&next);
        return Err(error);
    }
    let list = |lines: &[String]| {
        let text = format!("{host}\n{}\n", lines.join("\n"));
        fs::write(out.join(LIST), text).map_err(unchanged(&out.join(LIST)))
    };
    let new: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let names: BTreeSet<&str> = new.iter().copied().chain(former.keys().map(String::as_str)).collect();
    // The list names old and new files until the end: a killed run leaves no file that the next run takes for foreign.
    list(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())?;
    let tops: BTreeSet<&str> = names.iter().map(|name| name.split('/').next().unwrap_or(name)).collect();
    let halfway = |path: &Path| {
        let path = path.to_owned();
        move |error| messages::host_folder_incomplete(path.display(), error)
    };
    // A server that reads the folder meanwhile misses each part only between two renames.
    for top in tops {
        let (from, to) = (next.join(top), out.join(top));
        match fs::rename(&to, next.join(FORMER).join(top)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            moved => moved.map_err(halfway(&to))?,
        }
        if from.exists() {
            fs::rename(&from, &to).map_err(halfway(&to))?;
        }
    }
    fs::remove_dir_all(&next).map_err(halfway(&next))?;
    let line = |file: &HostFile| match &file.content {
        HostFileContent::Text(text) => format!("{} {}", file.path, hex::encode(Sha256::digest(text))),
        HostFileContent::Copied { .. } => file.path.clone(),
    };
    list(&files.iter().map(line).collect::<Vec<_>>())
}

/// Returns a function that turns an I/O error at `path` into a message that the folder is unchanged.
fn unchanged(path: &Path) -> impl Fn(io::Error) -> Text {
    move |error| messages::host_folder_unchanged(path.display(), error)
}

fn make(dist: &Path, next: &Path, file: &HostFile) -> Result<(), Text> {
    let path = next.join(&file.path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(unchanged(&path))?;
    }
    match &file.content {
        HostFileContent::Text(text) => fs::write(&path, text).map_err(unchanged(&path)),
        HostFileContent::Copied { file, digest } => {
            let has_digest = |bytes: &Vec<u8>| hex::encode(Sha256::digest(bytes)) == digest.0;
            // A build that is being replaced keeps its files in `PREVIOUS`.
            let places = [dist.join(file), dist.join(PREVIOUS).join(&digest.0)];
            let bytes = places.iter().find_map(|place| fs::read(place).ok().filter(has_digest));
            let bytes = bytes.ok_or_else(|| messages::build_damaged(dist.join(file).display()))?;
            fs::write(&path, bytes).map_err(unchanged(&path))
        }
    }
}

/// Checks that neither folder is inside the other.
fn check_not_nested(dist: &Path, out: &Path) -> Result<(), Text> {
    let real = |path: &Path| {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // Resolve the part that exists: it may be reached through links.
        let there = absolute.ancestors().find_map(|it| Some((it, it.canonicalize().ok()?)));
        match there {
            Some((it, real)) => absolute.strip_prefix(it).map_or(real.clone(), |rest| real.join(rest)),
            None => absolute,
        }
    };
    let (inner, outer) = (real(out), real(dist));
    if inner.starts_with(&outer) {
        return Err(messages::folders_nested(out.display(), dist.display()));
    }
    if outer.starts_with(&inner) {
        return Err(messages::folders_nested(dist.display(), out.display()));
    }
    Ok(())
}

/// Returns the files that earlier runs wrote to `out`, with the digests of generated ones.
fn read_own_files(out: &Path) -> Result<BTreeMap<String, String>, Text> {
    let list = out.join(LIST);
    let parts = |line: &str| {
        let (name, digest) = line.split_once(' ').unwrap_or((line, ""));
        (name.to_owned(), digest.to_owned())
    };
    let known: BTreeMap<String, String> = match fs::read_to_string(&list) {
        Ok(text) => text.lines().skip(1).map(parts).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
        Err(error) => return Err(unchanged(&list)(error)),
    };
    // Security: listed files are removed, and the list may be forged.
    let is_own = |name: &str| {
        let top = name.split('/').next().unwrap_or(name);
        is_file_path(name) && !OF_TOOLS.iter().chain([&NEXT, &LIST]).any(|tool| top == *tool)
    };
    if let Some(name) = known.keys().find(|name| !is_own(name)) {
        return Err(messages::host_list_foreign(list.display(), name));
    }
    let of_tools = |path: &Path| {
        path.parent() == Some(out)
            && path.file_name().is_some_and(|name| OF_TOOLS.iter().chain([&NEXT, &LIST]).any(|tool| name == *tool))
    };
    let entries = WalkDir::new(out).into_iter().filter_entry(|entry| !of_tools(entry.path()));
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if error.io_error().is_some_and(|it| it.kind() == io::ErrorKind::NotFound) => break,
            Err(error) => {
                let path = error.path().unwrap_or(out).to_owned();
                return Err(unchanged(&path)(error.into()));
            }
        };
        let name = entry.path().strip_prefix(out).unwrap_or(entry.path());
        let is_known = name.to_str().is_some_and(|name| known.contains_key(&name.replace('\\', "/")));
        if !entry.file_type().is_dir() && !is_known {
            return Err(messages::host_folder_foreign(entry.path().display()));
        }
    }
    for (name, digest) in known.iter().filter(|(_, digest)| !digest.is_empty()) {
        let path = out.join(name);
        if fs::read(&path).is_ok_and(|bytes| hex::encode(Sha256::digest(bytes)) != *digest) {
            return Err(messages::host_file_changed(path.display()));
        }
    }
    Ok(known)
}
