//! Files made from the texts of all pages: the full text and the search index of each locale.
//!
//! Jobs add texts as they are rendered, in any order, so that no text is read and parsed again.

use contract::{Locale, PerLocale};
use markdown::Plain;
use site::PageKind;

use super::{
    RenderError, Theme,
    llms::FullText,
    output::Output,
    pages::{PageJob, PageRenderer},
    search::SearchIndex,
    shared::Shared,
};

pub struct SiteTexts<'s> {
    shared: &'s PerLocale<Shared<'s>>,
    pages: &'s PageRenderer<'s>,
    full: PerLocale<FullText<'s>>,
    index: PerLocale<SearchIndex<'s>>,
}

impl<'s> SiteTexts<'s> {
    pub(super) fn new(shared: &'s PerLocale<Shared<'s>>, pages: &'s PageRenderer<'s>, theme: &'s Theme) -> Self {
        Self {
            shared,
            pages,
            full: PerLocale::build(|locale| FullText::new(&shared[locale])),
            index: PerLocale::build(|locale| SearchIndex::new(&shared[locale], theme)),
        }
    }

    /// Adds the text of a page: the relevant part of its twin, and its words.
    ///
    /// # Errors
    /// If the theme lacks the name of a fact.
    pub(super) fn add(&self, page: PageJob, text: &[u8], plain: Plain) -> Result<(), RenderError> {
        let of = |locale: Locale| (&self.full[locale], &self.index[locale], self.shared[locale].content);
        match page {
            // These have no text of their own, or none that a search should find.
            PageJob::Start | PageJob::Archive(_) => {}
            PageJob::Single(locale, at) => {
                let (full, index, content) = of(locale);
                let page = &content.pages.all()[at];
                if !matches!(page.kind, PageKind::Search | PageKind::NotFound) {
                    full.add(&page.document, text);
                    index.add_page(page, plain)?;
                }
            }
            PageJob::Area(locale, at) => {
                let (full, index, content) = of(locale);
                full.add(&content.practice_areas[at].document, text);
                index.add_practice_area(&content.practice_areas[at], plain);
            }
            PageJob::Person(locale, at) => {
                let (full, index, content) = of(locale);
                full.add(&content.team[at].document, text);
                index.add_person(&content.team[at], plain)?;
            }
            PageJob::Publication(locale, at) => {
                let (full, index, content) = of(locale);
                let publication = &content.publications[at];
                full.add(&publication.document, text);
                if publication.document.translation.is_none() {
                    self.index[locale.other()].add_foreign_publication(&self.shared[locale], publication, &plain);
                }
                index.add_publication(publication, plain);
            }
        }
        Ok(())
    }

    /// Returns whether the full text of a locale may repeat the twin of a page.
    pub(super) fn needs_twin(&self, page: PageJob) -> bool {
        page.path(self.shared.en.site).is_some_and(|path| self.full.iter().any(|(_, full)| full.has_place(path)))
    }

    /// Returns the full text and the search index of a locale, after the texts of all pages were added.
    ///
    /// # Errors
    /// If a text is missing.
    pub fn finish(&self, locale: Locale) -> Result<Output, RenderError> {
        let mut output = Output::default();
        self.full[locale].finish(self.pages.templates(locale), &mut output)?;
        self.index[locale].finish(&mut output);
        Ok(output)
    }
}
