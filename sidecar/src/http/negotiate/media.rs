//! HTML or Markdown, chosen by `Accept`.

use super::list::{Quality, elements};

/// The media of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// The HTML page.
    Html,
    /// Its Markdown twin.
    Markdown,
}

/// Returns the medium for a request with these `Accept` fields, or `None` if neither is acceptable.
///
/// Markdown is chosen if it is named with a weight above zero that is at least the weight of HTML. A tie goes to
/// Markdown because agents send `text/markdown, text/html, */*`; only wildcards mean a browser, so HTML. Wildcards also
/// stand for Markdown if it is not named and HTML has the weight 0 (RFC 9110, 12.5.1). A field without a well-formed
/// element is treated as absent. An absent field and wildcards mean `otherwise`, which is Markdown for an address that
/// ends in `.md`. `text/plain` does not stand for Markdown: a client that accepts nothing else gets 406 with a list.
pub fn medium<'a>(accept: impl Iterator<Item = &'a [u8]>, otherwise: Medium) -> Option<Medium> {
    let (mut html, mut markdown, mut unnamed) = (BestRange::default(), BestRange::default(), BestRange::default());
    let mut has_range = false;
    for element in elements(accept) {
        let Some(range) = Range::parse(element.name) else { continue };
        has_range = true;
        match range {
            Range::Html => html.offer(if element.narrowed { NARROWED } else { EXACT }, element.quality),
            Range::Markdown => markdown.offer(if element.narrowed { NARROWED } else { EXACT }, element.quality),
            Range::AnyText => unnamed.offer(2, element.quality),
            Range::Anything => unnamed.offer(1, element.quality),
            Range::Other => {}
        }
    }
    if !has_range {
        return Some(otherwise);
    }
    if otherwise == Medium::Markdown && !markdown.is_named() {
        markdown = unnamed;
    }
    let wanted = if html.is_named() { html.quality } else { unnamed.quality };
    match (markdown.quality, wanted) {
        (1.., html) if markdown.quality >= html => Some(Medium::Markdown),
        (_, 1..) => Some(Medium::Html),
        _ if !markdown.is_named() && unnamed.quality > 0 => Some(Medium::Markdown),
        _ => None,
    }
}

/// Whether requests with these `Accept` fields leave the medium open: the fields are absent, or only wildcards decide.
pub(crate) fn is_unnamed<'a, I: Iterator<Item = &'a [u8]>>(accept: impl Fn() -> I) -> bool {
    medium(accept(), Medium::Html) != medium(accept(), Medium::Markdown)
}

/// The specificity of a range that names the type.
const EXACT: u8 = 4;
/// The specificity of a range with parameters that our type does not have; a range without them takes precedence.
const NARROWED: u8 = 3;

/// Whether a request with these `Accept` fields accepts JSON: the most specific matching range decides. A field without
/// a range accepts it.
pub fn accepts_json<'a>(accept: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut best = BestRange::default();
    let mut has_range = false;
    for element in elements(accept).filter(|element| element.name.contains(&b'/')) {
        has_range = true;
        let is = |known: &str| element.name.eq_ignore_ascii_case(known.as_bytes());
        if is("application/json") {
            best.offer(if element.narrowed { NARROWED } else { EXACT }, element.quality);
        } else if is("application/*") {
            best.offer(2, element.quality);
        } else if is("*/*") {
            best.offer(1, element.quality);
        }
    }
    !has_range || best.quality > 0
}

/// The weight of the most specific range so far; among equally specific ones, the highest.
#[derive(Clone, Copy, Default)]
struct BestRange {
    specificity: u8,
    quality: Quality,
}

impl BestRange {
    const fn is_named(self) -> bool {
        self.specificity > 0
    }

    fn offer(&mut self, specificity: u8, quality: Quality) {
        if (specificity, quality) > (self.specificity, self.quality) {
            *self = Self { specificity, quality };
        }
    }
}

