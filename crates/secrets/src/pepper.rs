//! The pepper: secret keys in a file beside the store.
//!
//! One key on each line. The first is used for everything new; the others stay valid, so that a key can be replaced
//! without invalidating links and codes: append the new key, move it to the top when every process has loaded it, and
//! remove the old one later.

use std::{
    fmt,
    fs::File,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use super::{Entropy, digest::hexadecimal};

/// The keys; the first is current.
#[derive(Clone)]
pub struct Pepper(Vec<PepperKey>);

/// A key, and the name by which seeds refer to it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PepperKey {
    name: String,
    bytes: [u8; 32],
}

/// Maximum number of keys; [`PepperError::Count`] prints it.
const MAX_KEYS: usize = 8;

/// Why the pepper cannot be loaded; the caller adds the name of the setting.
#[derive(Debug, thiserror::Error)]
pub enum PepperError {
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    #[error("{0} does not contain one to eight keys")]
    Count(PathBuf),
    #[error("line {1} of {0} is not a key; each line must be 64 hexadecimal digits")]
    Line(PathBuf, usize),
    /// One key was appended to a file without a final newline.
    #[error("two keys are on line {1} of {0}; put each on a line of its own")]
    Joined(PathBuf, usize),
    #[error("others may read {0}; run `chmod 600 {0}`")]
    Open(PathBuf),
    #[error("the system provides no random bytes to make a secret from")]
    Entropy,
}

