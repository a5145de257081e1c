//! Tools that return a prepared object, whole or with the selected items of its list.

use std::{borrow::Cow, collections::BTreeSet, ops::Range};

use citations::Laws;
use contract::{
    Locale,
    mcp::{
        ListCut,
        arguments::{CITES, LIMIT, OFFSET, QUERY},
        limits::{self, LIST_ITEMS, LIST_PART, WHOLE_LIST},
    },
};
use serde_json::value::RawValue;

use super::{
    ToolError,
    arguments::{Arguments, excerpt},
    structured, with_members,
};
use crate::{
    filters::{ListFilter, contains_words, words_of},
    json,
    tool::{ListPositions, Listing, Listings},
};

/// Writes a list: byte for byte if it is short enough and no items are selected.
pub(crate) fn write_list(
    (lists, laws): (&Listings, &Laws),
    arguments: &str,
    out: &mut Vec<u8>,
) -> Result<(), ToolError> {
    let mut read = Arguments::parse(arguments)?;
    let locale = read.locale().unwrap_or(Locale::DEFAULT);
    let listing = &lists.locales[locale];
    let Some(list) = &listing.list else { return structured(&listing.body, &read.finish()?, out) };
    let selection = ItemSelection::read(&mut read, lists, laws);
    let items: Cow<'_, [Range<u32>]> = match &selection {
        Some(selection) => selection.of(lists, locale).into(),
        None => (&list.items).into(),
    };
    let offset = read.number(OFFSET, 0..=items.len() as u64).unwrap_or(0) as usize;
    let limit = read.number(LIMIT, 1..=LIST_ITEMS).map(|limit| limit as usize);
    let mut remarks = read.finish()?;
    let is_whole = offset == 0 && listing.body.len() <= WHOLE_LIST && limit.is_none_or(|limit| limit >= items.len());
    match &selection {
        None if is_whole => return structured(&listing.body, &remarks, out),
        Some(selection) if items.is_empty() => remarks.hint = Some(selection.hint(lists, locale)),
        _ => {}
    }
    let end = offset + fitting(&items[offset..], limit);
    let truncated = end < items.len();
    let cut = ListCut { offset: offset as u64, truncated, next_offset: truncated.then_some(end as u64) };
    let count = selection.is_some().then(|| count(lists, listing, &items));
    structured(&with_members(&part(listing, list, count, &items[offset..end]), &cut)?, &remarks, out)
}

/// Returns how many of `items` fit into one part.
fn fitting(items: &[Range<u32>], limit: Option<usize>) -> usize {
    let most = limit.unwrap_or(usize::MAX).min(items.len());
    let bytes = if limit.is_some() { WHOLE_LIST } else { LIST_PART };
    let mut used = 0;
    let fits = |item: &&Range<u32>| {
        used += item.len() + 1;
        used <= bytes
    };
    // Return at least one item, even if it is larger than a part.
    items[..most].iter().take_while(fits).count().max(most.min(1))
}

/// Returns the object with some `items` of its list and, if given, another `count`.
fn part(listing: &Listing, list: &ListPositions, count: Option<usize>, items: &[Range<u32>]) -> Vec<u8> {
    let bytes = |start: u32, end: u32| &listing.body[start as usize..end as usize];
    let counted = count.map(|count| count.to_string());
    let counted = counted.as_deref().map_or(bytes(list.count.start, list.count.end), str::as_bytes);
    let mut out = [bytes(0, list.count.start), counted, bytes(list.count.end, list.inside.start)].concat();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(bytes(item.start, item.end));
    }
    out.extend_from_slice(&listing.body[list.inside.end as usize..]);
    out
}

/// Returns the value of `count` for a list of these items.
fn count(lists: &Listings, listing: &Listing, items: &[Range<u32>]) -> usize {
    let Some(counted) = &lists.counted else { return items.len() };
    let elements = |item: &Range<u32>| {
        let [list] = json::members(text(listing, item), [counted.as_str()]).ok()?;
        Some(serde_json::from_str::<Vec<&RawValue>>(list?.get()).ok()?.len())
    };
    items.iter().filter_map(elements).sum()
}

fn text<'a>(listing: &'a Listing, item: &Range<u32>) -> &'a str {
    std::str::from_utf8(&listing.body[item.start as usize..item.end as usize]).unwrap_or_default()
}

