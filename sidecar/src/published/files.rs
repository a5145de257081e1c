//! Reads and verifies the files of a build in parallel, each content once.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _},
    path::Path,
    sync::{Mutex, PoisonError},
    thread,
};

use bytes::Bytes;
use contract::manifest::{Coding, PREVIOUS};

use super::{
    Sha256,
    contents::{self, ContentSource, Contents, FileContent, LoadPlan},
    error::DistError,
};

/// Reads the contents of `plan`; those that `known` holds are shared instead of read.
pub(super) fn read(folder: &Path, plan: LoadPlan, known: &[&Contents], threads: usize) -> Result<Contents, DistError> {
    let LoadPlan { mut contents, sources, known: by_name } = plan;
    drop(by_name);
    contents.shrink_to_fit();
    let known = contents::known_bytes(known);
    for content in &mut contents {
        content.bytes = known.get(&content.identity).map(|bytes| (*bytes).clone());
    }
    drop(known);
    let missing = contents.iter_mut().zip(sources.iter()).enumerate();
    let missing = Mutex::new(missing.filter(|(_, (content, _))| content.bytes.is_none()));
    // The first failure in the order of the contents, whichever thread is faster: threads take files in that order and
    // check each file taken.
    let failure: Mutex<Option<(usize, DistError)>> = Mutex::new(None);
    // The lock is released before a file is read.
    let next = || missing.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some((at, (content, source))) = next() {
            match read_verified(folder, source, content) {
                Ok(bytes) => content.bytes = Some(bytes),
                Err(error) => {
                    let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
                    if failure.as_ref().is_none_or(|(first, _)| at < *first) {
                        *failure = Some((at, error));
                    }
                }
            }
            if failure.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // Without further threads, the existing ones do all the work.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    failure.map_or(Ok(Contents(contents)), |(_, error)| Err(error))
}

/// One form of a file, opened at its path or else in `.previous/`, and the problem at its path.
struct OpenedFile {
    file: File,
    problem: Option<String>,
}

/// Reads and verifies the bytes of all forms, each from its path or else from `.previous/`.
fn read_verified(folder: &Path, source: &ContentSource, content: &FileContent) -> Result<Bytes, DistError> {
    let wanted: Vec<WantedFile> = content
        .forms()
        .zip(&source.rests)
        .map(|((coding, form), rest)| WantedFile {
            path: [&*source.path, coding.map_or("", Coding::suffix)].concat(),
            size: form.length,
            digest: Sha256::from_halves(form.name, *rest),
        })
        .collect();
    // Compare all lengths before reading, so that a hostile file cannot fill the memory.
    let opened: Vec<OpenedFile> = wanted.iter().map(|wanted| wanted.open(folder)).collect::<Result<_, _>>()?;
    let mut bytes = vec![0; content.size()];
    let mut rest = bytes.as_mut_slice();
    for (wanted, open) in wanted.iter().zip(opened) {
        let (form, behind) = rest.split_at_mut(wanted.size as usize);
        wanted.read(folder, open, form)?;
        rest = behind;
    }
    Ok(Bytes::from(bytes))
}

/// A file that the manifest names.
struct WantedFile {
    /// Path below `dist/`, checked to stay inside.
    path: String,
    /// Length in bytes.
    size: u32,
    digest: Sha256,
}

impl WantedFile {
    fn open(&self, folder: &Path) -> Result<OpenedFile, DistError> {
        let problem = match open_checked(&folder.join(&self.path), self.size) {
            Ok(file) => return Ok(OpenedFile { file, problem: None }),
            Err(problem) => problem,
        };
        match open_checked(&self.previous_path(folder), self.size) {
            Ok(file) => Ok(OpenedFile { file, problem: Some(problem) }),
            Err(_) => Err(self.damaged(problem)),
        }
    }

    fn read(&self, folder: &Path, OpenedFile { file, problem }: OpenedFile, into: &mut [u8]) -> Result<(), DistError> {
        let found = match self.fill(file, into) {
            Ok(()) => return Ok(()),
            Err(found) => found,
        };
        // The file in `.previous/` is tried only once.
        if let Some(problem) = problem {
            return Err(self.damaged(problem));
        }
        let kept = open_checked(&self.previous_path(folder), self.size).and_then(|file| self.fill(file, into));
        kept.map_err(|_| self.damaged(found))
    }

    fn fill(&self, mut file: File, into: &mut [u8]) -> Result<(), String> {
        file.read_exact(into).map_err(unreadable)?;
        if Sha256::of(into) == self.digest {
            Ok(())
        } else {
            Err("does not have the digest that the manifest names".to_owned())
        }
    }

    fn previous_path(&self, folder: &Path) -> std::path::PathBuf {
        folder.join(PREVIOUS).join(self.digest.to_string())
    }

    fn damaged(&self, problem: String) -> DistError {
        DistError::Damaged { file: self.path.clone(), problem }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "an error that is mapped comes by value")]
fn unreadable(error: io::Error) -> String {
    let hint =
        if error.kind() == io::ErrorKind::PermissionDenied { "; give the service's user access to it" } else { "" };
    format!("cannot be read ({error}){hint}")
}

fn open_checked(path: &Path, size: u32) -> Result<File, String> {
    let opened = open(path).map_err(unreadable)?;
    let metadata = opened.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err("is not a regular file".to_owned());
    }
    if metadata.len() != u64::from(size) {
        return Err(format!("has {} bytes where the manifest names {size}", metadata.len()));
    }
    Ok(opened)
}

/// Opens a file without blocking: opening a pipe would wait for its other end.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;

    OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}
