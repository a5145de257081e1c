//! The only writer of `dist/`: publishes a rendered site completely or not at all.
//!
//! The current build is its manifest and the files that it names. Publishing keeps them available until the next
//! manifest is in place:
//!
//! 1. A file that the current build does not have is written at its place.
//! 2. A file whose bytes changed is kept as `.previous/<digest>`, then replaced by a rename.
//! 3. A file with the same bytes is not touched; its compressed forms are kept.
//! 4. The manifest is replaced by a rename: from here on the new build is in force.
//! 5. Files that no manifest names any more, and `.previous`, are removed; style sheets and fonts stay for a day
//!    longer, for cached pages.
//!
//! If the process dies before step 4, a reader still finds every file of the old build at its place or in `.previous`;
//! the next run starts by restoring them. No file is ever deleted and created again. In a folder of builds without a
//! readable manifest, all existing files count as the current build, but none of them is removed.

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
use next::{ManifestDraft, NextBuild};
use render::{Job, Output, PageFacts, Plan, SiteTexts};
use site::{KnownFiles, KnownPage, KnownPages};
use write::{BuildWriter, StoredFiles};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildReport {
    /// Number of files of the build, without compressed forms.
    pub files: usize,
    /// Number of files written because their bytes are new.
    pub written: usize,
    /// Number of pages that were not rendered again.
    pub kept: usize,
    /// Number of files removed because no route names them any more.
    pub removed: usize,
    /// Files that were in the folder before this build and do not belong to it. Set only if no earlier build could be
    /// read; otherwise files that only the earlier build named are removed, and other files are left alone.
    pub foreign: Vec<String>,
    pub build: String,
}

#[derive(Clone, Copy, Debug)]
pub struct Publishing<'a> {
    /// The folder `dist/`; created if it does not exist.
    pub out: &'a Path,
    pub compression: Compression,
    pub site_url: &'a str,
    pub sandbox_key: &'a str,
    /// Time of this build; decides how long assets of earlier builds are retained.
    pub now: Timestamp,
    /// Whether to read unchanged files and rewrite damaged ones.
    pub verify: bool,
    /// Called after each photograph.
    pub progress: Option<&'a dyn Progress>,
    /// What was found in the content, to store for the next build.
    pub known: Option<&'a KnownFiles>,
}

/// Progress of photographs, which take most of the time of a first build.
pub trait Progress: Sync + fmt::Debug {
    /// Reports that `done` of `all` photographs are finished.
    fn advance(&self, done: usize, all: usize);
}

/// Renders every job of `plan` and puts the result in force.
///
/// # Errors
/// If a job fails to render or a disk operation fails. The previous build stays in force, unless the error is
/// [`PublishError::Untidy`], and its files are at their places, unless it is [`PublishError::Torn`].
pub fn publish(plan: &Plan, publishing: &Publishing) -> Result<BuildReport, PublishError> {
    let mut before = Before::find(publishing.out)?;
    let verify = publishing.verify || !before.is_trusted();
    if verify {
        before.drop_damaged_assets()?;
    }
    match replace(plan, &before, &Publishing { verify, ..*publishing }) {
        Ok((report, change)) => tidy(before, report, &change, publishing).map_err(PublishError::into_untidy),
        // Restore the files of the current build.
        Err(error) => Err(match before.disk.recover(before.current_build()) {
            Ok(()) => error,
            Err(torn) => torn.with_first(error),
        }),
    }
}

/// The state of the folder before this build.
struct Before {
    disk: Disk,
    current: Option<CurrentBuild>,
    /// Without a readable manifest: the files in the folder, and those that an earlier build may have left.
    found: Vec<String>,
    standing: Option<CurrentBuild>,
}

impl Before {
    /// Locks the folder `out`, restores files after a build that ended early, and records its state.
    fn find(out: &Path) -> Result<Self, PublishError> {
        let mut disk = Disk::lock(out)?;
        let current = disk.read_current_build()?;
        let noted = if current.is_none() { disk.read_standing() } else { None };
        disk.recover(current.as_ref().or(noted.as_ref()))?;
        let found = if current.is_none() { disk.files() } else { Vec::new() };
        disk.protect_existing(&found);
        let standing = disk.note_standing(&found)?;
        Ok(Self { disk, current, found, standing })
    }

    /// Whether the manifest is unedited.
    fn is_trusted(&self) -> bool {
        self.current.as_ref().is_none_or(CurrentBuild::is_intact)
    }

    fn drop_damaged_assets(&mut self) -> Result<(), PublishError> {
        self.current.as_mut().map_or(Ok(()), |build| self.disk.drop_damaged_assets(build))
    }

    /// Returns the build to restore if this one fails; without a readable manifest, all files of the folder.
    fn current_build(&self) -> Option<&CurrentBuild> {
        self.current.as_ref().or(self.standing.as_ref())
    }
}

