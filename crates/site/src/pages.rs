//! The pages of a locale, apart from the entries of its sections.

use super::{Page, PageKind};

/// The pages of a locale; the home page, the contact page and the page for unknown paths always exist.
#[derive(Clone, Debug)]
pub struct Pages {
    /// By kind, then by key.
    all: Vec<Page>,
    // Positions of the pages that every site has.
    home: usize,
    contact: usize,
    not_found: usize,
}

impl Pages {
    /// Sorts the pages into the order of the site. Returns `None` if a required page is missing.
    pub(super) fn new(mut all: Vec<Page>) -> Option<Self> {
        all.sort_by(|a, b| a.kind.cmp(&b.kind).then_with(|| a.document.key.cmp(&b.document.key)));
        let place = |kind: PageKind| all.iter().position(|page| page.kind == kind);
        let (home, contact, not_found) =
            (place(PageKind::Home)?, place(PageKind::Contact)?, place(PageKind::NotFound)?);
        Some(Self { all, home, contact, not_found })
    }

    pub fn home(&self) -> &Page {
        &self.all[self.home]
    }

    /// Returns the page with the contact details.
    pub fn contact(&self) -> &Page {
        &self.all[self.contact]
    }

    /// Returns the answer to an unknown path.
    pub fn not_found(&self) -> &Page {
        &self.all[self.not_found]
    }

    /// Returns the page of a kind, if it exists in this locale; the first one of [`PageKind::Free`].
    pub fn of(&self, kind: PageKind) -> Option<&Page> {
        self.all.get(self.all.partition_point(|page| page.kind < kind)).filter(|page| page.kind == kind)
    }

    pub fn with_key(&self, key: &str) -> Option<&Page> {
        self.all.iter().find(|page| page.document.key == key)
    }

    /// Returns all pages, in the order of the site.
    pub fn all(&self) -> &[Page] {
        &self.all
    }

    pub(super) fn all_mut(&mut self) -> &mut [Page] {
        &mut self.all
    }

    /// Returns the pages that lists and indexes contain: all but the search and the answer to an unknown path.
    pub fn addressed(&self) -> impl Iterator<Item = &Page> {
        self.all.iter().filter(|page| !matches!(page.kind, PageKind::Search | PageKind::NotFound))
    }
}
