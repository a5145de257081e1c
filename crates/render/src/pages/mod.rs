//! HTML pages and their Markdown twins: one function for each kind of page.

mod archives;
mod entries;
mod frame;
mod sections;
mod source_text;
mod start;

pub(super) use archives::{Archive, archives};
pub(super) use frame::{files, language_of};

pub(super) use start::{description as start_description, title as start_title};

use contract::{Locale, PerLocale};
use markdown::{Heading, names_article};

use super::{
    RenderError,
    output::Output,
    share::{ShareCard, SharePictures},
    shared::Shared,
    theme::{LocaleTemplates, Look, OnFault, Theme},
    view::{ContentsView, PictureView},
};
use site::{Agents, ArticleEntry, Document, KnownPages, PageKind, Site};
use source_text::TextForms;

/// One page to render. Entries are named by position, so a list of jobs is small.
#[derive(Clone, Copy, Debug)]
pub(super) enum PageJob<'a> {
    /// `/`.
    Start,
    /// A page outside sections.
    Single(Locale, usize),
    Area(Locale, usize),
    Person(Locale, usize),
    Publication(Locale, usize),
    /// The publications of a year or a category.
    Archive(&'a Archive<'a>),
}

impl<'a> PageJob<'a> {
    /// Returns the public path of the page; `None` for the 404 page.
    pub(super) fn path(self, site: &'a Site) -> Option<&'a str> {
        Some(match self {
            Self::Start => "/",
            Self::Single(locale, at) => {
                let page = &site.content[locale].pages.all()[at];
                if page.kind == PageKind::NotFound {
                    return None;
                }
                &page.document.path
            }
            Self::Area(locale, at) => &site.content[locale].practice_areas[at].document.path,
            Self::Person(locale, at) => &site.content[locale].team[at].document.path,
            Self::Publication(locale, at) => &site.content[locale].publications[at].document.path,
            Self::Archive(archive) => &archive.path,
        })
    }
}

/// Returns every page of the site except the archives.
pub(super) fn jobs(site: &Site) -> Vec<PageJob<'static>> {
    let mut jobs = vec![PageJob::Start];
    for (locale, content) in site.content.iter() {
        jobs.extend((0..content.pages.all().len()).map(|at| PageJob::Single(locale, at)));
        jobs.extend((0..content.practice_areas.len()).map(|at| PageJob::Area(locale, at)));
        jobs.extend((0..content.team.len()).map(|at| PageJob::Person(locale, at)));
        jobs.extend((0..content.publications.len()).map(|at| PageJob::Publication(locale, at)));
    }
    jobs
}

/// Renders pages from the shared data and the templates of both locales.
pub(super) struct PageRenderer<'a> {
    shared: &'a PerLocale<Shared<'a>>,
    pages: PerLocale<LocaleTemplates>,
    pictures: SharePictures<'a>,
    /// The label of a review date, by locale.
    law_as_of: PerLocale<String>,
}

impl<'a> PageRenderer<'a> {
    pub(super) fn new(
        shared: &'a PerLocale<Shared<'a>>,
        theme: &Theme,
        look: &Look,
        on_fault: &OnFault,
    ) -> Result<Self, RenderError> {
        let pages = |locale: Locale| theme.pages(locale, &shared[locale].site_view(), look, on_fault.clone());
        let law_as_of = |locale| theme.word(locale, "share/law_as_of");
        Ok(Self {
            shared,
            pages: PerLocale { en: pages(Locale::En)?, tr: pages(Locale::Tr)? },
            pictures: SharePictures::new(shared.en.site, look.palette),
            law_as_of: PerLocale { en: law_as_of(Locale::En)?, tr: law_as_of(Locale::Tr)? },
        })
    }

    pub(super) fn templates(&self, locale: Locale) -> &LocaleTemplates {
        &self.pages[locale]
    }

