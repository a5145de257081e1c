//! What is made of all texts of a locale, in one pass over them.

use super::{RenderError, llms::FullText, output::Output, search::SearchIndex, shared::Shared};
use crate::site::{Document, PageKind};

/// Adds the full text and the search index. One text is in memory at a time.
pub(super) fn texts(shared: &Shared, output: &mut Output) -> Result<(), RenderError> {
    let content = shared.content;
    let mut full = FullText::new(shared);
    let mut index = SearchIndex::new(shared);
    let read = |document: &Document| shared.site.body(&document.origin);
    for page in content.pages.iter().filter(|page| page.kind != PageKind::NotFound) {
        let text = read(&page.document)?;
        full.take(&page.document, &text);
        index.page(page, &text);
    }
    for area in &content.practice_areas {
        let text = read(&area.document)?;
        full.take(&area.document, &text);
        index.practice_area(area, &text);
    }
    for member in &content.team {
        let text = read(&member.document)?;
        full.take(&member.document, &text);
        index.person(member, &text);
    }
    for publication in &content.publications {
        let text = read(&publication.document)?;
        full.take(&publication.document, &text);
        index.publication(publication, &text);
    }
    full.finish(output);
    index.finish(output);
    Ok(())
}
