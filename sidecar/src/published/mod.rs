//! The only reader of `dist/`: checks the manifest and verifies every file that it names.
//!
//! The whole build is in memory before the first request; no request reads from disk. A folder that the generator is
//! replacing is read consistently: the manifest is written last, files of the previous build stay in `.previous/` until
//! then, and if a file does not match, the manifest is read again.

mod check;
mod contents;
mod digest;
mod error;
mod files;
mod retained_assets;
mod shared_parts;
mod watch;

use std::{fs, mem, path::Path};

use contract::manifest::{Abilities, FILE_NAME, FORMAT, FileDigest, Manifest, Missing};

#[cfg(test)]
pub(crate) use self::check::is_reserved;
pub(crate) use self::digest::Sha256;
pub use self::error::DistError;
use self::shared_parts::Planned;
pub(crate) use self::{
    contents::{ContentId, ContentPart, Contents, LoadPlan},
    shared_parts::LoadedParts,
    watch::{ManifestStamp, Occasion, watch},
};

/// The most attempts to read a folder that changes meanwhile.
const ATTEMPTS: usize = 5;

/// A build, complete and verified.
#[derive(Debug)]
pub(crate) struct Dist<T> {
    /// The result of `prepare`.
    pub(crate) prepared: T,
    /// The bytes of every file that the manifest names.
    pub(crate) contents: Contents,
    /// The files that no route names.
    pub(crate) parts: LoadedParts,
}

/// Reads the build in `folder` with `threads` threads, narrowed to what a service with `abilities` honours. Bytes that
/// `known` holds are not read again.
///
/// `prepare` converts the checked manifest and adds its files to the plan; its second argument is what the service
/// lacks. It runs before the files are read, so that the manifest, which is large, is freed first.
pub(crate) fn load<T>(
    folder: &Path,
    known: &Contents,
    threads: usize,
    abilities: Abilities,
    prepare: impl Fn(Manifest, Option<Missing>, &mut LoadPlan) -> Result<T, DistError>,
) -> Result<Dist<T>, DistError> {
    let mut text = read_manifest(folder)?;
    for _ in 0..ATTEMPTS {
        let mut manifest = parse(&text)?;
        let seen = Sha256::of(&text);
        drop(text);
        check::manifest(&mut manifest).map_err(DistError::Unsound)?;
        let missing = manifest.narrow(abilities);
        let kept = retained_assets::add(folder, &mut manifest, known);
        let mut plan = LoadPlan::default();
        let parts = Planned::of(mem::take(&mut manifest.parts), &mut plan);
        let parts = parts.ok_or_else(|| DistError::Unsound("a part cannot be held in memory".to_owned()))?;
        let prepared = prepare(manifest, missing, &mut plan)?;
        let known: Vec<&Contents> = kept.iter().chain([known]).collect();
        match files::read(folder, plan, &known, threads) {
            Ok(contents) => return Ok(Dist { prepared, parts: parts.find(&contents), contents }),
            Err(error) => {
                // If the build was replaced meanwhile, retry with the new manifest.
                text = read_manifest(folder)?;
                if Sha256::of(&text) == seen {
                    return Err(error);
                }
            }
        }
    }
    Err(DistError::Restless)
}

fn read_manifest(folder: &Path) -> Result<Vec<u8>, DistError> {
    let path = folder.join(FILE_NAME);
    fs::read(&path).map_err(|source| DistError::NoManifest { setting: "dist".to_owned(), path, source })
}

/// The fields that are read before the format is known.
#[derive(serde::Deserialize)]
struct ManifestHead {
    format: u32,
    #[serde(default)]
    build: FileDigest,
}

/// Returns the name of the build in `folder`, unverified.
pub(crate) fn build_name(folder: &Path) -> Option<String> {
    let text = read_manifest(folder).ok()?;
    serde_json::from_slice(&text).ok().map(|head: ManifestHead| head.build.0)
}

fn parse(text: &[u8]) -> Result<Manifest, DistError> {
    let head: ManifestHead = serde_json::from_slice(text).map_err(DistError::Malformed)?;
    if head.format != FORMAT {
        return Err(DistError::Format(head.format));
    }
    serde_json::from_slice(text).map_err(DistError::Malformed)
}
