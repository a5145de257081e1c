//! The folder `dist/` itself: its lock, the current build, and all changes to files.

mod known_files;
mod recover;
mod standing;

use content::Folder;
use findings::messages;
pub use known_files::known_files;

use std::{
    collections::{BTreeSet, HashSet},
    fs,
    io::{self, Write as _},
    iter, mem,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use contract::{
    manifest::{FILE_NAME, FileDigest, PREVIOUS, Route},
    retained_assets::{self, RetainedAssets},
};
use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use super::{Compression, PublishError, current_build::CurrentBuild, manifest, next::NextBuild};

/// Lock file of a running build.
const LOCK: &str = ".lock";
/// Lists, one per line, the files that only the current or only the next build has. Exists only while a build runs, or
/// after one was killed.
const UNSETTLED: &str = ".unsettled";
/// The manifest of the next build, before it is in force.
const NEXT: &str = ".manifest.json";
/// The list of retained assets, before it is moved into place.
const NEXT_KEPT: &str = ".kept.json.new";
/// Names and digests of the files in a folder without a readable manifest, recorded before the build changes them.
/// Exists as long as the list of unsettled files.
const STANDING: &str = ".standing.json";
/// The same, before it is moved into place.
const NEXT_STANDING: &str = ".standing.json.new";
/// The recipe of the compressed forms. If the file exists, a build has succeeded in this folder.
const COMPRESSION_RECORD: &str = ".build.json";
/// The same, before it is moved into place.
const NEXT_COMPRESSION_RECORD: &str = ".build.json.new";

/// Describes the folder; belongs to no build.
const README: &[u8] = b"README.md";

/// The locked folder `dist/`.
#[derive(Debug)]
pub(super) struct Disk {
    out: PathBuf,
    /// The same folder, open.
    folder: Folder,
    /// Folders that exist and are not reached through a link.
    folders: Mutex<HashSet<PathBuf>>,
    /// The open list of unsettled files; created with the first of them.
    unsettled: Mutex<Option<fs::File>>,
    /// Whether no build wrote to the folder before.
    is_first: bool,
    /// Files found in such a folder. A build fails if one of them stands where it would write, and leaves the others
    /// alone.
    foreign: HashSet<String>,
    _lock: fs::File,
}

#[derive(Debug, Serialize, Deserialize)]
struct CompressionRecord {
    compression: String,
}

impl Disk {
    pub(super) fn lock(out: &Path) -> Result<Self, PublishError> {
        fs::create_dir_all(out).map_err(PublishError::disk(messages::path_not_created, out))?;
        let is_first = !is_of_builds(out)?;
        let taken = [FILE_NAME, PREVIOUS].map(|name| out.join(name)).into_iter().find(|path| exists(path));
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

    /// Protects the existing `files` if no build wrote to the folder before.
    pub(super) fn protect_existing(&mut self, files: &[String]) {
        if self.is_first {
            self.foreign = files.iter().cloned().collect();
        }
    }

    /// Returns the current build, or `None` if this version can read none.
    pub(super) fn read_current_build(&self) -> Result<Option<CurrentBuild>, PublishError> {
        CurrentBuild::read(&self.out).map_err(PublishError::disk(messages::manifest_not_read, &self.out))
    }

    /// Returns every file of the folder that a host would serve.
    pub(super) fn files(&self) -> Vec<String> {
        files(&self.out)
    }

    /// Returns those of `files` that the current build does not name.
    pub(super) fn foreign(&self, mut files: Vec<String>) -> Result<Vec<String>, PublishError> {
        if let Some(build) = self.read_current_build()? {
            files.retain(|file| !build.has_file(file) && file != FILE_NAME);
        }
        Ok(files)
    }

    /// Whether the compressed forms of the current build were made with the same recipe.
    pub(super) fn compresses_like(&self, compression: Compression) -> bool {
        let memory = fs::read(self.out.join(COMPRESSION_RECORD)).ok();
        let memory: Option<CompressionRecord> = memory.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        memory.is_some_and(|memory| memory.compression == compression.recipe())
    }

    /// Clears the recipe if this build uses another: a build that ends early must not leave a wrong one.
    pub(super) fn clear_compression_record(&self, compression: Compression) -> Result<(), PublishError> {
        if self.compresses_like(compression) || !self.out.join(COMPRESSION_RECORD).exists() {
            return Ok(());
        }
        // Keep the file: without a readable manifest, only this file shows that builds wrote to the folder.
        self.write_compression_record(String::new())
    }

    fn write_compression_record(&self, compression: String) -> Result<(), PublishError> {
        let path = self.out.join(COMPRESSION_RECORD);
        let write = || {
            self.new_file(NEXT_COMPRESSION_RECORD)?
                .write_all(&serde_json::to_vec(&CompressionRecord { compression })?)?;
            fs::rename(self.out.join(NEXT_COMPRESSION_RECORD), &path)
        };
        write().map_err(PublishError::disk(messages::path_not_written, &path))
    }

    /// Drops retained assets that changed on disk: they cannot be rendered again.
    pub(super) fn drop_damaged_assets(&self, current: &mut CurrentBuild) -> Result<(), PublishError> {
        let sound = |route: &Route| {
            let files = route.variants.iter().flat_map(|it| manifest::digests(&it.file, &it.digest, &it.encodings));
            files.into_iter().all(|(file, digest)| self.holds_bytes(&file, digest))
        };
        let (sound, damaged): (Vec<_>, Vec<_>) =
            mem::take(&mut current.kept.assets).into_iter().partition(|asset| sound(&asset.route));
        let before = RetainedAssets { assets: [sound.clone(), damaged.clone()].concat(), ..RetainedAssets::default() };
        current.kept.assets = sound;
        self.write_retained(&before, &current.kept)?;
        for variant in damaged.iter().flat_map(|asset| &asset.route.variants) {
            if current.files.get(&variant.file).is_some_and(|known| known.is_kept) {
                current.files.remove(&variant.file);
                let gone: Vec<String> = manifest::names(&variant.file, &variant.encodings).collect();
                self.remove(gone.iter().map(String::as_str));
            }
        }
        Ok(())
    }

    /// Returns a foreign path that is in the way of one of the files or of a folder around it.
    fn find_foreign_path<'n>(&self, names: &'n str) -> Option<&'n str> {
        let places = || names.lines().flat_map(|file| iter::successors(Some(file), |it| Some(it.rsplit_once('/')?.0)));
        if self.foreign.is_empty() { None } else { places().find(|place| self.foreign.contains(*place)) }
    }

    /// Deletes the lists, once every file belongs to the current build, or to a folder without a manifest, or is gone.
    fn remove_lists(&self) -> Result<(), PublishError> {
        *self.unsettled.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let remove = |name| match fs::remove_file(self.out.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(PublishError::disk(messages::path_not_removed, self.out.join(name))(error))
            }
            _ => Ok(()),
        };
        remove(UNSETTLED).and_then(|()| remove(STANDING))
    }

    /// Records files that only one of the two builds has; `names` has one file name per line.
    pub(super) fn note_unsettled(&self, names: &str) -> Result<(), PublishError> {
        if names.is_empty() {
            return Ok(());
        }
        // Unsettled files may be removed again, so none may be foreign.
        if let Some(file) = self.find_foreign_path(names) {
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

    /// Creates a new file. An existing one, perhaps a link, is removed and never written through.
    fn new_file(&self, file: &str) -> io::Result<fs::File> {
        match self.folder.create_new(file) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_file(self.out.join(file))?;
                self.folder.create_new(file)
            }
            created => created,
        }
    }

    /// Whether a file of `size` bytes is at its place and not reached through a link.
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

    /// Whether a file is at its place and matches `digest`.
    pub(super) fn holds_bytes(&self, file: &str, digest: &FileDigest) -> bool {
        self.read(file).is_some_and(|bytes| manifest::digest(&bytes) == *digest)
    }

    pub(super) fn read(&self, file: &str) -> Option<Vec<u8>> {
        fs::read(self.out.join(file)).ok()
    }

    /// Writes a file that the current build does not name and that is on the list of unsettled files.
    pub(super) fn create(&self, file: &str, bytes: &[u8]) -> Result<(), PublishError> {
        let path = self.out.join(file);
        self.ensure_folder(path.parent().unwrap_or(&self.out))?;
        let write = || self.new_file(file)?.write_all(bytes);
        write().map_err(PublishError::disk(messages::path_not_written, &path))
    }

    /// Replaces a file of the current build, whose digest is `old`, and keeps the old bytes in `PREVIOUS`. Equal
    /// digests mean that the file was damaged: its bytes are not kept.
    pub(super) fn replace(
        &self,
        file: &str,
        old: &FileDigest,
        new: &FileDigest,
        bytes: &[u8],
    ) -> Result<(), PublishError> {
        let path = self.out.join(file);
        let previous = self.out.join(PREVIOUS);
        self.ensure_folder(&previous)?;
        self.ensure_folder(path.parent().unwrap_or(&self.out))?;
        if old != new {
            match link(&path, &previous.join(&old.0)) {
                Ok(()) => {}
                // The file was removed by hand.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(PublishError::disk(messages::path_not_kept, &path)(error)),
            }
        }
        // Several files may get the same bytes at the same time, so the temporary name contains the digest and the
        // path.
        let aside = format!("{PREVIOUS}/{}-{}", new.0, file.replace('/', "!"));
        let write = || self.new_file(&aside)?.write_all(bytes);
        write().map_err(PublishError::disk(messages::path_not_written, self.out.join(&aside)))?;
        fs::rename(self.out.join(&aside), &path).map_err(PublishError::disk(messages::path_not_replaced, &path))
    }

    /// Writes the manifest of the next build under its temporary name, and sets the build's name.
    pub(super) fn draft_manifest(&self, next: &mut NextBuild) -> Result<(), PublishError> {
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

    pub(super) fn remove_manifest_draft(&self) {
        self.remove([NEXT].into_iter());
    }

    /// Replaces the list of retained assets if it differs from the one on disk, `there`.
    pub(super) fn write_retained(&self, there: &RetainedAssets, kept: &RetainedAssets) -> Result<(), PublishError> {
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

    /// Removes `leaving`, which no manifest names any more, and the kept files of the previous build. Returns the
    /// number of removed files.
    pub(super) fn tidy(&self, leaving: &[String], compression: Compression) -> Result<usize, PublishError> {
        let removed = self.remove(leaving.iter().map(String::as_str));
        let previous = self.out.join(PREVIOUS);
        if previous.exists() {
            fs::remove_dir_all(&previous).map_err(PublishError::disk(messages::path_not_removed, &previous))?;
        }
        self.remove_lists()?;
        if !self.compresses_like(compression) {
            self.write_compression_record(compression.recipe())?;
        }
        Ok(removed)
    }

    /// Removes files and the folders that are then empty. Returns the number of removed files.
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
            // Fails if the folder still holds something, as intended.
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

    /// Security: a link inside `dist/`, which anyone with commit rights can add, would make the build write outside it.
    fn refuse_links(&self, folder: &Path) -> Result<(), PublishError> {
        let is_ours = |path: &&Path| path.starts_with(&self.out) && *path != self.out;
        match folder.ancestors().take_while(is_ours).find(|path| path.is_symlink()) {
            Some(link) => Err(PublishError::Disk(messages::link_in_the_way(link.display()))),
            None => Ok(()),
        }
    }

    /// Moves a file that blocks a needed folder to `PREVIOUS`, where readers of the current build find it.
    fn clear_the_way(&self, folder: &Path) -> bool {
        let is_ours = |path: &&Path| path.starts_with(&self.out) && *path != self.out;
        let Some(obstacle) = folder.ancestors().take_while(is_ours).find(|path| path.is_file()) else { return false };
        let previous = self.out.join(PREVIOUS);
        let moved = fs::create_dir_all(&previous).and_then(|()| fs::read(obstacle));
        moved.and_then(|bytes| fs::rename(obstacle, previous.join(manifest::digest(&bytes).0))).is_ok()
    }
}

/// Whether a build has written to the folder before.
fn is_of_builds(out: &Path) -> Result<bool, PublishError> {
    if exists(&out.join(COMPRESSION_RECORD)) {
        return Ok(true);
    }
    // The folder may have been copied without its hidden files.
    Ok(CurrentBuild::read(out).map_err(PublishError::disk(messages::manifest_not_read, out))?.is_some())
}

/// Whether anything exists at `path`, even a dangling link.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Returns every file below a folder that a host would serve: without the generator's own files, which are hidden files
/// at the top, and without the `README.md`.
fn files(out: &Path) -> Vec<String> {
    let entries = WalkDir::new(out).min_depth(1).sort_by_file_name().into_iter().filter_entry(|entry| {
        let name = entry.file_name().as_encoded_bytes();
        entry.depth() > 1 || !(entry.file_type().is_file() && (name.starts_with(b".") || name == README))
    });
    let files = entries.filter_map(Result::ok).filter(|entry| !entry.file_type().is_dir());
    files.filter_map(|entry| Some(entry.path().strip_prefix(out).ok()?.to_string_lossy().into_owned())).collect()
}

/// Gives a file a second name. Without hard links, copies it; the copy gets its name when it is complete.
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
