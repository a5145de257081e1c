//! The links and images that are open while events are read, and where their text ends.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};
use unicase::UniCase;

use super::destination;

#[derive(Debug)]
pub(super) struct LinkSpan<'t> {
    pub(super) form: LinkType,
    pub(super) destination: CowStr<'t>,
    /// The label of a reference's definition.
    pub(super) label: CowStr<'t>,
    pub(super) image: bool,
    /// The whole link or image, without the empty brackets of a reference `[label][]`.
    pub(super) range: Range<usize>,
    /// The end, including these brackets.
    pub(super) end: usize,
    /// Where the last part of its text ends.
    pub(super) inner_end: usize,
}

/// The links and images that are open, outermost first.
#[derive(Debug)]
pub(super) struct OpenSpans<'t> {
    text: &'t str,
    open: Vec<LinkSpan<'t>>,
}

impl<'t> OpenSpans<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, open: Vec::new() }
    }

    /// Processes an event; returns the link or image that it ends.
    pub(super) fn process(&mut self, event: &Event<'t>, range: &Range<usize>) -> Option<LinkSpan<'t>> {
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
            // The parser's range leaves out the empty brackets.
            end += self.text[end..].find(']').map_or(0, |closing| closing + "]".len());
        }
        self.open.push(LinkSpan {
            form,
            destination: destination::resolve_mailbox(form, destination.clone()),
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

/// Folds `label` as the parser does for comparison: `ß` equals `ss`, a final sigma any other sigma.
pub(crate) fn fold_label(label: &str) -> String {
    UniCase::new(label).to_folded_case()
}
