//! Files made from the texts of all pages: the full text and the search index of each locale.
//!
//! Pages hand over their texts as they are rendered, in any order, so that no text is read and parsed again.

use contract::{Locale, PerLocale};
use markdown::Plain;
use site::PageKind;

use super::{RenderError, Theme, llms::FullText, output::Output, pages::PageJob, search::SearchIndex, shared::Shared};

/// The texts collected so far.
pub struct Texts<'s> {
    shared: &'s PerLocale<Shared<'s>>,
    full: PerLocale<FullText<'s>>,
    index: PerLocale<SearchIndex<'s>>,
}

impl<'s> Texts<'s> {
    pub(super) fn new(shared: &'s PerLocale<Shared<'s>>, theme: &'s Theme) -> Self {
        Self {
            shared,
            full: PerLocale::build(|locale| FullText::new(&shared[locale])),
            index: PerLocale::build(|locale| SearchIndex::new(&shared[locale], theme)),
        }
    }

    /// Takes the text of a page: what its twin says, and its words.
    ///
    /// # Errors
    /// When the theme lacks the name of a fact.
    pub(super) fn take(&self, page: PageJob, told: &[u8], plain: Plain) -> Result<(), RenderError> {
        let of = |locale: Locale| (&self.full[locale], &self.index[locale], self.shared[locale].content);
        match page {
            // These have no text of their own, or none to be found by a search.
            PageJob::Start | PageJob::Archive(_) => {}
            PageJob::Single(locale, at) => {
                let (full, index, content) = of(locale);
                let page = &content.pages.all()[at];
                if !matches!(page.kind, PageKind::Search | PageKind::NotFound) {
                    full.take(&page.document, told);
                    index.page(page, plain)?;
                }
            }
            PageJob::Area(locale, at) => {
                let (full, index, content) = of(locale);
                full.take(&content.practice_areas[at].document, told);
                index.practice_area(&content.practice_areas[at], plain);
            }
            PageJob::Person(locale, at) => {
                let (full, index, content) = of(locale);
                full.take(&content.team[at].document, told);
                index.person(&content.team[at], plain)?;
            }
            PageJob::Publication(locale, at) => {
                let (full, index, content) = of(locale);
                let publication = &content.publications[at];
                full.take(&publication.document, told);
                if publication.document.translation.is_none() {
                    self.index[locale.other()].elsewhere(&self.shared[locale], publication, &plain);
                }
                index.publication(publication, plain);
            }
        }
        Ok(())
    }

    /// Returns the full text and the search index of a locale, once the text of every page has been taken.
    ///
    /// # Errors
    /// When a text is missing.
    pub fn finish(&self, locale: Locale) -> Result<Output, RenderError> {
        let mut output = Output::default();
        self.full[locale].finish(&mut output)?;
        self.index[locale].finish(&mut output);
        Ok(output)
    }
}
