//! The only writer of `dist/`: puts a rendered site on disk, completely or not at all.
//!
//! A build in force is its manifest and the files it names. Publishing keeps the files of the build in force available
//! until the next manifest is in place:
//!
//! 1. A file that the build in force does not have is written at its place.
//! 2. A file whose bytes changed is first kept as `.previous/<digest>`, then replaced by a rename.
//! 3. A file whose bytes are the same is not touched; its compressed forms are kept too.
//! 4. The manifest is replaced by a rename: from here on the new build is in force.
//! 5. Files that no manifest names any more, and `.previous`, are removed; style sheets and fonts stay for a day
//!    longer, for pages that caches took before.
//!
//! If the process dies before step 4, a reader still finds every file of the old build, at its place or in `.previous`;
//! the next publishing starts by putting those back. Nothing is ever deleted and created again. Where builds were
//! written but no manifest can be read, all existing files count as such a build, but none of them is removed.

mod compress;
mod current_build;
mod disk;
mod error;
mod manifest;
mod manifest_writer;
mod next;
mod retained_assets;
mod temp_file;
mod write;

pub use compress::Compression;
pub use disk::known_files;
pub use error::PublishError;

use std::{
    collections::{HashMap, HashSet},
    fmt,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use contract::{Locale, retained_assets::RetainedAssets};
use jiff::Timestamp;
use rayon::prelude::*;

use current_build::CurrentBuild;
use disk::Disk;
use next::{Draft, Next};
use render::{Job, Output, Plan};
use site::KnownFiles;
use write::{Done, Writer};

/// What publishing did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of files of the build, without compressed forms.
    pub files: usize,
    /// Number of files that were written because their bytes are new.
    pub written: usize,
    /// Number of files that were removed because no route names them any more.
    pub removed: usize,
    /// Files that were in the folder before this build and do not belong to it. They are looked for only where no
    /// earlier build could be read: otherwise files that the earlier build named and this one does not are removed, and
    /// anything else in the folder belongs to its owner.
    pub foreign: Vec<String>,
    /// Name of the build.
    pub build: String,
}

/// Options of publishing.
#[derive(Clone, Copy, Debug)]
pub struct Publishing<'a> {
    /// The folder `dist/`; created if it does not exist.
    pub out: &'a Path,
    /// How hard to compress.
    pub compression: Compression,
    /// Origin of the site.
    pub site_url: &'a str,
    /// The published key.
    pub sandbox_key: &'a str,
    /// The time of this build; decides how long files of earlier builds stay.
    pub now: Timestamp,
    /// Whether to read files that seem unchanged, and to rewrite those whose bytes are not what they should be.
    pub verify: bool,
    /// Is told of each photograph that is done.
    pub progress: Option<&'a dyn Progress>,
    /// What was learned of the photographs, for the next build.
    pub known: Option<&'a KnownFiles>,
}

/// Shows how far the photographs are, which take most of the time of a first build.
pub trait Progress: Sync + fmt::Debug {
    /// So many of all photographs are done.
    fn advance(&self, done: usize, all: usize);
}

/// Renders every job of `plan` and puts the result in force.
///
/// # Errors
/// When a job fails to render or the disk refuses; the build that was in force stays in force, unless the error is
/// [`PublishError::Untidy`], and all of its files are at their places, unless it is [`PublishError::Torn`].
pub fn publish(plan: &Plan, publishing: &Publishing) -> Result<Report, PublishError> {
    let mut before = Before::find(publishing.out)?;
    let verify = publishing.verify || !before.is_trusted();
    if verify {
        before.forget_damaged()?;
    }
    match replace(plan, &before, &Publishing { verify, ..*publishing }) {
        Ok((report, change)) => tidy(before, report, &change, publishing).map_err(PublishError::after_the_change),
        // The old build is in force and stays so; what was replaced goes back to its place.
        Err(error) => Err(match before.disk.recover(before.known()) {
            Ok(()) => error,
            Err(torn) => torn.behind(error),
        }),
    }
}

/// The folder as it is before this build.
struct Before {
    disk: Disk,
    current: Option<CurrentBuild>,
    /// Where no manifest can be read: the files in the folder, and those of them that an earlier build may have left.
    found: Vec<String>,
    standing: Option<CurrentBuild>,
}

impl Before {
    /// Locks the folder `out`, puts back files that a build which ended early left elsewhere, and notes what is there.
    fn find(out: &Path) -> Result<Self, PublishError> {
        let mut disk = Disk::lock(out)?;
        let current = disk.read_current_build()?;
        let noted = if current.is_none() { disk.noted_standing() } else { None };
        disk.recover(current.as_ref().or(noted.as_ref()))?;
        let found = if current.is_none() { disk.files() } else { Vec::new() };
        disk.respect(&found);
        let standing = disk.note_standing(&found)?;
        Ok(Self { disk, current, found, standing })
    }

    /// Whether the manifest can be trusted: one that was changed by hand cannot.
    fn is_trusted(&self) -> bool {
        self.current.as_ref().is_none_or(CurrentBuild::is_intact)
    }

    fn forget_damaged(&mut self) -> Result<(), PublishError> {
        self.current.as_mut().map_or(Ok(()), |build| self.disk.forget_damaged(build))
    }

