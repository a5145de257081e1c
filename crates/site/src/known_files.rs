//! What the last build learned of large photographs, so that the next one need not read those that did not change: a
//! few hundred of them are gigabytes. A process that builds at every save also keeps what it learned of texts.
//!
//! What is published never depends on it: it replaces reading a file by the knowledge what was in it, and a file counts
//! as unchanged only if its size and its times are the same, as for git.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use content::{Checksum, Record};
use findings::Finding;
use markdown::Size;
use serde::{Deserialize, Serialize};

use super::{
    file_facts::{FileFacts, Stamp},
    photograph::RECIPE,
};

/// A file that was changed so shortly before it was noted may have been changed again without a trace: some file
/// systems count time in steps of two seconds.
const STEP: Duration = Duration::from_secs(2);

/// Photographs by path below the content folder.
#[derive(Debug, Default)]
pub struct KnownFiles {
    files: BTreeMap<String, Noted>,
    /// When they were noted.
    since: Option<SystemTime>,
    /// What was learned of texts; `None` if the next build is that of another process.
    pub(crate) texts: Option<KnownTexts>,
}

/// What was learned of each text by itself, before texts were compared with each other.
#[derive(Debug, Default)]
pub(crate) struct KnownTexts {
    /// What else that depends on.
    circumstances: String,
    by_file: HashMap<String, (Record, Vec<Finding>)>,
}

impl KnownTexts {
    /// Forgets everything if it was learned in other circumstances.
    pub(crate) fn under(&mut self, circumstances: String) {
        if self.circumstances != circumstances {
            *self = Self { circumstances, by_file: HashMap::new() };
        }
    }

    /// Returns how many are known.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.by_file.len()
    }

    /// Returns what is known of a file with these bytes.
    pub(crate) fn get(&self, file: &str, checksum: Checksum) -> Option<(Record, Vec<Finding>)> {
        self.by_file.get(file).filter(|(record, _)| record.checksum == checksum).cloned()
    }

    /// Notes what there is in these texts now, and forgets all others.
    pub(crate) fn note(&mut self, records: &[Record], findings: &[Vec<Finding>]) {
        let mut before = std::mem::take(&mut self.by_file);
        for (record, findings) in records.iter().zip(findings) {
            let known = before.remove(&record.file).filter(|(known, _)| known.checksum == record.checksum);
            let known = known.unwrap_or_else(|| (record.clone(), findings.clone()));
            self.by_file.insert(record.file.clone(), known);
        }
    }
}

/// What is written down.
#[derive(Serialize, Deserialize)]
struct Written {
    /// What the checks and names depend on besides the files.
    recipe: String,
    files: BTreeMap<String, Noted>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Noted {
    stamp: Stamp,
    fingerprint: String,
    width: u32,
    height: u32,
    has_notes: bool,
    orientation: u8,
}

impl KnownFiles {
    /// Reads what was written to the file at `path`; nothing is known if that was done by another version.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let since = fs::metadata(path).and_then(|found| found.modified()).ok();
        let written = fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Written>(&bytes).ok());
        let files = written.filter(|written| written.recipe == recipe()).map(|written| written.files);
        Self { files: files.unwrap_or_default(), since, texts: None }
    }

    /// Keeps what is learned of texts too, for a process that builds again.
    #[must_use]
    pub fn with_texts() -> Self {
        Self { texts: Some(KnownTexts::default()), ..Self::default() }
    }

    /// Keeps what is known for the next time in the same process, as of this moment.
    pub fn keep(&mut self, moment: SystemTime) {
        self.since = Some(moment);
    }

    /// Returns what to write down, if there is anything.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let written = Written { recipe: recipe(), files: self.files.clone() };
        if self.files.is_empty() { None } else { serde_json::to_vec(&written).ok() }
    }

    /// Returns what is known of a file with this stamp.
    pub(super) fn get(&self, file: &str, stamp: Stamp) -> Option<FileFacts> {
        let noted = self.files.get(file).filter(|noted| noted.stamp == stamp)?;
        stamp.modified.checked_add(STEP).filter(|settled| Some(*settled) < self.since)?;
        Some(FileFacts {
            bytes: stamp.bytes,
            fingerprint: noted.fingerprint.clone(),
            size: Some(Size { width: noted.width, height: noted.height }),
            adapts: false,
            has_notes: noted.has_notes,
            orientation: noted.orientation,
        })
    }

    /// Notes what a file with this stamp contained.
    pub(super) fn note(&mut self, file: &str, stamp: Stamp, facts: &FileFacts) {
        let Some(Size { width, height }) = facts.size else { return };
        let fingerprint = facts.fingerprint.clone();
        let FileFacts { has_notes, orientation, .. } = *facts;
        self.files.insert(file.to_owned(), Noted { stamp, fingerprint, width, height, has_notes, orientation });
    }
}

fn recipe() -> String {
    format!("{} {RECIPE}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_known_only_while_nothing_of_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (photograph, memory) = (folder.path().join("a.jpg"), folder.path().join("memory"));
        let age = |path: &Path, seconds| {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        };
        fs::write(&photograph, vec![0; 1 << 20]).unwrap();
        age(&photograph, 1_000);
        let stamp = Stamp::of(&photograph).unwrap();
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
        // Noted within the same step of the clock in which it was written.
        age(&memory, 1_001);
        assert!(KnownFiles::read(&memory).get("a.jpg", stamp).is_none());
        age(&memory, 1_003);
        assert!(KnownFiles::read(&memory).get("a.jpg", stamp).is_some());
        // Other bytes with the time put back, which the system notes all the same.
        std::thread::sleep(Duration::from_millis(20));
        fs::write(&photograph, vec![1; 1 << 20]).unwrap();
        age(&photograph, 1_000);
        let other = Stamp::of(&photograph).unwrap();
        assert!(cfg!(not(unix)) || KnownFiles::read(&memory).get("a.jpg", other).is_none());
        fs::write(&memory, "{").unwrap();
        assert!(KnownFiles::read(&memory).files.is_empty());
    }
}
