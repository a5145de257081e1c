//! A folder that stands for a mail server: each message is a file that mail programs open.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use contract::text::Email;

use super::{
    MailError, Message,
    error::Reason,
    mime::{self, atom},
    setting::SettingError,
};
use crate::forms::Milliseconds;

/// A folder of messages.
#[derive(Debug)]
pub(crate) struct Outbox {
    folder: PathBuf,
    from: Option<Email>,
}

impl Outbox {
    /// Creates `folder` where it is missing, for this user alone, and says where the mail will be.
    pub(super) fn open(folder: PathBuf, from: Option<Email>) -> Result<Self, SettingError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        let folder =
            made.and_then(|()| fs::canonicalize(&folder)).map_err(|error| SettingError::Folder(folder, error))?;
        tracing::info!(folder = %folder.display(), "mail is written to files, not sent");
        Ok(Self { folder, from })
    }

    pub(super) async fn send(&self, message: &Message) -> Result<(), MailError> {
        let octets = mime::write(message, self.from.as_ref())?.formatted();
        let (folder, name) = (self.folder.clone(), name(message.at, &message.id));
        let written = tokio::task::spawn_blocking(move || write(&folder, &name, &octets)).await;
        let result = written.unwrap_or_else(|_| Err(io::ErrorKind::Interrupted.into()));
        result.map_err(|error| MailError::transient(&message.to, Reason::Disk(error.kind())))
    }
}

/// A name that sorts by time.
fn name(at: Milliseconds, id: &str) -> String {
    format!("{at:015}-{}", atom(id))
}

/// Whole or not at all, and readable by this user alone: links in messages are secrets.
fn write(folder: &Path, name: &str, octets: &[u8]) -> io::Result<()> {
    let (part, whole) = (folder.join(format!(".{name}.part")), folder.join(format!("{name}.eml")));
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&part)
        .and_then(|mut file| file.write_all(octets).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, &whole));
    match written {
        // Where a folder cannot be flushed, the message is in it all the same.
        Ok(()) => drop(OpenOptions::new().read(true).open(folder).and_then(|folder| folder.sync_all())),
        Err(error) => {
            let _ = fs::remove_file(&part);
            return Err(error);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_message_appears_whole_and_for_this_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = Outbox::open(folder.path().join("a/b"), None).unwrap();
        let name = name(1_795_268_700_000, "out_1/../x");
        assert_eq!(name, "001795268700000-out_1x");
        write(&outbox.folder, &name, b"one").unwrap();
        write(&outbox.folder, &name, b"two").unwrap();
        let entries: Vec<_> = fs::read_dir(&outbox.folder).unwrap().map(|entry| entry.unwrap()).collect();
        assert_eq!(entries.len(), 1, "a second attempt takes the place of the first");
        assert_eq!(entries[0].file_name(), "001795268700000-out_1x.eml");
        assert_eq!(entries[0].metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read(entries[0].path()).unwrap(), b"two");
        assert_eq!(fs::metadata(&outbox.folder).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_folder_that_is_a_file_is_told_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let error = Outbox::open(file.join("inside"), None).unwrap_err().to_string();
        assert!(error.contains("cannot be written to"), "{error}");
    }
}
