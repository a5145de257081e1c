//! A folder in place of a mail server: each message is a file that mail programs can open.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use clock::Time;
use contract::text::Email;

use super::{
    MailError, Message,
    error::Reason,
    mime::{self, atom},
    setting::SettingError,
};

/// How long a message stays in the folder; its link expires long before.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// Writes messages into a folder.
#[derive(Debug)]
pub struct FileTransport {
    folder: PathBuf,
    from: Option<Email>,
    /// Whether the last attempt to delete old messages failed.
    is_kept: Arc<AtomicBool>,
}

impl FileTransport {
    /// Creates `folder` with mode 0700 if it is missing, and logs its path.
    pub(super) fn open(folder: PathBuf, from: Option<Email>) -> Result<Self, SettingError> {
        let made = private_files::folder(&folder);
        let folder =
            made.and_then(|()| fs::canonicalize(&folder)).map_err(|error| SettingError::Folder(folder, error))?;
        tracing::info!(folder = %folder.display(), "mail is written to files, not sent");
        Ok(Self { folder, from, is_kept: Arc::default() })
    }

    pub(super) async fn send(&self, message: &Message) -> Result<(), MailError> {
        let bytes = mime::write(message, self.from.as_ref())?.formatted();
        let (folder, at, name) = (self.folder.clone(), message.at, file_name(message.at, &message.id));
        let is_kept = Arc::clone(&self.is_kept);
        let work = move || {
            write(&folder, &name, &bytes)?;
            // The next message retries a failed deletion.
            let pruned = prune(&folder, at);
            let was_kept = is_kept.swap(pruned.is_err(), Ordering::Relaxed);
            if let (Err(error), false) = (pruned, was_kept) {
                tracing::warn!(folder = %folder.display(), "an old message cannot be deleted: {error}");
            }
            io::Result::Ok(())
        };
        let written = tokio::task::spawn_blocking(work).await;
        let result = written.unwrap_or_else(|_| Err(io::ErrorKind::Interrupted.into()));
        result.map_err(|error| MailError::Down { reason: Reason::Disk(error.kind()) })
    }

    /// Deletes the file of `message`.
    pub async fn take_back(&self, message: &Message) {
        let path = message_path(&self.folder, &file_name(message.at, &message.id));
        let removed = tokio::task::spawn_blocking(move || fs::remove_file(path)).await;
        match removed.unwrap_or_else(|_| Err(io::ErrorKind::Interrupted.into())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(folder = %self.folder.display(), "a message cannot be deleted: {error}");
            }
            _ => {}
        }
    }
}

/// Returns a file name that sorts by time.
fn file_name(at: Time, id: &str) -> String {
    format!("{:015}-{}", at.millis(), atom(id))
}

fn message_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.eml"))
}

/// Writes a message completely or not at all. Security: with mode 0600, because links in messages are secrets.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let (part, whole) = (folder.join(format!(".{name}.part")), message_path(folder, name));
    let written = private_files::options()
        .write(true)
        .create(true)
        .truncate(true)
        .open(&part)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, &whole));
    match written {
        // Ignore a failed sync: the message is in the folder.
        Ok(()) => drop(OpenOptions::new().read(true).open(folder).and_then(|folder| folder.sync_all())),
        Err(error) => {
            let _ = fs::remove_file(&part);
            return Err(error);
        }
    }
    Ok(())
}

/// Deletes the messages in `folder` that are older than a week. Returns the number of deleted files.
pub fn prune(folder: &Path, now: Time) -> io::Result<usize> {
    remove(folder, |_, at| Ok(at.plus(KEPT) < now))
}

/// Deletes the messages to `address` in `folder`. Returns the number of deleted files.
pub fn remove_messages_to(folder: &Path, address: &str) -> io::Result<usize> {
    remove(folder, |path, _| Ok(is_to(&String::from_utf8_lossy(&fs::read(path)?), address)))
}

