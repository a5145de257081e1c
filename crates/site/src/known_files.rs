//! A cache of the facts about large photographs, so that a build reads only photographs that changed: a few hundred of
//! them are gigabytes. It also has the texts without findings, which the next build neither checks nor surveys again,
//! and the pages that it need not render again. A process that builds at every save caches the texts as well.
//!
//! The cache never changes the result: as in git, a photograph counts as unchanged only if its size and its times are
//! the same. A text is named by a digest of itself, of the settings of the checks and of their source, so an entry of
//! another program or of other settings fits no text.
//!
//! Security: a cache that was tampered with can at most hide findings and changes of pages, as its author could by
//! changing the pages beside it.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use citations::Cited;
use content::{Checksum, Prose, Record};
use findings::Finding;
use markdown::Size;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{
    CHECKS_DIGEST,
    file_facts::{FileFacts, FileStamp},
    known_pages::{KnownPage, KnownPages},
    photograph::RECIPE,
};

/// An entry counts only if the file was last modified longer than this before the cache was written: some file systems
/// count time in steps of two seconds, so a later change may have left the same time.
const STEP: Duration = Duration::from_secs(2);

/// The files whose content earlier builds examined.
#[derive(Debug, Default)]
pub struct KnownFiles {
    /// Photographs by path below the content folder.
    files: BTreeMap<String, KnownPhotograph>,
    /// When `files` was recorded.
    since: Option<SystemTime>,
    /// The texts; `None` if another process runs the next build.
    pub(crate) texts: Option<KnownTexts>,
    pub(crate) faultless: FaultlessTexts,
    /// The rendered pages.
    pub pages: KnownPages,
}

/// Texts without findings of their own checks, by digest.
#[derive(Debug, Default)]
pub(crate) struct FaultlessTexts {
    /// Those of the last build that this one has not met yet.
    before: Mutex<BTreeMap<String, KnownText>>,
    /// Those of this build.
    now: Mutex<BTreeMap<String, KnownText>>,
}

/// What the checks of the site and the pages need to know of a text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KnownText {
    pub(crate) prose: Prose,
    pub(crate) cites: Vec<Cited>,
}

