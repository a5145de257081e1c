//! The tools of a build, with their prepared results.

use std::ops::Range;

use bytes::Bytes;
use contract::PerLocale;
use serde_json::value::RawValue;

use super::{filters::ListFilter, json};

pub(super) struct CatalogueTool {
    pub(super) name: Box<str>,
    pub(super) work: Work,
}

pub(super) enum Work {
    /// Returns a prepared object, whole or with a part of its list.
    Listing(Box<Listings>),
    Search,
    /// Returns the text of a search result.
    Fetch,
    /// Returns the text of any page.
    Page,
}

/// A prepared object in each language, with the filters of its list.
pub(super) struct Listings {
    pub(super) locales: PerLocale<Listing>,
    pub(super) filters: Vec<ListFilter>,
    /// The member of an item whose elements `count` counts, if it does not count the items.
    pub(super) counted: Option<String>,
    /// The members of an item that `query` searches.
    pub(super) searched: Vec<String>,
}

/// A prepared object.
pub(super) struct Listing {
    pub(super) body: Bytes,
    pub(super) list: Option<ListPositions>,
}

/// The list of a prepared object, as positions in it.
pub(super) struct ListPositions {
    /// The value of `count`, which precedes the list.
    pub(super) count: Range<u32>,
    /// All items with their separators.
    pub(super) inside: Range<u32>,
    pub(super) items: Vec<Range<u32>>,
}

impl Listing {
    /// Prepares the object `body`; `list` names the member that may be cut. `None` if the object is malformed.
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

/// Returns the position of `part` in `text`, of which it is a slice.
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
