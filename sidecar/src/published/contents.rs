//! The bytes of a build: each file with its compressed forms in one block of memory.
//!
//! A large site has over a hundred thousand files, so only the length and half of the digest, the entity tag, stay in
//! memory for each. The other half and the path are freed once the file is read.

use std::collections::HashMap;

use bytes::Bytes;
use contract::manifest::{Coding, FileDigest, Variant};

use super::Sha256;

pub(super) type Half = [u8; 16];

/// Identifies a content of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ContentId(u32);

/// A file in all its forms.
#[derive(Clone, Debug)]
pub(crate) struct FileContent {
    /// All forms, one after another; `None` until they are read.
    pub(super) bytes: Option<Bytes>,
    pub(super) identity: ContentIdentity,
}

/// The forms of a content with their lengths and digests: equal identities are equal bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ContentIdentity {
    plain: CodedForm,
    /// Boxed, because many contents have no compressed forms: images, fonts, and all in a build without compression.
    compressed: Option<Box<Compressed>>,
    /// Half a digest of the second halves of the forms' digests.
    rest: Half,
}

/// The compressed forms of a file, in the order of [`Coding::ALL`].
type Compressed = [Option<CodedForm>; Coding::ALL.len()];

/// One form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CodedForm {
    pub(super) name: Half,
    pub(super) length: u32,
}

impl ContentIdentity {
    /// Creates an identity; `rests` are the second halves of the digests of all existing forms.
    fn new(plain: CodedForm, compressed: Compressed, rests: &[Half]) -> Self {
        let compressed = compressed.iter().any(Option::is_some).then(|| Box::new(compressed));
        Self { plain, compressed, rest: Sha256::of(rests.as_flattened()).halves().0 }
    }

    /// Returns the identity of a file without compressed forms.
    #[cfg(test)]
    fn plain(digest: Sha256, length: u32) -> Self {
        let (name, rest) = digest.halves();
        Self::new(CodedForm { name, length }, Compressed::default(), &[rest])
    }

    fn compressed(&self, coding: Coding) -> Option<&CodedForm> {
        self.compressed.as_ref()?[coding as usize].as_ref()
    }
}

impl FileContent {
    /// Returns the codings in which the file exists.
    pub(crate) fn available(&self) -> [bool; Coding::ALL.len()] {
        Coding::ALL.map(|coding| self.identity.compressed(coding).is_some())
    }

    /// Returns the form in `coding`, or the uncompressed file if there is no such form.
    pub(crate) fn part(&self, coding: Option<Coding>) -> ContentPart<'_> {
        let mut start = 0;
        for (other, form) in self.forms() {
            if other == coding {
                return ContentPart { content: self, start, form };
            }
            start += form.length as usize;
        }
        ContentPart { content: self, start: 0, form: &self.identity.plain }
    }

    /// Returns the existing forms, beginning with the uncompressed file.
    pub(super) fn forms(&self) -> impl Iterator<Item = (Option<Coding>, &CodedForm)> {
        let compressed = Coding::ALL.into_iter();
        let compressed = compressed.filter_map(|coding| Some((Some(coding), self.identity.compressed(coding)?)));
        [(None, &self.identity.plain)].into_iter().chain(compressed)
    }

    /// Returns the total length of all forms in bytes.
    pub(super) fn size(&self) -> usize {
        self.forms().map(|(_, form)| form.length as usize).sum()
    }
}

/// One form of a content.
#[derive(Clone, Copy)]
pub(crate) struct ContentPart<'a> {
    content: &'a FileContent,
    /// Offset in the bytes of all forms.
    start: usize,
    form: &'a CodedForm,
}

impl ContentPart<'_> {
    pub(crate) fn length(self) -> usize {
        self.form.length as usize
    }

    /// Returns the first half of the digest, which is the entity tag.
    pub(crate) fn name(&self) -> &[u8; 16] {
        &self.form.name
    }

    /// Returns the bytes, shared and not copied.
    pub(crate) fn body(self) -> Bytes {
        let bytes = self.content.bytes.as_ref();
        bytes.map(|bytes| bytes.slice(self.start..self.start + self.length())).unwrap_or_default()
    }
}

#[derive(Debug, Default)]
pub(crate) struct Contents(pub(super) Vec<FileContent>);

impl Contents {
    pub(crate) fn get(&self, id: ContentId) -> Option<&FileContent> {
        self.0.get(id.0 as usize)
    }

    /// Returns contents of these lengths without bytes.
    #[cfg(test)]
    pub(crate) fn of_lengths(lengths: &[u32]) -> Self {
        let identities = lengths.iter().map(|length| ContentIdentity::plain(Sha256::of(b""), *length));
        Self(identities.map(|identity| FileContent { bytes: None, identity }).collect())
    }
}

/// Indexes the bytes of several builds by identity.
pub(super) fn known_bytes<'a>(builds: &[&'a Contents]) -> HashMap<&'a ContentIdentity, &'a Bytes> {
    let contents = builds.iter().flat_map(|build| &build.0);
    contents.filter_map(|content| Some((&content.identity, content.bytes.as_ref()?))).collect()
}

