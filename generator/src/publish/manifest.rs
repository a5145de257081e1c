//! From stored files and route drafts to the manifest, and back to the files it names.

use std::collections::{BTreeMap, HashMap};

use contract::{
    Locale,
    manifest::{Coding, Digest, Encodings, FORMAT, Manifest, NotFound, Part, Route, Variant},
};
use sha2::{Digest as _, Sha256};

use super::{Compression, Publishing, disk::InForce, error::PublishError};
use crate::{
    hex::hex,
    render::{PartDraft, Plan, RenderError, RouteDraft, VariantDraft},
};

/// A file as it stands in `dist/`.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) media_type: &'static str,
    pub(super) size: u64,
    pub(super) digest: Digest,
    pub(super) encodings: Encodings,
}

/// What a build in force says of a file.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) digest: Digest,
    pub(super) encodings: Encodings,
    /// Whether the compressed forms were made in the way in which this build wants them.
    pub(super) same_compression: bool,
}

/// The manifest while its jobs are running.
#[derive(Debug, Default)]
pub(super) struct Draft {
    routes: Vec<Route>,
    not_found: Vec<NotFound>,
    parts: Vec<Part>,
}

impl Draft {
    pub(super) fn add(&mut self, other: Self) {
        self.routes.extend(other.routes);
        self.not_found.extend(other.not_found);
        self.parts.extend(other.parts);
    }

    /// Sorts everything, so that the order in which jobs ended leaves no trace. The build has no name yet.
    pub(super) fn into_manifest(mut self, plan: &Plan, publishing: &Publishing) -> Result<Manifest, PublishError> {
        self.routes.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        self.not_found.sort_unstable_by(|one, other| one.prefix.cmp(&other.prefix));
        self.parts.sort_unstable_by(|one, other| part_key(one).cmp(&part_key(other)));
        if let Some(pair) = self.parts.windows(2).find(|pair| part_key(&pair[0]) == part_key(&pair[1])) {
            return Err(PublishError::Collision(pair[0].variant.file.clone()));
        }
        if let Some(pair) = self.routes.windows(2).find(|pair| pair[0].path == pair[1].path) {
            return Err(PublishError::Collision(pair[0].path.clone()));
        }
        let redirects = plan.redirects();
        let is_route = |path: &str| self.routes.binary_search_by(|route| route.path.as_str().cmp(path)).is_ok();
        if let Some(shadowed) = redirects.iter().find(|redirect| is_route(&redirect.from)) {
            return Err(PublishError::Collision(shadowed.from.clone()));
        }
        Ok(Manifest {
            format: FORMAT,
            build: Digest::default(),
            site_url: publishing.site_url.to_owned(),
            sandbox_key: publishing.sandbox_key.to_owned(),
            classes: plan.classes(),
            routes: self.routes,
            redirects,
            not_found: self.not_found,
            parts: self.parts,
        })
    }
}

fn part_key(part: &Part) -> (&str, Option<Locale>) {
    (&part.name, part.variant.locale)
}

/// The digest of `bytes` as the manifest writes it.
pub(super) fn digest(bytes: &[u8]) -> Digest {
    Digest(hex(&Sha256::digest(bytes)))
}

/// Fills the drafts of one job with what is known of its stored files.
pub(super) fn finish(
    routes: Vec<RouteDraft>,
    parts: Vec<PartDraft>,
    stored: &BTreeMap<String, Stored>,
) -> Result<Draft, PublishError> {
    let mut finished = Draft::default();
    for PartDraft { name, file, locale } in parts {
        let variant = finish_variant(VariantDraft { file, locale, ..VariantDraft::default() }, stored)?;
        finished.parts.push(Part { name, variant });
    }
    for draft in routes {
        let variants: Result<Vec<Variant>, PublishError> =
            draft.variants.into_iter().map(|variant| finish_variant(variant, stored)).collect();
        let variants = variants?;
        match draft.not_found_below {
            Some(prefix) => finished.not_found.push(NotFound { prefix, variants }),
            None => {
                finished.routes.push(Route { path: draft.path, class: draft.class, axis: draft.axis, variants });
            }
        }
    }
    Ok(finished)
}

fn finish_variant(draft: VariantDraft, stored: &BTreeMap<String, Stored>) -> Result<Variant, PublishError> {
    let file = stored
        .get(&draft.file)
        .ok_or_else(|| RenderError::Inconsistent(format!("the file {} was not rendered", draft.file)))?;
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

/// Every file of a build, by its path.
pub(super) fn files(in_force: Option<&InForce>, compression: Compression) -> HashMap<String, Known> {
    let Some(in_force) = in_force else { return HashMap::new() };
    let same_compression = in_force.compression.as_deref() == Some(compression.recipe());
    let known = |variant: &Variant| Known {
        digest: variant.digest.clone(),
        encodings: variant.encodings.clone(),
        same_compression,
    };
    // How the forms of an asset that was kept were made nobody remembers.
    let kept = in_force.kept.assets.iter().flat_map(|asset| &asset.route.variants);
    let kept = kept.map(|variant| (variant.file.clone(), Known { same_compression: false, ..known(variant) }));
    kept.chain(variants(&in_force.manifest).map(|variant| (variant.file.clone(), known(variant)))).collect()
}

/// Every variant of a build.
pub(super) fn variants(manifest: &Manifest) -> impl Iterator<Item = &Variant> {
    let routes = manifest.routes.iter().flat_map(|route| &route.variants);
    let not_found = manifest.not_found.iter().flat_map(|answer| &answer.variants);
    routes.chain(not_found).chain(manifest.parts.iter().map(|part| &part.variant))
}

/// Octets of a variant on disk, compressed forms included.
pub(super) fn octets(variant: &Variant) -> u64 {
    let forms = [&variant.encodings.br, &variant.encodings.zstd, &variant.encodings.gzip];
    variant.size + forms.into_iter().flatten().map(|form| form.size).sum::<u64>()
}

/// The compressed files of a variant with their digests.
pub(super) fn siblings<'a>(file: &str, encodings: &'a Encodings) -> Vec<(String, &'a Digest)> {
    let forms = [(Coding::Br, &encodings.br), (Coding::Zstd, &encodings.zstd), (Coding::Gzip, &encodings.gzip)];
    forms
        .into_iter()
        .filter_map(|(coding, form)| Some((format!("{file}{}", coding.suffix()), &form.as_ref()?.digest)))
        .collect()
}