    /// Renders the search page of a locale with slots for results, if the firm has one.
    pub(super) fn results(&self, locale: Locale) -> Option<Result<Output, RenderError>> {
        let shared = &self.shared[locale];
        let page = shared.content.pages.of(PageKind::Search)?;
        let agents = &shared.site.settings.agents;
        let of = Locals { shared, pages: &self.pages[locale], picture: shared.share_picture(), agents, known: None };
        Some(sections::results(of, page))
    }

    /// Whether the page has a share picture of its own.
    pub(super) fn has_own_picture(&self, job: PageJob) -> bool {
        self.home_instead_of(job).is_none() && self.card(job).is_some()
    }

    /// Returns the home page if the page uses its share picture, because links to the page are rarely shared.
    fn home_instead_of<'j>(&self, job: PageJob<'j>) -> Option<PageJob<'j>> {
        let all = |locale: Locale| self.shared[locale].content.pages.all();
        let locale = match job {
            PageJob::Single(locale, at) if all(locale)[at].kind.is_rarely_shared() => locale,
            PageJob::Archive(archive) if archive.is_rarely_shared() => archive.locale,
            _ => return None,
        };
        let home = all(locale).iter().position(|page| page.kind == PageKind::Home)?;
        Some(PageJob::Single(locale, home))
    }

    /// Returns the path of the share picture of a page, if one is drawn.
    pub(super) fn share_picture(&self, job: PageJob) -> Option<String> {
        Some(self.pictures.path(&self.card(job)?))
    }

    /// Draws the share picture of a page; returns its path and bytes.
    pub(super) fn draw(&self, job: PageJob) -> Result<Option<(String, Vec<u8>)>, RenderError> {
        let drawn = |card: ShareCard| Ok((self.pictures.path(&card), self.pictures.draw(&card)?));
        self.card(job).map(drawn).transpose()
    }

    /// Returns the text of a page's share picture; `None` if the site has one picture for all pages.
    fn card(&self, job: PageJob) -> Option<ShareCard> {
        let site = self.shared.en.site;
        if site.settings.firm.share_picture.is_some() {
            return None;
        }
        let job = self.home_instead_of(job).unwrap_or(job);
        let path = job.path(site)?.to_owned();
        let card = |locale, title: &str, label: &str| ShareCard {
            locale,
            path,
            title: title.to_owned(),
            label: label.to_owned(),
        };
        Some(match job {
            PageJob::Start => card(Locale::DEFAULT, &site.settings.firm.short_name, ""),
            PageJob::Single(locale, at) => {
                let page = &site.content[locale].pages.all()[at];
                let tagline = &site.settings.firm.tagline[locale];
                card(locale, &page.document.title, if page.kind == PageKind::Home { tagline } else { "" })
            }
            PageJob::Area(locale, at) => {
                let section = self.shared[locale].page(PageKind::PracticeAreas).map_or("", |section| &section.title);
                card(locale, &site.content[locale].practice_areas[at].document.title, section)
            }
            PageJob::Person(locale, at) => {
                let person = &site.content[locale].team[at];
                card(locale, &person.document.title, &person.title)
            }
            PageJob::Publication(locale, at) => {
                let publication = &site.content[locale].publications[at];
                card(locale, &publication.document.title, &self.label(locale, publication))
            }
            PageJob::Archive(archive) => card(archive.locale, &archive.heading(&self.shared[archive.locale]), ""),
        })
    }

    /// Returns the subject and the date of an article.
    fn label(&self, locale: Locale, publication: &ArticleEntry) -> String {
        let shared = &self.shared[locale];
        let reviewed = publication
            .document
            .updated
            .as_ref()
            .map(|date| self.law_as_of[locale].replace("{date}", &shared.date(date).text));
        let date = reviewed.or_else(|| Some(shared.date(publication.date.as_ref()?).text));
        let subject = shared.category_name(publication).map(str::to_owned);
        subject.into_iter().chain(date).collect::<Vec<_>>().join(" · ")
    }

    /// Returns the share picture of a page: the site's, or the page's own.
    fn picture(&self, job: PageJob, locale: Locale) -> Option<PictureView> {
        let own = self.card(job).map(|card| self.pictures.view(&card));
        own.or_else(|| self.shared[locale].share_picture())
    }

    /// Returns the arguments of a page function for `agents`.
    fn locals<'l>(&'l self, job: PageJob, locale: Locale, agents: &'l Agents) -> Locals<'l> {
        let (shared, pages) = (&self.shared[locale], &self.pages[locale]);
        Locals { shared, pages, picture: self.picture(job, locale), agents, known: None }
    }

    /// Renders a page, or keeps the one among `known` with the same inputs, without the bytes of its files.
    pub(super) fn render(&self, job: PageJob, known: Option<&KnownPages>) -> Result<Output, RenderError> {
        let settings = &self.shared.en.site.settings.agents;
        let of = |locale| Locals { known, ..self.locals(job, locale, settings) };
        match job {
            PageJob::Start => start::start(self.shared, of(Locale::DEFAULT)),
            PageJob::Single(locale, at) => {
                let page = &self.shared[locale].content.pages.all()[at];
                if page.kind == PageKind::Developers {
                    Output::render_narrowed(settings, |agents| sections::single(self.locals(job, locale, agents), page))
                } else {
                    sections::single(of(locale), page)
                }
            }
            PageJob::Area(locale, at) => entries::area(of(locale), &self.shared[locale].content.practice_areas[at]),
            PageJob::Person(locale, at) => entries::person(of(locale), &self.shared[locale].content.team[at]),
            PageJob::Publication(locale, at) => {
                entries::publication(of(locale), &self.shared[locale].content.publications[at])
            }
            PageJob::Archive(archive) => archives::render(of(archive.locale), archive),
        }
    }
}

