//! The record of the built-in file that each override was copied from, so that a later version can report which
//! originals have changed.

use std::{
    collections::BTreeMap,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

use content::Lines;
use findings::{
    Code, Finding, Place, Span,
    messages::{self, Text},
};
use serde::Deserialize;
use site::fingerprint;
use tempfile::NamedTempFile;

use super::sources::{ORIGINALS, Sources, built_in, is_template};

/// Version of the program and of its built-in theme.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Maximum size of the record in bytes. A record of all built-in files has about 10 KB.
const MAX_BYTES: u64 = 1024 * 1024;
/// The opening comment of the file.
const HEAD: &str = "\
# From which built-in file each file of this folder was copied: the version of the program, and the beginning of
# the file's SHA-256. Written by `generator templates copy` and `accept`; keep it under version control.
";

/// The built-in file that an override was copied from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Original {
    version: String,
    digest: String,
}

impl Original {
    /// Returns the original with these bytes in this version.
    pub fn of(bytes: &[u8]) -> Self {
        Self { version: VERSION.to_owned(), digest: fingerprint(bytes) }
    }

    /// Whether the original has exactly these bytes.
    pub fn is(&self, bytes: &[u8]) -> bool {
        self.digest == fingerprint(bytes)
    }

    /// `version 0.1.0 (1f0c62a9b1d4e7f3)`
    pub(crate) fn name(&self) -> Text {
        messages::original_named(&self.version, &self.digest)
    }
}

/// The record of a folder of templates, by file name.
#[derive(Clone, Debug, Default)]
pub struct Originals(pub BTreeMap<String, Original>);

impl Originals {
    /// Reads the record of a folder; a missing record is empty.
    pub fn read(folder: &Path) -> Result<Self, Box<Finding>> {
        let fault = |span, message| {
            let finding = Finding::new(Code::ORIGINALS, Place::new(ORIGINALS, span), message);
            Err(Box::new(finding.help(messages::originals_help())))
        };
        let path = folder.join(ORIGINALS);
        match fs::metadata(&path) {
            Ok(metadata) if metadata.len() > MAX_BYTES => {
                return fault(Span::FILE, messages::originals_too_large());
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return fault(Span::FILE, messages::originals_not_readable(error)),
        }
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => return fault(Span::FILE, messages::originals_not_readable(error)),
        };
        match toml::from_str(&text) {
            Ok(originals) => Ok(Self(originals)),
            Err(error) => {
                let span = Lines::of(&text).span(&text, error.span().unwrap_or_default());
                fault(span, messages::originals_not_a_record(error.message().replace('\n', ", ")))
            }
        }
    }

    /// Writes the record completely or not at all.
    pub fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let lines = self.0.iter().map(|(name, Original { version, digest })| {
            format!("{} = {{ version = {}, digest = {} }}\n", quoted(name), quoted(version), quoted(digest))
        });
        let text: String = std::iter::once(HEAD.to_owned()).chain(lines).collect();
        let path = folder.join(ORIGINALS);
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        allow_reading(&file)?;
        file.persist(&path)?;
        Ok(path)
    }
}

/// Gives a temporary file, which only its owner can read, the permissions of a repository file.
fn allow_reading(file: &NamedTempFile) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}

/// Warns of overrides whose original has changed since they were copied.
pub(super) fn check(folder: &Path, sources: &Sources, findings: &mut Vec<Finding>) {
    let originals = match Originals::read(folder) {
        Ok(originals) => originals,
        Err(finding) => return findings.push(*finding),
    };
    for (name, original) in &originals.0 {
        let Some(source) = sources.get(name).filter(|source| source.is_own) else { continue };
        let is_text = is_template(name) || name.ends_with(".css");
        let span = if is_text { Span { line: 1, column: 1, length: 1 } } else { Span::FILE };
        let found = |message| Finding::new(Code::ORIGINAL_CHANGED, Place::new(name.as_str(), span), message);
        match built_in(name) {
            Some(bytes) if original.is(bytes) || source.bytes == bytes => {}
            Some(bytes) => {
                let message = messages::original_changed(original.name(), Original::of(bytes).name());
                findings.push(found(message).help(messages::original_changed_help(name)));
            }
            None => {
                let message = messages::original_gone(original.name(), VERSION);
                findings.push(found(message).help(messages::original_gone_help()));
            }
        }
    }
}
