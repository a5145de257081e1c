//! The common part of all pages: addresses, alternates, breadcrumbs, and both forms.

use std::{borrow::Cow, mem};

use contract::{
    Locale,
    manifest::{Axis, Class},
    media,
};
use markdown::Plain;
use serde::Serialize;
use site::{ChangeOfLaw, Document, KnownPage, PageKind, twin_path};

use super::{
    super::{
        RenderError, classes,
        output::{File, Output, PageFacts, PageText, RouteDraft, VariantDraft, estimate_tokens},
        shared::Shared,
        theme::{RenderedPage, SharedPart},
        versions::Versions,
        view::{AlternateView, FeedView, Markup, PageView, PlaceView, TranslationView, VersionView},
    },
    Locals,
    source_text::TextForms,
};

/// A page without its text and the data of its kind.
pub(super) struct Frame<'a> {
    pub(super) kind: &'static str,
    pub(super) locale: Locale,
    pub(super) path: &'a str,
    pub(super) title: &'a str,
    pub(super) description: &'a str,
    /// Public path of the same page in the other locale.
    pub(super) translation: Option<&'a str>,
    /// Day on which both languages were last compared.
    pub(super) compared: Option<&'a contract::text::Date>,
    /// Whether the text in the other locale has changed since.
    pub(super) is_stale: bool,
    /// The changes of law that the text does not state yet.
    pub(super) law_changes: &'a [ChangeOfLaw],
    /// Section to which the language switch leads without a translation; without the section, the home page.
    pub(super) fallback: PageKind,
    pub(super) updated: Option<&'a contract::text::Date>,
    /// Parts shared with other pages, besides the navigation.
    pub(super) parts: Vec<SharedPart<'a>>,
    pub(super) section_path: &'a str,
    pub(super) json_ld: String,
    pub(super) indexed: bool,
    pub(super) feeds: Vec<FeedView>,
}

/// Data of one kind of page, in both forms.
pub(super) struct Data<D> {
    pub(super) html: D,
    /// `None` if it is the same as in HTML.
    pub(super) markdown: Option<D>,
}

impl<D> Data<D> {
    pub(super) fn same(data: D) -> Self {
        Self { html: data, markdown: None }
    }
}

impl<'a> Frame<'a> {
    /// Creates the frame of a document's own page.
    pub(super) fn of(document: &'a Document, kind: &'static str, fallback: PageKind) -> Self {
        Self {
            kind,
            locale: document.locale,
            path: &document.path,
            title: &document.title,
            description: &document.description,
            translation: document.translation.as_deref(),
            compared: document.compared.as_ref(),
            is_stale: document.is_stale,
            law_changes: &document.law_changes,
            fallback,
            updated: document.updated.as_ref(),
            parts: Vec::new(),
            section_path: "",
            json_ld: String::new(),
            indexed: true,
            feeds: Vec::new(),
        }
    }

    /// Renders the page and its twin, with their routes.
    pub(super) fn render<D: Serialize>(
        mut self,
        Locals { shared, pages, picture, known, .. }: Locals,
        body: TextForms<'_>,
        data: Data<D>,
    ) -> Result<Output, RenderError> {
        let TextForms { mut html, mut contents, mut twin, plain, source, later } = body;
        let mut parts = mem::take(&mut self.parts);
        parts.push(self.navigation());
        let description = self.description(plain.as_ref());
        let mut view = self.view(shared, description, data.html);
        view.share_picture = picture;
        let parts = pages.parts(&parts)?;
        let data = data.markdown.as_ref();
        // Of a text, its source stands for its forms.
        let text = match &source {
            Some(source) => (source.digest.as_str(), "", &[][..]),
            None => (html.as_str(), twin.as_str(), &*contents),
        };
        let inputs = known.and_then(|known| Some((known, pages.inputs(self.kind, &view, &text, data, &parts)?)));
        if let Some((known, inputs)) = &inputs
            && let Some(page) = known.get(self.path, inputs)
        {
            let text = plain.map(|plain| PageText { content: page.content.0..page.content.1, plain });
            let facts = PageFacts { path: self.path.to_owned(), page: page.clone(), is_kept: true };
            return Ok(Output {
                text,
                page: Some(facts),
                ..self.output(shared, [Vec::new(), Vec::new()], page.tokens)
            });
        }
        if let Some(later) = later {
            TextForms { html, contents, twin, .. } = TextForms::of(later.make(None));
        }
        view.italics = ["<em>", "<blockquote>"].into_iter().any(|tag| html.contains(tag));
        view.body = Markup::new(&html);
        view.contents = contents;
        let RenderedPage { html, twin, content } =
            pages.render(self.kind, &view, markdown::trimmed(&twin), data, parts)?;
        let tokens = estimate_tokens(&twin, self.locale);
        let (text, asked) = source.map(|source| (source.digest, source.asked)).unwrap_or_default();
        let page = inputs.map(|(_, inputs)| PageFacts {
            path: self.path.to_owned(),
            page: KnownPage {
                inputs,
                text,
                asked,
                content: (content.start, content.end),
                tokens,
                ..KnownPage::default()
            },
            is_kept: false,
        });
        let text = plain.map(|plain| PageText { content, plain });
        Ok(Output { text, page, ..self.output(shared, [html, twin], tokens) })
    }

