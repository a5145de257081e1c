//! The headers `Accept`, `Accept-Encoding` and `Accept-Language`, one per line of the input: the result is allowed by
//! the client, and does not depend on the order of elements or their distribution over headers.

#![no_main]

use contract::{Locale, manifest::Coding};
use libfuzzer_sys::fuzz_target;
use sidecar::fuzzing::{Available, Medium, accepts_json, coding, language, medium};

fuzz_target!(|input: &[u8]| {
    let fields: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    let media = [Medium::Html, Medium::Markdown].map(|otherwise| medium(fields.iter().copied(), otherwise));
    let available = |bits: usize| -> Available { [0, 1, 2].map(|index| bits >> index & 1 == 1) };
    let codings: Vec<_> = (0..8).map(|bits| coding(fields.iter().copied(), available(bits))).collect();
    for (bits, chosen) in codings.iter().enumerate() {
        assert!(chosen.is_none_or(|chosen| available(bits)[chosen as usize]), "{chosen:?} does not exist");
    }
    let locale = language(fields.iter().copied());
    let json = accepts_json(fields.iter().copied());
    // The simple parser below does not handle quoted strings.
    if input.contains(&b'"') {
        return;
    }
    let elements = elements(&fields);
    for (chosen, otherwise) in media.into_iter().zip([Medium::Html, Medium::Markdown]) {
        check_medium(&elements, chosen, otherwise);
    }
    for (bits, chosen) in codings.iter().enumerate() {
        check_coding(&elements, *chosen, available(bits));
    }
    check_locale(&elements, locale);
    check_json(&elements, json);
    // One element per header, in reverse order. Of two languages with equal weights, the first one wins.
    let mut spread: Vec<&[u8]> = fields.iter().flat_map(|field| field.split(|byte| *byte == b',')).collect();
    assert_eq!(language(spread.iter().copied()), locale, "language of elements in a field each");
    spread.reverse();
    assert_eq!(accepts_json(spread.iter().copied()), json, "JSON, reversed");
    for (chosen, otherwise) in media.into_iter().zip([Medium::Html, Medium::Markdown]) {
        assert_eq!(medium(spread.iter().copied(), otherwise), chosen, "media, reversed");
    }
    for (bits, chosen) in codings.into_iter().enumerate() {
        assert_eq!(coding(spread.iter().copied(), available(bits)), chosen, "codings, reversed");
    }
});

struct Element {
    /// In lower case.
    name: Vec<u8>,
    /// Whether it has a parameter that the available type lacks.
    is_narrowed: bool,
    /// In thousandths.
    weight: u32,
}

impl Element {
    fn is_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| name.as_bytes() == self.name)
    }
}

/// Returns the elements of headers without quotation marks, parsed by RFC 9110, 5.6.1 and 12.4.2.
fn elements(fields: &[&[u8]]) -> Vec<Element> {
    fields.iter().flat_map(|field| field.split(|byte| *byte == b',')).filter_map(element).collect()
}

fn element(text: &[u8]) -> Option<Element> {
    let text = text.to_ascii_lowercase();
    let mut parts = text.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    let name = parts.next().filter(|name| !name.is_empty())?.to_vec();
    let mut element = Element { name, is_narrowed: false, weight: 1000 };
    for part in parts.filter(|part| !part.is_empty()) {
        match part.strip_prefix(b"q=") {
            Some(value) => element.weight = weight(str::from_utf8(value).ok()?)?,
            None => element.is_narrowed |= part != b"charset=utf-8",
        }
    }
    Some(element)
}

fn weight(text: &str) -> Option<u32> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_weight =
        matches!(whole, "0" | "1") && decimals.len() <= 3 && decimals.bytes().all(|byte| byte.is_ascii_digit());
    let thousandths = is_weight.then(|| format!("{whole}{decimals:0<3}"))?.parse().ok()?;
    (thousandths <= 1000).then_some(thousandths)
}

/// Returns the highest weight of the elements with one of `names`, if there are any.
fn highest(elements: &[Element], names: &[&str]) -> Option<u32> {
    elements.iter().filter(|element| element.is_any(names)).map(|element| element.weight).max()
}

/// Returns the weight of the most specific elements (RFC 9110, 12.5.1) for a type, which has all of `names`.
fn of_type(elements: &[Element], names: &[&str], wildcards: &[&str]) -> Option<u32> {
    let named = |is_narrowed: bool| {
        let named = elements.iter().filter(|element| element.is_any(names) && element.is_narrowed == is_narrowed);
        named.map(|element| element.weight).max()
    };
    let wildcards = || wildcards.iter().find_map(|wildcard| highest(elements, &[wildcard]));
    named(false).or_else(|| named(true)).or_else(wildcards)
}

fn check_medium(elements: &[Element], chosen: Option<Medium>, otherwise: Medium) {
    let html = of_type(elements, &["text/html"], &["text/*", "*/*"]);
    let markdown = of_type(elements, &["text/markdown", "text/x-markdown"], &["text/*", "*/*"]);
    match chosen {
        // No range covers either.
        Some(chosen) if html.or(markdown).is_none() => assert_eq!(chosen, otherwise),
        Some(Medium::Html) => assert_ne!(html.unwrap_or(0), 0, "HTML is chosen and not allowed"),
        Some(Medium::Markdown) => assert_ne!(markdown.unwrap_or(0), 0, "Markdown is chosen and not allowed"),
        None => assert_eq!((html.unwrap_or(0), markdown.unwrap_or(0)), (0, 0), "HTML or Markdown is allowed"),
    }
}

/// JSON is accepted if the header allows it or has no range at all.
fn check_json(elements: &[Element], is_accepted: bool) {
    let allowed = of_type(elements, &["application/json"], &["application/*", "*/*"]).is_some_and(|weight| weight > 0);
    let has_range = elements.iter().any(|element| element.name.contains(&b'/'));
    assert_eq!(is_accepted, allowed || !has_range, "JSON");
}

fn check_coding(elements: &[Element], chosen: Option<Coding>, available: Available) {
    let weight = |coding: Coding| {
        let names: &[&str] = if coding == Coding::Gzip { &["gzip", "x-gzip"] } else { &[coding.as_str()] };
        highest(elements, names).or_else(|| highest(elements, &["*"])).unwrap_or(0)
    };
    let best = Coding::ALL.into_iter().filter(|coding| available[*coding as usize]).map(weight).max().unwrap_or(0);
    let plain = highest(elements, &["identity"]).unwrap_or(0);
    match chosen {
        Some(chosen) => assert!(weight(chosen) > 0 && weight(chosen) == best && best >= plain, "{chosen:?}"),
        None => assert!(best == 0 || plain > best, "no coding, although one is allowed"),
    }
}

fn check_locale(elements: &[Element], chosen: Option<Locale>) {
    let weight = |locale: Locale| {
        let is_meant = |element: &&Element| {
            let prefix = [locale.as_str(), "-"].concat();
            element.is_any(&[locale.as_str()]) || element.name.starts_with(prefix.as_bytes())
        };
        elements.iter().filter(is_meant).map(|element| element.weight).max().unwrap_or(0)
    };
    let best = Locale::ALL.into_iter().map(weight).max().unwrap_or(0);
    assert_eq!(chosen.map_or(0, weight), best, "{chosen:?}");
    assert!(chosen.is_some() || best == 0);
}
