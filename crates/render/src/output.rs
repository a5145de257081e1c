//! The results of rendering: files with their bytes, and the routes that serve them.

use std::ops::Range;

use contract::{
    Locale,
    manifest::{Abilities, Axis, Class, PARTS},
};
use findings::messages;
use markdown::Plain;
use site::{Agents, KnownPage};

use super::RenderError;

/// The result of one job. Every file that a route names is in the same result.
#[derive(Debug, Default)]
pub struct Output {
    pub files: Vec<File>,
    /// Routes that answer with these files.
    pub routes: Vec<RouteDraft>,
    /// Parts that the sidecar answers from, besides the routes.
    pub parts: Vec<PartDraft>,
    /// The text of the rendered page, for files that are made from all texts.
    pub(super) text: Option<PageText>,
    /// What a later build must know so as not to render the page again.
    pub page: Option<PageFacts>,
}

/// A page with what it was rendered from.
#[derive(Debug)]
pub struct PageFacts {
    pub path: String,
    /// Without the digests of its files unless `is_kept`.
    pub page: KnownPage,
    /// The page is that of the last build: the files of the output have no bytes.
    pub is_kept: bool,
}

#[derive(Debug)]
pub(super) struct PageText {
    /// The range of the twin with its facts and the author's Markdown; starts with an empty line unless it is empty.
    pub(super) content: Range<usize>,
    /// The words of the page as plain text.
    pub(super) plain: Plain,
}

#[derive(Debug)]
pub struct File {
    /// Path below `dist/`, with `/` between its segments.
    pub path: String,
    /// Value of `Content-Type`.
    pub media_type: &'static str,
    pub bytes: Vec<u8>,
}

/// A route whose variants still lack sizes and digests.
#[derive(Debug)]
pub struct RouteDraft {
    pub path: String,
    pub class: Class,
    /// The request property that selects the variant.
    pub axis: Option<Axis>,
    /// The first variant is the default.
    pub variants: Vec<VariantDraft>,
    /// Prefix of the paths for which this is the 404 response; such a draft is not a route of its own.
    pub not_found_below: Option<String>,
}

/// A file without an address, which the sidecar reads by its name.
#[derive(Debug)]
pub struct PartDraft {
    pub name: String,
    /// Path of the file below `dist/`.
    pub file: String,
    /// Language of the content.
    pub locale: Option<Locale>,
    /// Path of the page that the sidecar renders from it, for hosts that pass requests on.
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
    /// Returns a variant in English, the language for programs.
    pub(super) fn english() -> Self {
        Self { locale: Some(Locale::En), ..Self::default() }
    }
}

impl Output {
    /// Returns an output with a single file at the path of the same name.
    pub fn single(path: &str, class: Class, media_type: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        let mut output = Self::default();
        output.push(path, class, media_type, bytes, VariantDraft::default());
        output
    }

    /// Returns a range of the twin, which is the second file of a page.
    ///
    /// # Errors
    /// If it does not exist.
    pub(super) fn twin_range(&self, range: Range<usize>) -> Result<&[u8], RenderError> {
        let twin = self.files.get(1).and_then(|twin| twin.bytes.get(range));
        twin.ok_or_else(|| RenderError::Inconsistent(messages::twin_incomplete()))
    }

    /// Adds a file at the path of the same name.
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

    /// Adds a file that the sidecar reads by `name` and `locale`.
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

    /// Renders files that describe the service for `settings`; and again, as parts, for each lesser service that the
    /// sidecar may run.
    pub(super) fn render_narrowed(
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
            // The text goes to files without lesser variants, so it ends before the content that depends on the
            // service.
            if let (Some(text), Some(lesser)) = (&mut output.text, lesser.text) {
                text.content.end = text.content.end.min(lesser.content.end);
            }
        }
        Ok(output)
    }

    /// Adds a file at a path with another name.
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

/// Estimates the number of tokens, in thousandths per byte: for a letter or a space the average of its language, for
/// digits and marks more, because addresses and tables split into small tokens. Fitted to o200k, and within a tenth of
/// it for every page of the demonstration.
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
