//! `llms.txt` and `llms-full.txt` of each locale: an overview for language models, and the text of the site in one
//! file.

use std::{
    collections::HashMap,
    fmt::Write as _,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use contract::{Locale, PerLocale, manifest::Class, media, routes};
use findings::messages;
use serde_json::{Value, json};
use site::{Agents, Document, PageKind, twin_path};

use super::{
    RenderError, feeds,
    output::{Output, VariantDraft},
    pages::PageRenderer,
    shared::Shared,
    theme::LocaleTemplates,
};

/// Maximum number of publications in the overview; the API, the publications page and the archives list all.
const LISTED: usize = 60;
/// Size in bytes after which the full text takes no more documents: a model's context fits no more.
const FULL_LIMIT: usize = 2_000_000;

/// Renders the overviews for `agents`: one for each locale, and the default locale's at the root.
pub(super) fn overviews(
    shared: &PerLocale<Shared>,
    pages: &PageRenderer,
    agents: &Agents,
) -> Result<Output, RenderError> {
    let mut output = Output::default();
    let mut push = |path: &str, locale: Locale| {
        let text = overview(&shared[locale], pages.templates(locale), agents)?;
        let variant = VariantDraft { locale: Some(locale), ..VariantDraft::default() };
        output.push(path, Class::Text, media::TEXT, text, variant);
        Ok::<_, RenderError>(())
    };
    push(routes::LLMS_TXT, Locale::DEFAULT)?;
    for locale in Locale::ALL {
        push(&routes::in_locale(locale, routes::LLMS_TXT), locale)?;
    }
    Ok(output)
}

fn overview(shared: &Shared, pages: &LocaleTemplates, agents: &Agents) -> Result<String, RenderError> {
    let (site, content, locale) = (shared.site, shared.content, shared.locale);
    let entry = |document: &Document| {
        let url = site.absolute(&twin_path(&document.path));
        // The reference parser of llms.txt ends the words of a link at the first bracket, escaped or not.
        let title = document.title.replace('[', "(").replace(']', ")");
        let newer = document.translation.as_deref().filter(|_| document.is_stale);
        let newer = newer.map(|path| site.absolute(&twin_path(path)));
        json!({ "title": title, "url": url, "description": document.description, "newer": newer })
    };
    let pages_there = content.pages.addressed().map(|page| entry(&page.document)).collect();
    let areas = content.practice_areas.iter().map(|area| entry(&area.document));
    let team = content.team.iter().map(|member| entry(&member.document));
    let publications = content.publications.iter().take(LISTED).map(|publication| {
        let mut entry = entry(&publication.document);
        entry["description"] = feeds::summary(shared, publication)?.into();
        Ok(entry)
    });
    // Names of strings: readers make elements of sections, so that a title is one word.
    let sections: [(&str, Vec<Value>); 4] = [
        ("pages", pages_there),
        ("areas", areas.collect()),
        ("team", team.collect()),
        ("publications", publications.collect::<Result<_, RenderError>>()?),
    ];
    let sections = sections.into_iter().filter(|(_, entries)| !entries.is_empty());
    let view = json!({
        "lists": sections.map(|(name, entries)| json!({ "name": name, "entries": entries })).collect::<Vec<_>>(),
        "service": agents.service,
        "registration": agents.register(),
    });
    let url = json!({
        "api": site.absolute(routes::API_BASE),
        "openapi": site.absolute(routes::OPENAPI),
        "card": site.absolute(routes::SERVER_CARD),
        "mcp": site.absolute(routes::MCP),
        "auth_md": site.absolute(routes::AUTH_MD),
        "full": site.absolute(&routes::in_locale(locale, routes::LLMS_FULL_TXT)),
        "other": site.absolute(&routes::in_locale(locale.other(), routes::LLMS_TXT)),
    });
    Ok(pages.render_document("agents/llms.txt", ("url", &url), ("overview", &view))?)
}

/// The full text of a locale: the texts of its documents in the order of the site, up to [`FULL_LIMIT`]. Lists of other
/// documents are left out, because those are in a full text themselves.
pub(super) struct FullText<'s> {
    shared: &'s Shared<'s>,
    /// Position of each document in the file.
    places: HashMap<&'s str, usize>,
    buffer: Mutex<FullTextBuffer>,
}

/// Texts that arrived and may be needed.
#[derive(Default)]
struct FullTextBuffer {
    texts: Vec<Option<String>>,
    /// Number of texts that arrived without a gap from the first; `bytes` is their size.
    contiguous: usize,
    bytes: usize,
}