enum Range {
    Html,
    Markdown,
    AnyText,
    Anything,
    Other,
}

impl Range {
    fn parse(name: &[u8]) -> Option<Self> {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        if is("text/html") {
            Some(Self::Html)
        } else if is("text/markdown") || is("text/x-markdown") {
            Some(Self::Markdown)
        } else if is("text/*") {
            Some(Self::AnyText)
        } else if name == b"*/*" {
            Some(Self::Anything)
        } else {
            let slash = name.iter().position(|byte| *byte == b'/')?;
            let (main, sub) = (&name[..slash], &name[slash + 1..]);
            let token = |part: &[u8]| {
                !part.is_empty()
                    && part.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
            };
            (token(main) && token(sub)).then_some(Self::Other)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(fields: &[&str]) -> Option<Medium> {
        medium(fields.iter().map(|field| field.as_bytes()), Medium::Html)
    }

    #[test]
    fn absent_accept_means_html() {
        for fields in [&[][..], &[""], &["  "], &[","], &["nonsense"], &["text/html;q=2"], &["*"]] {
            assert_eq!(of(fields), Some(Medium::Html), "{fields:?}");
        }
    }

    #[test]
    fn browsers_get_html() {
        let firefox = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        let chrome = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,\
                      application/signed-exchange;v=b3;q=0.7";
        for field in [firefox, chrome, "*/*", "text/*", "text/html"] {
            assert_eq!(of(&[field]), Some(Medium::Html), "{field}");
        }
    }

    #[test]
    fn markdown_wins_when_it_is_named_and_not_worth_less() {
        for field in [
            "text/markdown",
            "TEXT/Markdown",
            "TEXT/Markdown ; Q=1.0",
            "text/x-markdown",
            "text/markdown, text/html, */*",
            "text/html, text/markdown",
            "text/html;q=0.9, text/markdown",
            "text/markdown;q=0.1",
            "text/markdown;variant=CommonMark",
            "text/markdown; charset=utf-8;q=0.7, text/html;q=0.7",
            "text/html;q=0, text/markdown;q=0.001",
            "text/markdown;q=0.8, */*;q=0.8",
        ] {
            assert_eq!(of(&[field]), Some(Medium::Markdown), "{field}");
        }
    }

    #[test]
    fn html_wins_when_it_is_worth_more() {
        for field in [
            "text/html, text/markdown;q=0.9",
            "text/markdown;q=0.5, text/*",
            "text/markdown;q=0.5, */*;q=0.6",
            "text/markdown;q=0, */*;q=0.1",
            "text/markdown;q=0, */*",
            "text/markdown;q=0, text/html;q=0.001",
        ] {
            assert_eq!(of(&[field]), Some(Medium::Html), "{field}");
        }
    }

    #[test]
    fn most_specific_range_decides() {
        assert_eq!(of(&["text/html;q=0.2, text/*, text/markdown;q=0.3"]), Some(Medium::Markdown));
        assert_eq!(of(&["*/*, text/*;q=0.2, text/markdown;q=0.3"]), Some(Medium::Markdown));
        assert_eq!(of(&["text/html;level=1, text/html;q=0.2, text/markdown;q=0.3"]), Some(Medium::Markdown));
    }

    #[test]
    fn every_field_line_counts() {
        assert_eq!(of(&["text/html;q=0.5", "text/markdown"]), Some(Medium::Markdown));
        assert_eq!(of(&["text/markdown;q=0.5", "text/html"]), Some(Medium::Html));
    }

    #[test]
    fn malformed_elements_are_skipped() {
        assert_eq!(of(&["text/markdown;q=high, text/html"]), Some(Medium::Html));
        assert_eq!(of(&["bogus, text/markdown"]), Some(Medium::Markdown));
        assert_eq!(of(&["not/text/markdown"]), Some(Medium::Html));
        assert_eq!(of(&["bogus, application/json"]), None);
    }

    #[test]
    fn accept_of_neither_medium_elects_none() {
        for field in [
            "application/json",
            "application/pdf",
            "text/html;q=0",
            "*/*;q=0",
            "text/markdown;q=0",
            "text/html;q=0, text/markdown;q=0, */*",
            "text/html;q=0, */*;q=0",
            "text/html;q=0, text/*;q=0, */*",
            "text/*;q=0, */*",
        ] {
            assert_eq!(of(&[field]), None, "{field}");
        }
    }

    #[test]
    fn wildcard_selects_markdown_if_html_is_refused() {
        for field in [
            "text/html;q=0, */*",
            "text/html;q=0, text/*;q=0.1",
            "*/*;q=0.1, text/html;q=0",
            "text/html;q=0, text/markdown;q=0.1",
        ] {
            assert_eq!(of(&[field]), Some(Medium::Markdown), "{field}");
        }
    }

    #[test]
    fn json_is_accepted_by_the_most_specific_range() {
        for (field, expected) in [
            ("", true),
            ("nonsense", true),
            ("application/json", true),
            ("Application/JSON;q=0.1, text/html", true),
            ("application/json; charset=utf-8", true),
            ("application/json;profile=a", true),
            ("application/json;q=0, application/json;profile=a", false),
            ("application/*", true),
            ("text/html, */*;q=0.1", true),
            ("application/json;q=0, */*", false),
            ("*/*, application/*;q=0", false),
            ("application/*;q=0, application/json;q=0.001", true),
            ("text/html", false),
            ("*/*;q=0", false),
        ] {
            assert_eq!(accepts_json([field.as_bytes()].into_iter()), expected, "{field}");
        }
    }

    #[test]
    fn absent_accept_means_markdown_at_markdown_addresses() {
        for (field, expected) in [
            ("", Some(Medium::Markdown)),
            ("*/*", Some(Medium::Markdown)),
            ("text/*;q=0.1", Some(Medium::Markdown)),
            ("text/html", Some(Medium::Html)),
            ("text/html, */*;q=0.8", Some(Medium::Html)),
            ("text/html;q=0.5, */*", Some(Medium::Markdown)),
            ("text/markdown;q=0, */*", Some(Medium::Html)),
            ("application/json", None),
        ] {
            assert_eq!(medium([field.as_bytes()].into_iter(), Medium::Markdown), expected, "{field}");
        }
    }

    proptest! {
        #[test]
        fn accept_bytes_have_an_answer(fields: Vec<Vec<u8>>) {
            for otherwise in [Medium::Html, Medium::Markdown] {
                let _ = medium(fields.iter().map(Vec::as_slice), otherwise);
            }
        }

        #[test]
        fn wildcards_do_not_change_the_choice_between_named_types(html in 0_u16..=1000, markdown in 0_u16..=1000) {
            let weight = |q: u16| format!("{}.{:03}", q / 1000, q % 1000);
            let field = format!("text/html;q={}, text/markdown;q={}", weight(html), weight(markdown));
            let expected = if markdown > 0 && markdown >= html {
                Some(Medium::Markdown)
            } else if html > 0 {
                Some(Medium::Html)
            } else {
                None
            };
            prop_assert_eq!(of(&[&field]), expected);
        }

        #[test]
        fn order_of_elements_does_not_matter(
            mut elements in proptest::collection::vec(
                (prop::sample::select(vec!["text/html", "text/markdown", "text/*", "*/*", "image/png"]), 0_u16..=9), 0..6,
            ),
        ) {
            let field = |elements: &[(&str, u16)]| {
                elements.iter().map(|(name, q)| format!("{name};q=0.{q}")).collect::<Vec<_>>().join(", ")
            };
            let forward = of(&[&field(&elements)]);
            elements.reverse();
            prop_assert_eq!(forward, of(&[&field(&elements)]));
        }
    }
}