impl Pepper {
    /// Loads the file at `path`, or creates it, readable by its owner only.
    pub fn load(path: &Path, entropy: &Entropy) -> Result<Self, PepperError> {
        let failed = |error| PepperError::File(path.to_owned(), error);
        match File::open(path) {
            Ok(file) => Self::read(path, file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => match Self::create(path, entropy)? {
                Some(pepper) => Ok(pepper),
                // Another process created it first.
                None => Self::load_existing(path),
            },
            Err(error) => Err(failed(error)),
        }
    }

    /// Loads the file at `path`.
    pub fn load_existing(path: &Path) -> Result<Self, PepperError> {
        Self::read(path, File::open(path).map_err(|error| PepperError::File(path.to_owned(), error))?)
    }

    /// Checks the file at `path`, if it exists and is readable.
    pub fn check(path: &Path) -> Result<(), PepperError> {
        match File::open(path) {
            Ok(file) => Self::read(path, file).map(drop),
            // The configuration may be checked by a user other than the service's.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => Ok(()),
            Err(error) => Err(PepperError::File(path.to_owned(), error)),
        }
    }

    fn create(path: &Path, entropy: &Entropy) -> Result<Option<Self>, PepperError> {
        let failed = |error| PepperError::File(path.to_owned(), error);
        let bytes = entropy.bytes::<32>().map_err(|_| PepperError::Entropy)?;
        let name = entropy.bytes::<8>().map_err(|_| PepperError::Entropy)?;
        // Write it whole, then link it, so that no reader sees a part.
        let draft = path.with_extension(hexadecimal(&name));
        let mut file = private_files::create_new(&draft).map_err(failed)?;
        // End with a newline, so that an appended key is on its own line.
        let written = writeln!(file, "{}", hexadecimal(&bytes)).and_then(|()| file.sync_all());
        let linked = written.and_then(|()| std::fs::hard_link(&draft, path));
        let removed = std::fs::remove_file(&draft);
        match linked {
            Ok(()) => removed.map(|()| Some(Self(vec![PepperKey::new(bytes)]))).map_err(failed),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    fn read(path: &Path, mut file: File) -> Result<Self, PepperError> {
        let failed = |error| PepperError::File(path.to_owned(), error);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // Containers mount secrets for a group; access for all users is never intended.
            if file.metadata().map_err(failed)?.permissions().mode() & 0o007 != 0 {
                return Err(PepperError::Open(path.to_owned()));
            }
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let lines = (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty());
        let key = |(number, line): (usize, &str)| match PepperKey::parse(line) {
            Some(key) => Ok(key),
            None if line
                .split_at_checked(64)
                .is_some_and(|(one, other)| [one, other].map(PepperKey::parse).iter().all(Option::is_some)) =>
            {
                Err(PepperError::Joined(path.to_owned(), number))
            }
            None => Err(PepperError::Line(path.to_owned(), number)),
        };
        let keys = lines.map(key).collect::<Result<Vec<_>, _>>()?;
        if (1..=MAX_KEYS).contains(&keys.len()) { Ok(Self(keys)) } else { Err(PepperError::Count(path.to_owned())) }
    }

    /// Returns all keys, the current one first.
    pub(super) fn keys(&self) -> &[PepperKey] {
        &self.0
    }

    /// Returns the key `name`, or the current one.
    pub(super) fn key(&self, name: &str) -> &PepperKey {
        self.0.iter().find(|key| key.name == name).unwrap_or(&self.0[0])
    }

    /// Returns a fixed pepper for tests.
    #[cfg(any(test, feature = "testing"))]
    pub fn fixed(byte: u8) -> Self {
        Self::of(&[byte])
    }

    /// Returns a fixed pepper with several keys for tests.
    #[cfg(any(test, feature = "testing"))]
    pub fn of(bytes: &[u8]) -> Self {
        Self(bytes.iter().map(|byte| PepperKey::new([*byte; 32])).collect())
    }
}

impl PepperKey {
    fn new(bytes: [u8; 32]) -> Self {
        Self { name: hexadecimal(&Sha256::digest(bytes)[..4]), bytes }
    }

    fn parse(line: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if line.len() != 64 || !line.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&line[index * 2..index * 2 + 2], 16).ok()?;
        }
        Some(Self::new(bytes))
    }

    /// Returns the name, which is not secret.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for Pepper {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[pepper]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pepper_is_created_once_for_its_owner_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pepper");
        let first = Pepper::load(&path, &Entropy::seeded(1)).unwrap();
        let again = Pepper::load(&path, &Entropy::seeded(2)).unwrap();
        assert!(first.keys() == again.keys());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn file_may_contain_former_keys() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pepper");
        let load = |text: &str| {
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
            Pepper::load(&path, &Entropy::seeded(1))
        };
        let (old, new) = ("01".repeat(32), "02".repeat(32));
        assert!(load(&format!("{new}\n\n {old}\r\n")).unwrap().keys() == Pepper::of(&[2, 1]).keys());
        for (text, expected) in [
            ("", "does not contain one to eight keys"),
            ("\n", "does not contain one to eight keys"),
            (&format!("{new}\n").repeat(9), "does not contain one to eight keys"),
            (&format!("{new}\nold"), "line 2 of "),
            (&"é".repeat(64), "line 1 of "),
            (&format!("\n{new}{old}\n"), "two keys are on line 2 of "),
        ] {
            let message = load(text).unwrap_err().to_string();
            assert!(message.contains(expected) && !message.contains(&old[..8]), "{text:?}: {message}");
        }
    }

    #[test]
    fn key_may_be_appended_to_the_file_that_was_created() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pepper");
        let first = Pepper::load(&path, &Entropy::seeded(1)).unwrap();
        let mut file = File::options().append(true).open(&path).unwrap();
        writeln!(file, "{}", "02".repeat(32)).unwrap();
        let both = Pepper::load(&path, &Entropy::seeded(2)).unwrap();
        assert!(both.keys()[0] == first.keys()[0] && both.keys()[1] == Pepper::fixed(2).keys()[0]);
    }

    #[test]
    fn world_readable_or_malformed_pepper_is_rejected() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pepper");
        std::fs::write(&path, "short").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert!(matches!(Pepper::load(&path, &Entropy::seeded(1)), Err(PepperError::Line(_, 1))));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(Pepper::load(&path, &Entropy::seeded(1)), Err(PepperError::Open(_))));
    }
}
