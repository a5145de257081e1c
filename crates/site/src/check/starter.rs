//! Leftovers in a new site: placeholders, and words of the demonstration firm.

use content::Lines;
use contract::text::{host_of, is_this_machine};
use findings::{Code, Finding, Place, messages};
use memchr::memmem;

/// Beginnings of placeholders in each language; they end with a bracket.
const PLACEHOLDERS: [&str; 2] = ["[FILL IN:", "[TAMAMLAYIN:"];
/// Words of the demonstration firm, one per line.
const DEMONSTRATION: &str = include_str!("demonstration.txt");
/// The domain of the demonstration firm, on which its words are allowed.
const DEMONSTRATION_DOMAIN: &str = "yalicam.example";

/// Finds each placeholder of a file, and on other sites than that of the demonstration firm each use of its words.
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
            for start in memmem::find_iter(text.as_bytes(), word) {
                let message = messages::demonstration_word(word);
                let finding = Finding::new(Code::DEMONSTRATION_WORD, place(start, word.len()), message);
                found.push(finding.help(messages::demonstration_word_help()));
            }
        }
    }
    found
}

pub(super) fn begins_placeholder(text: &str) -> bool {
    PLACEHOLDERS.iter().any(|marker| text.starts_with(marker))
}

/// Returns whether an origin is public: neither this machine nor below `.example`.
pub(crate) fn is_public(origin: &str) -> bool {
    let host = host_of(origin);
    !is_this_machine(host) && host != "example" && !host.ends_with(".example")
}

/// Turns the first placeholder of each file into an error.
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
    fn placeholders_are_found_in_both_languages() {
        let found = find("title: x\n[FILL IN: a, b] and\n  [TAMAMLAYIN: c\n", "pages/home/en.md", None);
        let places: Vec<_> = found.iter().map(|finding| (finding.place.span.line, finding.place.span.length)).collect();
        assert_eq!(places, [(2, 15), (3, 14)]);
    }

    #[test]
    fn words_of_the_demonstration_firm_are_found_on_other_sites() {
        let text = "Defne Yalıçam, Halaskargazi Cad.";
        assert_eq!(find(text, "contact/en.md", Some("https://erguvan.example")).len(), 3);
        let twice = "Selin Arkun and Selin\nArkun; Selin Arkun.";
        assert_eq!(find(twice, "contact/en.md", Some("https://erguvan.example")).len(), 2);
        assert_eq!(find(text, "contact/en.md", Some("https://notyalicam.example")).len(), 3);
        assert_eq!(find(text, "contact/en.md", Some("https://yalicam.example")).len(), 0);
    }

    #[test]
    fn local_and_example_origins_are_not_public() {
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