/// The contents that a build will have, before any is read.
#[derive(Default)]
pub(crate) struct LoadPlan {
    pub(super) contents: Vec<FileContent>,
    /// In the order of the contents.
    pub(super) sources: Vec<ContentSource>,
    pub(super) known: HashMap<Half, ContentId>,
}

/// The path of a content, and the second halves of its digests.
pub(super) struct ContentSource {
    /// Path of the uncompressed file; those of its compressed forms are derived from it.
    pub(super) path: Box<str>,
    /// One for each existing form.
    pub(super) rests: Vec<Half>,
}

impl LoadPlan {
    /// Adds the file of the checked `variant` and its compressed forms. Equal contents are stored once.
    pub(crate) fn add(&mut self, variant: &Variant) -> Option<ContentId> {
        let mut rests = Vec::new();
        let mut form = |digest: &FileDigest, size: u64| {
            let (name, rest) = Sha256::parse(&digest.0)?.halves();
            rests.push(rest);
            Some(CodedForm { name, length: u32::try_from(size).ok()? })
        };
        let plain = form(&variant.digest, variant.size)?;
        let mut compressed = Compressed::default();
        for coding in Coding::ALL {
            if let Some(encoded) = variant.encodings.get(coding) {
                compressed[coding as usize] = Some(form(&encoded.digest, encoded.size)?);
            }
        }
        let identity = ContentIdentity::new(plain, compressed, &rests);
        let id = ContentId(u32::try_from(self.contents.len()).ok()?);
        let first = *self.known.entry(plain.name).or_insert(id);
        if first != id
            && let Some(content) = self.contents.get(first.0 as usize)
            && content.identity == identity
        {
            return Some(first);
        }
        self.contents.push(FileContent { bytes: None, identity });
        self.sources.push(ContentSource { path: variant.file.as_str().into(), rests });
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use contract::manifest::{Encoded, Encodings};

    use super::*;

    fn variant(file: &str, text: &str, br: Option<&str>) -> Variant {
        let digest = |text: &str| FileDigest(Sha256::of(text.as_bytes()).to_string());
        let br = br.map(|text| Encoded { size: text.len() as u64, digest: digest(text) });
        Variant {
            file: file.to_owned(),
            media_type: "text/plain".to_owned(),
            size: text.len() as u64,
            digest: digest(text),
            encodings: Encodings { br, ..Encodings::default() },
            locale: None,
            link: None,
            location: None,
            tokens: None,
        }
    }

    fn paths(plan: &LoadPlan) -> String {
        plan.sources.iter().map(|source| &*source.path).collect()
    }

    #[test]
    fn equal_contents_are_kept_once_and_others_apart() {
        let mut plan = LoadPlan::default();
        let first = plan.add(&variant("a", "text", Some("short"))).unwrap();
        assert_eq!(plan.add(&variant("b", "text", Some("short"))), Some(first));
        assert_ne!(plan.add(&variant("c", "text", None)), Some(first), "it has other forms");
        assert_ne!(plan.add(&variant("d", "other", None)), Some(first));
        assert_eq!((plan.contents.len(), paths(&plan)), (3, "acd".to_owned()));
    }

    #[test]
    fn contents_are_compared_by_whole_digests_and_forms() {
        let one = variant("a", "text", None);
        let mut other = variant("b", "text", None);
        other.digest.0.replace_range(63.., if other.digest.0.ends_with('0') { "1" } else { "0" });
        let mut empty = variant("c", "text", None);
        empty.encodings.br = Some(Encoded { size: 0, digest: FileDigest("0".repeat(64)) });
        let mut plan = LoadPlan::default();
        for variant in [&one, &other, &empty] {
            plan.add(variant).unwrap();
        }
        assert_eq!((plan.contents.len(), paths(&plan)), (3, "abc".to_owned()));
    }

    #[test]
    fn forms_of_a_file_share_one_buffer() {
        let mut plan = LoadPlan::default();
        let id = plan.add(&variant("a", "text", Some("br"))).unwrap();
        let mut contents = Contents(plan.contents);
        contents.0[0].bytes = Some(Bytes::from_static(b"textbr"));
        let content = contents.get(id).unwrap();
        assert_eq!(
            (&content.part(None).body()[..], &content.part(Some(Coding::Br)).body()[..]),
            (&b"text"[..], &b"br"[..])
        );
        assert_eq!((content.available(), content.part(Some(Coding::Br)).length()), ([true, false, false], 2));
        assert_eq!(content.part(None).name(), &Sha256::of(b"text").halves().0);
    }

    #[test]
    fn file_that_is_too_long_for_memory_is_refused() {
        let mut long = variant("a", "text", None);
        long.size = 1 << 32;
        assert_eq!(LoadPlan::default().add(&long), None);
    }
}