/// Renders the next build and puts it in force; returns what is left to clean up.
fn replace(plan: &Plan, before: &Before, publishing: &Publishing) -> Result<(BuildReport, BuildChange), PublishError> {
    let nothing = HashMap::new();
    let pages = publishing.known.map(|known| &known.pages);
    let known = before.current_build().map_or(&nothing, |build| &build.files);
    let writer = BuildWriter::new(&before.disk, known, before.is_trusted(), publishing);
    let draft = ManifestDraft::new(publishing.out)?;
    render(plan, &writer, &draft, pages, publishing.progress)?;
    let mut next = draft.finish(plan, publishing)?;
    before.disk.draft_manifest(&mut next)?;
    let StoredFiles { files, written, kept, left } = writer.finish();
    let change = switch_builds(&before.disk, &next, &left, before.current.as_ref(), publishing)?;
    Ok((BuildReport { files, written, kept, build: next.manifest.build.0, ..BuildReport::default() }, change))
}

/// Renders every job of `plan` and stores each output as it arrives.
fn render(
    plan: &Plan,
    writer: &BuildWriter,
    draft: &ManifestDraft,
    pages: Option<&KnownPages>,
    progress: Option<&dyn Progress>,
) -> Result<(), PublishError> {
    let keep = |output: Output, announced: &[String]| -> Result<(), PublishError> {
        let Output { files, routes, parts, .. } = output;
        draft.add(routes, parts, &writer.store(files, announced)?)
    };
    // A page is rendered unless the last build made the same one.
    let keep_page = |job: Job, pages: &KnownPages, texts: &SiteTexts, announced: &[String]| {
        let stored = |output: &Output, needs_twin: bool| writer.keep_page(output, needs_twin);
        let Some((output, kept)) = plan.render_unless_known(job, texts, pages, stored)? else {
            return keep(plan.render(job, texts)?, announced);
        };
        let Output { files, routes, parts, page, .. } = output;
        let stored = kept.map_or_else(|| writer.store(files, announced), Ok)?;
        let digests: Vec<String> = stored.values().map(|file| file.digest.0.clone()).collect();
        if let (Some(PageFacts { path, page, .. }), Ok(digests)) = (page, digests.try_into()) {
            pages.note(path, KnownPage { digests, ..page });
        }
        draft.add(routes, parts, &stored)
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
    // A photograph takes as long as hundreds of pages, so photographs are distributed one by one.
    let (prepared, rendered) = rayon::join(
        || photographs.par_iter().with_max_len(1).try_for_each(prepare),
        || {
            others.into_par_iter().try_for_each(|job| {
                let announced = plan.files(job);
                let announced = announced.as_ref().map_or(&[][..], |files| files);
                match pages {
                    Some(pages) => keep_page(job, pages, &texts, announced),
                    None => keep(plan.render(job, &texts)?, announced),
                }
            })
        },
    );
    prepared.and(rendered)?;
    // One locale after the other: the texts collected until then are most of the memory that rendering uses.
    Locale::ALL.into_iter().try_for_each(|locale| keep(texts.finish(locale)?, &[]))
}

/// Removes files that no manifest names any more, after the new build is in force.
fn tidy(
    before: Before,
    report: BuildReport,
    change: &BuildChange,
    publishing: &Publishing,
) -> Result<BuildReport, PublishError> {
    let Before { disk, found, .. } = before;
    disk.write_retained(&change.there, &change.kept)?;
    let removed = disk.tidy(&change.leaving, publishing.compression)?;
    publishing.known.map_or(Ok(()), |known| disk.write_known_files(known))?;
    let foreign = if found.is_empty() { found } else { disk.foreign(found)? };
    Ok(BuildReport { removed, foreign, ..report })
}

/// The clean-up after the new build is in force.
#[derive(Default)]
struct BuildChange {
    leaving: Vec<String>,
    /// The list of retained assets on disk.
    there: RetainedAssets,
    /// The list of retained assets to write.
    kept: RetainedAssets,
}

/// Replaces the manifest if the build differs; the last step that may fail. `left` are files that the new build does
/// not have.
fn switch_builds(
    disk: &Disk,
    next: &NextBuild,
    left: &[String],
    before: Option<&CurrentBuild>,
    publishing: &Publishing,
) -> Result<BuildChange, PublishError> {
    let Some(before) = before else {
        disk.clear_compression_record(publishing.compression)?;
        disk.put_manifest()?;
        return Ok(BuildChange::default());
    };
    let is_next = |path: &str| next.has_path(path);
    let now = publishing.now.as_second();
    let both = retained_assets::during_switch(&before.assets, &before.kept, is_next, now);
    let after = retained_assets::after_switch(is_next, both.clone(), now);
    let staying: HashSet<String> = after
        .assets
        .iter()
        .flat_map(|asset| &asset.route.variants)
        .flat_map(|variant| manifest::names(&variant.file, &variant.encodings))
        .collect();
    let leaving: Vec<String> = left.iter().filter(|file| !staying.contains(*file)).cloned().collect();
    disk.note_unsettled(&leaving.iter().fold(String::new(), |names, file| names + file + "\n"))?;
    disk.clear_compression_record(publishing.compression)?;
    // Equal builds have equal names.
    if before.build == next.manifest.build {
        disk.remove_manifest_draft();
        return Ok(BuildChange { leaving, there: before.kept.clone(), kept: after });
    }
    // Until the manifest is in place, and for a moment longer, readers may request files of either build.
    disk.write_retained(&before.kept, &both)?;
    disk.put_manifest()?;
    Ok(BuildChange { leaving, there: both, kept: after })
}
