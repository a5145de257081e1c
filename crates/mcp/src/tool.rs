//! The tools of a build, with the prepared objects that they return.

use std::ops::Range;

use bytes::Bytes;
use contract::PerLocale;
use serde_json::value::RawValue;

use super::{filters::ListFilter, json};

/// A tool.
pub(super) struct CatalogueTool {
    pub(super) name: Box<str>,
    pub(super) work: Work,
}

/// What a tool does.
pub(super) enum Work {
    /// Returns a prepared object, whole or with a part of its list.
    Listing(Box<Listings>),
    /// Finds pages.
    Search,
    /// Returns the text of a page that was found.
    Fetch,
    /// Returns the text of any page.
    Page,
}

/// A prepared object in each language, and what selects items of its list.
pub(super) struct Listings {
    pub(super) listings: PerLocale<Listing>,
    pub(super) filters: Vec<ListFilter>,
    /// The member of an item whose elements `count` counts, if it does not count the items.
    pub(super) counted: Option<String>,
    /// The members of an item that `query` looks into.
    pub(super) searched: Vec<String>,
}

/// A prepared object.
pub(super) struct Listing {
    pub(super) body: Bytes,
    pub(super) list: Option<ListPositions>,
}

/// The list of a prepared object, as positions in it.
pub(super) struct ListPositions {
    /// What `count` says, which stands before the list.
    pub(super) count: Range<u32>,
    /// All items with what separates them.
    pub(super) inside: Range<u32>,
    pub(super) items: Vec<Range<u32>>,
}

impl Listing {
    /// Prepares the object `body`; `list` names the member that may be cut. `None` if either is not as expected.
    pub(super) fn new(body: Bytes, list: Option<&str>) -> Option<Self> {
        let text = std::str::from_utf8(&body).ok()?.trim_ascii_end();
        let list = match list {
            None => {
                json::members(text, []).ok()?;
                None
            }
            Some(list) => {
                let [list, count] = json::members(text, [list, "count"]).ok()?;
                let (list, count) = (list?, place(text, count?.get())?);
                let items: Vec<&RawValue> = serde_json::from_str(list.get()).ok()?;
                let items: Option<Vec<_>> = items.into_iter().map(|item| place(text, item.get())).collect();
                let inside = place(text, list.get().strip_prefix('[')?.strip_suffix(']')?)?;
                (count.end <= inside.start).then_some(())?;
                Some(ListPositions { count, inside, items: items? })
            }
        };
        Some(Self { body, list })
    }
}

/// The position in `text` of a part of it.
fn place(text: &str, part: &str) -> Option<Range<u32>> {
    let start = part.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    (start + part.len() <= text.len()).then_some(())?;
    Some(u32::try_from(start).ok()?..u32::try_from(start + part.len()).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_without_its_list_is_no_listing() {
        assert!(Listing::new(Bytes::from_static(b"{\"items\":1}"), Some("items")).is_none());
        assert!(Listing::new(Bytes::from_static(b"{}"), Some("items")).is_none());
        assert!(Listing::new(Bytes::from_static(b"{\"items\":[]}"), Some("items")).is_none(), "nothing counts them");
        assert!(Listing::new(Bytes::from_static(b"{\"items\":[],\"count\":0}"), Some("items")).is_none());
        assert!(Listing::new(Bytes::from_static(b"{\"count\":0,\"items\":[]}"), Some("items")).is_some());
        assert!(Listing::new(Bytes::from_static(b"[]"), None).is_none());
    }
}
