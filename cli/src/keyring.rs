//! The keys of the tool's registrations: one file for all hosts, which only its owner can read.

use std::{collections::BTreeMap, fmt, fs, io, path::PathBuf};

use contract::tool;
use serde::{Deserialize, Serialize};

use crate::{
    base_url::BaseUrl,
    failure::Failure,
    private::{self, Durability},
    surroundings::Surroundings,
};

const FILE: &str = "registrations.json";

#[derive(Debug)]
pub(crate) struct Keyring {
    folder: PathBuf,
    file: PathBuf,
    /// The path for display.
    place: String,
}

/// The registration with one host. Security: its `Debug` form contains no secret.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeyringEntry {
    pub(crate) registration_id: String,
    pub(crate) registration_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) credential_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) credential: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) credential_expires: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) scopes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) claim_token: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) claim_token_expires: Option<String>,
}

impl fmt::Debug for KeyringEntry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("KeyringEntry").field("registration_id", &self.registration_id).finish_non_exhaustive()
    }
}

type KeyringEntries = BTreeMap<String, KeyringEntry>;

impl Keyring {
    /// Opens the keyring; `None` without a configuration folder.
    pub(crate) fn of(env: &Surroundings) -> Option<Self> {
        let folder = env.configuration()?;
        let place = env.display_path(&folder.join(FILE));
        Some(Self { file: folder.join(FILE), folder, place })
    }

    /// Opens the keyring; fails without a configuration folder.
    pub(crate) fn require(env: &Surroundings) -> Result<Self, Failure> {
        let what = "There is no folder for the key file.";
        let remedy = || format!("Set HOME, or name a folder with {}.", tool::CONFIG_DIR);
        Self::of(env).ok_or_else(|| Failure::usage(what, remedy()))
    }

    /// Returns the path of the file for display.
    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    pub(crate) fn load(&self, base: &BaseUrl) -> Result<Option<KeyringEntry>, Failure> {
        Ok(self.read()?.remove(&base.to_string()))
    }

    /// Checks that the file can be written, before a key is requested.
    pub(crate) fn prepare(&self) -> Result<(), Failure> {
        self.read()?;
        let probe = self.target()?.with_extension(format!("{}.probe", std::process::id()));
        let tried = private::replace(&probe, b"", Durability::Unsynced).and_then(|()| fs::remove_file(&probe));
        tried.map_err(|error| self.unusable(&error.to_string()))
    }

    /// Stores `entry` for `base` in place of any earlier one.
    pub(crate) fn save(&self, base: &BaseUrl, entry: KeyringEntry) -> Result<(), Failure> {
        self.change(|entries| {
            entries.insert(base.to_string(), entry);
            true
        })
        .map(drop)
    }

    /// Stores the offered claim. A kept key stays in use until the claim is complete; its earlier entry is returned.
    pub(crate) fn offer(&self, base: &BaseUrl, offered: KeyringEntry) -> Result<Option<KeyringEntry>, Failure> {
        let mut holder = None;
        self.change(|entries| {
            match entries.get_mut(&base.to_string()).filter(|entry| entry.credential.is_some()) {
                Some(entry) => {
                    holder = Some(entry.clone());
                    (entry.claim_token, entry.claim_token_expires) = (offered.claim_token, offered.claim_token_expires);
                }
                None => drop(entries.insert(base.to_string(), offered)),
            }
            true
        })?;
        Ok(holder)
    }

    /// Replaces the entry of `base` by `step` of it. `step` returns `None` if another run of the tool has meanwhile
    /// registered or logged out; the entry then stays.
    pub(crate) fn advance(
        &self,
        base: &BaseUrl,
        step: impl FnOnce(KeyringEntry) -> Option<KeyringEntry>,
    ) -> Result<Option<KeyringEntry>, Failure> {
        let mut reached = None;
        self.change(|entries| {
            reached = entries.get(&base.to_string()).cloned().and_then(step);
            reached.clone().map(|entry| entries.insert(base.to_string(), entry)).is_some()
        })?;
        Ok(reached)
    }