    /// Returns the navigation: the same on all pages of a section except the section's own page.
    fn navigation(&self) -> SharedPart<'a> {
        let section_path = self.section_path;
        let path = if self.path == section_path { section_path } else { "" };
        SharedPart::new("navigation", [path, section_path], move || PlaceView { path, section_path })
    }

    /// Returns the description, or else the opening of the text, or else the title. A paragraph that contains only
    /// pictures is not an opening.
    fn description(&self, plain: Option<&Plain>) -> Cow<'a, str> {
        if self.description.is_empty() {
            plain.and_then(Plain::opening).map_or(Cow::Borrowed(self.title), Cow::Owned)
        } else {
            Cow::Borrowed(self.description)
        }
    }

    /// Returns the page without the forms of its text.
    fn view<'v, D: Serialize>(&self, shared: &'v Shared, description: Cow<'v, str>, data: D) -> PageView<'v, D>
    where
        'a: 'v,
    {
        let site = shared.site;
        let twin = twin_path(self.path);
        let firm = &site.settings.firm.name[self.locale];
        PageView {
            kind: self.kind,
            locale: self.locale.as_str(),
            title: self.title,
            full_title: full_title(self.title, firm),
            description,
            path: self.path,
            url: site.absolute(self.path),
            markdown_path: twin,
            updated: self.updated.map(|date| shared.date(date)),
            alternates: self.alternates(shared),
            versions: self.versions(shared),
            translation: self.translation(shared),
            law_changes: self.law_changes.iter().map(|change| shared.law_change(change)).collect(),
            section_path: self.section_path,
            json_ld: Markup::new(&self.json_ld),
            indexed: self.indexed,
            body: Markup::new(""),
            feeds: self.feeds.clone(),
            share_picture: None,
            italics: false,
            contents: Vec::new(),
            data,
        }
    }

    fn versions(&self, shared: &Shared) -> Vec<VersionView> {
        let view = |(language, path)| VersionView { language, url: shared.site.absolute(path) };
        let versions = Versions::of(shared.site, self.locale, self.path, self.translation);
        if self.indexed { versions.iter().map(view).collect() } else { Vec::new() }
    }

    /// Returns the same page in the other locale, if both were compared or that one is newer.
    fn translation(&self, shared: &Shared) -> Option<TranslationView<'a>> {
        let path = self.translation.filter(|_| self.compared.is_some() || self.is_stale)?;
        let locale = self.locale.other();
        Some(TranslationView {
            locale: locale.as_str(),
            path,
            url: shared.site.absolute(path),
            reviewed: self.compared.map(|date| shared.date(date)),
            stale: self.is_stale,
        })
    }

    fn alternates<'v>(&self, shared: &'v Shared) -> Vec<AlternateView<'v>>
    where
        'a: 'v,
    {
        let view = |locale: Locale| {
            let home = || {
                let section = shared.site.page(locale, self.fallback);
                section.unwrap_or_else(|| shared.site.home(locale)).document.path.as_str()
            };
            // The start page has no language: both home pages are its alternates.
            let is_start = self.path == "/";
            let current = locale == self.locale && !is_start;
            let own = if current { Some(self.path) } else { self.translation };
            let own = if is_start { Some(home()) } else { own };
            let path = own.unwrap_or_else(home);
            AlternateView {
                locale: locale.as_str(),
                language: language_of(locale),
                path,
                url: shared.site.absolute(path),
                current,
                translated: own.is_some(),
            }
        };
        Locale::ALL.into_iter().map(view).collect()
    }

    /// Returns the files with their routes; `tokens` are those of the twin.
    fn output(&self, shared: &Shared, [html, markdown]: [Vec<u8>; 2], tokens: u64) -> Output {
        let twin = twin_path(self.path);
        let [html_file, markdown_file] = files(self.path);
        let tokens = Some(tokens);
        let developers = shared.page(PageKind::Developers).map(|page| page.path.as_str());
        let page_links = classes::page_links(shared.site, self.locale, &twin, developers);
        let html_variant = VariantDraft {
            file: html_file.clone(),
            locale: Some(self.locale),
            link: Some(page_links),
            location: Some(self.path.to_owned()),
            tokens: None,
        };
        let twin_variant = |location: Option<String>| VariantDraft {
            file: markdown_file.clone(),
            locale: Some(self.locale),
            link: Some(classes::twin_links(shared.site, self.locale, self.path, developers)),
            location,
            tokens,
        };
        let page = RouteDraft {
            path: self.path.to_owned(),
            class: Class::Page,
            axis: Some(Axis::Accept),
            variants: vec![html_variant, twin_variant(Some(twin.clone()))],
            not_found_below: None,
        };
        let explicit = RouteDraft {
            path: twin.clone(),
            class: Class::Twin,
            axis: None,
            variants: vec![twin_variant(None)],
            not_found_below: None,
        };
        Output {
            files: vec![
                File { path: html_file, media_type: media::HTML, bytes: html },
                File { path: markdown_file.clone(), media_type: media::MARKDOWN, bytes: markdown },
            ],
            routes: vec![page, explicit],
            ..Output::default()
        }
    }
}

/// Appends the firm's name to a title, if it fits.
fn full_title<'t>(title: &'t str, firm: &str) -> Cow<'t, str> {
    /// Number of characters of a title that search results show.
    const SHOWN: usize = 70;

    let full = (!title.contains(firm)).then(|| format!("{title} – {firm}"));
    full.filter(|full| full.chars().count() <= SHOWN).map_or(Cow::Borrowed(title), Cow::Owned)
}

/// Returns the language's own name.
pub(crate) const fn language_of(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "English",
        Locale::Tr => "Türkçe",
    }
}

/// Returns the files of a page and of its twin, below `dist/`.
pub(crate) fn files(path: &str) -> [String; 2] {
    [html_file(path), twin_path(path).trim_start_matches('/').to_owned()]
}

/// Returns the file of a page. Files are flat, because a folder for each page is much slower to write.
fn html_file(path: &str) -> String {
    if path == "/" { "index.html".to_owned() } else { format!("{}.html", path.trim_start_matches('/')) }
}
