//! Restores a copy in the store's place, without bringing back what was revoked since the copy was made.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use clock::Time;
use registration::{
    domain::{By, Mailbox, Record},
    store::{self, InUse, Location, Selection, Store, StoreError},
};

use super::{
    TaskError, counted,
    place::{beside, draft_of, failed, sync_folder},
};
use crate::{
    ServicesError,
    services::{self, ResolvedConfig},
};

/// Restores `copy` in the store's place.
///
/// Security: a copy holds what was revoked since. A registration stays only if, in the store that is replaced, it is
/// not over, whatever it holds; if it is there, too, that of the person who has agreed to it; and if its credential,
/// when in force, is in force there as well. If that store cannot be read, no registration stays. Assertions that
/// providers made before no longer count, because the copy does not know which of them have been used or taken back
/// since. No process may have the store open meanwhile: a service that had would go on writing to the file that was
/// replaced.
pub(super) fn run(resolved: &ResolvedConfig, copy: &Path, now: Time) -> Result<String, TaskError> {
    let Location::File(path) = resolved.location() else { return Err(TaskError::NotAFile) };
    let source = File::options().read(true).open(copy).map_err(failed(copy))?;
    if !source.metadata().map_err(failed(copy))?.is_file() {
        return Err(TaskError::Damaged(copy.to_owned()));
    }
    let _alone = InUse::exclude(path).map_err(failed(path))?.ok_or(TaskError::InUse)?;
    let draft = draft_of(path);
    if is_same(copy, path) {
        return Err(TaskError::Itself);
    }
    // Whatever is in the way of the draft is removed.
    if is_same(copy, &draft) {
        return Err(TaskError::Draft(draft));
    }
    let put = prepare(source, (copy, &draft), path, now).and_then(|done| replace(&draft, path, done.1).map(|()| done));
    if put.is_err() {
        let _ = remove(&draft);
    }
    let (ended, is_compared) = put?;
    let why = if is_compared { "over, or not in force any more" } else { "the store could not be read" };
    let ended = counted(ended as u64, "registration");
    Ok(format!("{} was put in place; {ended} revoked ({why})", copy.display()))
}

/// Makes `draft` from `source`, which is `copy`, as it is to be in the place of `path`. Returns how many registrations
/// ended, and whether there was a store to compare with.
fn prepare(
    mut source: File,
    (copy, draft): (&Path, &Path),
    path: &Path,
    now: Time,
) -> Result<(usize, bool), TaskError> {
    remove(draft)?;
    // Whatever the copy permits, the draft is readable by its owner alone.
    let written = private_files::create_new(draft)
        .and_then(|mut file| io::copy(&mut source, &mut file).and_then(|_| file.sync_all()));
    written.map_err(failed(draft))?;
    let runtime = services::runtime()?;
    let open = |path| runtime.block_on(Store::open_exclusively(path, runtime.handle().clone()));
    // What takes the store's place must be an intact store, or the place is not given up. It is checked here, where no
    // other process can change it, and before it is brought up to date.
    if !runtime.block_on(store::is_store(draft)) {
        return Err(TaskError::Damaged(copy.to_owned()));
    }
    let restored = open(draft).map_err(ServicesError::from)?;
    // A store that does not exist is not created just to be asked.
    let present = match path.exists().then(|| open(path)) {
        Some(Ok(store)) => Some(store),
        // A store that is full or busy now can be compared with later.
        Some(Err(error)) if error.is_transient() => return Err(TaskError::Unread(error)),
        Some(Err(_)) | None => None,
    };
    let ended = runtime.block_on(async {
        let mut ended = match &present {
            Some(store) => end(&restored, store, now).await?,
            None => restored.revoke(&Selection::All, By::Restore, now).await?.all,
        };
        restored.void_all_assertions(now).await?;
        if let Some(store) = &present {
            ended += forget(&restored, store, now).await?;
            restored.copy_email_opt_outs(store).await?;
        }
        Ok::<_, TaskError>(ended)
    });
    runtime.block_on(restored.close());
    if let Some(store) = &present {
        runtime.block_on(store.close());
    }
    Ok((ended?, present.is_some()))
}

