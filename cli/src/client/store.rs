//! Cached answers: one file per URL and credential, in a folder that only its owner can read.
//!
//! A file is one line of JSON, then the answer's exact bytes.

use std::{
    fs, io,
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use aws_lc_rs::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use crate::{
    key::Key,
    private::{self, Durability},
};

pub(crate) struct CacheFile {
    folder: PathBuf,
    file: PathBuf,
    url: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CachedAnswer {
    /// The entity tag with its quotes.
    pub(crate) tag: String,
    /// Time of the reply, in whole seconds.
    pub(crate) at: SystemTime,
    /// The exact bytes.
    pub(crate) body: Vec<u8>,
}

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct CacheHeader {
    url: String,
    etag: String,
    at: u64,
    /// Digest of the body, which detects a damaged file.
    digest: String,
}

impl CacheFile {
    /// Locates the answer at `url` for `key`. Security: the name contains a digest of the key, so that no credential
    /// sees the answer to another. The published key counts as none.
    pub(crate) fn new(folder: PathBuf, url: &str, key: Option<&Key>) -> Self {
        let mut seed = url.as_bytes().to_vec();
        seed.push(0);
        seed.extend(key.map(Key::reveal).unwrap_or_default().as_bytes());
        let name = fingerprint(&seed);
        Self { file: folder.join(name), folder, url: url.to_owned() }
    }

    /// Loads the answer if the file is complete.
    pub(crate) fn load(&self) -> Option<CachedAnswer> {
        let bytes = fs::read(&self.file).ok()?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let head: CacheHeader = serde_json::from_slice(&bytes[..end]).ok()?;
        let body = bytes[end + 1..].to_vec();
        // A tag that no header field can hold would break every later request.
        let is_tag = !head.etag.is_empty() && head.etag.bytes().all(|byte| byte.is_ascii_graphic());
        let is_whole = is_tag && head.url == self.url && head.digest == fingerprint(&body);
        let at = UNIX_EPOCH.checked_add(Duration::from_secs(head.at))?;
        is_whole.then_some(CachedAnswer { tag: head.etag, at, body })
    }

    /// Stores an answer. A reader sees the old or the new file, never a part.
    pub(crate) fn save(&self, cached: &CachedAnswer) -> io::Result<()> {
        private::create_folder(&self.folder)?;
        let head = CacheHeader {
            url: self.url.clone(),
            etag: cached.tag.clone(),
            at: cached.at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
            digest: fingerprint(&cached.body),
        };
        let mut bytes = serde_json::to_vec(&head)?;
        bytes.push(b'\n');
        bytes.extend_from_slice(&cached.body);
        private::replace(&self.file, &bytes, Durability::Unsynced)
    }
}

/// Returns the first half of the SHA-256 digest, in hexadecimal.
fn fingerprint(bytes: &[u8]) -> String {
    let half = digest(&SHA256, bytes).as_ref().iter().take(16).fold(0, |sum, byte| sum << 8 | u128::from(*byte));
    format!("{half:032x}")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn cached() -> CachedAnswer {
        CachedAnswer {
            tag: "\"a\"".to_owned(),
            at: UNIX_EPOCH + Duration::from_secs(1_795_000_000),
            body: b"{\n}\n".to_vec(),
        }
    }

    #[test]
    fn answer_is_loaded_as_it_was_saved() {
        let folder = tempfile::tempdir().unwrap();
        let store = CacheFile::new(folder.path().join("new"), "https://a.example/x", None);
        assert_eq!(store.load(), None);
        store.save(&cached()).unwrap();
        assert_eq!(store.load(), Some(cached()));
        let other = CacheFile::new(folder.path().join("new"), "https://a.example/y", None);
        assert_eq!(other.load(), None);
    }

    #[test]
    fn cache_file_that_is_cut_or_damaged_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let store = CacheFile::new(folder.path().to_owned(), "https://a.example/x", None);
        store.save(&cached()).unwrap();
        let bytes = fs::read(&store.file).unwrap();
        for length in 0..bytes.len() {
            fs::write(&store.file, &bytes[..length]).unwrap();
            assert_eq!(store.load(), None, "{length} bytes");
        }
        let mut damaged = bytes;
        *damaged.last_mut().unwrap() ^= 1;
        fs::write(&store.file, damaged).unwrap();
        assert_eq!(store.load(), None, "a flipped bit");
    }

    #[test]
    fn cache_file_with_an_invalid_tag_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let store = CacheFile::new(folder.path().to_owned(), "https://a.example/x", None);
        for tag in ["", "\"a\r\nb\"", "\"ş\"", "\"\u{1b}\""] {
            store.save(&CachedAnswer { tag: tag.to_owned(), ..cached() }).unwrap();
            assert_eq!(store.load(), None, "{tag:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn cache_is_readable_by_its_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let store = CacheFile::new(folder.path().join("new"), "https://a.example/x", None);
        store.save(&cached()).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&store.folder), mode(&store.file)), (0o700, 0o600));
        assert_eq!(fs::read_dir(&store.folder).unwrap().count(), 1, "a temporary file is left");
    }
}
