//! The folder `dist/` itself: the lock, the build in force, and the few ways in which a file may change.

mod photographs;
mod recover;
mod standing;

use content::Folder;
use findings::messages;
pub use photographs::known_files;

use std::{
    collections::{BTreeSet, HashSet},
    fs,
    io::{self, Write as _},
    iter, mem,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use contract::{
    manifest::{Digest, FILE_NAME, PREVIOUS, Route},
    retained_assets::{self, RetainedAssets},
};
use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use super::{Compression, PublishError, current_build::CurrentBuild, manifest, next::Next};

/// Lock file, held while a build writes.
const LOCK: &str = ".lock";
/// Lists, one per line, the files that only one of two builds has: the one in force or the one that is being written.
/// It exists only while a build runs, or after a build that was killed.
const UNSETTLED: &str = ".unsettled";
/// The manifest of the next build, before it is in force.
const NEXT: &str = ".manifest.json";
/// The list of kept files, before it is moved into place.
const NEXT_KEPT: &str = ".kept.json.new";
/// Names and digests of the files that the folder held before a build for which no manifest could be read. It exists as
/// long as the list of unsettled files.
const STANDING: &str = ".standing.json";
/// The same list, before it is moved into place.
const NEXT_STANDING: &str = ".standing.json.new";
/// The generator's own record of how the compressed forms were made. If it exists, a build has succeeded.
const MEMORY: &str = ".build.json";
/// The same record, before it is moved into place.
const NEXT_MEMORY: &str = ".build.json.new";

/// Says what the folder is for, and belongs to no build.
const README: &[u8] = b"README.md";

/// The locked folder.
#[derive(Debug)]
pub(super) struct Disk {
    out: PathBuf,
    /// The same folder, open.
    folder: Folder,
    /// Folders that certainly exist and are not reached through a link.
    folders: Mutex<HashSet<PathBuf>>,
    /// The open list of unsettled files; created with the first of them.
    unsettled: Mutex<Option<fs::File>>,
    /// Whether no build wrote to the folder before.
    is_first: bool,
    /// Files found in such a folder. No build wrote them: a build is refused if one is where it would write, and leaves
    /// the others alone.
    foreign: HashSet<String>,
    _lock: fs::File,
}

#[derive(Debug, Serialize, Deserialize)]
struct Memory {
    compression: String,
}

impl Disk {
    /// Opens the folder for writing, with exclusive access.
    pub(super) fn lock(out: &Path) -> Result<Self, PublishError> {
        fs::create_dir_all(out).map_err(PublishError::disk(messages::path_not_created, out))?;
        let is_first = !is_of_builds(out)?;
        let taken = [FILE_NAME, PREVIOUS].map(|name| out.join(name)).into_iter().find(|path| stands(path));
        if let Some(path) = taken.filter(|_| is_first) {
            return Err(PublishError::Foreign(path));
        }
        let path = out.join(LOCK);
        if path.is_symlink() {
            fs::remove_file(&path).map_err(PublishError::disk(messages::path_not_removed, &path))?;
        }
        let lock = fs::OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let lock = lock.map_err(PublishError::disk(messages::path_not_written, &path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Err(PublishError::Busy(out.to_owned())),
            Err(fs::TryLockError::Error(error)) => {
                return Err(PublishError::disk(messages::path_not_locked, &path)(error));
            }
        }
        let (folder, out) = (Folder::new(out), out.to_owned());
        let (folders, unsettled, foreign) = Default::default();
        Ok(Self { out, folder, folders, unsettled, is_first, foreign, _lock: lock })
    }

    /// Leaves the existing `files` to their owner if no build wrote to the folder before.
    pub(super) fn respect(&mut self, files: &[String]) {
        if self.is_first {
            self.foreign = files.iter().cloned().collect();
        }
    }

    /// Returns the build in force, or `None` if there is none that this version can read.
    pub(super) fn read_current_build(&self) -> Result<Option<CurrentBuild>, PublishError> {
        CurrentBuild::read(&self.out).map_err(PublishError::disk(messages::manifest_not_read, &self.out))
    }

    /// Returns every file of the folder that a host would serve.
    pub(super) fn files(&self) -> Vec<String> {
        files(&self.out)
    }

    /// Returns those of `files` that the build in force does not name.
    pub(super) fn foreign(&self, mut files: Vec<String>) -> Result<Vec<String>, PublishError> {
        if let Some(build) = self.read_current_build()? {
            files.retain(|file| !build.names(file) && file != FILE_NAME);
        }
        Ok(files)
    }

    /// Whether the compressed forms of the build in force were made as this build wants them.
    pub(super) fn compresses_like(&self, compression: Compression) -> bool {
        let memory = fs::read(self.out.join(MEMORY)).ok();
        let memory: Option<Memory> = memory.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        memory.is_some_and(|memory| memory.compression == compression.recipe())
    }

    /// Forgets how compressed forms were made, if this build makes others: a build that ends early leaves no record
    /// rather than a wrong one.
    pub(super) fn forget_compression(&self, compression: Compression) -> Result<(), PublishError> {
        if self.compresses_like(compression) || !self.out.join(MEMORY).exists() {
            return Ok(());
        }
        // The file itself stays: where no manifest can be read, it alone shows that builds wrote to the folder.
        self.remember(String::new())
    }

    fn remember(&self, compression: String) -> Result<(), PublishError> {
        let path = self.out.join(MEMORY);
        let write = || {
            self.new_file(NEXT_MEMORY)?.write_all(&serde_json::to_vec(&Memory { compression })?)?;
            fs::rename(self.out.join(NEXT_MEMORY), &path)
        };
        write().map_err(PublishError::disk(messages::path_not_written, &path))
    }

    /// Forgets kept files that have changed: unlike the files of the build, they cannot be rendered again.
    pub(super) fn forget_damaged(&self, current: &mut CurrentBuild) -> Result<(), PublishError> {
        let sound = |route: &Route| {
            let files = route.variants.iter().flat_map(|it| manifest::digests(&it.file, &it.digest, &it.encodings));
            files.into_iter().all(|(file, digest)| self.holds_bytes(&file, digest))
        };
        let (sound, damaged): (Vec<_>, Vec<_>) =
            mem::take(&mut current.kept.assets).into_iter().partition(|asset| sound(&asset.route));
        let before = RetainedAssets { assets: [sound.clone(), damaged.clone()].concat(), ..RetainedAssets::default() };
        current.kept.assets = sound;
        self.write_kept(&before, &current.kept)?;
        for variant in damaged.iter().flat_map(|asset| &asset.route.variants) {
            if current.files.get(&variant.file).is_some_and(|known| known.is_kept) {
                current.files.remove(&variant.file);
                let gone: Vec<String> = manifest::names(&variant.file, &variant.encodings).collect();
                self.remove(gone.iter().map(String::as_str));
            }
        }
        Ok(())
    }

    /// Returns something that has another owner and is in the way of one of the files or of a folder around one.
    fn taken<'n>(&self, names: &'n str) -> Option<&'n str> {
        let places = || names.lines().flat_map(|file| iter::successors(Some(file), |it| Some(it.rsplit_once('/')?.0)));
        if self.foreign.is_empty() { None } else { places().find(|place| self.foreign.contains(*place)) }
    }

    /// Deletes the lists: each file now belongs to the build in force, or to what was there without one, or is gone.
    fn settle(&self) -> Result<(), PublishError> {
        *self.unsettled.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let remove = |name| match fs::remove_file(self.out.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(PublishError::disk(messages::path_not_removed, self.out.join(name))(error))
            }
            _ => Ok(()),
        };
        remove(UNSETTLED).and_then(|()| remove(STANDING))
    }

    /// Notes that only one of the two builds has some files; `names` has one file name per line.
    pub(super) fn unsettle(&self, names: &str) -> Result<(), PublishError> {
        if names.is_empty() {
            return Ok(());
        }
        // Files that are noted may be removed again.
        if let Some(file) = self.taken(names) {
            return Err(PublishError::Foreign(self.out.join(file)));
        }
        let path = self.out.join(UNSETTLED);
        let mut unsettled = self.unsettled.lock().unwrap_or_else(PoisonError::into_inner);
        let list = match &mut *unsettled {
            Some(list) => list,
            none => {
                none.insert(self.new_file(UNSETTLED).map_err(PublishError::disk(messages::path_not_written, &path))?)
            }
        };
        list.write_all(names.as_bytes()).map_err(PublishError::disk(messages::path_not_written, &path))
    }

    /// Creates a file that is certainly new: whatever was at its place, perhaps a link, is removed and never written
    /// through.
    fn new_file(&self, file: &str) -> io::Result<fs::File> {
        match self.folder.create_new(file) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_file(self.out.join(file))?;
                self.folder.create_new(file)
            }
            created => created,
        }
    }

    /// Whether a file is at its place, not reached through a link, and has `size` bytes.
    pub(super) fn holds(&self, file: &str, size: u64) -> bool {
        self.folder.length_of(file) == Some(size) && self.is_inside(file)
    }

    /// Whether the folder of an existing file is reached without a link.
    fn is_inside(&self, file: &str) -> bool {
        let path = self.out.join(file);
        let folder = path.parent().unwrap_or(&self.out);
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.contains(folder) || (self.refuse_links(folder).is_ok() && folders.insert(folder.to_owned()))
    }

    /// Whether a file is at its place and has the bytes of `digest`.
    pub(super) fn holds_bytes(&self, file: &str, digest: &Digest) -> bool {
        self.read(file).is_some_and(|bytes| manifest::digest(&bytes) == *digest)
    }

    /// Reads the bytes of a file.
    pub(super) fn read(&self, file: &str) -> Option<Vec<u8>> {
        fs::read(self.out.join(file)).ok()
    }

    /// Writes a file that the build in force does not name, and that is on the list of unsettled files.
    pub(super) fn create(&self, file: &str, bytes: &[u8]) -> Result<(), PublishError> {
        let path = self.out.join(file);
        self.ensure_folder(path.parent().unwrap_or(&self.out))?;
        let write = || self.new_file(file)?.write_all(bytes);
        write().map_err(PublishError::disk(messages::path_not_written, &path))
    }

    /// Replaces a file that the build in force names with the digest `old`; the old file stays available. If the old
    /// and the new digest are the same, the file was damaged and is not worth keeping.
    pub(super) fn replace(&self, file: &str, old: &Digest, new: &Digest, bytes: &[u8]) -> Result<(), PublishError> {
        let path = self.out.join(file);
        let previous = self.out.join(PREVIOUS);
        self.ensure_folder(&previous)?;
        self.ensure_folder(path.parent().unwrap_or(&self.out))?;
        if old != new {
            match link(&path, &previous.join(&old.0)) {
                Ok(()) => {}
                // Removed by hand: there is nothing to keep.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(PublishError::disk(messages::path_not_kept, &path)(error)),
            }
        }
        // Several files may get the same bytes at the same time, so the temporary name contains both the digest and the
        // path.
        let aside = format!("{PREVIOUS}/{}-{}", new.0, file.replace('/', "!"));
        let write = || self.new_file(&aside)?.write_all(bytes);
        write().map_err(PublishError::disk(messages::path_not_written, self.out.join(&aside)))?;
        fs::rename(self.out.join(&aside), &path).map_err(PublishError::disk(messages::path_not_replaced, &path))
    }

    /// Writes the manifest of the next build under its temporary name, and gives the build its name.
    pub(super) fn draft_manifest(&self, next: &mut Next) -> Result<(), PublishError> {
        let mut write = || next.write(&self.new_file(NEXT)?);
        write().map_err(PublishError::disk(messages::path_not_written, self.out.join(NEXT)))
    }

    /// Puts the drafted manifest in force.
    pub(super) fn put_manifest(&self) -> Result<(), PublishError> {
        let drafted = self.out.join(NEXT);
        let put = || {
            fs::OpenOptions::new().write(true).open(&drafted)?.sync_all()?;
            fs::rename(&drafted, self.out.join(FILE_NAME))
        };
        put().map_err(PublishError::disk(messages::manifest_not_in_force, &drafted))
    }

    /// Removes the drafted manifest.
    pub(super) fn drop_manifest(&self) {
        self.remove([NEXT].into_iter());
    }

    /// Replaces the list of kept files, if it differs from the present one, `there`.
    pub(super) fn write_kept(&self, there: &RetainedAssets, kept: &RetainedAssets) -> Result<(), PublishError> {
        if there == kept {
            return Ok(());
        }
        let path = self.out.join(retained_assets::FILE_NAME);
        let write = || {
            if kept.assets.is_empty() {
                return fs::remove_file(&path);
            }
            self.new_file(NEXT_KEPT)?.write_all(&serde_json::to_vec(kept)?)?;
            fs::rename(self.out.join(NEXT_KEPT), &path)
        };
        write().map_err(PublishError::disk(messages::path_not_written, &path))
    }

    /// Removes `leaving`, which no manifest names any more, and the files of the previous build that were kept
    /// available. Returns how many files were removed.
    pub(super) fn tidy(&self, leaving: &[String], compression: Compression) -> Result<usize, PublishError> {
        let removed = self.remove(leaving.iter().map(String::as_str));
        let previous = self.out.join(PREVIOUS);
        if previous.exists() {
            fs::remove_dir_all(&previous).map_err(PublishError::disk(messages::path_not_removed, &previous))?;
        }
        self.settle()?;
        if !self.compresses_like(compression) {
            self.remember(compression.recipe())?;
        }
        Ok(removed)
    }

    /// Removes files, and the folders that are then empty. Returns how many files were removed.
    fn remove<'a>(&self, files: impl Iterator<Item = &'a str>) -> usize {
        let mut removed = 0;
        let mut folders = BTreeSet::new();
        for file in files {
            let path = self.out.join(file);
            if self.refuse_links(path.parent().unwrap_or(&self.out)).is_ok() && fs::remove_file(&path).is_ok() {
                removed += 1;
            }
            folders.extend(Path::new(file).ancestors().skip(1).filter(|it| *it != Path::new("")).map(Path::to_owned));
        }
        for folder in folders.iter().rev() {
            // Fails if the folder still holds something, which is right.
            let _ = fs::remove_dir(self.out.join(folder));
        }
        removed
    }

    fn ensure_folder(&self, folder: &Path) -> Result<(), PublishError> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if !folders.contains(folder) {
            self.refuse_links(folder)?;
            let made = match fs::create_dir_all(folder) {
                Err(_) if self.clear_the_way(folder) => fs::create_dir_all(folder),
                made => made,
            };
            made.map_err(PublishError::disk(messages::path_not_created, folder))?;
            folders.insert(folder.to_owned());
        }
        Ok(())
    }

    /// Security: a link inside `dist/`, which anybody who commits may have put there, would make the build write
    /// outside it.
    fn refuse_links(&self, folder: &Path) -> Result<(), PublishError> {
        let is_ours = |path: &&Path| path.starts_with(&self.out) && *path != self.out;
        match folder.ancestors().take_while(is_ours).find(|path| path.is_symlink()) {
            Some(link) => Err(PublishError::Disk(messages::link_in_the_way(link.display()))),
            None => Ok(()),
        }
    }

    /// Moves a file that is in the way of a needed folder to `.previous`, where readers of the build in force find it.
    fn clear_the_way(&self, folder: &Path) -> bool {
        let is_ours = |path: &&Path| path.starts_with(&self.out) && *path != self.out;
        let Some(obstacle) = folder.ancestors().take_while(is_ours).find(|path| path.is_file()) else { return false };
        let previous = self.out.join(PREVIOUS);
        let moved = fs::create_dir_all(&previous).and_then(|()| fs::read(obstacle));
        moved.and_then(|bytes| fs::rename(obstacle, previous.join(manifest::digest(&bytes).0))).is_ok()
    }
}

