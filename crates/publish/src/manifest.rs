//! Files as the manifest lists them.

use std::iter;

use contract::manifest::{Coding, Encodings, FileDigest, Variant};
use sha2::{Digest as _, Sha256};

/// A file as it is stored in `dist/`.
#[derive(Clone, Debug)]
pub(super) struct StoredFile {
    pub(super) media_type: &'static str,
    pub(super) size: u64,
    pub(super) digest: FileDigest,
    pub(super) encodings: Encodings,
    /// Whether the file was written, because its bytes are new or its place held other bytes.
    pub(super) is_written: bool,
}

/// Returns the digest of `bytes` as the manifest contains it.
pub(super) fn digest(bytes: &[u8]) -> FileDigest {
    FileDigest(hex::encode(Sha256::digest(bytes)))
}

/// Returns the size of a variant on disk, compressed forms included.
pub(super) fn bytes(variant: &Variant) -> u64 {
    let forms = Coding::ALL.into_iter().filter_map(|coding| variant.encodings.get(coding));
    // Sizes in an edited manifest may overflow.
    forms.fold(variant.size, |sum, form| sum.saturating_add(form.size))
}

/// Returns the names of a file and of its compressed forms.
pub(super) fn names(file: &str, encodings: &Encodings) -> impl Iterator<Item = String> {
    let forms = Coding::ALL.into_iter().filter(|coding| encodings.get(*coding).is_some());
    iter::once(file.to_owned()).chain(forms.map(move |coding| format!("{file}{}", coding.suffix())))
}

/// Returns the names of a file and of its compressed forms, with their digests.
pub(super) fn digests<'a>(
    file: &str,
    digest: &'a FileDigest,
    encodings: &'a Encodings,
) -> Vec<(String, &'a FileDigest)> {
    let forms = Coding::ALL.into_iter().filter_map(|coding| encodings.get(coding));
    names(file, encodings).zip(iter::once(digest).chain(forms.map(|form| &form.digest))).collect()
}
