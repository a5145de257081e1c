//! Which links and images are open while events are read, and where their text ends.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};
use unicase::UniCase;

use super::destination;

/// A link or an image.
#[derive(Debug)]
pub(super) struct Span<'t> {
    /// The form in which it is written.
    pub(super) form: LinkType,
    /// Where it leads.
    pub(super) destination: CowStr<'t>,
    /// The label of the definition, for a reference.
    pub(super) label: CowStr<'t>,
    /// Whether it is an image.
    pub(super) image: bool,
    /// The whole link or image, except for the empty brackets of a reference `[label][]`.
    pub(super) range: Range<usize>,
    /// Where it ends, including these brackets.
    pub(super) end: usize,
    /// Where the last part of its text ends.
    pub(super) inner_end: usize,
}

/// The links and images that are open, outermost first.
#[derive(Debug)]
pub(super) struct Spans<'t> {
    text: &'t str,
    open: Vec<Span<'t>>,
}

impl<'t> Spans<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, open: Vec::new() }
    }

    /// Processes an event. Returns the link or image that ends with it.
    pub(super) fn see(&mut self, event: &Event<'t>, range: &Range<usize>) -> Option<Span<'t>> {
        if let Event::End(TagEnd::Link | TagEnd::Image) = event {
            let span = self.open.pop()?;
            if let Some(outer) = self.open.last_mut() {
                outer.inner_end = outer.inner_end.max(span.end);
            }
            return Some(span);
        }
        if let Some(outer) = self.open.last_mut() {
            outer.inner_end = outer.inner_end.max(range.end);
        }
        let (form, destination, label, image) = match event {
            Event::Start(Tag::Link { link_type, dest_url, id, .. }) => (*link_type, dest_url, id, false),
            Event::Start(Tag::Image { link_type, dest_url, id, .. }) => (*link_type, dest_url, id, true),
            _ => return None,
        };
        let mut end = range.end;
        if form == LinkType::Collapsed {
            // The parser does not count the empty brackets.
            end += self.text[end..].find(']').map_or(0, |closing| closing + "]".len());
        }
        self.open.push(Span {
            form,
            destination: destination::meant(form, destination.clone()),
            label: label.clone(),
            image,
            range: range.clone(),
            end,
            inner_end: range.start + 1 + usize::from(image),
        });
        None
    }

    /// Returns whether the current event is part of the text of a picture.
    pub(super) fn in_image(&self) -> bool {
        self.open.iter().any(|span| span.image)
    }
}

/// Folds `label` as the parser does to compare it: `ß` equals `ss`, and a final sigma any other sigma.
pub(crate) fn folded(label: &str) -> String {
    UniCase::new(label).to_folded_case()
}
