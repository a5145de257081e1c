//! HTML pages and their Markdown twins: one function for each kind of page.

mod archives;
mod entries;
mod frame;
mod sections;
mod start;

pub(super) use archives::{Archive, archives};
pub(super) use frame::{files, language_of};

pub(super) use start::{description as start_description, title as start_title};

use contract::{Locale, PerLocale};
use markdown::Forms;

use super::{
    RenderError,
    output::Output,
    shared::Shared,
    theme::{Look, OnFault, Pages, Theme},
    view::ContentsView,
};
use crate::site::{Document, Form, PageKind, Site};
use frame::Body;

/// One page to render. A job names its entry by position, so a list of jobs is small.
#[derive(Clone, Copy, Debug)]
pub(super) enum PageJob<'a> {
    /// `/`.
    Start,
    /// A page that is no entry of a section.
    Single(Locale, usize),
    /// A practice area.
    Area(Locale, usize),
    /// A team member.
    Person(Locale, usize),
    /// A publication.
    Publication(Locale, usize),
    /// The publications of a year or a category.
    Archive(&'a Archive<'a>),
}

impl<'a> PageJob<'a> {
    /// Returns the public path of the page, if it has one: the answer to unknown paths has none.
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

/// Renders pages: holds the shared data and the templates of both locales.
pub(super) struct PageRenderer<'a> {
    shared: &'a PerLocale<Shared<'a>>,
    pages: PerLocale<Pages>,
}

impl<'a> PageRenderer<'a> {
    pub(super) fn new(
        shared: &'a PerLocale<Shared<'a>>,
        theme: &Theme,
        look: &Look,
        on_fault: &OnFault,
    ) -> Result<Self, RenderError> {
        let pages = |locale: Locale| theme.pages(locale, &shared[locale].site_view(), look, on_fault.clone());
        Ok(Self { shared, pages: PerLocale { en: pages(Locale::En)?, tr: pages(Locale::Tr)? } })
    }

    /// Returns the templates of a locale.
    pub(super) fn templates(&self, locale: Locale) -> &Pages {
        &self.pages[locale]
    }

    /// Renders the search page of a locale with places for results, if the firm has one.
    pub(super) fn results(&self, locale: Locale) -> Option<Result<Output, RenderError>> {
        let page = self.shared[locale].content.pages.of(PageKind::Search)?;
        Some(sections::results((&self.shared[locale], &self.pages[locale]), page))
    }

    /// Renders one page.
    pub(super) fn render(&self, job: PageJob) -> Result<Output, RenderError> {
        let of = |locale: Locale| (&self.shared[locale], &self.pages[locale]);
        match job {
            PageJob::Start => start::start(self.shared, &self.pages[Locale::DEFAULT]),
            PageJob::Single(locale, at) => sections::single(of(locale), &self.shared[locale].content.pages.all()[at]),
            PageJob::Area(locale, at) => entries::area(of(locale), &self.shared[locale].content.practice_areas[at]),
            PageJob::Person(locale, at) => entries::person(of(locale), &self.shared[locale].content.team[at]),
            PageJob::Publication(locale, at) => {
                entries::publication(of(locale), &self.shared[locale].content.publications[at])
            }
            PageJob::Archive(archive) => archives::render(of(archive.locale), archive),
        }
    }
}

/// The arguments of a page function: the locale's shared data and templates.
type Locals<'a> = (&'a Shared<'a>, &'a Pages);

/// Returns a document's text in its forms.
fn body_of(shared: &Shared, document: &Document) -> Result<Body, RenderError> {
    let text = shared.site.body(&document.origin)?;
    let rooted = shared.links.targets(document, Form::RootRelative);
    let absolute = shared.links.targets(document, Form::Absolute);
    let Forms { html: page, twin, plain } = markdown::to_forms(&text, document.locale, &rooted, &absolute);
    let contents = page
        .headings
        .into_iter()
        .filter(|heading| heading.level == 2)
        .map(|heading| ContentsView { id: heading.id, text: heading.text })
        .collect();
    Ok(Body { html: page.html, contents, twin, plain: Some(plain) })
}
