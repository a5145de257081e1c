//! Checks of pages with the firm's templates: no script except the search script, no inline styles, and each main
//! element once. Browsers reject other scripts and styles because of the security policy.

use content::Lines;
use findings::{
    Code, Finding, Place, Span,
    messages::{self, Text},
};

use super::sources::{Sources, is_template};

/// Elements that a page must contain once.
const ONCE: [&str; 4] = ["html", "title", "main", "h1"];
/// E-mails may contain styles: mail programs load no style sheets.
const MESSAGES: &str = "mail/";
/// The script type of data.
const DATA: &str = "application/ld+json";

/// Marks the search script in a template.
const SEARCH_SCRIPT: &str = "theme.search_script.";

/// Warns of scripts and styles in the firm's templates.
pub(super) fn check(sources: &Sources, findings: &mut Vec<Finding>) {
    let own = sources.files().filter(|(name, source)| {
        source.is_own && is_template(name) && name.ends_with(".html") && !name.starts_with(MESSAGES)
    });
    for (name, source) in own {
        let text = source.text();
        for (start, tag) in tags(text) {
            let Some((what, help)) = forbidden_content(tag) else { continue };
            let span = Lines::of(text).span(text, start..start + 1 + element(tag).len());
            let finding = Finding::new(Code::PROMISE_BROKEN, Place::new(name, span), what);
            findings.push(finding.help(help));
        }
    }
}

/// Returns findings about a page rendered from a template of this kind.
pub(super) fn check_page(kind: &str, html: &[u8]) -> impl Iterator<Item = Finding> {
    let html = str::from_utf8(html).unwrap_or_default();
    ONCE.into_iter().filter_map(move |name| {
        let opened = tags(html).filter(|(_, tag)| element(tag) == name).count();
        let message = match (opened, html.matches(&format!("</{name}>")).count()) {
            (1, 1) => return None,
            (0, _) => messages::page_without_element(name),
            (1, 0) => messages::page_element_not_closed(name),
            (1, _) => messages::page_element_closed_twice(name),
            (count, _) => messages::page_element_repeated(count, name),
        };
        let place = Place::new(format!("pages/{kind}.html"), Span { line: 1, column: 1, length: 1 });
        Some(Finding::new(Code::PROMISE_BROKEN, place, message))
    })
}

/// Returns the opening tags of a text with their offsets, without brackets.
fn tags(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('<').filter_map(|(at, _)| {
        let tag = &text[at + 1..];
        let is_tag = tag.starts_with(|first: char| first.is_ascii_alphabetic());
        is_tag.then(|| (at, tag.split(['<', '>']).next().unwrap_or_default()))
    })
}

fn element(tag: &str) -> &str {
    tag.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default()
}

/// Returns why a tag is not allowed in a page, and the remedy.
fn forbidden_content(tag: &str) -> Option<(Text, Text)> {
    let name = element(tag).to_ascii_lowercase();
    match name.as_str() {
        "script" if !tag.contains(DATA) && !tag.contains(SEARCH_SCRIPT) => {
            return Some((messages::script_in_page(), messages::script_in_page_help()));
        }
        "style" => return Some((messages::style_element_in_page(), messages::style_in_page_help())),
        _ => {}
    }
    let mut attributes = tag.split_ascii_whitespace().skip(1).filter_map(|part| part.split_once('='));
    attributes.find_map(|(attribute, _)| match attribute.to_ascii_lowercase().as_str() {
        "style" => Some((messages::style_attribute_in_page(), messages::style_in_page_help())),
        handler if handler.starts_with("on") && handler.bytes().all(|byte| byte.is_ascii_lowercase()) => {
            Some((messages::handler_in_page(handler), messages::script_in_page_help()))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use contract::Locale;

    use super::*;

    #[test]
    fn scripts_and_styles_are_rejected_and_data_and_classes_are_not() {
        for tag in
            ["script", "SCRIPT src=\"a.js\"", "style", "p class=\"a\" style=\"color: red\"", "body\nonload=\"f()\""]
        {
            assert!(forbidden_content(tag).is_some(), "{tag}");
        }
        let ours = "script src=\"{{ theme.search_script.path }}\" defer";
        for tag in [ours, "script type=\"application/ld+json\"", "p class=\"style\"", "a href=\"/en?on=1\"", "styled"] {
            assert!(forbidden_content(tag).is_none(), "{tag}");
        }
    }

    #[test]
    fn page_has_each_of_its_main_parts_once() {
        let faults = |html: &str| {
            check_page("team", html.as_bytes()).map(|it| it.message[Locale::En].to_owned()).collect::<Vec<_>>()
        };
        let page = "<html lang=\"en\"><title>a</title><main id=\"a\"><h1>a</h1></main></html>";
        assert!(faults(page).is_empty());
        assert_eq!(faults(&page.replace("</h1>", "")), ["`<h1>` is not closed by `</h1>`"]);
        assert_eq!(faults(&page.replace("<h1>a</h1>", "")), ["the page has no `<h1>`"]);
        assert_eq!(
            faults(&page.replace("<main", "<h1>b</h1><main")),
            ["the page has 2 elements `<h1>` instead of one"]
        );
    }
}
