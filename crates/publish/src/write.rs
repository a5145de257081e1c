//! Stores rendered files: writes only changed files, and compresses only new bytes.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Mutex, PoisonError},
};

use contract::{
    manifest::{Coding, Encoded, Encodings, FileDigest, LESSER, PARTS},
    media,
};
use render::{File, Output};

use super::{
    Compression, PublishError, Publishing,
    current_build::KnownFile,
    disk::Disk,
    manifest::{self, StoredFile},
};

/// Minimum size in bytes: a smaller file fits into one packet anyway.
const WORTH_COMPRESSING: usize = 256;

/// Stores the files of the next build beside those of the current one.
pub(super) struct BuildWriter<'a> {
    disk: &'a Disk,
    /// Files of the current build and retained assets, by path.
    known: &'a HashMap<String, KnownFile>,
    /// Whether the current build's manifest is unedited.
    is_trusted: bool,
    /// Whether the compressed forms of the current build were made with the same recipe.
    same_compression: bool,
    /// A path of the current build by digest: a renamed file keeps its compressed forms.
    by_digest: HashMap<&'a FileDigest, &'a str>,
    compression: Compression,
    verify: bool,
    tally: Mutex<Tally<'a>>,
}

/// Counts and lists of the stored files.
#[derive(Debug, Default)]
struct Tally<'a> {
    files: usize,
    written: usize,
    kept: usize,
    /// Files of the current build that were not stored again.
    left: HashSet<&'a str>,
    /// Compressed forms that files of the current build no longer have.
    dropped: Vec<String>,
}

/// The result of storing all files.
#[derive(Debug)]
pub(super) struct StoredFiles {
    /// Number of files of the next build, without compressed forms.
    pub(super) files: usize,
    /// Number of files that were written.
    pub(super) written: usize,
    /// Number of pages that were not rendered again.
    pub(super) kept: usize,
    /// Files of the current build that the next one does not have, with their compressed forms.
    pub(super) left: Vec<String>,
}

impl<'a> BuildWriter<'a> {
    /// `is_trusted`: the manifest of the current build is unedited.
    pub(super) fn new(
        disk: &'a Disk,
        known: &'a HashMap<String, KnownFile>,
        is_trusted: bool,
        publishing: &Publishing,
    ) -> Self {
        let by_digest = known.iter().map(|(file, known)| (&known.digest, file.as_str())).collect();
        let Publishing { compression, verify, .. } = *publishing;
        let left = known.keys().map(String::as_str).collect();
        let tally = Mutex::new(Tally { left, ..Tally::default() });
        let same_compression = is_trusted && disk.compresses_like(compression);
        Self { disk, known, is_trusted, same_compression, by_digest, compression, verify, tally }
    }

    pub(super) fn finish(self) -> StoredFiles {
        let Tally { files, written, kept, left, dropped } =
            self.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
        let gone = left.into_iter().filter_map(|file| Some((file, self.known.get(file)?)));
        let gone = gone.flat_map(|(file, known)| manifest::names(file, &known.encodings));
        StoredFiles { files, written, kept, left: gone.chain(dropped).collect() }
    }

    /// Records files to be written that the current build does not have, with the compressed forms that they may get.
    /// One call serves tens of thousands of files.
    pub(super) fn announce(&self, files: impl Iterator<Item = String>) -> Result<(), PublishError> {
        let mut new = String::new();
        for file in files {
            if !self.known.contains_key(&file) {
                new.extend([&file, "\n"]);
            }
            if self.compression != Compression::None {
                self.note_forms(&file, &mut new);
            }
        }
        self.disk.note_unsettled(&new)
    }

    /// Stores `files` with their compressed forms. Those in `announced` are already recorded as unsettled.
    pub(super) fn store(
        &self,
        files: Vec<File>,
        announced: &[String],
    ) -> Result<BTreeMap<String, StoredFile>, PublishError> {
        self.note(files.iter().filter(|file| !announced.contains(&file.path)))?;
        let stored = files.into_iter().map(|file| Ok((file.path.clone(), self.store_one(file)?)));
        let stored: BTreeMap<String, StoredFile> = stored.collect::<Result<_, PublishError>>()?;
        self.count(&stored);
        Ok(stored)
    }