/// Whether builds have written to the folder before.
fn is_of_builds(out: &Path) -> Result<bool, PublishError> {
    if stands(&out.join(MEMORY)) {
        return Ok(true);
    }
    // The folder may have been copied without the files whose names begin with a dot.
    Ok(CurrentBuild::read(out).map_err(PublishError::disk(messages::manifest_not_read, out))?.is_some())
}

/// Whether anything exists at `path`, even a link that leads nowhere.
fn stands(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Returns every file below a folder that a host would serve: not the top-level files whose names begin with a dot,
/// which are the generator's own, nor the one that says what the folder is for.
fn files(out: &Path) -> Vec<String> {
    let entries = WalkDir::new(out).min_depth(1).sort_by_file_name().into_iter().filter_entry(|entry| {
        let name = entry.file_name().as_encoded_bytes();
        entry.depth() > 1 || !(entry.file_type().is_file() && (name.starts_with(b".") || name == README))
    });
    let files = entries.filter_map(Result::ok).filter(|entry| !entry.file_type().is_dir());
    files.filter_map(|entry| Some(entry.path().strip_prefix(out).ok()?.to_string_lossy().into_owned())).collect()
}

/// Gives a file a second name. Where the file system has no hard links, this makes a copy, which gets its name when it
/// is complete.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
        Err(_) => {
            let aside = to.with_extension("copying");
            fs::copy(from, &aside)?;
            fs::rename(&aside, to)
        }
        Ok(()) => Ok(()),
    }
}
