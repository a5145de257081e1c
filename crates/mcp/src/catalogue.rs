//! The prepared answers of one build. Immutable; the texts are shared with the bytes of the build.

use bytes::Bytes;
use citations::{Law, Laws};
use contract::{
    Locale, PerLocale,
    manifest::{LAWS, SEARCH},
    mcp::{self as words, Era, PART, Prompt, Source, Template, limits, meta},
};
use search::{Index, IndexError};
use serde_json::value::RawValue;

use super::{
    filters::ListFilter,
    pages::PageIndex,
    skill::PreparedSkill,
    tool::{CatalogueTool, Listing, Listings, Work},
};

/// The prepared answers.
pub struct Catalogue {
    /// The first members of results in new revisions: of cacheable results, and of others.
    kept: Vec<u8>,
    fresh: Vec<u8>,
    /// Members of results.
    pub(super) initialize: Bytes,
    pub(super) discover: Bytes,
    pub(super) tools: Bytes,
    pub(super) prompts: Bytes,
    pub(super) templates: Bytes,
    pub(super) answers: Vec<CatalogueTool>,
    pub(super) texts: Vec<Prompt>,
    pub(super) patterns: Vec<Template>,
    pub(super) pages: PageIndex,
    pub(super) skills: Vec<PreparedSkill>,
    /// The search index of each language.
    pub indexes: PerLocale<Option<Index>>,
    /// The laws that searches may name.
    pub laws: Laws,
    /// Binds cursors to the build.
    pub(super) build: Box<str>,
}

/// Why a catalogue is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogueError {
    /// It contradicts the build.
    Unsound,
    /// A search index of the build cannot be read.
    Index(IndexError),
}

/// The parts of a build from which the catalogue is assembled.
pub struct BuildParts<'a> {
    /// Origin of the site.
    pub site_url: &'a str,
    /// Name of the build.
    pub name: &'a str,
    /// Returns the body of the route at a path, in this language if the language selects it.
    pub body: &'a dyn Fn(&str, Option<Locale>) -> Option<Bytes>,
    /// Returns the part of this name, which exists once or once for each language.
    pub part: &'a dyn Fn(&str, Option<Locale>) -> Option<&'a Bytes>,
    /// Returns the SHA-256 of a text in lower-case hexadecimal.
    pub sha256: &'a dyn Fn(&[u8]) -> String,
    /// Whether the service trusts a provider.
    pub has_providers: bool,
}