    /// Returns the stored state of `files`, whose names contain a fingerprint of their content, or `None` if the
    /// current build lacks one of them. Does not read their bytes.
    pub(super) fn keep(&self, files: &[File]) -> Option<BTreeMap<String, StoredFile>> {
        let stored = files.iter().map(|file| {
            let KnownFile { size, digest, encodings, is_kept } = self.known.get(&file.path)?;
            let is_there = self.is_trusted && !is_kept && self.is_intact_file(&file.path, *size, digest);
            let (digest, encodings) = (digest.clone(), encodings.clone());
            let stored = StoredFile { media_type: file.media_type, size: *size, digest, encodings, is_written: false };
            is_there.then(|| (file.path.clone(), stored))
        });
        let stored: BTreeMap<String, StoredFile> = stored.collect::<Option<_>>()?;
        self.count(&stored);
        Some(stored)
    }

    /// Returns the stored state of a page that the last build rendered from the same inputs, with the bytes of its twin
    /// if they are needed; `None` if the current build has another page, or it is damaged or compressed differently.
    pub(super) fn keep_page(
        &self,
        output: &Output,
        needs_twin: bool,
    ) -> Option<(BTreeMap<String, StoredFile>, Vec<u8>)> {
        let digests = output.page.as_ref()?.page.digests.each_ref();
        let is_the_same = output.files.len() == digests.len()
            && output.files.iter().zip(digests).all(|(file, digest)| {
                self.known.get(&file.path).is_some_and(|known| {
                    known.digest.0 == *digest
                        && self.is_compressed_alike(known)
                        && self.forms_are_intact(&file.path, &known.encodings)
                })
            });
        let twin = output.files.last().filter(|_| needs_twin && is_the_same);
        let twin = twin.map(|twin| self.disk.read(&twin.path).filter(|bytes| manifest::digest(bytes).0 == *digests[1]));
        let twin = twin.map_or(Some(Vec::new()), |twin| twin)?;
        let stored = is_the_same.then(|| self.keep(&output.files))??;
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).kept += 1;
        Some((stored, twin))
    }

    /// Updates the counts and lists.
    fn count(&self, stored: &BTreeMap<String, StoredFile>) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        for (file, now) in stored {
            tally.files += 1;
            tally.written += usize::from(now.is_written);
            let Some(before) = self.known.get(file) else { continue };
            tally.left.remove(file.as_str());
            if before.encodings != now.encodings {
                let forms: Vec<String> = manifest::names(file, &now.encodings).collect();
                tally.dropped.extend(manifest::names(file, &before.encodings).filter(|form| !forms.contains(form)));
            }
        }
    }

    /// Records those of `files` that the current build does not have, before any of them is written.
    fn note<'f>(&self, files: impl Iterator<Item = &'f File>) -> Result<(), PublishError> {
        let mut new = String::new();
        for File { path, media_type, bytes } in files {
            if !self.known.contains_key(path) {
                new.extend([path, "\n"]);
            }
            if self.is_compressed(path, media_type, bytes) {
                self.note_forms(path, &mut new);
            }
        }
        self.disk.note_unsettled(&new)
    }

    /// Adds the names of compressed forms of `file` that do not exist yet.
    fn note_forms(&self, file: &str, new: &mut String) {
        for coding in Coding::ALL.into_iter().filter(|coding| self.known_form(file, *coding).is_none()) {
            new.extend([file, coding.suffix(), "\n"]);
        }
    }

    /// Returns the digest of an existing compressed form, which is listed with its file or under its own name.
    fn known_form(&self, file: &str, coding: Coding) -> Option<&FileDigest> {
        let form = self.known.get(file).and_then(|known| known.encodings.get(coding));
        let alone = || self.known.get(&format!("{file}{}", coding.suffix()));
        form.map(|form| &form.digest).or_else(|| alone().map(|known| &known.digest))
    }

    fn store_one(&self, file: File) -> Result<StoredFile, PublishError> {
        let File { path, media_type, bytes } = file;
        // Files to remove are listed by name, so no file may have the name of a compressed form.
        debug_assert!(Coding::ALL.iter().all(|coding| !path.ends_with(coding.suffix())), "{path}");
        let digest = manifest::digest(&bytes);
        let size = bytes.len() as u64;
        let known = self.known.get(&path);
        let is_unchanged =
            known.is_some_and(|known| known.digest == digest) && self.is_intact_file(&path, size, &digest);
        if !is_unchanged {
            self.put(&path, known.map(|known| &known.digest), &digest, &bytes)?;
        }
        let encodings = match known {
            Some(known)
                if is_unchanged
                    && self.is_compressed_alike(known)
                    && self.forms_are_intact(&path, &known.encodings) =>
            {
                known.encodings.clone()
            }
            _ => self.compress(&path, media_type, &digest, &bytes)?,
        };
        Ok(StoredFile { media_type, size, digest, encodings, is_written: !is_unchanged })
    }

    /// Whether the existing compressed forms of a file are the ones that this build would make.
    fn is_compressed_alike(&self, known: &KnownFile) -> bool {
        self.same_compression && !known.is_kept
    }

    fn put(&self, path: &str, old: Option<&FileDigest>, new: &FileDigest, bytes: &[u8]) -> Result<(), PublishError> {
        match old {
            Some(old) => self.disk.replace(path, old, new, bytes),
            None => self.disk.create(path, bytes),
        }
    }

    fn forms_are_intact(&self, path: &str, encodings: &Encodings) -> bool {
        Coding::ALL.into_iter().all(|coding| {
            let is_intact =
                |form: &Encoded| self.is_intact_file(&format!("{path}{}", coding.suffix()), form.size, &form.digest);
            encodings.get(coding).is_none_or(is_intact)
        })
    }

    /// Whether a file of the current build is intact; reads its bytes only with `verify`.
    fn is_intact_file(&self, path: &str, size: u64, digest: &FileDigest) -> bool {
        self.disk.holds(path, size) && (!self.verify || self.disk.holds_bytes(path, digest))
    }

    fn is_compressed(&self, path: &str, media_type: &str, bytes: &[u8]) -> bool {
        // A part is not sent as it is, unless it replaces a file that is.
        let part = path.strip_prefix(PARTS).and_then(|rest| rest.strip_prefix('/'));
        let is_sent = part.is_none_or(|name| name.starts_with(LESSER));
        let is_worth_it = bytes.len() >= WORTH_COMPRESSING && media::is_compressible(media_type);
        self.compression != Compression::None && is_sent && is_worth_it
    }

    fn compress(
        &self,
        path: &str,
        media_type: &str,
        digest: &FileDigest,
        bytes: &[u8],
    ) -> Result<Encodings, PublishError> {
        if !self.is_compressed(path, media_type, bytes) {
            return Ok(Encodings::default());
        }
        Ok(Encodings {
            br: self.compress_form(Coding::Br, path, digest, bytes)?,
            zstd: self.compress_form(Coding::Zstd, path, digest, bytes)?,
            gzip: self.compress_form(Coding::Gzip, path, digest, bytes)?,
        })
    }

    fn compress_form(
        &self,
        coding: Coding,
        path: &str,
        digest: &FileDigest,
        bytes: &[u8],
    ) -> Result<Option<Encoded>, PublishError> {
        let made = self.find_compressed(coding, digest).or_else(|| self.compression.compress(coding, bytes));
        let Some(compressed) = made else { return Ok(None) };
        let new = manifest::digest(&compressed);
        self.put(&format!("{path}{}", coding.suffix()), self.known_form(path, coding), &new, &compressed)?;
        Ok(Some(Encoded { size: compressed.len() as u64, digest: new }))
    }

    /// Returns the compressed form of the same bytes at another path of the current build.
    fn find_compressed(&self, coding: Coding, digest: &FileDigest) -> Option<Vec<u8>> {
        let file = self.by_digest.get(digest)?;
        let known = self.known.get(*file).filter(|known| self.is_compressed_alike(known))?;
        let form = known.encodings.get(coding)?;
        let bytes = self.disk.read(&format!("{file}{}", coding.suffix()))?;
        // The file may have been replaced a moment ago.
        (manifest::digest(&bytes) == form.digest).then_some(bytes)
    }
}
