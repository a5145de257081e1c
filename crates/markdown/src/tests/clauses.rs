//! Sub-clauses as statutes, contracts and by-laws write them, with what they become.

use std::{fmt::Write as _, fs, path::Path};

use contract::Locale;
use pulldown_cmark::{Event, Parser};

use super::{super::clauses::Clauses, AsWritten};
use crate::{Numbering, OPTIONS, Targets, to_forms, to_html, to_twin};

/// The marks before the parts of an example.
const NAME: &str = "==== ";
const PAGE: &str = "---- page";
const TWIN: &str = "---- twin";

/// Returns the names and texts of the examples.
fn examples(file: &str) -> Vec<(&str, &str)> {
    let parts = file.split(NAME).skip(1).filter_map(|example| example.split_once('\n'));
    parts.map(|(name, text)| (name, text.split(PAGE).next().unwrap_or(text))).collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "an environment variable selects blessing")]
fn clauses_of_both_languages_come_out_as_typed() {
    let bless = std::env::var("MECELLE_BLESS").is_ok_and(|value| value == "1");
    let mut count = 0;
    for (locale, expected) in
        [(Locale::Tr, include_str!("clauses.tr.txt")), (Locale::En, include_str!("clauses.en.txt"))]
    {
        let mut all = String::new();
        for (name, text) in examples(expected) {
            let forms = to_forms(text, locale, &AsWritten, &AsWritten);
            super::html::assert_balanced(&forms.html.html);
            let _ = write!(all, "{NAME}{name}\n{text}{PAGE}\n{}{TWIN}\n{}", forms.html.html, forms.twin);
            count += 1;
        }
        if bless {
            let file = format!("src/tests/clauses.{}.txt", locale.as_str());
            fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(file), &all).unwrap();
        } else {
            assert_eq!(all, expected, "`make bless` accepts the present output");
        }
    }
    assert!(count >= 60, "{count}");
}

/// A reader of twins with any parser of Markdown gets the words of the page.
#[test]
fn twin_with_clauses_renders_as_the_page_does() {
    for (locale, file) in [(Locale::Tr, include_str!("clauses.tr.txt")), (Locale::En, include_str!("clauses.en.txt"))] {
        for (name, text) in examples(file) {
            let twin = to_twin(text, locale, &AsWritten);
            let words = Parser::new_ext(&twin, OPTIONS).filter_map(|event| match event {
                Event::Text(words) => Some(words.into_string()),
                _ => None,
            });
            let words: Vec<String> = words.collect();
            assert!(!words.concat().contains('\\'), "{name}: {words:?}");
            let page = to_html(text, locale, &AsWritten).html;
            // The marks of nested lists are words of their items in the twin.
            if !page.contains("\"counted\"") {
                assert_eq!(to_html(&twin, locale, &AsWritten).html, page, "{name}");
            }
            assert_eq!(to_twin(&twin, locale, &AsWritten), twin, "{name}");
        }
    }
}

#[test]
fn nested_lists_count_as_the_firm_says() {
    struct Firm(Numbering);
    impl Targets for Firm {
        fn resolve(&self, _: &str) -> Option<String> {
            None
        }

        fn numbering(&self) -> Numbering {
            self.0
        }
    }
    let text = "1. a\n   1. b\n   2. c\n      1. d\n      2. e\n2. f\n";
    for (numbering, twin) in [
        (Numbering::Legal, "1. a\n   - a) b\n   - b) c\n      - i. d\n      - ii. e\n2. f\n"),
        (Numbering::Decimal, "1. a\n   - 1.1. b\n   - 1.2. c\n      - 1.2.1. d\n      - 1.2.2. e\n2. f\n"),
        (Numbering::Letters, "1. a\n   - a) b\n   - b) c\n      - aa) d\n      - bb) e\n2. f\n"),
    ] {
        assert_eq!(to_twin(text, Locale::Tr, &Firm(numbering)), twin);
        let forms = to_forms(text, Locale::Tr, &Firm(numbering), &Firm(numbering));
        let last = twin.lines().nth(4).unwrap().trim_start_matches([' ', '-']);
        let (mark, _) = last.split_once(' ').unwrap();
        assert!(forms.html.html.contains(&format!("<span class=\"clause-mark\">{mark}</span>")), "{}", forms.html.html);
        assert!(forms.plain.text.contains(last), "{}", forms.plain.text);
    }
    assert_eq!(to_twin("1. a\n\n   4. ç\n", Locale::Tr, &AsWritten), "1. a\n\n   - ç) ç\n");
    assert_eq!(to_twin("1. a\n\n   4. d\n", Locale::En, &AsWritten), "1. a\n\n   - d) d\n");
    assert_eq!(to_twin("1. a\n\n   27. d\n", Locale::En, &AsWritten), "1. a\n\n   - aa) d\n");
}

#[test]
fn ranges_lead_back_to_what_the_author_typed() {
    for text in [
        "(1) Hâller:\na) bir,\nb) iki ve:\n1) alt\n2) alt\n(2) Son.\n",
        "(1) Order:\n\n    (a) one,\n\n    (b) two.\n\n(2) Three.\n",
    ] {
        let read = Clauses::read(text);
        assert_ne!(read.text, text);
        for word in ["bir", "alt", "Son.", "one", "two", "Three."] {
            let Some(written) = read.text.rfind(word) else { continue };
            assert_eq!(&text[read.origin(written..written + word.len())], word, "{text}");
        }
    }
}

#[test]
fn anchor_behind_a_heading_is_that_of_the_page_and_not_in_the_twin() {
    let text = "## New words {#old}\n\nSee [it](#old).\n";
    let html = to_html(text, Locale::En, &AsWritten);
    assert!(html.html.contains("<h2 id=\"old\">New words</h2>"), "{}", html.html);
    let twin = to_twin(text, Locale::En, &AsWritten);
    assert_eq!(twin, "## New words\n\nSee [it](#old).\n");
}