    /// Returns what is restored if this build fails: if it is unknown what an earlier build left in the folder, that is
    /// everything in it.
    fn known(&self) -> Option<&CurrentBuild> {
        self.current.as_ref().or(self.standing.as_ref())
    }
}

/// Renders the next build and puts it in force; the change that it returns says what is left to do.
fn replace(plan: &Plan, before: &Before, publishing: &Publishing) -> Result<(Report, Change), PublishError> {
    let nothing = HashMap::new();
    let known = before.known().map_or(&nothing, |build| &build.files);
    let writer = Writer::new(&before.disk, known, before.is_trusted(), publishing);
    let draft = Draft::new(publishing.out)?;
    render(plan, &writer, &draft, publishing.progress)?;
    let mut next = draft.finish(plan, publishing)?;
    before.disk.draft_manifest(&mut next)?;
    let Done { files, written, left } = writer.finish();
    let change = switch_builds(&before.disk, &next, &left, before.current.as_ref(), publishing)?;
    Ok((Report { files, written, build: next.manifest.build.0, ..Report::default() }, change))
}

/// Renders every job of `plan`, and stores the output of each as it arrives.
fn render(plan: &Plan, writer: &Writer, draft: &Draft, progress: Option<&dyn Progress>) -> Result<(), PublishError> {
    let keep = |output: Output, announced: &[String]| -> Result<(), PublishError> {
        let Output { files, routes, parts, .. } = output;
        draft.add(routes, parts, &writer.store(files, announced)?)
    };
    let texts = plan.texts();
    let jobs = plan.jobs();
    writer.announce(jobs.iter().filter_map(|job| plan.files(*job)).flatten())?;
    let (photographs, others): (Vec<Job>, Vec<Job>) =
        jobs.into_iter().partition(|job| matches!(job, Job::Photograph(..) | Job::SharePicture(_)));
    let done = AtomicUsize::new(0);
    let prepare = |job: &Job| {
        let known = plan.named_by_content(*job).and_then(|output| Some((writer.keep(&output.files)?, output)));
        match known {
            Some((stored, output)) => draft.add(output.routes, output.parts, &stored)?,
            None => keep(plan.render(*job, &texts)?, &[])?,
        }
        if let Some(progress) = progress {
            progress.advance(done.fetch_add(1, Ordering::Relaxed) + 1, photographs.len());
        }
        Ok(())
    };
    // A photograph takes as long as hundreds of pages, so they are handed out one by one.
    let (prepared, rendered) = rayon::join(
        || photographs.par_iter().with_max_len(1).try_for_each(prepare),
        || {
            others.into_par_iter().try_for_each(|job| {
                let announced = plan.files(job);
                keep(plan.render(job, &texts)?, announced.as_ref().map_or(&[], |files| files))
            })
        },
    );
    prepared.and(rendered)?;
    // Locales are finished one after the other: the texts that they hold until then are most of the memory that
    // rendering uses.
    Locale::ALL.into_iter().try_for_each(|locale| keep(texts.finish(locale)?, &[]))
}

/// Removes what no manifest names any more, now that the new build is in force.
fn tidy(before: Before, report: Report, change: &Change, publishing: &Publishing) -> Result<Report, PublishError> {
    let Before { disk, found, .. } = before;
    disk.write_kept(&change.there, &change.kept)?;
    let removed = disk.tidy(&change.leaving, publishing.compression)?;
    publishing.known.map_or(Ok(()), |known| disk.note_files(known))?;
    let foreign = if found.is_empty() { found } else { disk.foreign(found)? };
    Ok(Report { removed, foreign, ..report })
}

/// What is left to do once the new build is in force.
#[derive(Default)]
struct Change {
    /// Files to remove.
    leaving: Vec<String>,
    /// The present list of kept files.
    there: RetainedAssets,
    /// The list of kept files as it should be.
    kept: RetainedAssets,
}

/// Replaces the manifest, if the build differs: the very last step that may fail. The new build does not have the files
/// in `left`.
fn switch_builds(
    disk: &Disk,
    next: &Next,
    left: &[String],
    before: Option<&CurrentBuild>,
    publishing: &Publishing,
) -> Result<Change, PublishError> {
    let Some(before) = before else {
        disk.forget_compression(publishing.compression)?;
        disk.put_manifest()?;
        return Ok(Change::default());
    };
    let is_next = |path: &str| next.names(path);
    let now = publishing.now.as_second();
    let both = retained_assets::through_the_change(&before.assets, &before.kept, is_next, now);
    let after = retained_assets::beside(is_next, both.clone(), now);
    let staying: HashSet<String> = after
        .assets
        .iter()
        .flat_map(|asset| &asset.route.variants)
        .flat_map(|variant| manifest::names(&variant.file, &variant.encodings))
        .collect();
    let leaving: Vec<String> = left.iter().filter(|file| !staying.contains(*file)).cloned().collect();
    disk.unsettle(&leaving.iter().fold(String::new(), |names, file| names + file + "\n"))?;
    disk.forget_compression(publishing.compression)?;
    // Equal builds have equal names.
    if before.build == next.manifest.build {
        disk.drop_manifest();
        return Ok(Change { leaving, there: before.kept.clone(), kept: after });
    }
    // Until the manifest is in place, and for a moment longer, readers may need what either build names.
    disk.write_kept(&before.kept, &both)?;
    disk.put_manifest()?;
    Ok(Change { leaving, there: both, kept: after })
}