/// Puts `draft` in the place of `path`. Until the last step everything is as it was, and that step is a single one.
fn replace(draft: &Path, path: &Path, is_readable: bool) -> Result<(), TaskError> {
    // What is only in a log is written back when a store is closed. The disk may refuse that.
    for path in if is_readable { vec![draft, path] } else { vec![draft] } {
        let log = beside(path, "-wal");
        if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            return Err(TaskError::File(log, io::ErrorKind::StorageFull.into()));
        }
    }
    // The log of the replaced store belongs to that store and not to the copy. Security: beside the copy, it would be
    // written into the copy, over what was revoked there.
    remove_all([beside(path, "-wal"), beside(path, "-shm")])?;
    fs::rename(draft, path).and_then(|()| sync_folder(path)).map_err(failed(path))
}

/// Ends in `restored` what is over in `present`, a batch at a time.
async fn end(restored: &Store, present: &Store, now: Time) -> Result<usize, TaskError> {
    let (mut ended, mut last) = (0, String::new());
    loop {
        let batch = restored.records_after(last).await?;
        let Some(record) = batch.last() else { return Ok(ended) };
        last = record.id.as_str().to_owned();
        for record in batch {
            // What cannot be read now counts as revoked.
            let Some(since) = continuing(&record, present, now).await.unwrap_or(None) else {
                ended += restored.revoke(&Selection::One(record.id.clone()), By::Restore, now).await?.all;
                continue;
            };
            // A person who has refused since is not asked again.
            if record.claim.remember(&since.claim).is_some() {
                restored.update(&record.id, now, move |record| record.remember(&since)).await?;
            }
        }
    }
}

/// Forgets in `restored` the people whom `present` does not know: a person who was erased since the copy was made must
/// not come back with it. Looks at every place where a person is named, because a registration that has ended may name
/// nobody itself. Returns how many registrations ended with them.
async fn forget(restored: &Store, present: &Store, now: Time) -> Result<usize, TaskError> {
    let mut ended = 0;
    let forget = async |mailbox: Mailbox| {
        let since = present.personal_data(&mailbox).await?;
        let is_unasked = withdraw_request(restored, present, &mailbox, now).await?;
        if !since.is_empty() {
            // A person who was erased may have registered again, and is then known by what is new.
            restored.forget_difference(&mailbox, present, since, is_unasked).await?;
            return Ok(());
        }
        ended += restored.revoke(&Selection::Email(mailbox.clone()), By::Restore, now).await?.all;
        restored.erase(&mailbox, By::Restore, now).await?;
        Ok::<_, TaskError>(())
    };
    restored.each_mailbox(forget).await?;
    Ok(ended)
}

/// Detaches from `mailbox`, in `restored`, the registrations that had only asked it and that continue without it in
/// `present`: its person was forgotten, has refused, or another person was asked. Returns whether there was such a
/// registration.
async fn withdraw_request(restored: &Store, present: &Store, mailbox: &Mailbox, now: Time) -> Result<bool, StoreError> {
    let mut is_unasked = false;
    for record in restored.personal_data(mailbox).await?.records {
        let goes_on = |since: &Record| !since.claim.is_ended() && since.mailbox() != Some(mailbox);
        if let Some(since) = present.record(&record.id).await?.filter(goes_on) {
            is_unasked |= record.claim.attempt().is_some();
            restored.update_person(&record.id, now, move |record| record.withdraw_request(&since)).await?;
        }
    }
    Ok(is_unasked)
}

/// What `record` of a copy has become in `present`, if it may continue as far as that knows.
async fn continuing(record: &Record, present: &Store, now: Time) -> Result<Option<Record>, StoreError> {
    let goes_on = |since: &Record| !since.claim.is_ended() && record.claim.is_same_person(&since.claim);
    let Some(since) = present.record(&record.id).await?.filter(goes_on) else { return Ok(None) };
    let is_live = match record.credential.active().filter(|active| now < active.expires) {
        Some(active) => present.is_live(&active.digest, now).await?,
        None => true,
    };
    Ok(is_live.then_some(since))
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

/// Removes what an interrupted attempt has left.
fn remove(draft: &Path) -> Result<(), TaskError> {
    remove_all([draft.to_owned(), beside(draft, "-wal"), beside(draft, "-shm")])
}

/// Removes those of `paths` that exist.
fn remove_all<const N: usize>(paths: [PathBuf; N]) -> Result<(), TaskError> {
    for path in paths {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(TaskError::File(path, error)),
            _ => {}
        }
    }
    Ok(())
}