impl<'s> FullText<'s> {
    pub(super) fn new(shared: &'s Shared<'s>) -> Self {
        // A word takes at least two bytes, so no document that could be needed is left out.
        let mut least = 0;
        let fits = |document: &&Document| {
            let begins = least <= FULL_LIMIT;
            least += 2 * document.words as usize;
            begins
        };
        let documents = shared.content.documents().map(|(_, document, _)| document).take_while(fits);
        let places: HashMap<_, _> = documents.enumerate().map(|(at, it)| (it.path.as_str(), at)).collect();
        let buffer = FullTextBuffer { texts: vec![None; places.len()], ..FullTextBuffer::default() };
        Self { shared, places, buffer: Mutex::new(buffer) }
    }

    /// Returns whether the text of the document at `path` may be needed.
    pub(super) fn has_place(&self, path: &str) -> bool {
        self.places.contains_key(path)
    }

    /// Adds the text of a document, if it may be needed.
    pub(super) fn add(&self, document: &Document, text: &[u8]) {
        let Some(place) = self.places.get(document.path.as_str()) else { return };
        let text = String::from_utf8_lossy(text).into_owned();
        let mut buffer = self.buffer();
        let Some(place) = buffer.texts.get_mut(*place) else { return };
        *place = Some(text);
        while let Some(Some(text)) = buffer.texts.get(buffer.contiguous) {
            buffer.bytes += text.len();
            buffer.contiguous += 1;
            if buffer.bytes > FULL_LIMIT {
                // The file is full: drop the rest.
                let contiguous = buffer.contiguous;
                buffer.texts.truncate(contiguous);
            }
        }
    }

    /// Adds the file of the locale; the default locale's file is also at the root.
    pub(super) fn finish(&self, pages: &LocaleTemplates, output: &mut Output) -> Result<(), RenderError> {
        let shared = self.shared;
        let firm = &shared.site.settings.firm;
        let name = markdown::heading_words(&firm.name[shared.locale]);
        let mut text = format!("# {name}\n\n> {}\n", markdown::line_words(&firm.disclaimer[shared.locale]));
        let texts = mem::take(&mut *self.buffer()).texts;
        text.reserve(texts.iter().flatten().map(|text| text.len() + 512).sum());
        for (((section, document, updated), body), number) in shared.content.documents().zip(texts).zip(1_u32..) {
            let body = body.ok_or_else(|| RenderError::Inconsistent(messages::output_missing(&document.path)))?;
            let url = shared.site.absolute(&document.path);
            let title = markdown::heading_words(&document.title);
            let _ = write!(text, "\n---\n\n# {title}\n\n<{url}>\n");
            if let Some(updated) = updated {
                let _ = write!(text, "\nlast_updated: {updated}\n");
            }
            if let Some(newer) = document.translation.as_deref().filter(|_| document.is_stale) {
                let _ = write!(text, "\nnewer_translation: <{}>\n", shared.site.absolute(newer));
            }
            if !document.law_changes.is_empty() {
                let changes: Vec<_> = document.law_changes.iter().map(|it| shared.law_change(it)).collect();
                let page = json!({ "law_changes": changes });
                let notices = pages.render_document("twin/law_changes.md", ("page", &page), ("url", &url))?;
                let _ = write!(text, "\n{}\n", notices.trim());
            }
            // Pages of these sections show their description in the text.
            let is_shown = matches!(section, Some(PageKind::PracticeAreas | PageKind::Publications));
            if !is_shown && !document.description.is_empty() {
                let _ = write!(text, "\n{}\n", markdown::line_words(&document.description));
            }
            let body = markdown::trimmed(&body);
            if !body.is_empty() {
                // Footnotes and references of several documents must not share a label.
                let body = markdown::with_own_labels(body, &format!("{number}-"));
                let _ = write!(text, "\n{body}\n");
            }
            if text.len() > FULL_LIMIT {
                let overview = shared.site.absolute(&routes::in_locale(shared.locale, routes::LLMS_TXT));
                let _ = write!(text, "\n---\n\n<{overview}>\n");
                break;
            }
        }
        let root = (shared.locale == Locale::DEFAULT).then(|| routes::LLMS_FULL_TXT.to_owned());
        for path in root.into_iter().chain([routes::in_locale(shared.locale, routes::LLMS_FULL_TXT)]) {
            let variant = VariantDraft { locale: Some(shared.locale), ..VariantDraft::default() };
            output.push(&path, Class::Text, media::TEXT, text.clone(), variant);
        }
        Ok(())
    }

    fn buffer(&self) -> MutexGuard<'_, FullTextBuffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
