//! `llms.txt` and `llms-full.txt` per locale: an overview for language models, and the text of the site in one file.

use std::{
    collections::HashMap,
    fmt::Write as _,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use contract::{Locale, PerLocale, manifest::Class, media, routes, text::Date};

use super::{
    RenderError,
    output::{Output, VariantDraft},
    shared::Shared,
};
use crate::site::{Document, Page, PageKind, Publication, twin_path};

/// Maximum number of publications in the overview; all are in the API, and on the page of all publications or in the
/// archives.
const LISTED: usize = 60;
/// Bytes after which the full text takes no further documents: more does not fit a model's context anyway.
const FULL_LIMIT: usize = 2_000_000;

/// Renders the overviews: one in each locale, and the default one at the root.
pub(super) fn overviews(shared: &PerLocale<Shared>) -> Output {
    let mut output = Output::default();
    let mut push = |path: &str, locale: Locale| {
        let variant = VariantDraft { locale: Some(locale), ..VariantDraft::default() };
        output.push(path, Class::Text, media::TEXT, overview(&shared[locale]), variant);
    };
    push(routes::LLMS_TXT, Locale::DEFAULT);
    for locale in Locale::ALL {
        push(&routes::in_locale(locale, routes::LLMS_TXT), locale);
    }
    output
}

/// The full text of a locale: the texts of its documents, in the order of the site, as many as fit. Their lists of
/// other documents are left out: those documents are in the file themselves, or in the file of the other language.
pub(super) struct FullText<'s> {
    shared: &'s Shared<'s>,
    /// The position of each document in the file.
    places: HashMap<&'s str, usize>,
    held: Mutex<Held>,
}

/// The texts of documents, as far as they have arrived and may be needed.
#[derive(Default)]
struct Held {
    told: Vec<Option<String>>,
    /// How many have arrived without a gap, counted from the first; `length` is their size in bytes.
    whole: usize,
    length: usize,
}

impl<'s> FullText<'s> {
    pub(super) fn new(shared: &'s Shared<'s>) -> Self {
        // A word takes at least two bytes, so this holds no more than could be needed.
        let mut least = 0;
        let fits = |document: &&Document| {
            let begins = least <= FULL_LIMIT;
            least += 2 * document.words as usize;
            begins
        };
        let places: HashMap<_, _> = documents(shared)
            .map(|entry| entry.document)
            .take_while(fits)
            .enumerate()
            .map(|(at, it)| (it.path.as_str(), at))
            .collect();
        let held = Held { told: vec![None; places.len()], ..Held::default() };
        Self { shared, places, held: Mutex::new(held) }
    }

    /// Takes the text of a document, if it may be needed.
    pub(super) fn take(&self, document: &Document, told: &[u8]) {
        let Some(place) = self.places.get(document.path.as_str()) else { return };
        let told = String::from_utf8_lossy(told).into_owned();
        let mut held = self.held();
        let Some(place) = held.told.get_mut(*place) else { return };
        *place = Some(told);
        while let Some(Some(told)) = held.told.get(held.whole) {
            held.length += told.len();
            held.whole += 1;
            if held.length > FULL_LIMIT {
                // The file is full: what follows is not needed.
                let whole = held.whole;
                held.told.truncate(whole);
            }
        }
    }

    /// Adds the file of the locale; the default locale's file is also put at the root.
    pub(super) fn finish(&self, output: &mut Output) -> Result<(), RenderError> {
        let shared = self.shared;
        let firm = &shared.site.settings.firm;
        let name = markdown::heading_words(&firm.name[shared.locale]);
        let mut text = format!("# {name}\n\n> {}\n", markdown::line_words(&firm.disclaimer[shared.locale]));
        let told = mem::take(&mut *self.held()).told;
        text.reserve(told.iter().flatten().map(|told| told.len() + 512).sum());
        for ((Entry { document, updated, introduces }, told), number) in documents(shared).zip(told).zip(1_u32..) {
            let told = told.ok_or_else(|| RenderError::Inconsistent(format!("{} was not rendered", document.path)))?;
            let url = shared.site.absolute(&document.path);
            let title = markdown::heading_words(&document.title);
            let _ = write!(text, "\n---\n\n# {title}\n\n<{url}>\n");
            if let Some(updated) = updated {
                let _ = write!(text, "\nlast_updated: {updated}\n");
            }
            if !introduces && !document.description.is_empty() {
                let _ = write!(text, "\n{}\n", markdown::line_words(&document.description));
            }
            let told = markdown::trimmed(&told);
            if !told.is_empty() {
                // Footnotes and references stay with their document (decision 118).
                let told = markdown::with_own_labels(told, &format!("{number}-"));
                let _ = write!(text, "\n{told}\n");
            }
            if text.len() > FULL_LIMIT {
                let _ = write!(
                    text,
                    "\n---\n\n<{}>\n",
                    shared.site.absolute(&routes::in_locale(shared.locale, routes::LLMS_TXT))
                );
                break;
            }
        }
        let variant = || VariantDraft { locale: Some(shared.locale), ..VariantDraft::default() };
        if shared.locale == Locale::DEFAULT {
            output.push(routes::LLMS_FULL_TXT, Class::Text, media::TEXT, text.clone(), variant());
        }
        output.push(
            &routes::in_locale(shared.locale, routes::LLMS_FULL_TXT),
            Class::Text,
            media::TEXT,
            text,
            variant(),
        );
        Ok(())
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A document of the full text.
struct Entry<'s> {
    document: &'s Document,
    /// The date that its twin gives.
    updated: Option<&'s Date>,
    /// Whether its page shows its description, rather than only providing it for lists of pages.
    introduces: bool,
}

/// Returns every document of a locale that has an address, in the order of the site.
fn documents<'s>(shared: &'s Shared) -> impl Iterator<Item = Entry<'s>> {
    let content = shared.content;
    let pages = content.pages.iter().filter(|page| page.kind != PageKind::NotFound);
    let page = |page: &'s Page| Entry { document: &page.document, updated: content.updated(page), introduces: false };
    let entry = |document: &'s Document, introduces: bool| {
        let updated = document.updated.as_ref();
        Entry { document, updated, introduces }
    };
    let article = move |it: &'s Publication| Entry { updated: it.updated(), ..entry(&it.document, true) };
    pages
        .map(page)
        .chain(content.practice_areas.iter().map(move |area| entry(&area.document, true)))
        .chain(content.team.iter().map(move |member| entry(&member.document, false)))
        .chain(content.publications.iter().map(article))
}