    pub(crate) fn remove(&self, base: &BaseUrl) -> Result<(), Failure> {
        self.change(|entries| entries.remove(&base.to_string()).is_some()).map(drop)
    }

    /// Deletes the credential of `base` if it is still `refused`, and not one that another run of the tool has stored
    /// meanwhile. An open claim stays. Returns whether the credential was deleted.
    pub(crate) fn discard(&self, base: &BaseUrl, refused: &str) -> Result<bool, Failure> {
        self.change(|entries| {
            let Some(entry) = entries.get_mut(&base.to_string()) else { return false };
            if entry.credential.as_deref() != Some(refused) {
                return false;
            }
            (entry.credential, entry.credential_expires) = (None, None);
            if entry.claim_token.is_none() {
                entries.remove(&base.to_string());
            }
            true
        })
    }

    /// Changes the entries under a lock, and writes them if `change` returns `true`. Returns its result.
    fn change(&self, change: impl FnOnce(&mut KeyringEntries) -> bool) -> Result<bool, Failure> {
        let file = self.target()?;
        let lock =
            private::open_lock(&file.with_extension("lock")).map_err(|error| self.unusable(&error.to_string()))?;
        // A file system without locks must not lose a new key. Dropping `lock` ends the lock.
        let _ = lock.lock();
        let mut entries = self.read()?;
        let is_new = change(&mut entries);
        if is_new {
            private::write_json(&file, &entries, Durability::Synced)
                .map_err(|error| self.unusable(&error.to_string()))?;
        }
        Ok(is_new)
    }

    /// Returns the target of the file after links, and creates its folder.
    fn target(&self) -> Result<PathBuf, Failure> {
        private::resolve_links(&self.folder, &self.file).map_err(|error| self.unusable(&error.to_string()))
    }

