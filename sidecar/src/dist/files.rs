//! Reads and verifies the files of a build, in parallel, each content once.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use bytes::Bytes;
use contract::manifest::PREVIOUS;
use foldhash::fast::RandomState;

use super::{Sha256, error::DistError};

/// Contents by their digest.
pub(crate) type Bodies = HashMap<Sha256, Bytes, RandomState>;

/// A file that the manifest names.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Path below `dist/`, already known to stay inside.
    pub(crate) path: String,
    /// Promised length in octets.
    pub(crate) size: u64,
    /// Promised digest.
    pub(crate) digest: Sha256,
}

/// The bytes of every file of `wanted`; contents that `known` holds are shared instead of read.
pub(super) fn read(folder: &Path, wanted: Vec<Wanted>, known: &Bodies, threads: usize) -> Result<Bodies, DistError> {
    let mut bodies = Bodies::with_capacity_and_hasher(wanted.len(), RandomState::default());
    let mut missing = Vec::new();
    for file in wanted {
        match known.get(&file.digest) {
            Some(bytes) if bytes.len() as u64 == file.size => drop(bodies.insert(file.digest, bytes.clone())),
            _ => missing.push(file),
        }
    }
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    let work = || {
        let mut done = Vec::new();
        while let Some(file) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            match read_verified(folder, file) {
                Ok(bytes) => done.push((file.digest, bytes)),
                Err(error) => {
                    next.store(missing.len(), Ordering::Relaxed);
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        }
        done
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(missing.len())).map(|_| scope.spawn(work)).collect();
        bodies.extend(work());
        for other in others {
            match other.join() {
                Ok(done) => bodies.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(bodies),
    }
}

/// The file's promised bytes: from its path, else from where the generator keeps replaced files.
fn read_verified(folder: &Path, file: &Wanted) -> Result<Bytes, DistError> {
    let problem = match read_checked(&folder.join(&file.path), file) {
        Ok(bytes) => return Ok(bytes),
        Err(problem) => problem,
    };
    let kept: PathBuf = folder.join(PREVIOUS).join(file.digest.to_string());
    read_checked(&kept, file).map_err(|_| DistError::Damaged { file: file.path.clone(), problem })
}

fn read_checked(path: &Path, file: &Wanted) -> Result<Bytes, String> {
    let unreadable = |error: io::Error| format!("cannot be read ({error})");
    let mut opened = open(path).map_err(unreadable)?;
    let metadata = opened.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err("is not a regular file".to_owned());
    }
    // The length is compared before anything is read, so that a hostile file cannot fill the memory.
    if metadata.len() != file.size {
        return Err(format!("has {} octets where the manifest promises {}", metadata.len(), file.size));
    }
    let mut bytes = vec![0; metadata.len() as usize];
    opened.read_exact(&mut bytes).map_err(unreadable)?;
    if Sha256::of(&bytes) != file.digest {
        return Err("does not hold the bytes that the manifest promises".to_owned());
    }
    Ok(Bytes::from(bytes))
}

/// Opens a file without waiting, as opening a pipe would, for its other end.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}