struct Locals<'a> {
    shared: &'a Shared<'a>,
    pages: &'a LocaleTemplates,
    picture: Option<PictureView>,
    /// The agent settings of the rendered variant.
    agents: &'a Agents,
    /// The pages that need not be rendered again.
    known: Option<&'a KnownPages>,
}

/// Returns a document's text in its forms.
fn body_of<'a>(locals: &Locals<'a>, document: &'a Document) -> Result<TextForms<'a>, RenderError> {
    body_with(locals, document, "")
}

/// Parts of a statute from which on their articles are folded in the table of contents.
const FOLDED_PARTS: usize = 4;

/// Returns the sections of the second level, each with the articles of a statute in it: those have many, and are what a
/// reader looks for.
fn contents_of(headings: Vec<Heading>) -> Vec<ContentsView> {
    let mut contents: Vec<ContentsView> = Vec::new();
    for heading in headings {
        let entry = |heading: Heading| ContentsView { id: heading.id, text: heading.text, articles: Vec::new() };
        match (heading.level, contents.last_mut()) {
            (2, _) => contents.push(entry(heading)),
            (_, Some(part)) if names_article(&heading.text) => part.articles.push(entry(heading)),
            _ => {}
        }
    }
    if contents.len() >= FOLDED_PARTS {
        return contents;
    }
    let with_articles = |mut part: ContentsView| {
        let articles = std::mem::take(&mut part.articles);
        std::iter::once(part).chain(articles)
    };
    contents.into_iter().flat_map(with_articles).collect()
}

/// Returns a document's text, followed by `more` in Markdown, in its forms.
fn body_with<'a>(locals: &Locals<'a>, document: &'a Document, more: &str) -> Result<TextForms<'a>, RenderError> {
    let mut text = locals.shared.site.body(&document.origin)?;
    if !more.is_empty() {
        // Close whatever the text left open, such as a paragraph.
        text.truncate(text.trim_end().len());
        text.push_str("\n\n");
        text.push_str(more);
    }
    Ok(source_text::forms(locals.shared, document, text, locals.known))
}
