//! An agent provider for tests on one machine: its key file, its trust list and its tokens.

mod provider;

use std::{
    fmt,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

pub use self::provider::{DevProvider, base64url, compact, public_jwk};

/// The issuer of every development provider. The trust list contains its key, so nothing is fetched from here.
pub const ISSUER: &str = "http://localhost/dev-provider";
/// The file with the private JWK.
pub const KEY_FILE: &str = "dev-provider.json";
/// The trust list beside it.
pub const TRUST_FILE: &str = "dev-trust.toml";

/// A problem with a file or its key.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct ProviderError {
    path: PathBuf,
    problem: String,
}

impl ProviderError {
    fn new(path: &Path, problem: &dyn fmt::Display) -> Self {
        Self { path: path.to_owned(), problem: problem.to_string() }
    }
}

/// The files of a provider; `Display` is the report of `sidecar dev-provider`.
#[derive(Debug)]
pub struct ProviderFiles {
    key: PathBuf,
    is_new: bool,
    trust: PathBuf,
    settings: Option<PathBuf>,
}

impl ProviderFiles {
    /// Adds the settings file for the command that starts the service.
    #[must_use]
    pub fn for_service_with(self, settings: Option<PathBuf>) -> Self {
        Self { settings, ..self }
    }
}

impl fmt::Display for ProviderFiles {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, trust) = (self.key.display(), self.trust.display());
        let made = if self.is_new { "made" } else { "kept" };
        let config = self.settings.as_ref().map(|file| format!(" --config {}", file.display())).unwrap_or_default();
        write!(
            out,
            "{key}: key of a provider for tests on this machine, {made}\n\
             {trust}: trust list with this key\n\
             next, serve a build for this machine with the trust list, and register:\n  \
             MECELLE_TRUST={trust} sidecar serve{config}\n  \
             mecelle assertion --provider {key} --email you@firm.example | mecelle register --assertion -"
        )
    }
}

/// Creates the key and the trust list in `folder`. Existing files are kept.
pub fn make(folder: &Path) -> Result<ProviderFiles, ProviderError> {
    let (key, trust) = (folder.join(KEY_FILE), folder.join(TRUST_FILE));
    private_files::folder(folder).map_err(|error| ProviderError::new(folder, &error))?;
    let made = DevProvider::generate().map_err(|problem| ProviderError::new(&key, &problem))?;
    let is_new = write_new(&key, &made.private_jwk().map_err(|problem| ProviderError::new(&key, &problem))?)?;
    let provider = if is_new { made } else { DevProvider::load(&key)? };
    if !write_new(&trust, &provider.trust_list())? {
        let text = std::fs::read_to_string(&trust).map_err(|error| ProviderError::new(&trust, &error))?;
        if !text.contains(provider.x()) {
            let problem = format!(
                "it does not contain the key in {}; remove one of the two files and run this again",
                key.display()
            );
            return Err(ProviderError::new(&trust, &problem));
        }
    }
    Ok(ProviderFiles { key, is_new, trust, settings: None })
}

/// Creates a file that only its owner can read; returns `false` if it exists.
fn write_new(path: &Path, text: &str) -> Result<bool, ProviderError> {
    match private_files::create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        created => {
            let written = created.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
            written.map(|()| true).map_err(|error| ProviderError::new(path, &error))
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    #[test]
    fn key_is_private_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        assert!(make(&data).unwrap().to_string().contains("made"));
        let [key, trust] = [KEY_FILE, TRUST_FILE].map(|name| data.join(name));
        let before = [&key, &trust].map(|file| fs::read_to_string(file).unwrap());
        assert_eq!(key.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let private: serde_json::Value = serde_json::from_str(&before[0]).unwrap();
        assert!(!before[1].contains(private["d"].as_str().unwrap()), "the trust list holds the public key only");
        assert!(make(&data).unwrap().to_string().contains("kept"));
        assert_eq!([&key, &trust].map(|file| fs::read_to_string(file).unwrap()), before);
    }

    #[test]
    fn lost_file_is_created_again_and_nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let [key, trust] = [KEY_FILE, TRUST_FILE].map(|name| folder.path().join(name));
        make(folder.path()).unwrap();
        let list = fs::read_to_string(&trust).unwrap();
        fs::remove_file(&trust).unwrap();
        make(folder.path()).unwrap();
        assert_eq!(fs::read_to_string(&trust).unwrap(), list);
        fs::remove_file(&key).unwrap();
        let message = make(folder.path()).unwrap_err().to_string();
        assert!(message.contains(TRUST_FILE) && message.contains("remove"), "{message}");
        assert_eq!(fs::read_to_string(&trust).unwrap(), list);
    }

    #[test]
    fn file_without_a_key_is_reported_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(KEY_FILE);
        let key = DevProvider::generate().unwrap().private_jwk().unwrap();
        for text in ["", "[]", "{}", "\u{0}", &key.replace("\"d\": \"", "\"d\": \"A"), &key.replace("P-256", "P-384")] {
            fs::write(&file, text).unwrap();
            let message = make(folder.path()).unwrap_err().to_string();
            assert!(message.contains(KEY_FILE) && message.contains("sidecar dev-provider"), "{text}: {message}");
        }
    }
}
