//! The results of rendering: files with their bytes, and the routes that answer with them.

use std::ops::Range;

use contract::{
    Locale,
    manifest::{Abilities, Axis, Class, PARTS},
};
use findings::messages;
use markdown::Plain;
use site::Agents;

use super::RenderError;

/// The result of one rendering job. Every file that a route names is in the same result.
#[derive(Debug, Default)]
pub struct Output {
    /// Files to publish.
    pub files: Vec<File>,
    /// Routes that answer with these files.
    pub routes: Vec<RouteDraft>,
    /// Parts that the sidecar answers from, besides the routes.
    pub parts: Vec<PartDraft>,
    /// The text of the rendered page, for what is made from the texts of all pages.
    pub(super) text: Option<PageText>,
}

/// The text of a page, besides its HTML.
#[derive(Debug)]
pub(super) struct PageText {
    /// The range of its twin that holds its facts and the author's Markdown; begins with an empty line unless it is
    /// empty.
    pub(super) told: Range<usize>,
    /// Its words as plain text.
    pub(super) plain: Plain,
}

/// A file below `dist/`.
#[derive(Debug)]
pub struct File {
    /// Path below `dist/`, with `/` between its segments.
    pub path: String,
    /// Value of `Content-Type`.
    pub media_type: &'static str,
    /// The content.
    pub bytes: Vec<u8>,
}

/// A route whose variants still lack sizes and digests.
#[derive(Debug)]
pub struct RouteDraft {
    /// Public path.
    pub path: String,
    /// Policy class.
    pub class: Class,
    /// What selects the variant.
    pub axis: Option<Axis>,
    /// The variants; the first is the default.
    pub variants: Vec<VariantDraft>,
    /// Prefix of the paths for which this is the answer to "not found"; such a draft is not a route of its own.
    pub not_found_below: Option<String>,
}

/// A file without an address, named for the sidecar.
#[derive(Debug)]
pub struct PartDraft {
    /// The name by which the sidecar looks it up.
    pub name: String,
    /// Path of the file below `dist/`.
    pub file: String,
    /// Language of the content.
    pub locale: Option<Locale>,
    /// Path at which the sidecar answers with it, for hosts that pass requests on.
    pub location: Option<String>,
    /// Estimated number of model tokens.
    pub tokens: Option<u64>,
}

/// A variant that only names its file.
#[derive(Debug, Default)]
pub struct VariantDraft {
    /// Path of the file below `dist/`.
    pub file: String,
    /// Language of the content.
    pub locale: Option<Locale>,
    /// Value of `Link`.
    pub link: Option<String>,
    /// Value of `Content-Location`.
    pub location: Option<String>,
    /// Estimated number of model tokens.
    pub tokens: Option<u64>,
}

impl VariantDraft {
    /// One in English, which is what programs are addressed in.
    pub(super) fn english() -> Self {
        Self { locale: Some(Locale::En), ..Self::default() }
    }
}

impl Output {
    /// Returns an output with a single file that answers at the path of the same name.
    pub fn single(path: &str, class: Class, media_type: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        let mut output = Self::default();
        output.push(path, class, media_type, bytes, VariantDraft::default());
        output
    }

    /// Returns this range of the twin of a page, which is its second file.
    ///
    /// # Errors
    /// When it is not there.
    pub(super) fn told(&self, range: Range<usize>) -> Result<&[u8], RenderError> {
        let twin = self.files.get(1).and_then(|twin| twin.bytes.get(range));
        twin.ok_or_else(|| RenderError::Inconsistent(messages::twin_incomplete()))
    }

    /// Adds a single file that answers at the path of the same name.
    pub fn push(
        &mut self,
        path: &str,
        class: Class,
        media_type: &'static str,
        bytes: impl Into<Vec<u8>>,
        variant: VariantDraft,
    ) {
        let file = path.trim_start_matches('/').to_owned();
        self.push_as(path, file, class, media_type, bytes, variant);
    }

    /// Adds a file that the sidecar looks up by `name` and `locale`.
    pub fn push_part(
        &mut self,
        name: &str,
        locale: Option<Locale>,
        media_type: &'static str,
        bytes: impl Into<Vec<u8>>,
    ) {
        let suffix = locale.map(|locale| format!(".{locale}")).unwrap_or_default();
        let file = format!("{PARTS}/{name}{suffix}");
        self.files.push(File { path: file.clone(), media_type, bytes: bytes.into() });
        self.parts.push(PartDraft { name: name.to_owned(), file, locale, location: None, tokens: None });
    }

    /// Renders files that tell what agents are offered: as `settings` say, and, as parts, what takes the place of those
    /// files where a service cannot honour all of it.
    pub(super) fn narrowable(
        settings: &Agents,
        render: impl Fn(&Agents) -> Result<Self, RenderError>,
    ) -> Result<Self, RenderError> {
        let mut output = render(settings)?;
        let whole = output.files.len();
        for abilities in Abilities::LESSER.into_iter().filter(|_| settings.service) {
            let lesser = render(&settings.honoured(abilities))?;
            for at in 0..whole {
                let File { path, media_type, bytes } = &output.files[at];
                let found = lesser.files.iter().find(|file| file.path == *path).map_or(&[][..], |file| &file.bytes);
                if found != bytes {
                    let variants = lesser.routes.iter().flat_map(|route| &route.variants);
                    let tokens = variants.filter(|variant| variant.file == *path).find_map(|variant| variant.tokens);
                    let (name, media_type) = (abilities.part_name(path), *media_type);
                    output.push_part(&name, None, media_type, found);
                    if let Some(part) = output.parts.last_mut() {
                        part.tokens = tokens;
                    }
                }
            }
            // The text of a page goes to files that are not narrowed, so it ends before what not every service offers.
            if let (Some(text), Some(lesser)) = (&mut output.text, lesser.text) {
                text.told.end = text.told.end.min(lesser.told.end);
            }
        }
        Ok(output)
    }

    /// Adds a single file that answers at a path with another name.
    pub fn push_as(
        &mut self,
        path: &str,
        file: String,
        class: Class,
        media_type: &'static str,
        bytes: impl Into<Vec<u8>>,
        variant: VariantDraft,
    ) {
        self.files.push(File { path: file.clone(), media_type, bytes: bytes.into() });
        self.routes.push(RouteDraft {
            path: path.to_owned(),
            class,
            axis: None,
            variants: vec![VariantDraft { file, ..variant }],
            not_found_below: None,
        });
    }
}

/// Estimates the number of tokens, in thousandths: of a letter or a space what its language needs on average, of a
/// digit or a mark more, since addresses and tables are cut into small pieces. The figures were fitted to o200k, and
/// are within a tenth of it for every page of the demonstration.
#[must_use]
pub(super) fn estimate_tokens(markdown: &[u8], locale: Locale) -> u64 {
    let of_a_letter = match locale {
        Locale::En => 182,
        Locale::Tr => 276,
    };
    let thousandths = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b' ' | 0xc0.. => of_a_letter,
        0x80..0xc0 => 0,
        _ => 650,
    };
    markdown.iter().map(thousandths).sum::<u64>().div_ceil(1000)
}
