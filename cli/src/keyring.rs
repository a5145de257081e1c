//! What registrations of this tool obtained: one file for all hosts, which only its owner may read.

use std::{collections::BTreeMap, fmt, fs, io, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::{
    base_url::BaseUrl,
    failure::Failure,
    private::{self, Worth},
    surroundings::Surroundings,
};

/// The file of kept registrations.
#[derive(Debug)]
pub(crate) struct Keyring {
    folder: PathBuf,
    file: PathBuf,
}

/// A registration with one host. Security: its `Debug` form shows neither secret.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
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
    /// With what a claim goes on; none once it is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) claim_token: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) claim_token_expires: Option<String>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Entry").field("registration_id", &self.registration_id).finish_non_exhaustive()
    }
}

type Entries = BTreeMap<String, Entry>;

impl Keyring {
    /// The keyring in the platform's configuration folder; none when the machine has no such place.
    pub(crate) fn of(env: &Surroundings) -> Option<Self> {
        let folder = env.configuration()?;
        Some(Self { file: folder.join("registrations.json"), folder })
    }

    /// The same, where there must be one.
    pub(crate) fn needed(env: &Surroundings) -> Result<Self, Failure> {
        Self::of(env).ok_or_else(|| Failure::Usage {
            what: "There is no folder in which a key could be kept.".to_owned(),
            remedy: "Set HOME, or name a folder with MECELLE_CONFIG_DIR.".to_owned(),
        })
    }

    /// Where keys are kept.
    pub(crate) fn place(&self) -> String {
        self.file.display().to_string()
    }

    /// What is kept for `base`.
    pub(crate) fn load(&self, base: &BaseUrl) -> Result<Option<Entry>, Failure> {
        Ok(self.read()?.remove(&base.to_string()))
    }

    /// Keeps `entry` for `base`, instead of what was kept before.
    pub(crate) fn save(&self, base: &BaseUrl, entry: Entry) -> Result<(), Failure> {
        let mut entries = self.read()?;
        entries.insert(base.to_string(), entry);
        self.write(&entries)
    }

    /// Throws away what is kept for `base`.
    pub(crate) fn remove(&self, base: &BaseUrl) -> Result<(), Failure> {
        let mut entries = self.read()?;
        match entries.remove(&base.to_string()) {
            Some(_) => self.write(&entries),
            None => Ok(()),
        }
    }

    fn read(&self) -> Result<Entries, Failure> {
        match fs::read(&self.file) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| self.unusable(&format!("line {} is not understood", error.line()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Entries::new()),
            Err(error) => Err(self.unusable(&error.to_string())),
        }
    }

    fn write(&self, entries: &Entries) -> Result<(), Failure> {
        let write = || {
            private::create_folder(&self.folder)?;
            let mut bytes = serde_json::to_vec_pretty(entries)?;
            bytes.push(b'\n');
            private::replace(&self.file, &bytes, Worth::Lasting)
        };
        write().map_err(|error: io::Error| self.unusable(&error.to_string()))
    }

    fn unusable(&self, what: &str) -> Failure {
        Failure::Keyring { file: self.place(), what: what.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring() -> (tempfile::TempDir, Keyring) {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("mecelle");
        let ring = Keyring { file: inner.join("registrations.json"), folder: inner };
        (folder, ring)
    }

    fn entry(id: &str) -> Entry {
        Entry { registration_id: id.to_owned(), credential: Some("ak_secret".to_owned()), ..Entry::default() }
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
    fn a_damaged_file_is_told_and_not_overwritten() {
        let (_folder, ring) = ring();
        let base = BaseUrl::parse("https://a.example").unwrap();
        ring.save(&base, entry("reg_1")).unwrap();
        fs::write(&ring.file, "{ \"https://a.example\": {").unwrap();
        assert!(matches!(ring.load(&base), Err(Failure::Keyring { .. })));
        assert!(matches!(ring.save(&base, entry("reg_2")), Err(Failure::Keyring { .. })));
        assert_eq!(fs::read_to_string(&ring.file).unwrap(), "{ \"https://a.example\": {");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_the_keys() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, ring) = ring();
        ring.save(&BaseUrl::parse("https://a.example").unwrap(), entry("reg_1")).unwrap();
        let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&ring.folder), mode(&ring.file)), (0o700, 0o600));
    }

    #[test]
    fn an_entry_does_not_show_its_secrets() {
        assert!(!format!("{:?}", entry("reg_1")).contains("secret"));
    }
}
