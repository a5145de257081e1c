//! The host of `mecelle use`, and the sandbox keys that hosts publish, in files beside the kept keys.

use std::{collections::BTreeMap, fs, io, path::Path};

use contract::tool;
use serde::{Deserialize, Serialize};

use crate::{
    base_url::BaseUrl,
    failure::Failure,
    key::Key,
    private::{self, Durability},
    surroundings::Surroundings,
};

const FILE: &str = "host.json";
/// Keys of the hosts that `--base-url` or its variable named.
const LEARNED_FILE: &str = "sandbox_keys.json";
/// The command that sets another host.
const USE: &str = "mecelle use https://HOST";
/// Maximum length of a sandbox key; real ones are far shorter.
const MAX_SANDBOX_KEY_BYTES: usize = 256;

#[derive(Debug)]
pub(crate) struct StoredHost {
    pub(crate) base: BaseUrl,
    /// The sandbox key of the API description.
    pub(crate) sandbox_key: Option<Key>,
}

/// The content of `sandbox_keys.json`: the key of each host, `null` if it publishes none.
type LearnedKeys = BTreeMap<String, Option<String>>;

#[derive(Serialize, Deserialize)]
struct HostJson {
    base_url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sandbox_key: Option<String>,
}

impl StoredHost {
    /// Builds a host; a key that cannot be sent is dropped.
    pub(crate) fn new(base: BaseUrl, sandbox_key: Option<&str>) -> Self {
        // Security: the key comes from a server or a file, and goes into a header field.
        let is_usable = |key: &&str| key.len() <= MAX_SANDBOX_KEY_BYTES && Key::is_sendable(key);
        Self { base, sandbox_key: sandbox_key.filter(is_usable).map(|key| Key::new(key.to_owned())) }
    }

    /// Loads the stored host; `None` if there is none.
    pub(crate) fn load(env: &Surroundings) -> Result<Option<Self>, Failure> {
        let Some(folder) = env.configuration() else { return Ok(None) };
        let file = folder.join(FILE);
        let bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            // A system user may have a home that is not a folder.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(unusable(env, &file, &error.to_string())),
        };
        let stored: HostJson = serde_json::from_slice(&bytes)
            .map_err(|error| unusable(env, &file, &format!("line {} is not valid", error.line())))?;
        let base = BaseUrl::parse(&stored.base_url)
            .map_err(|why| unusable(env, &file, &format!("its `base_url` is not a host, {why}")))?;
        Ok(Some(Self::new(base, stored.sandbox_key.as_deref())))
    }

    /// Stores the host and returns the path for display.
    pub(crate) fn save(&self, env: &Surroundings) -> Result<String, Failure> {
        let folder = env.configuration().ok_or_else(|| {
            let remedy = format!("Set HOME, or name a folder with {}.", tool::CONFIG_DIR);
            Failure::usage("There is no folder for the host file.", remedy)
        })?;
        let file = folder.join(FILE);
        let content = HostJson { base_url: self.base.to_string(), sandbox_key: self.key_text() };
        private::resolve_links(&folder, &file)
            .and_then(|target| private::write_json(&target, &content, Durability::Synced))
            .map_err(|error| unusable(env, &file, &error.to_string()))?;
        Ok(env.display_path(&file))
    }

    fn key_text(&self) -> Option<String> {
        self.sandbox_key.as_ref().map(|key| key.reveal().to_owned())
    }

    /// Loads what was learned of `base`; `None` if its description was not read yet.
    pub(crate) fn load_learned(base: &BaseUrl, env: &Surroundings) -> Option<Self> {
        let key = learned_keys(env).remove(&base.to_string())?;
        Some(Self::new(base.clone(), key.as_deref()))
    }

    /// Keeps the key, or that the host has none, for later commands. If the folder cannot be written, the next command
    /// reads the description again.
    pub(crate) fn save_learned(&self, env: &Surroundings) {
        let mut keys = learned_keys(env);
        keys.insert(self.base.to_string(), self.key_text());
        write_learned_keys(&keys, env);
    }
}

/// Deletes the learned key of `base`, so that the next command learns the new one. Returns whether there was one.
pub(crate) fn forget_learned(base: &BaseUrl, env: &Surroundings) -> bool {
    let mut keys = learned_keys(env);
    let is_learned = keys.remove(&base.to_string()).is_some();
    if is_learned {
        write_learned_keys(&keys, env);
    }
    is_learned
}

/// A damaged file counts as empty: the keys can be learned again.
fn learned_keys(env: &Surroundings) -> LearnedKeys {
    let bytes = env.configuration().and_then(|folder| fs::read(folder.join(LEARNED_FILE)).ok());
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn write_learned_keys(keys: &LearnedKeys, env: &Surroundings) {
    if let Some(folder) = env.configuration() {
        let _ = private::resolve_links(&folder, &folder.join(LEARNED_FILE))
            .and_then(|target| private::write_json(&target, keys, Durability::Unsynced));
    }
}

/// Builds the failure of a run without any host.
pub(crate) fn missing() -> Failure {
    let remedy = format!(
        "Name the firm's site once with `mecelle use https://firm.example`, or for one command with --base-url or {}.",
        tool::BASE_URL
    );
    Failure::Usage { what: "No host is named.".to_owned(), remedy: Some(remedy), next: Some(USE.to_owned()) }
}

fn unusable(env: &Surroundings, file: &Path, what: &str) -> Failure {
    Failure::Usage {
        what: format!("The kept host in {} cannot be used: {what}.", env.display_path(file)),
        remedy: Some(format!("Repair or remove that file, or name another folder with {}.", tool::CONFIG_DIR)),
        next: Some(USE.to_owned()),
    }
}
