//! A prepared object with a list in it, returned whole or with a part of the list.

use std::ops::Range;

use contract::{
    Locale, PerLocale,
    mcp::{
        ListCut,
        arguments::{LIMIT, LOCALE, OFFSET},
        limits::{LIST_ITEMS, LIST_PART, WHOLE_LIST},
    },
};

use super::{
    ToolError,
    arguments::{Arguments, named},
    structured,
};
use crate::tool::Listing;

impl Listing {
    /// How many items, starting at `offset`, fit into one part.
    fn fitting(&self, offset: usize, limit: Option<usize>) -> usize {
        let rest = &self.items[offset..];
        let most = limit.unwrap_or(usize::MAX).min(rest.len());
        let bytes = if limit.is_some() { WHOLE_LIST } else { LIST_PART };
        let mut used = 0;
        let fits = |item: &&Range<u32>| {
            used += item.len() + 1;
            used <= bytes
        };
        // A single item that is larger than a part is still returned.
        rest[..most].iter().take_while(fits).count().max(most.min(1))
    }

    /// The object with a part of its list, and the position of that part in the whole list.
    fn part(&self, offset: usize, count: usize) -> Result<Vec<u8>, ToolError> {
        let (Some(first), Some(last)) = (self.items.first(), self.items.last()) else { return Ok(self.body.to_vec()) };
        let (head, tail) = (&self.body[..first.start as usize], self.body[last.end as usize..].trim_ascii_end());
        let items = match &self.items[offset..offset + count] {
            [] => &[][..],
            part => &self.body[part[0].start as usize..part[count - 1].end as usize],
        };
        let mut out = [head, items, tail.strip_suffix(b"}").unwrap_or(tail)].concat();
        let end = offset + count;
        let truncated = end < self.items.len();
        let cut = ListCut { offset: offset as u64, truncated, next_offset: truncated.then_some(end as u64) };
        let cut = serde_json::to_string(&cut).map_err(|error| error.to_string())?;
        // Its members become the last ones of the object.
        out.push(b',');
        out.extend_from_slice(cut.trim_start_matches('{').as_bytes());
        Ok(out)
    }
}

/// Writes a list: whole and byte for byte if it is short enough and nothing else was asked for.
pub(super) fn hand_out(listings: &PerLocale<Listing>, arguments: &str, out: &mut Vec<u8>) -> Result<(), ToolError> {
    let [locale, offset, limit] = named(arguments, [LOCALE, OFFSET, LIMIT])?;
    let mut read = Arguments::default();
    let listing = &listings[read.locale(locale).unwrap_or(Locale::DEFAULT)];
    if listing.items.is_empty() {
        read.finish()?;
        structured(&listing.body, out);
        return Ok(());
    }
    let length = listing.items.len() as u64;
    let offset = read.number(OFFSET, offset, 0..=length, 0) as usize;
    let limit = limit.map(|limit| read.number(LIMIT, Some(limit), 1..=LIST_ITEMS, LIST_ITEMS) as usize);
    read.finish()?;
    if offset == 0 && listing.body.len() <= WHOLE_LIST && limit.is_none_or(|limit| limit >= listing.items.len()) {
        structured(&listing.body, out);
    } else {
        structured(&listing.part(offset, listing.fitting(offset, limit))?, out);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn listing(count: usize, width: usize) -> Listing {
        let items: Vec<String> =
            (0..count).map(|at| format!("{{\"n\":{at},\"x\":\"{}\"}}", "y".repeat(width))).collect();
        let body = format!("{{\"count\":{count},\"items\":[{}]}}\n", items.join(","));
        Listing::new(Bytes::from(body), Some("items")).unwrap()
    }

    fn ask(listing: Listing, arguments: &str) -> Result<serde_json::Value, ToolError> {
        let both = PerLocale { en: listing, tr: self::listing(1, 1) };
        let mut out = b"{".to_vec();
        hand_out(&both, arguments, &mut out)?;
        out.push(b'}');
        let result: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let text: serde_json::Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"]);
        Ok(text)
    }

    #[test]
    fn short_list_is_handed_out_byte_for_byte() {
        let short = listing(3, 1);
        let body = short.body.clone();
        let mut out = Vec::new();
        hand_out(&PerLocale { en: short, tr: listing(1, 1) }, "{}", &mut out).unwrap();
        assert!(out.ends_with(&[b"\"structuredContent\":", &*body].concat()));
    }

    #[test]
    fn long_list_is_read_to_its_end_in_parts() {
        let (mut offset, mut seen) = (0, 0);
        loop {
            let part = ask(listing(1000, 100), &format!("{{\"offset\":{offset}}}")).unwrap();
            for item in part["items"].as_array().unwrap() {
                assert_eq!(item["n"], seen);
                seen += 1;
            }
            assert_eq!(part["truncated"], seen < 1000);
            assert!(part.to_string().len() < LIST_PART + 200);
            match part.get("next_offset") {
                Some(next) => offset = next.as_u64().unwrap(),
                None => break,
            }
        }
        assert_eq!(seen, 1000);
    }

    #[test]
    fn limit_is_kept_and_what_lies_outside_is_refused() {
        let part = ask(listing(10, 1), r#"{"limit":4,"offset":8.0}"#).unwrap();
        assert_eq!((part["items"].as_array().unwrap().len(), part["truncated"].as_bool()), (2, Some(false)));
        assert_eq!(ask(listing(10, 1), r#"{"offset":10}"#).unwrap()["items"], serde_json::json!([]));
        for arguments in
            [r#"{"offset":11}"#, r#"{"offset":-1}"#, r#"{"limit":0}"#, r#"{"limit":"5"}"#, r#"{"locale":"EN"}"#]
        {
            assert!(ask(listing(10, 1), arguments).is_err(), "{arguments}");
        }
    }
}