/// Deletes the messages in `folder` for which `gone` returns `true`, and no other files. A failure does not stop the
/// others; the first is returned at the end.
fn remove(folder: &Path, gone: impl Fn(&Path, Time) -> io::Result<bool>) -> io::Result<usize> {
    let missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let entries = match fs::read_dir(folder) {
        Err(error) if missing(&error) => return Ok(0),
        entries => entries?,
    };
    let (mut count, mut failed) = (0, None);
    for entry in entries {
        let path = entry?.path();
        let Some(at) = time_of(&path) else { continue };
        match gone(&path, at).and_then(|gone| if gone { fs::remove_file(&path).map(|()| 1) } else { Ok(0) }) {
            Ok(removed) => count += removed,
            // Another process removed it first.
            Err(error) if missing(&error) => {}
            Err(error) => {
                let named = || io::Error::new(error.kind(), format!("{}: {error}", path.display()));
                failed.get_or_insert_with(named);
            }
        }
    }
    failed.map_or(Ok(count), Err)
}

/// Returns the time in the name of a complete or partial message; `None` for other files.
fn time_of(path: &Path) -> Option<Time> {
    let name = path.file_name()?.to_str()?;
    let bare = name.strip_suffix(".eml").or_else(|| name.strip_prefix('.')?.strip_suffix(".part"))?;
    let (digits, _) = bare.split_once('-')?;
    if digits.len() == 15 { digits.parse().ok().map(Time::from_millis) } else { None }
}

/// Whether the field `To` of `message` is `address`.
fn is_to(message: &str, address: &str) -> bool {
    let head = message.split("\r\n\r\n").next().unwrap_or_default().replace("\r\n ", " ");
    let mut fields = head.split("\r\n").filter_map(|line| line.split_once(':'));
    fields.any(|(name, value)| name.eq_ignore_ascii_case("to") && value.trim().trim_matches(['<', '>']) == address)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn message_file_is_complete_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let outbox = FileTransport::open(folder.path().join("a/b"), None).unwrap();
        let name = file_name(Time::from_millis(1_795_268_700_000), "out_1/../x");
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
    fn message_is_deleted_after_a_week_or_with_its_person() {
        let first = Time::from_millis(1_795_268_700_000);
        let (second, now) = (first.plus(Duration::from_millis(1)), first.plus(Duration::from_millis(1)).plus(KEPT));
        let folder = tempfile::tempdir().unwrap();
        let message = |to: &str| format!("From: a@firm.example\r\nTo: {to}\r\n\r\nTo: x@person.example\r\n");
        for (at, to) in [(first, "a@person.example"), (second, "b@person.example"), (now, "c@person.example")] {
            write(folder.path(), &file_name(at, "out"), message(to).as_bytes()).unwrap();
        }
        fs::write(folder.path().join("000000000000001-note.txt"), "To: b@person.example").unwrap();
        assert_eq!(prune(folder.path(), now).unwrap(), 1);
        assert_eq!(prune(folder.path(), now).unwrap(), 0);
        for (to, count) in
            [("x@person.example", 0), ("person.example", 0), ("c@person.example", 1), ("b@person.example", 1)]
        {
            assert_eq!(remove_messages_to(folder.path(), to).unwrap(), count, "{to}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "other files stay");
        assert_eq!(remove_messages_to(&folder.path().join("missing"), "b@person.example").unwrap(), 0);
    }

    #[test]
    fn undeletable_file_does_not_keep_others() {
        let (old, now) = (Time::from_millis(1), Time::from_millis(2).plus(KEPT));
        let folder = tempfile::tempdir().unwrap();
        for number in 0..8 {
            write(folder.path(), &file_name(old, &format!("letter{number}")), b"To: a@person.example\r\n\r\n").unwrap();
            // Not even root can delete or read a folder as a file.
            fs::create_dir(folder.path().join(format!("{}.eml", file_name(old, &format!("other{number}"))))).unwrap();
        }
        let left = || fs::read_dir(folder.path()).unwrap().count();
        let error = prune(folder.path(), now).unwrap_err().to_string();
        assert!(error.contains("other") && left() == 8, "{error}: {}", left());
        write(folder.path(), &file_name(now, "letter"), b"To: a@person.example\r\n\r\n").unwrap();
        assert!(remove_messages_to(folder.path(), "a@person.example").is_err());
        assert_eq!(left(), 8);
    }

    #[test]
    fn folder_that_is_a_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let error = FileTransport::open(file.join("inside"), None).unwrap_err().to_string();
        assert!(error.contains("cannot be written to"), "{error}");
    }
}
