//! Replaces the store with a copy, without reviving what was revoked since the copy was made.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use clock::Time;
use registration::{
    domain::{By, RegistrationRecord},
    store::{self, InUse, Location, Selection, Store, StoreError},
};
use secrets::Mailbox;

use super::{
    TaskError, count_phrase,
    place::{draft_of, failed, sync_folder, with_suffix},
};
use crate::{
    ServicesError,
    services::{self, ResolvedConfig},
};

/// Replaces the store with `copy`.
///
/// Security: a copy holds registrations that were revoked since. A registration stays valid only if, in the replaced
/// store, it has not ended, belongs to the same person, and its credential, if valid in the copy, is valid too. If the
/// replaced store cannot be read, all registrations are revoked. Earlier assertions of providers no longer count,
/// because the copy does not record which were used or withdrawn since. No process may have the store open: it would
/// keep writing to the replaced file.
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
    // An existing draft is deleted.
    if is_same(copy, &draft) {
        return Err(TaskError::Draft(draft));
    }
    let put = prepare(source, (copy, &draft), path, now).and_then(|done| replace(&draft, path, done.1).map(|()| done));
    if put.is_err() {
        let _ = remove(&draft);
    }
    let (ended, is_compared) = put?;
    let why = if is_compared { "ended or no longer valid in the replaced store" } else { "no store to compare with" };
    let ended = count_phrase(ended as u64, "registration");
    Ok(format!("{} was restored; {ended} revoked ({why})", copy.display()))
}

/// Writes `draft`, the replacement of the store at `path`, from `source`, which is `copy`. Returns how many
/// registrations were revoked, and whether there was a store to compare with.
fn prepare(
    mut source: File,
    (copy, draft): (&Path, &Path),
    path: &Path,
    now: Time,
) -> Result<(usize, bool), TaskError> {
    remove(draft)?;
    // The draft is private, whatever the permissions of the copy.
    let written = private_files::create_new(draft)
        .and_then(|mut file| io::copy(&mut source, &mut file).and_then(|_| file.sync_all()));
    written.map_err(failed(draft))?;
    let runtime = services::runtime()?;
    let open = |path| runtime.block_on(Store::open_exclusively(path, runtime.handle().clone()));
    // Only an intact store may replace the store. Check the draft, which no other process can change, before it is
    // migrated.
    if runtime.block_on(store::examine(draft)).is_none() {
        return Err(TaskError::Damaged(copy.to_owned()));
    }
    let restored = open(draft).map_err(ServicesError::from)?;
    // Opening a missing store would create it.
    let present = match path.exists().then(|| open(path)) {
        Some(Ok(store)) => Some(store),
        // A store that is full or busy can be compared later.
        Some(Err(error)) if error.is_transient() => return Err(TaskError::Unread(error)),
        Some(Err(_)) | None => None,
    };
    let ended = runtime.block_on(async {
        let mut ended = match &present {
            Some(store) => end_revoked(&restored, store, now).await?,
            None => restored.revoke(&Selection::All, By::Restore, now).await?.all,
        };
        restored.void_all_assertions(now).await?;
        if let Some(store) = &present {
            ended += forget_absent_people(&restored, store, now).await?;
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

/// Renames `draft` to `path`. The rename is the last step and atomic: before it nothing has changed.
fn replace(draft: &Path, path: &Path, is_readable: bool) -> Result<(), TaskError> {
    // Closing a store merges its write-ahead log, unless the disk is full.
    for path in if is_readable { vec![draft, path] } else { vec![draft] } {
        let log = with_suffix(path, "-wal");
        if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            return Err(TaskError::File(log, io::ErrorKind::StorageFull.into()));
        }
    }
    // Security: SQLite would apply the write-ahead log of the replaced store to the copy and undo its revocations.
    remove_all([with_suffix(path, "-wal"), with_suffix(path, "-shm")])?;
    fs::rename(draft, path).and_then(|()| sync_folder(path)).map_err(failed(path))
}

/// Revokes in `restored` what has ended in `present`, in batches.
async fn end_revoked(restored: &Store, present: &Store, now: Time) -> Result<usize, TaskError> {
    let (mut ended, mut last) = (0, String::new());
    loop {
        let batch = restored.records_after(last).await?;
        let Some(record) = batch.last() else { return Ok(ended) };
        last = record.id.as_str().to_owned();
        for record in batch {
            // A record that cannot be read counts as revoked.
            let Some(since) = continuing_record(&record, present, now).await.unwrap_or(None) else {
                ended += restored.revoke(&Selection::One(record.id.clone()), By::Restore, now).await?.all;
                continue;
            };
            // A person who has denied the claim since gets no further request.
            if record.claim.remember(&since.claim).is_some() {
                restored.update(&record.id, now, move |record| record.remember(&since)).await?;
            }
        }
    }
}

/// Erases from `restored` the mailboxes that `present` does not hold: a person erased since the copy was made must not
/// come back. Checks every table with mailboxes, because an ended registration may no longer name its person. Returns
/// how many registrations were revoked.
async fn forget_absent_people(restored: &Store, present: &Store, now: Time) -> Result<usize, TaskError> {
    let mut ended = 0;
    let forget = async |mailbox: Mailbox| {
        let since = present.personal_data(&mailbox).await?;
        let is_unasked = detach_mailbox(restored, present, &mailbox, now).await?;
        if !since.is_empty() {
            // The person may have been erased and have registered again: keep only what the new data confirms.
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

/// Detaches `mailbox` in `restored` from registrations with an open claim that continue without it in `present`: its
/// person was erased or denied the claim, or the claim was sent to another person. Returns whether there was one.
async fn detach_mailbox(restored: &Store, present: &Store, mailbox: &Mailbox, now: Time) -> Result<bool, StoreError> {
    let mut is_unasked = false;
    for record in restored.personal_data(mailbox).await?.records {
        let goes_on = |since: &RegistrationRecord| !since.claim.is_ended() && since.mailbox() != Some(mailbox);
        if let Some(since) = present.record(&record.id).await?.filter(goes_on) {
            is_unasked |= record.claim.attempt().is_some();
            restored.update_person(&record.id, now, move |record| record.withdraw_request(&since)).await?;
        }
    }
    Ok(is_unasked)
}

/// Returns the record in `present` that corresponds to `record` of the copy, if the registration may continue.
async fn continuing_record(
    record: &RegistrationRecord,
    present: &Store,
    now: Time,
) -> Result<Option<RegistrationRecord>, StoreError> {
    let goes_on = |since: &RegistrationRecord| !since.claim.is_ended() && record.claim.is_same_person(&since.claim);
    let Some(since) = present.record(&record.id).await?.filter(goes_on) else { return Ok(None) };
    let is_live = match record.credential.active().filter(|active| now < active.expires) {
        Some(active) => present.is_live(&active.digest, now).await?,
        None => true,
    };
    Ok(is_live.then_some(since))
}

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

/// Removes a draft and its write-ahead log.
fn remove(draft: &Path) -> Result<(), TaskError> {
    remove_all([draft.to_owned(), with_suffix(draft, "-wal"), with_suffix(draft, "-shm")])
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
