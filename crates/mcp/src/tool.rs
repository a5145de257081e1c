//! The tools of a build, with the prepared objects that they return.

use std::ops::Range;

use bytes::Bytes;
use contract::PerLocale;
use serde_json::value::RawValue;

use super::json;

/// A tool.
pub(super) struct Tool {
    pub(super) name: Box<str>,
    pub(super) work: Work,
}

/// What a tool does.
pub(super) enum Work {
    /// Returns a prepared object, whole or with a part of its list.
    Listing(Box<PerLocale<Listing>>),
    /// Finds pages.
    Search,
    /// Returns the text of a page that was found.
    Fetch,
    /// Returns the text of any page.
    Page,
}

/// A prepared object.
pub(super) struct Listing {
    pub(super) body: Bytes,
    /// The positions of the items of its list; empty if it has no list.
    pub(super) items: Vec<Range<u32>>,
}

impl Listing {
    /// Prepares the object `body`; `list` names the member that may be cut. `None` if either is not as expected.
    pub(super) fn new(body: Bytes, list: Option<&str>) -> Option<Self> {
        let text = std::str::from_utf8(&body).ok()?;
        let [member] = json::members(text.trim_ascii_end(), [list.unwrap_or_default()]).ok()?;
        let items = match list {
            Some(_) => places(&body, member?)?,
            None => Vec::new(),
        };
        Some(Self { body, items })
    }
}

/// The positions in `body` of the elements of the array `list`, which is a part of it.
fn places(body: &Bytes, list: &RawValue) -> Option<Vec<Range<u32>>> {
    let items: Vec<&RawValue> = serde_json::from_str(list.get()).ok()?;
    let start = body.as_ptr().addr();
    let place = |item: &RawValue| {
        let from = u32::try_from(item.get().as_ptr().addr().checked_sub(start)?).ok()?;
        let to = from.checked_add(u32::try_from(item.get().len()).ok()?)?;
        (to as usize <= body.len()).then_some(from..to)
    };
    items.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_without_its_list_is_no_listing() {
        assert!(Listing::new(Bytes::from_static(b"{\"items\":1}"), Some("items")).is_none());
        assert!(Listing::new(Bytes::from_static(b"{}"), Some("items")).is_none());
        assert!(Listing::new(Bytes::from_static(b"[]"), None).is_none());
    }
}
