//! Puts a copy in the store's place, without bringing back what was revoked since the copy was made.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use tokio::runtime::Runtime;

use super::TaskError;
use crate::{
    Time,
    office::{self, Means},
    store::{InUse, Place, Selection, Store},
};

/// Security: a copy holds credentials that were revoked since. Only those stay in force that are in force in the
/// store that is replaced as well; where that cannot be read, none does. Nobody has the store open meanwhile: a
/// service that had would go on writing into the file that was replaced.
pub(super) fn run(means: &Means, copy: &Path, now: Time) -> Result<String, TaskError> {
    let Place::File(path) = means.place() else { return Err(TaskError::NotAFile) };
    fs::metadata(copy).map_err(failed(copy))?;
    let _alone = InUse::exclude(path).map_err(failed(path))?.ok_or(TaskError::InUse)?;
    let draft = path.with_extension("restored");
    remove(&draft)?;
    fs::copy(copy, &draft).map_err(failed(&draft))?;
    let (runtime, restored) = office::open_alone(&draft)?;
    // A store that is not there is not created only to be asked.
    let present = if path.exists() { office::open_alone(path).ok() } else { None };
    let ended = runtime.block_on(end(&restored, present.as_ref(), now))?;
    runtime.block_on(restored.close());
    drop(runtime);
    if let Some((runtime, store)) = &present {
        runtime.block_on(store.close());
    }
    // The log of the store that is replaced belongs to it and not to the copy.
    for ending in ["-wal", "-shm"] {
        let _ = fs::remove_file(beside(path, ending));
    }
    fs::rename(&draft, path).map_err(failed(path))?;
    let what = if present.is_some() { "that are not in force any more" } else { "because the store could not be read" };
    Ok(format!("{} was put in place; {ended} registrations were revoked {what}", copy.display()))
}

/// Ends in `restored` what is not in force in `present`, a batch at a time.
async fn end(restored: &Store, present: Option<&(Runtime, Store)>, now: Time) -> Result<usize, TaskError> {
    let (mut ended, mut last) = (0, String::new());
    loop {
        let batch = restored.live_credentials(last, now).await?;
        let Some((digest, _)) = batch.last() else { return Ok(ended) };
        last = digest.clone();
        for (digest, id) in batch {
            let stays = match present {
                // What cannot be read now is as good as revoked.
                Some((_, store)) => store.is_live(digest, now).await.unwrap_or(false),
                None => false,
            };
            if !stays {
                ended += restored.revoke(&Selection::One(id), now).await?.len();
            }
        }
    }
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
