//! What a manifest says of its files.

use std::collections::HashMap;

use contract::manifest::{Coding, Digest, Encodings, Manifest, Variant};
use sha2::{Digest as _, Sha256};

use super::{Compression, disk::InForce};
use crate::hex::hex;

/// A file as it stands in `dist/`.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) media_type: &'static str,
    pub(super) size: u64,
    pub(super) digest: Digest,
    pub(super) encodings: Encodings,
    /// Whether it was written, because its bytes are new.
    pub(super) is_written: bool,
}

/// What a build in force says of a file.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) digest: Digest,
    pub(super) encodings: Encodings,
    /// Whether the compressed forms were made in the way in which this build wants them.
    pub(super) same_compression: bool,
}

/// The digest of `bytes` as the manifest writes it.
pub(super) fn digest(bytes: &[u8]) -> Digest {
    Digest(hex(&Sha256::digest(bytes)))
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

/// The names of a file and of its compressed forms.
pub(super) fn names(file: &str, encodings: &Encodings) -> impl Iterator<Item = String> {
    std::iter::once(file.to_owned()).chain(siblings(file, encodings).into_iter().map(|(name, _)| name))
}

/// The compressed files of a variant with their digests.
pub(super) fn siblings<'a>(file: &str, encodings: &'a Encodings) -> Vec<(String, &'a Digest)> {
    let forms = [(Coding::Br, &encodings.br), (Coding::Zstd, &encodings.zstd), (Coding::Gzip, &encodings.gzip)];
    forms
        .into_iter()
        .filter_map(|(coding, form)| Some((format!("{file}{}", coding.suffix()), &form.as_ref()?.digest)))
        .collect()
}
