//! Puts a copy in the store's place, without bringing back what was revoked since the copy was made.

use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use super::TaskError;
use crate::{
    Time,
    office::{self, Means},
    registration::{By, Mailbox, Record},
    store::{self, InUse, Place, Selection, Store, StoreError},
};

/// Security: a copy holds what was revoked since. Only those registrations stay that are not over in the store that is
/// replaced, whatever they hold, and whose credential, if it is in force, is in force there as well; where that cannot be
/// read, none does. Assertions of providers that were made before count no more, because the copy does not know which of
/// them were used or taken back since. Nobody has the store open meanwhile: a service that had would go on writing into
/// the file that was replaced.
pub(super) fn run(means: &Means, copy: &Path, now: Time) -> Result<String, TaskError> {
    let Place::File(path) = means.place() else { return Err(TaskError::NotAFile) };
    let source = File::options().read(true).open(copy).map_err(failed(copy))?;
    if !source.metadata().map_err(failed(copy))?.is_file() {
        return Err(TaskError::Damaged(copy.to_owned()));
    }
    let _alone = InUse::exclude(path).map_err(failed(path))?.ok_or(TaskError::InUse)?;
    if is_same(copy, path) {
        return Err(TaskError::Itself);
    }
    let draft = path.with_extension("restored");
    let put = put((source, copy), &draft, path, now);
    if put.is_err() {
        let _ = remove(&draft);
    }
    let (ended, is_compared) = put?;
    let what =
        if is_compared { "that are over, or not in force any more" } else { "because the store could not be read" };
    Ok(format!("{} was put in place; {ended} registrations were revoked {what}", copy.display()))
}

/// Makes `draft` of `source` and puts it in the place of `path`. How many registrations ended, and whether there was a
/// store to compare with.
fn put((mut source, copy): (File, &Path), draft: &Path, path: &Path, now: Time) -> Result<(usize, bool), TaskError> {
    remove(draft)?;
    // Whoever may read the copy, this is for its owner alone.
    let written = new_file(draft).and_then(|mut file| io::copy(&mut source, &mut file).and_then(|_| file.sync_all()));
    written.map_err(failed(draft))?;
    // What takes the place of the store is one, and whole, or the place is not given up. It is looked at here, where nobody
    // else can change it, and before it is brought up to date.
    if !office::runtime()?.block_on(store::is_store(draft)) {
        return Err(TaskError::Damaged(copy.to_owned()));
    }
    let (runtime, restored) = office::open_alone(draft)?;
    // A store that is not there is not created only to be asked.
    let present = if path.exists() { office::open_alone(path).ok() } else { None };
    let store = present.as_ref().map(|(_, store)| store);
    let ended = runtime.block_on(async {
        let ended = end(&restored, store, now).await?;
        restored.begin_anew(now).await?;
        if let Some(store) = store {
            forget(&restored, store, now).await?;
            restored.silence_like(store).await?;
        }
        Ok::<_, TaskError>(ended)
    });
    runtime.block_on(restored.close());
    drop(runtime);
    if let Some((runtime, store)) = &present {
        runtime.block_on(store.close());
    }
    let ended = ended?;
    // The log of the store that is replaced belongs to it and not to the copy.
    for ending in ["-wal", "-shm"] {
        let _ = fs::remove_file(beside(path, ending));
    }
    fs::rename(draft, path).map_err(failed(path))?;
    Ok((ended, present.is_some()))
}

/// Ends in `restored` what is over in `present`, a batch at a time.
async fn end(restored: &Store, present: Option<&Store>, now: Time) -> Result<usize, TaskError> {
    let (mut ended, mut last) = (0, String::new());
    loop {
        let batch = restored.records_after(last).await?;
        let Some(record) = batch.last() else { return Ok(ended) };
        last = record.id.as_str().to_owned();
        for record in batch {
            let stays = match present {
                // What cannot be read now is as good as revoked.
                Some(store) => stays(&record, store, now).await.unwrap_or(false),
                None => false,
            };
            if stays {
                continue;
            }
            ended += restored.revoke(&Selection::One(record.id.clone()), By::Restore, now).await?.all;
        }
    }
}

/// Forgets in `restored` whom `present` does not know: whoever was forgotten since the copy was made does not come back
/// with it. Every place is looked at where somebody is named, for what has ended may name nobody itself.
async fn forget(restored: &Store, present: &Store, now: Time) -> Result<(), TaskError> {
    let forget = async |mailbox: Mailbox| {
        if present.dossier(&mailbox).await.is_ok_and(|dossier| dossier.is_empty()) {
            restored.erase(&mailbox, By::Restore, now).await?;
        }
        Ok(())
    };
    restored.each_mailbox(forget).await
}

/// Whether `record` of a copy goes on, as far as `present` knows.
async fn stays(record: &Record, present: &Store, now: Time) -> Result<bool, StoreError> {
    let is_over = present.record(&record.id).await?.is_none_or(|record| record.claim.is_ended());
    match record.credential.active().filter(|active| now < active.expires) {
        _ if is_over => Ok(false),
        Some(active) => present.is_live(active.digest.as_str().to_owned(), now).await,
        None => Ok(true),
    }
}

/// Whether both names lead to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let canonical = |path: &Path| fs::canonicalize(path).ok();
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let identity = |path: &Path| fs::metadata(path).ok().map(|own| (own.dev(), own.ino()));
        if identity(one).is_some_and(|own| identity(other) == Some(own)) {
            return true;
        }
    }
    canonical(one).is_some_and(|own| canonical(other) == Some(own))
}

/// Creates a file for its owner alone; what is there, be it a link that leads nowhere, is an error.
pub(super) fn new_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Removes what an attempt that broke off has left.
fn remove(draft: &Path) -> Result<(), TaskError> {
    for path in [draft.to_owned(), beside(draft, "-wal"), beside(draft, "-shm")] {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(TaskError::File(path, error)),
            _ => {}
        }
    }
    Ok(())
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> TaskError + use<> {
    let path = path.to_owned();
    move |error| TaskError::File(path.clone(), error)
}
