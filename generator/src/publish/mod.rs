//! The only writer of `dist/`: puts a rendered site on disk, whole or not at all.
//!
//! A build in force is its manifest and the files it names. Publishing keeps the files of the build in force within
//! reach until the next manifest stands:
//!
//! 1. A file that the build in force does not have is written at its place.
//! 2. A file whose bytes changed is first kept as `.previous/<digest>`, then replaced by a rename.
//! 3. A file whose bytes are the same is not touched; its compressed forms are kept too.
//! 4. The manifest is replaced by a rename: from here on the new build is in force.
//! 5. Files that no manifest names any more, and `.previous`, are removed; fingerprinted files stay for a day
//!    longer, for pages that caches took before.
//!
//! If the process dies before step 4, a reader still finds every file of the old build, at its place or in
//! `.previous`; the next publishing starts by putting those back. Nothing is ever deleted and created again. Where builds
//! were written and no manifest can be read, all that stands there counts as such a build, but nothing of it is removed.

mod compress;
mod disk;
mod error;
mod in_force;
mod kept;
mod manifest;
mod next;
mod seal;
mod spool;
mod write;

pub use compress::Compression;
pub use error::PublishError;

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use contract::{Locale, kept::Kept};
use jiff::Timestamp;
use rayon::prelude::*;

use crate::render::{Output, Plan};
use disk::Disk;
use in_force::InForce;
use next::{Draft, Next};
use write::{Done, Writer};

/// What publishing did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files that the build consists of, compressed forms apart.
    pub files: usize,
    /// Files that were written because their bytes are new.
    pub written: usize,
    /// Files that were removed because no route names them any more.
    pub removed: usize,
    /// Files that stood in the folder before this build and are not of it. They are looked for only where no earlier
    /// build could be read: otherwise what it named and this one does not is removed, and whatever else stands there is
    /// its owner's.
    pub strangers: Vec<String>,
    /// Name of the build.
    pub build: String,
}

/// Where and how to publish.
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
    /// When this build is made; decides how long files of earlier builds stay.
    pub now: Timestamp,
    /// Whether to read files that seem unchanged, and to write those again that hold other bytes than they should.
    pub verify: bool,
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
        Ok((report, change)) => {
            tidy(before, report, &change, publishing.compression).map_err(PublishError::after_the_change)
        }
        // The old build is in force and stays so; what was replaced goes back to its place.
        Err(error) => Err(match before.disk.recover(before.known()) {
            Ok(()) => error,
            Err(torn) => torn.behind(error),
        }),
    }
}

/// The folder as it stands before this build.
struct Before {
    disk: Disk,
    in_force: Option<InForce>,
    /// Where no manifest can be read: the files that stand there, and those of them that an earlier build may have left.
    found: Vec<String>,
    standing: Option<InForce>,
}

impl Before {
    /// Takes hold of the folder `out`, puts back what a build left elsewhere that ended before its time, and notes what
    /// stands there.
    fn find(out: &Path) -> Result<Self, PublishError> {
        let mut disk = Disk::lock(out)?;
        let in_force = disk.build_in_force()?;
        let noted = if in_force.is_none() { disk.noted_standing() } else { None };
        disk.recover(in_force.as_ref().or(noted.as_ref()))?;
        let found = if in_force.is_none() { disk.files() } else { Vec::new() };
        disk.respect(&found);
        let standing = disk.note_standing(&found)?;
        Ok(Self { disk, in_force, found, standing })
    }

    /// Of a manifest that somebody changed nothing is taken on trust.
    fn is_trusted(&self) -> bool {
        self.in_force.as_ref().is_none_or(InForce::is_sealed)
    }

    fn forget_damaged(&mut self) -> Result<(), PublishError> {
        self.in_force.as_mut().map_or(Ok(()), |build| self.disk.forget_damaged(build))
    }

    /// What comes back if this build fails: where nobody knows what an earlier one left there, all that stands there.
    fn known(&self) -> Option<&InForce> {
        self.in_force.as_ref().or(self.standing.as_ref())
    }
}

/// Renders the next build and puts it in force; what that leaves to do is told with it.
fn replace(plan: &Plan, before: &Before, publishing: &Publishing) -> Result<(Report, Change), PublishError> {
    let nothing = HashMap::new();
    let known = before.known().map_or(&nothing, |build| &build.files);
    let writer = Writer::new(&before.disk, known, before.is_trusted(), publishing);
    let draft = Draft::new(publishing.out)?;
    render(plan, &writer, &draft)?;
    let mut next = draft.finish(plan, publishing)?;
    before.disk.draft_manifest(&mut next)?;
    let Done { files, written, left } = writer.finish();
    let change = put_in_force(&before.disk, &next, &left, before.in_force.as_ref(), publishing)?;
    Ok((Report { files, written, build: next.manifest.build.0, ..Report::default() }, change))
}

/// Renders every job of `plan`, and stores what each makes as it comes.
fn render(plan: &Plan, writer: &Writer, draft: &Draft) -> Result<(), PublishError> {
    let keep = |output: Output, announced: &[String]| -> Result<(), PublishError> {
        let Output { files, routes, parts, .. } = output;
        draft.add(routes, parts, &writer.store(files, announced)?)
    };
    let texts = plan.texts();
    let jobs = plan.jobs();
    writer.announce(jobs.iter().filter_map(|job| plan.files(*job)).flatten())?;
    jobs.into_par_iter().try_for_each(|job| {
        let announced = plan.files(job);
        keep(plan.render(job, &texts)?, announced.as_ref().map_or(&[], |files| files))
    })?;
    // One after the other: what a locale holds until then is most of what rendering holds.
    Locale::ALL.into_iter().try_for_each(|locale| keep(texts.finish(locale)?, &[]))
}

/// Removes what nobody names any more, now that the new build is in force.
fn tidy(before: Before, report: Report, change: &Change, compression: Compression) -> Result<Report, PublishError> {
    let Before { disk, found, .. } = before;
    disk.write_kept(&change.there, &change.kept)?;
    let removed = disk.tidy(&change.leaving, compression)?;
    let strangers = if found.is_empty() { found } else { disk.strangers(found)? };
    Ok(Report { removed, strangers, ..report })
}

/// What is left to do when the new build is in force.
#[derive(Default)]
struct Change {
    /// Files that are to go.
    leaving: Vec<String>,
    /// The list of kept files as it stands there.
    there: Kept,
    /// The list of kept files as it is to be.
    kept: Kept,
}

/// Replaces the manifest, if the build differs: the last thing of all that may fail. Files that `left` names the new build
/// does not have.
fn put_in_force(
    disk: &Disk,
    next: &Next,
    left: &[String],
    before: Option<&InForce>,
    publishing: &Publishing,
) -> Result<Change, PublishError> {
    let Some(before) = before else {
        disk.forget_compression(publishing.compression)?;
        disk.put_manifest()?;
        return Ok(Change::default());
    };
    let is_next = |path: &str| next.names(path);
    let now = publishing.now.as_second();
    let both = kept::through_the_change(&before.assets, &before.kept, is_next, now);
    let after = kept::beside(is_next, both.clone(), now);
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
    // Until the manifest stands, and a moment longer, readers may need what either build names.
    disk.write_kept(&before.kept, &both)?;
    disk.put_manifest()?;
    Ok(Change { leaving, there: both, kept: after })
}
