//! The next build: from the drafts of its jobs to its manifest.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Write},
    path::Path,
    sync::{Mutex, PoisonError},
};

use contract::{
    Locale,
    manifest::{FORMAT, FileDigest, Manifest, NotFound, Part, Route, Variant},
};
use findings::messages;
use render::{PartDraft, Plan, RenderError, RouteDraft, VariantDraft};

use super::{
    Publishing,
    error::PublishError,
    manifest::StoredFile,
    manifest_writer,
    temp_file::{RecordPlace, RecordReader, RecordWriter},
};

/// The manifest while jobs run. Routes are most of the data of a large site, so they are written to disk as they
/// arrive; only their positions stay in memory.
#[derive(Debug)]
pub(super) struct ManifestDraft<'a> {
    out: &'a Path,
    records: RecordWriter,
    lists: Mutex<DraftLists>,
}

#[derive(Debug, Default)]
struct DraftLists {
    routes: Vec<RecordedRoute>,
    not_found: Vec<NotFound>,
    parts: Vec<Part>,
}

/// A route in the temporary file, as JSON.
#[derive(Debug)]
struct RecordedRoute {
    path: Box<str>,
    place: RecordPlace,
}

#[derive(Debug)]
pub(super) struct NextBuild {
    /// The manifest without routes; it gets its name when it is written.
    pub(super) manifest: Manifest,
    /// Sorted by path.
    routes: Vec<RecordedRoute>,
    records: RecordReader,
}

impl<'a> ManifestDraft<'a> {
    /// Creates an empty draft on the disk of the folder `out`.
    pub(super) fn new(out: &'a Path) -> Result<Self, PublishError> {
        let records = RecordWriter::new(out).map_err(PublishError::disk(messages::folder_not_writable, out))?;
        Ok(Self { out, records, lists: Mutex::default() })
    }

    /// Adds the routes and parts of one job, whose files are `stored`.
    pub(super) fn add(
        &self,
        routes: Vec<RouteDraft>,
        parts: Vec<PartDraft>,
        stored: &BTreeMap<String, StoredFile>,
    ) -> Result<(), PublishError> {
        let mut lists = DraftLists::default();
        for PartDraft { name, file, locale, location, tokens } in parts {
            let draft = VariantDraft { file, locale, location, tokens, ..VariantDraft::default() };
            let variant = finish_variant(draft, stored)?;
            lists.parts.push(Part { name, variant });
        }
        for draft in routes {
            let variants: Result<Vec<Variant>, PublishError> =
                draft.variants.into_iter().map(|variant| finish_variant(variant, stored)).collect();
            let variants = variants?;
            if let Some(prefix) = draft.not_found_below {
                lists.not_found.push(NotFound { prefix, variants });
            } else {
                let route = Route { path: draft.path, class: draft.class, axis: draft.axis, variants };
                let noted = self.note(route).map_err(PublishError::disk(messages::folder_not_writable, self.out))?;
                lists.routes.push(noted);
            }
        }
        self.lists.lock().unwrap_or_else(PoisonError::into_inner).append(lists);
        Ok(())
    }

    fn note(&self, route: Route) -> io::Result<RecordedRoute> {
        let place = self.records.put(&serde_json::to_vec(&route)?)?;
        Ok(RecordedRoute { path: route.path.into(), place })
    }

    /// Sorts everything, so that the result does not depend on the order of jobs.
    pub(super) fn finish(self, plan: &Plan, publishing: &Publishing) -> Result<NextBuild, PublishError> {
        let DraftLists { mut routes, mut not_found, mut parts } =
            self.lists.into_inner().unwrap_or_else(PoisonError::into_inner);
        routes.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        not_found.sort_unstable_by(|one, other| one.prefix.cmp(&other.prefix));
        parts.sort_unstable_by(|one, other| part_key(one).cmp(&part_key(other)));
        if let Some(pair) = parts.windows(2).find(|pair| part_key(&pair[0]) == part_key(&pair[1])) {
            return Err(PublishError::Collision(pair[0].variant.file.clone()));
        }
        if let Some(pair) = routes.windows(2).find(|pair| pair[0].path == pair[1].path) {
            return Err(PublishError::Collision(pair[0].path.to_string()));
        }
        let redirects = plan.redirects();
        if let Some(shadowed) = redirects.iter().find(|redirect| has_route(&routes, &redirect.from)) {
            return Err(PublishError::Collision(shadowed.from.clone()));
        }
        let manifest = Manifest {
            format: FORMAT,
            build: FileDigest::default(),
            site_url: publishing.site_url.to_owned(),
            sandbox_key: publishing.sandbox_key.to_owned(),
            next_change: plan.next_change(),
            classes: plan.classes(),
            routes: Vec::new(),
            redirects,
            not_found,
            parts,
        };
        let records = self.records.finish().map_err(PublishError::disk(messages::folder_not_writable, self.out))?;
        Ok(NextBuild { manifest, routes, records })
    }
}

impl DraftLists {
    fn append(&mut self, other: Self) {
        self.routes.extend(other.routes);
        self.not_found.extend(other.not_found);
        self.parts.extend(other.parts);
    }
}

impl NextBuild {
    /// Whether `path` has a route or a redirect.
    pub(super) fn has_path(&self, path: &str) -> bool {
        let redirects = &self.manifest.redirects;
        has_route(&self.routes, path) || redirects.binary_search_by(|it| it.from.as_str().cmp(path)).is_ok()
    }

    /// Writes the manifest to the beginning of `file`, and sets its name.
    pub(super) fn write(&mut self, file: &File) -> io::Result<()> {
        let Self { manifest, routes, records } = self;
        let write_routes = |out: &mut dyn Write| {
            for (at, route) in routes.iter().enumerate() {
                if at > 0 {
                    out.write_all(b",")?;
                }
                out.write_all(records.read(route.place)?)?;
            }
            Ok(())
        };
        manifest.build = manifest_writer::write(manifest, write_routes, file)?;
        Ok(())
    }
}

fn has_route(sorted: &[RecordedRoute], path: &str) -> bool {
    sorted.binary_search_by(|route| (*route.path).cmp(path)).is_ok()
}

fn part_key(part: &Part) -> (&str, Option<Locale>) {
    (&part.name, part.variant.locale)
}

fn finish_variant(draft: VariantDraft, stored: &BTreeMap<String, StoredFile>) -> Result<Variant, PublishError> {
    let file =
        stored.get(&draft.file).ok_or_else(|| RenderError::Inconsistent(messages::file_output_missing(&draft.file)))?;
    Ok(Variant {
        file: draft.file,
        media_type: file.media_type.to_owned(),
        size: file.size,
        digest: file.digest.clone(),
        encodings: file.encodings.clone(),
        locale: draft.locale,
        link: draft.link,
        location: draft.location,
        tokens: draft.tokens,
    })
}