    fn read(&self) -> Result<KeyringEntries, Failure> {
        match fs::read(&self.file) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| self.unusable(&format!("line {} is not valid", error.line()))),
            // The volume may not be mounted: the keys are unknown, not absent.
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.file.is_symlink() => {
                Err(self.unusable("it is a link to a missing file"))
            }
            // A system user may have a home that is not a folder.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(KeyringEntries::new())
            }
            Err(error) => Err(self.unusable(&error.to_string())),
        }
    }

    pub(crate) fn unusable(&self, what: &str) -> Failure {
        Failure::Keyring { file: self.place.clone(), what: what.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn ring() -> (tempfile::TempDir, Keyring) {
        let folder = tempfile::tempdir().unwrap();
        let ring = inside(folder.path());
        (folder, ring)
    }

    fn inside(home: &Path) -> Keyring {
        let folder = home.join("mecelle");
        Keyring { file: folder.join(FILE), place: String::new(), folder }
    }

    fn entry(id: &str) -> KeyringEntry {
        KeyringEntry {
            registration_id: id.to_owned(),
            credential: Some("ak_secret".to_owned()),
            ..KeyringEntry::default()
        }
    }

    #[test]
    fn each_host_has_its_own_entry() {
        let (_folder, ring) = ring();
        let (one, two) = (BaseUrl::parse("https://a.example").unwrap(), BaseUrl::parse("https://b.example").unwrap());
        ring.save(&one, entry("reg_1")).unwrap();
        ring.save(&two, entry("reg_2")).unwrap();
        ring.remove(&one).unwrap();
        assert_eq!(ring.load(&one).unwrap(), None);
        assert_eq!(ring.load(&two).unwrap(), Some(entry("reg_2")));
    }

    #[test]
    fn damaged_key_file_is_reported_and_not_overwritten() {
        let (_folder, ring) = ring();
        let base = BaseUrl::parse("https://a.example").unwrap();
        ring.save(&base, entry("reg_1")).unwrap();
        fs::write(&ring.file, "{ \"https://a.example\": {").unwrap();
        assert!(matches!(ring.load(&base), Err(Failure::Keyring { .. })));
        assert!(matches!(ring.save(&base, entry("reg_2")), Err(Failure::Keyring { .. })));
        assert_eq!(fs::read_to_string(&ring.file).unwrap(), "{ \"https://a.example\": {");
    }

    #[test]
    fn discarding_removes_only_the_refused_key() {
        let (_folder, ring) = ring();
        let base = BaseUrl::parse("https://a.example").unwrap();
        ring.save(&base, entry("reg_1")).unwrap();
        ring.discard(&base, "ak_older").unwrap();
        assert_eq!(ring.load(&base).unwrap(), Some(entry("reg_1")), "a newer key stays");
        ring.save(&base, KeyringEntry { claim_token: Some("clm_1".to_owned()), ..entry("reg_1") }).unwrap();
        ring.discard(&base, "ak_secret").unwrap();
        let rest = ring.load(&base).unwrap().unwrap();
        assert_eq!((rest.credential, rest.claim_token.as_deref()), (None, Some("clm_1")), "the claim goes on");
        ring.save(&base, entry("reg_1")).unwrap();
        ring.discard(&base, "ak_secret").unwrap();
        assert_eq!(ring.load(&base).unwrap(), None);
    }

    #[test]
    fn runs_side_by_side_lose_no_key() {
        let (_folder, ring) = ring();
        let host = |number: u32| BaseUrl::parse(&format!("https://a{number}.example")).unwrap();
        std::thread::scope(|scope| {
            for number in 0..16 {
                let ring = &ring;
                scope.spawn(move || ring.save(&host(number), entry("reg_1")).unwrap());
            }
        });
        assert!((0..16).all(|number| ring.load(&host(number)).unwrap().is_some()));
    }

    #[test]
    fn home_that_is_no_folder_has_no_keys() {
        let folder = tempfile::NamedTempFile::new().unwrap();
        let ring = inside(folder.path());
        assert_eq!(ring.load(&BaseUrl::parse("https://a.example").unwrap()).unwrap(), None);
        assert!(matches!(ring.prepare(), Err(Failure::Keyring { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn keys_are_readable_by_their_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, ring) = ring();
        ring.save(&BaseUrl::parse("https://a.example").unwrap(), entry("reg_1")).unwrap();
        let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&ring.folder), mode(&ring.file)), (0o700, 0o600));
    }

    #[cfg(unix)]
    #[test]
    fn link_stays_and_its_target_is_changed() {
        let (folder, ring) = ring();
        let base = BaseUrl::parse("https://a.example").unwrap();
        let volume = folder.path().join("volume");
        fs::create_dir_all(&ring.folder).unwrap();
        std::os::unix::fs::symlink("../volume/kept.json", &ring.file).unwrap();
        for result in [ring.prepare(), ring.save(&base, entry("reg_1")), ring.load(&base).map(drop)] {
            assert!(matches!(result, Err(Failure::Keyring { .. })), "the volume is away");
        }
        fs::create_dir(&volume).unwrap();
        fs::write(volume.join("kept.json"), "{}").unwrap();
        ring.prepare().unwrap();
        ring.save(&base, entry("reg_1")).unwrap();
        assert!(ring.file.is_symlink());
        let kept = |path: &Path| fs::read_to_string(path).unwrap().contains("ak_secret");
        assert!(kept(&volume.join("kept.json")));
        assert_eq!(fs::read_dir(&ring.folder).unwrap().count(), 1, "nothing lies beside the link");
        ring.remove(&base).unwrap();
        assert!(ring.file.is_symlink() && !kept(&volume.join("kept.json")));
    }

    #[test]
    fn entry_has_no_secret_in_its_debug_form() {
        assert!(!format!("{:?}", entry("reg_1")).contains("secret"));
    }
}