impl Catalogue {
    /// Prepares the catalogue of a verified build, if it has one. `redirects` are pairs of paths.
    pub fn of<'a>(
        build: &BuildParts<'_>,
        redirects: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<Option<Self>, CatalogueError> {
        let Some(part) = (build.part)(PART, None) else { return Ok(None) };
        let text = std::str::from_utf8(part).map_err(|_| CatalogueError::Unsound)?;
        let read: words::PreparedCatalogue<&RawValue, &RawValue> =
            serde_json::from_str(text).map_err(|_| CatalogueError::Unsound)?;
        let pages =
            PageIndex::new(build.site_url, part.clone(), read.pages, |twin| (build.body)(twin, None), redirects);
        let answers: Option<Vec<CatalogueTool>> = read
            .answers
            .into_iter()
            .map(|answer| {
                let list = answer.list.as_deref();
                let listing = |of: &dyn Fn(Locale) -> Option<Bytes>| {
                    let listings = PerLocale {
                        en: Listing::new(of(Locale::En)?, list)?,
                        tr: Listing::new(of(Locale::Tr)?, list)?,
                    };
                    let counts =
                        PerLocale::build(|locale| listings[locale].list.as_ref().map_or(0, |list| list.items.len()));
                    let filters = answer.filters.into_iter().map(|filter| ListFilter::new(filter, &counts));
                    let (counted, searched) = (answer.counted, answer.searched);
                    let filters = filters.collect::<Option<_>>()?;
                    Some(Work::Listing(Box::new(Listings { locales: listings, filters, counted, searched })))
                };
                let work = match answer.source {
                    Source::Route(path) => listing(&|locale| (build.body)(&path, Some(locale)))?,
                    Source::Prepared(both) => listing(&|locale| Some(part.slice_ref(both[locale].get().as_bytes())))?,
                    Source::Search => Work::Search,
                    Source::Fetch => Work::Fetch,
                    Source::Page => Work::Page,
                };
                Some(CatalogueTool { name: answer.name.into(), work })
            })
            .collect();
        let members = |raw: &RawValue| inside(part, raw).ok_or(CatalogueError::Unsound);
        let capabilities = if build.has_providers { read.capabilities } else { read.capabilities_without_providers };
        let with_capabilities = |raw: &RawValue| {
            let mut all = format!("\"capabilities\":{}", capabilities.get()).into_bytes();
            if let Some(others) = inside(part, raw) {
                all.push(b',');
                all.extend_from_slice(&others);
            }
            Bytes::from(all)
        };
        let skills = read.skills.iter().filter_map(|skill| {
            // The build, as this service narrows it, may lack its text.
            let text = (build.body)(&skill.path, None)?;
            let digest = (build.sha256)(&text);
            PreparedSkill::new(skill, text, &digest)
        });
        let skills = skills.collect();
        let (kept, fresh) = decorations(read.server);
        Ok(Some(Self {
            kept,
            fresh,
            initialize: with_capabilities(read.initialize),
            discover: with_capabilities(read.discover),
            tools: members(read.tools)?,
            prompts: members(read.prompts)?,
            templates: members(read.templates)?,
            answers: answers.ok_or(CatalogueError::Unsound)?,
            texts: read.texts,
            patterns: read.patterns,
            pages: pages.ok_or(CatalogueError::Unsound)?,
            skills,
            laws: laws(build)?,
            indexes: PerLocale { en: index(build, Locale::En)?, tr: index(build, Locale::Tr)? },
            build: build.name.get(..16).unwrap_or(build.name).into(),
        }))
    }

    /// Returns the first members of results of `era`.
    pub(super) fn decoration(&self, era: Era, is_kept: bool) -> &[u8] {
        match era {
            Era::Handshake => &[],
            Era::PerRequest if is_kept => &self.kept,
            Era::PerRequest => &self.fresh,
        }
    }
}

fn laws(build: &BuildParts<'_>) -> Result<Laws, CatalogueError> {
    let mut laws = Laws::default();
    if let Some(bytes) = (build.part)(LAWS, None) {
        let own: Vec<Law> = serde_json::from_slice(bytes).map_err(|_| CatalogueError::Unsound)?;
        laws.add(own);
    }
    Ok(laws)
}

fn index(build: &BuildParts<'_>, locale: Locale) -> Result<Option<Index>, CatalogueError> {
    let Some(bytes) = (build.part)(SEARCH, Some(locale)) else { return Ok(None) };
    Index::parse(bytes.clone()).map(Some).map_err(CatalogueError::Index)
}

/// Returns the first members of cacheable results, and those of others.
fn decorations(server: &RawValue) -> (Vec<u8>, Vec<u8>) {
    let fresh = format!("\"resultType\":\"complete\",\"_meta\":{{\"{}\":{}}},", meta::SERVER_INFO, server.get());
    let kept = format!("{fresh}\"ttlMs\":{},\"cacheScope\":\"public\",", limits::TTL_MS);
    (kept.into_bytes(), fresh.into_bytes())
}

/// Returns the members of an object in `part`, without the braces; `None` if it is empty.
fn inside(part: &Bytes, raw: &RawValue) -> Option<Bytes> {
    let members = raw.get().strip_prefix('{')?.strip_suffix('}')?.trim();
    (!members.is_empty()).then(|| part.slice_ref(members.as_bytes()))
}