/// The words of the overview that are not content.
struct Words {
    sections: &'static str,
    machines: &'static str,
    api: &'static str,
    description: &'static str,
    mcp: &'static str,
    auth: &'static str,
    /// Replaces `auth` where nothing can be registered for.
    key: &'static str,
    full: &'static str,
    other: &'static str,
}

const fn words(locale: Locale) -> Words {
    match locale {
        Locale::En => Words {
            sections: "Pages",
            machines: "For programs",
            api: "the addresses of the lists, which take",
            description: "OpenAPI description of the JSON API",
            mcp: "Model Context Protocol endpoint, Streamable HTTP, no credential needed",
            auth: "how an agent registers, if it wants to",
            key: "the published sandbox key",
            full: "the site’s text in one file",
            other: "this overview in Turkish",
        },
        Locale::Tr => Words {
            sections: "Sayfalar",
            machines: "Programlar için",
            api: "listelerin adresleri; dil seçimi",
            description: "JSON API’nin OpenAPI tanımı",
            mcp: "Model Context Protocol uç noktası, Streamable HTTP, kimlik bilgisi gerekmez",
            auth: "isteyen bir aracının nasıl kaydolacağı",
            key: "yayımlanmış deneme anahtarı",
            full: "sitenin metni tek dosyada",
            other: "bu özetin İngilizcesi",
        },
    }
}

fn overview(shared: &Shared) -> String {
    let site = shared.site;
    let firm = &site.settings.firm;
    let locale = shared.locale;
    let words = words(locale);
    let name = markdown::heading_words(&firm.name[locale]);
    let [description, disclaimer] =
        [&firm.description, &firm.disclaimer].map(|text| markdown::line_words(&text[locale]));
    let mut out = format!("# {name}\n\n> {description}\n\n{disclaimer}\n");
    let content = shared.content;
    let pages = PageKind::ALL.into_iter().filter(|kind| *kind != PageKind::NotFound);
    section(&mut out, shared, words.sections, pages.map(|kind| &shared.page(kind).document));
    let title = |kind: PageKind| shared.page(kind).document.title.as_str();
    let areas = content.practice_areas.iter().map(|area| &area.document);
    section(&mut out, shared, title(PageKind::PracticeAreas), areas);
    section(&mut out, shared, title(PageKind::Team), content.team.iter().map(|member| &member.document));
    let publications = content.publications.iter().take(LISTED).map(|publication| &publication.document);
    section(&mut out, shared, title(PageKind::Publications), publications);
    let _ = write!(
        out,
        "\n## {machines}\n\n\
         - [JSON API]({api_url}): {api} `?locale={locale}`\n\
         - [OpenAPI]({openapi}): {description}\n\
         - [MCP]({card_url}): {mcp}, `{mcp_url}`\n\
         - [auth.md]({auth_url}): {auth}\n\
         \n## Optional\n\n\
         - [llms-full.txt]({full_url}): {full}\n\
         - [llms.txt]({other_url}): {other}\n",
        machines = words.machines,
        api = words.api,
        api_url = site.absolute(routes::API_BASE),
        openapi = site.absolute(routes::OPENAPI),
        description = words.description,
        // An endpoint that accepts only POST is not a document that a link could lead to.
        card_url = site.absolute(routes::SERVER_CARD),
        mcp_url = site.absolute(routes::MCP),
        mcp = words.mcp,
        auth_url = site.absolute(routes::AUTH_MD),
        auth = if site.settings.agents.register() { words.auth } else { words.key },
        full_url = site.absolute(&routes::in_locale(locale, routes::LLMS_FULL_TXT)),
        full = words.full,
        other_url = site.absolute(&routes::in_locale(locale.other(), routes::LLMS_TXT)),
        other = words.other,
    );
    out
}

fn section<'a>(out: &mut String, shared: &Shared, title: &str, documents: impl Iterator<Item = &'a Document>) {
    let _ = write!(out, "\n## {}\n\n", markdown::heading_words(title));
    for document in documents {
        let url = shared.site.absolute(&twin_path(&document.path));
        let _ = write!(out, "- [{}]({url})", markdown::link_words(&document.title));
        if !document.description.is_empty() {
            let _ = write!(out, ": {}", document.description);
        }
        out.push('\n');
    }
}