/// The selection of items by arguments.
struct ItemSelection<'a> {
    /// Each given filter, with its argument and the matching choices.
    filters: Vec<(&'a ListFilter, Cow<'a, str>, BTreeSet<u32>)>,
    /// The words that an item must contain.
    query: Option<String>,
}

impl<'a> ItemSelection<'a> {
    /// Reads the arguments that select items; `None` if there are none.
    fn read(read: &mut Arguments<'a>, lists: &'a Listings, laws: &Laws) -> Option<Self> {
        let mut filters = Vec::new();
        for filter in &lists.filters {
            let choices = if *filter.name == *CITES {
                read.cited(CITES, laws).map(|cited| (cited.to_string().into(), filter.citing_choices(&cited)))
            } else {
                let value = read.optional_text(&filter.name, limits::FILTER);
                value.map(|value| {
                    let choices = filter.matching_choices(&value);
                    (value, choices)
                })
            };
            if let Some((value, choices)) = choices {
                filters.push((filter, value, choices));
            }
        }
        let has_query = !lists.searched.is_empty();
        let query = if has_query { read.optional_text(QUERY, limits::QUERY) } else { None };
        let query = query.map(|query| words_of(&query));
        (query.is_some() || !filters.is_empty()).then_some(Self { filters, query })
    }

    /// Returns the matching items, in the order of the list.
    fn of(&self, lists: &Listings, locale: Locale) -> Vec<Range<u32>> {
        let listing = &lists.locales[locale];
        let items = listing.list.iter().flat_map(|list| list.items.iter().enumerate());
        let those = items.filter(|(at, item)| {
            self.filters.iter().all(|(filter, _, choices)| filter.fits(locale, *at, choices))
                && self.query.as_ref().is_none_or(|query| has_words(query, text(listing, item), &lists.searched))
        });
        those.map(|(_, item)| item.clone()).collect()
    }

    /// Returns a hint for an empty result.
    fn hint(&self, lists: &Listings, locale: Locale) -> String {
        let mut hints: Vec<String> = Vec::new();
        for (filter, value, _) in self.filters.iter().filter(|(_, _, choices)| choices.is_empty()) {
            let (name, value) = (&filter.name, excerpt(value));
            hints.push(match filter.names(locale) {
                _ if *filter.name == *CITES => format!("No text cites `{value}`."),
                names if names.is_empty() => format!("No item has a `{name}`."),
                names => format!("`{name}` cannot be `{value}`; it is one of: {names}."),
            });
        }
        if hints.is_empty() {
            hints.push("Nothing fits all that was asked for; leave an argument out.".to_owned());
        }
        let elsewhere = self.of(lists, locale.other()).len();
        if elsewhere > 0 {
            hints.push(format!("With `locale` `{}`, {elsewhere} fit.", locale.other()));
        }
        if self.query.is_some() {
            hints.push(format!(
                "`{QUERY}` looks for all of its words in {}; `search` reads the whole texts.",
                lists.searched.join(", ")
            ));
        }
        hints.join(" ")
    }
}