impl FaultlessTexts {
    /// Returns the name of a text in this cache; `circumstances` are the other input of its checks.
    pub(crate) fn digest(circumstances: &str, file: &str, text: &str) -> String {
        let mut digest = Sha256::new_with_prefix(CHECKS_DIGEST);
        for part in [circumstances, file, text] {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
        hex::encode(&digest.finalize()[..16])
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.before.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Returns a text in which an earlier build found nothing, and keeps it for the next one.
    pub(crate) fn take(&self, digest: &str) -> Option<KnownText> {
        let (digest, text) = self.before.lock().unwrap_or_else(PoisonError::into_inner).remove_entry(digest)?;
        self.note(digest, text.clone());
        Some(text)
    }

    pub(crate) fn note(&self, digest: String, text: KnownText) {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).insert(digest, text);
    }

    /// Drops the texts of earlier builds, after all texts were read.
    pub(crate) fn forget_others(&mut self) {
        self.before.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// The record and the findings of each text, without the checks that compare texts.
#[derive(Debug, Default)]
pub(crate) struct KnownTexts {
    /// The other input of these checks.
    circumstances: String,
    by_file: HashMap<String, (Record, Vec<Finding>)>,
}

impl KnownTexts {
    /// Empties the cache if it was filled in other `circumstances`.
    pub(crate) fn reset_unless(&mut self, circumstances: &str) {
        if self.circumstances != circumstances {
            *self = Self { circumstances: circumstances.to_owned(), by_file: HashMap::new() };
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.by_file.len()
    }

    /// Returns the record and the findings of a file with this checksum.
    pub(crate) fn get(&self, file: &str, checksum: Checksum) -> Option<(Record, Vec<Finding>)> {
        self.by_file.get(file).filter(|(record, _)| record.checksum == checksum).cloned()
    }

    /// Stores these texts and removes all others.
    pub(crate) fn note(&mut self, records: &[Record], findings: &[Vec<Finding>]) {
        let mut before = std::mem::take(&mut self.by_file);
        for (record, findings) in records.iter().zip(findings) {
            let known = before.remove(&record.file).filter(|(known, _)| known.checksum == record.checksum);
            let known = known.unwrap_or_else(|| (record.clone(), findings.clone()));
            self.by_file.insert(record.file.clone(), known);
        }
    }
}

/// The cache on disk.
#[derive(Deserialize)]
struct KnownFilesDocument {
    /// The version of the program and of the conversion.
    recipe: String,
    files: BTreeMap<String, KnownPhotograph>,
    faultless: BTreeMap<String, KnownText>,
    #[serde(default)]
    pages: BTreeMap<String, KnownPage>,
}

/// The same, to be written.
#[derive(Serialize)]
struct KnownFilesRef<'a> {
    recipe: String,
    files: &'a BTreeMap<String, KnownPhotograph>,
    faultless: &'a BTreeMap<String, KnownText>,
    pages: &'a BTreeMap<String, KnownPage>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct KnownPhotograph {
    stamp: FileStamp,
    fingerprint: String,
    width: u32,
    height: u32,
    has_notes: bool,
    orientation: u8,
}

impl KnownFiles {
    /// Reads the cache at `path`. Returns an empty one if the file is missing, damaged or of another version.
    pub fn read(path: &Path) -> Self {
        let since = fs::metadata(path).and_then(|found| found.modified()).ok();
        let written = fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<KnownFilesDocument>(&bytes).ok());
        let written = written.filter(|written| written.recipe == recipe());
        let (files, before, pages) =
            written.map(|written| (written.files, written.faultless, written.pages)).unwrap_or_default();
        let faultless = FaultlessTexts { before: Mutex::new(before), now: Mutex::default() };
        Self { files, since, texts: None, faultless, pages: KnownPages::new(pages) }
    }

    /// Returns an empty cache that also stores texts, for a process that builds repeatedly.
    pub fn with_texts() -> Self {
        Self { texts: Some(KnownTexts::default()), ..Self::default() }
    }

    /// Marks the entries as recorded at this moment, for the next build of the same process.
    pub fn keep(&mut self, moment: SystemTime) {
        self.since = Some(moment);
    }

    /// Returns the cache as JSON; `None` if it is empty.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let faultless = self.faultless.now.lock().unwrap_or_else(PoisonError::into_inner);
        let pages = self.pages.noted();
        let is_empty = self.files.is_empty() && faultless.is_empty() && pages.is_empty();
        let written = KnownFilesRef { recipe: recipe(), files: &self.files, faultless: &faultless, pages: &pages };
        if is_empty { None } else { serde_json::to_vec(&written).ok() }
    }

    pub(super) fn get(&self, file: &str, stamp: FileStamp) -> Option<FileFacts> {
        let known = self.files.get(file).filter(|known| known.stamp == stamp)?;
        stamp.modified.checked_add(STEP).filter(|settled| Some(*settled) < self.since)?;
        Some(FileFacts {
            bytes: stamp.bytes,
            fingerprint: known.fingerprint.clone(),
            size: Some(Size { width: known.width, height: known.height }),
            adapts: false,
            undrawn: None,
            has_notes: known.has_notes,
            orientation: known.orientation,
        })
    }

    /// Stores the facts of a file with this stamp.
    pub(super) fn note(&mut self, file: &str, stamp: FileStamp, facts: &FileFacts) {
        let Some(Size { width, height }) = facts.size else { return };
        let fingerprint = facts.fingerprint.clone();
        let FileFacts { has_notes, orientation, .. } = *facts;
        self.files
            .insert(file.to_owned(), KnownPhotograph { stamp, fingerprint, width, height, has_notes, orientation });
    }
}

fn recipe() -> String {
    format!("{} {RECIPE}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_file_is_not_known() {
        let folder = tempfile::tempdir().unwrap();
        let (photograph, memory) = (folder.path().join("a.jpg"), folder.path().join("memory"));
        let age = |path: &Path, seconds| {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        };
        fs::write(&photograph, vec![0; 1 << 20]).unwrap();
        age(&photograph, 1_000);
        let stamp = FileStamp::of(&photograph).unwrap();
        let size = Some(Size { width: 6000, height: 4000 });
        let facts =
            FileFacts { fingerprint: "0".repeat(16), size, orientation: 6, has_notes: true, ..FileFacts::default() };
        let mut known = KnownFiles::default();
        assert_eq!(known.to_bytes(), None);
        known.note("a.jpg", stamp, &facts);
        fs::write(&memory, known.to_bytes().unwrap()).unwrap();

        let found = KnownFiles::read(&memory).get("a.jpg", stamp).unwrap();
        assert_eq!((found.fingerprint, found.size, found.orientation), (facts.fingerprint, size, 6));
        assert!(KnownFiles::read(&memory).get("b.jpg", stamp).is_none());
        // The file was written within two seconds before the cache.
        age(&memory, 1_001);
        assert!(KnownFiles::read(&memory).get("a.jpg", stamp).is_none());
        age(&memory, 1_003);
        assert!(KnownFiles::read(&memory).get("a.jpg", stamp).is_some());
        // Other bytes with the former time of modification: the time of the last status change still differs.
        std::thread::sleep(Duration::from_millis(20));
        fs::write(&photograph, vec![1; 1 << 20]).unwrap();
        age(&photograph, 1_000);
        let other = FileStamp::of(&photograph).unwrap();
        assert!(cfg!(not(unix)) || KnownFiles::read(&memory).get("a.jpg", other).is_none());
        fs::write(&memory, "{").unwrap();
        assert!(KnownFiles::read(&memory).files.is_empty());
    }
}
