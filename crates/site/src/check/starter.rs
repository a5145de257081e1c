//! What a new site must not be published with: texts that its firm has not filled in yet, and words of the
//! demonstration firm that came with a copy of its content.

use content::Lines;
use contract::text::{host_of, is_this_machine};
use findings::{Code, Finding, Place, messages};
use memchr::memmem;

/// How a text that is to be filled in begins, in each language; it ends with the bracket.
const PLACEHOLDERS: [&str; 2] = ["[FILL IN:", "[TAMAMLAYIN:"];
/// Words by which the demonstration firm is known, one a line.
const DEMONSTRATION: &str = include_str!("demonstration.txt");
/// The domain of the demonstration firm, whose own site may have its words.
const DEMONSTRATION_DOMAIN: &str = "yalicam.example";

/// Finds each placeholder of a file, and the first use of each word of the demonstration firm if `origin` is not that
/// of its site.
pub(crate) fn find(text: &str, file: &str, origin: Option<&str>) -> Vec<Finding> {
    let mut lines = None;
    let mut place = |start: usize, length: usize| {
        let lines = lines.get_or_insert_with(|| Lines::of(text));
        Place::new(file, lines.span(text, start..start + length))
    };
    let mut found = Vec::new();
    for marker in PLACEHOLDERS {
        for start in memmem::find_iter(text.as_bytes(), marker) {
            let line = text[start..].lines().next().unwrap_or_default();
            let length = line.find(']').map_or(line.len(), |end| end + 1);
            let finding = Finding::new(Code::PLACEHOLDER, place(start, length), messages::placeholder());
            found.push(finding.help(messages::placeholder_help()));
        }
    }
    let is_of_demonstration = |origin: &str| host_of(origin) == DEMONSTRATION_DOMAIN;
    if origin.is_some_and(|origin| !is_of_demonstration(origin)) {
        for word in DEMONSTRATION.lines() {
            if let Some(start) = text.find(word) {
                let message = messages::demonstration_word(word);
                let finding = Finding::new(Code::DEMONSTRATION_WORD, place(start, word.len()), message);
                found.push(finding.help(messages::demonstration_word_help()));
            }
        }
    }
    found
}

/// Returns whether a text begins with what is to be filled in.
pub(super) fn begins_placeholder(text: &str) -> bool {
    PLACEHOLDERS.iter().any(|marker| text.starts_with(marker))
}

/// Returns whether a site of this origin is for the public.
pub(crate) fn is_public(origin: &str) -> bool {
    let host = host_of(origin);
    !is_this_machine(host) && host != "example" && !host.ends_with(".example")
}

/// Returns the first placeholder of each file as an error.
pub(crate) fn refuse_placeholders(found: &[Finding]) -> Vec<Finding> {
    let mut refused: Vec<Finding> = Vec::new();
    for finding in found.iter().filter(|finding| finding.code == Code::PLACEHOLDER) {
        if refused.last().is_none_or(|last| last.place.file != finding.place.file) {
            refused.push(Finding {
                code: Code::PLACEHOLDER_IN_PUBLIC,
                message: messages::placeholder_in_public(),
                help: vec![messages::placeholder_in_public_help()],
                more: 0,
                ..finding.clone()
            });
        }
    }
    refused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_in_both_languages_with_their_places() {
        let found = find("title: x\n[FILL IN: a, b] and\n  [TAMAMLAYIN: c\n", "pages/home/en.md", None);
        let places: Vec<_> = found.iter().map(|finding| (finding.place.span.line, finding.place.span.length)).collect();
        assert_eq!(places, [(2, 15), (3, 14)]);
    }

    #[test]
    fn words_of_the_demonstration_firm_are_found_elsewhere_only() {
        let text = "Defne Yalıçam, Halaskargazi Cad.";
        assert_eq!(find(text, "contact/en.md", Some("https://erguvan.example")).len(), 3);
        assert_eq!(find(text, "contact/en.md", Some("https://notyalicam.example")).len(), 3);
        assert_eq!(find(text, "contact/en.md", Some("https://yalicam.example")).len(), 0);
    }

    #[test]
    fn origin_is_public_unless_it_is_of_this_machine_or_an_example() {
        for (origin, expected) in [
            ("https://erguvan.av.tr", true),
            ("https://erguvan.example", false),
            ("https://www.erguvan.example:8443", false),
            ("https://example.com", true),
            ("https://notexample", true),
            ("http://127.0.0.1:8080", false),
            ("http://localhost:8080", false),
        ] {
            assert_eq!(is_public(origin), expected, "{origin}");
        }
    }
}