/// Whether these members of an item contain all words of a query.
fn has_words(query: &str, item: &str, members: &[String]) -> bool {
    let Ok(mut all) = json::object(item) else { return false };
    let texts = members.iter().filter_map(|name| all.remove(name).and_then(json::string));
    contains_words(query, &words_of(&texts.collect::<Vec<_>>().join(" ")))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use contract::{PerLocale, mcp};

    use super::*;

    fn listing(count: usize, width: usize) -> Listing {
        let items: Vec<String> =
            (0..count).map(|at| format!("{{\"n\":{at},\"x\":\"{}\"}}", "y".repeat(width))).collect();
        let body = format!("{{\"count\":{count},\"items\":[{}]}}\n", items.join(","));
        Listing::new(Bytes::from(body), Some("items")).unwrap()
    }

    fn lists(listing: Listing) -> Listings {
        let listings = PerLocale { en: listing, tr: self::listing(1, 1) };
        Listings { locales: listings, filters: Vec::new(), counted: None, searched: Vec::new() }
    }

    fn ask(listing: Listing, arguments: &str) -> Result<serde_json::Value, ToolError> {
        answer(&lists(listing), arguments)
    }

    fn answer(lists: &Listings, arguments: &str) -> Result<serde_json::Value, ToolError> {
        let mut out = b"{".to_vec();
        write_list((lists, &Laws::default()), arguments, &mut out)?;
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
        write_list((&lists(short), &Laws::default()), "{}", &mut out).unwrap();
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
    fn limit_is_applied_and_invalid_offsets_are_refused() {
        let part = ask(listing(10, 1), r#"{"limit":4,"offset":8.0}"#).unwrap();
        assert_eq!((part["items"].as_array().unwrap().len(), part["truncated"].as_bool()), (2, Some(false)));
        assert_eq!(ask(listing(10, 1), r#"{"offset":10}"#).unwrap()["items"], serde_json::json!([]));
        for arguments in
            [r#"{"offset":11}"#, r#"{"offset":-1}"#, r#"{"limit":0}"#, r#"{"limit":"five"}"#, r#"{"locale":"English"}"#]
        {
            assert!(ask(listing(10, 1), arguments).is_err(), "{arguments}");
        }
    }

    /// Two articles in English and one in Turkish, with their subject.
    fn articles() -> Listings {
        let list = |items: &str, count: usize| {
            let body = format!("{{\"count\":{count},\"items\":[{items}]}}\n");
            Listing::new(Bytes::from(body), Some("items")).unwrap()
        };
        let listings = PerLocale {
            en: list(r#"{"title":"Leases","pages":[1,2]},{"title":"Severance pay","pages":[3]}"#, 3),
            tr: list(r#"{"title":"Kira","pages":[1]}"#, 1),
        };
        let choice = |en: &str, tr: &str| mcp::Choice {
            name: PerLocale { en: en.to_owned(), tr: tr.to_owned() },
            others: Vec::new(),
        };
        let written = mcp::Filter {
            name: "subject".to_owned(),
            choices: vec![
                choice("Real estate", "Gayrimenkul"),
                choice("Employment", "İş hukuku"),
                choice("Tax", "Vergi"),
            ],
            items: PerLocale { en: vec![vec![0], vec![1]], tr: vec![vec![0, 2]] },
        };
        let filters = vec![ListFilter::new(written, &PerLocale { en: 2, tr: 1 }).unwrap()];
        Listings { locales: listings, filters, counted: Some("pages".to_owned()), searched: vec!["title".to_owned()] }
    }

    #[test]
    fn selected_items_are_counted_and_returned() {
        let lists = articles();
        for (arguments, count, titles) in [
            (r#"{"subject":"real estate"}"#, 2, &["Leases"][..]),
            (r#"{"subject":"iş hukuku"}"#, 1, &["Severance pay"]),
            (r#"{"query":"lease"}"#, 2, &["Leases"]),
            (r#"{"query":"pay","subject":"Employment","limit":"1"}"#, 1, &["Severance pay"]),
            (r#"{"query":"pay","subject":"estate"}"#, 0, &[]),
            (r#"{"query":"","subject":" "}"#, 3, &["Leases", "Severance pay"]),
        ] {
            let part = answer(&lists, arguments).unwrap();
            let found: Vec<&str> =
                part["items"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap()).collect();
            assert_eq!((part["count"].as_u64(), found.as_slice()), (Some(count), titles), "{arguments}");
            assert_eq!(part.get("hint").is_some(), titles.is_empty(), "{part}");
        }
        assert!(answer(&lists, r#"{"subject":["Tax"]}"#).is_err());
        assert!(answer(&lists, r#"{"subject":"Tax","offset":1}"#).is_err(), "it lies outside of what fits");
    }

    #[test]
    fn empty_result_has_a_suggestion() {
        let lists = articles();
        let hint = |arguments: &str| answer(&lists, arguments).unwrap()["hint"].as_str().unwrap().to_owned();
        assert_eq!(
            hint(r#"{"subject":"Shipping"}"#),
            "`subject` cannot be `Shipping`; it is one of: Real estate, Employment, Tax."
        );
        assert_eq!(
            hint(r#"{"subject":"Tax"}"#),
            "Nothing fits all that was asked for; leave an argument out. With `locale` `tr`, 1 fit."
        );
        assert!(hint(r#"{"query":"ships"}"#).ends_with("in title; `search` reads the whole texts."));
    }

    #[test]
    fn unknown_argument_is_named_and_ignored() {
        let body = answer(&articles(), "{}").unwrap();
        let mut more = answer(&articles(), r#"{"country":"Germany","sort":null}"#).unwrap();
        assert_eq!(more.as_object_mut().unwrap().remove("ignored_arguments"), Some(serde_json::json!(["country"])));
        assert_eq!(more, body);
    }
}
