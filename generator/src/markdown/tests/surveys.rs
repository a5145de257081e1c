use contract::Locale;

use super::{plain, survey};
use crate::markdown::Note;

fn labels(notes: &[Note]) -> Vec<&str> {
    notes.iter().map(|note| note.label.as_str()).collect()
}

#[test]
fn links_and_images_are_found_with_their_destinations() {
    let text = "## Süre\n\n[tax **law**](@/practice-areas/tax 't') ![a *b*](x.svg) [r][l] <https://a.example>\n\n[l]: /en/about\n";
    let survey = survey(text, Locale::En);
    let links: Vec<_> =
        survey.links.iter().map(|link| (&*link.destination, &text[link.range.clone()], &*link.text)).collect();
    assert_eq!(
        links,
        [
            ("@/practice-areas/tax", "@/practice-areas/tax", "tax law"),
            ("/en/about", "/en/about", "r"),
            ("https://a.example", "https://a.example", "https://a.example"),
        ]
    );
    let image = &survey.images[0];
    assert_eq!((&*image.destination, &text[image.range.clone()], &*image.alt), ("x.svg", "x.svg", "a b"));
    assert_eq!(survey.headings[0].id, "sure");
    assert_eq!(survey.headings[0].level, 2);
}

#[test]
fn a_link_around_a_picture_is_named_by_it() {
    let survey = survey("[![Chart](x.svg)](y)", Locale::En);
    assert_eq!(survey.links[0].text, "Chart");
    assert!(!survey.has_text);
}

#[test]
fn footnotes_without_their_other_half_are_found() {
    let text = "a[^1] b[^missing] c \\[^no] `[^code]`\n\n[^1]: One.\n\n[^1]: Again.\n\n[^2]: Two.\n";
    let survey = survey(text, Locale::En);
    assert_eq!(labels(&survey.footnotes_undefined), ["missing"]);
    assert_eq!(&text[survey.footnotes_undefined[0].range.clone()], "[^missing]");
    assert_eq!(labels(&survey.footnotes_unused), ["2"]);
    assert_eq!(labels(&survey.footnotes_repeated), ["1"]);
}

#[test]
fn references_without_a_definition_are_found_but_brackets_in_prose_are_not() {
    let survey = survey("[a][nowhere], [b][], and [sic].", Locale::En);
    assert_eq!(labels(&survey.references_undefined), ["nowhere", "b"]);
}

#[test]
fn raw_html_is_found_once_a_block() {
    let text = "a <b>bold</b>\n\n<div>\n<p>x</p>\n</div>\n\n<!-- note -->\n";
    let survey = survey(text, Locale::En);
    let found: Vec<_> = survey.raw_html.iter().map(|range| text[range.clone()].trim_end()).collect();
    assert_eq!(found, ["<b>", "</b>", "<div>\n<p>x</p>\n</div>", "<!-- note -->"]);
}

#[test]
fn an_ordinal_that_starts_a_list_is_found_and_a_list_of_items_is_not() {
    let text =
        "5. maddeye göre iki şey gerekir:\n\n- 29. madde\n- 3\\. fıkra\n\n1. bir\n2. iki\n   1. tek\n\n> 14) bent\n";
    let survey = survey(text, Locale::Tr);
    let found: Vec<_> = survey.ordinals.iter().map(|range| &text[range.clone()]).collect();
    assert_eq!(found, ["5.", "29.", "1.", "14)"]);
}

#[test]
fn words_are_counted_as_people_do() {
    assert_eq!(survey("# Üç *kısa* söz\n\n- un**likely** – `x`\n", Locale::Tr).words, 5);
    for inner in ["- two", "> two", "```\n  two\n  ```", "# two", "***\n  two", "<!-- -->\n  two"] {
        assert_eq!(survey(&format!("- one\n  {inner}\n"), Locale::Tr).words, 2, "{inner}");
    }
    assert!(!survey(" \n\n---\n", Locale::Tr).has_text);
}

#[test]
fn plain_text_is_a_line_a_block() {
    let text = "# A *b*\n\nc\nd[^1] ![e](f)\n\n|g|h|\n|-|-|\n|i|j|\n\n- k\n\n[^1]: l\n";
    assert_eq!(plain(text).text, "A b\nc d e\ng h\ni j\nk\nl");
}

#[test]
fn a_block_inside_of_a_tight_item_begins_a_line() {
    for (text, expected) in [
        ("- a\n  - b\n    1. c\n- d\n", "a\nb\nc\nd"),
        ("- a\n\n  - b\n", "a\nb"),
        ("- - a\n", "a"),
        ("- a\n  > b\n", "a\nb"),
        ("- a\n  ```\n  b\n  ```\n", "a\nb"),
        ("- a\n  | b | c |\n  |-|-|\n  | d | e |\n", "a\nb c\nd e"),
        ("- a\n  # b\n  c\n", "a\nb\nc"),
        ("- a\n  ***\n  b\n", "a\nb"),
        ("- a\n  <!-- b -->\n  c\n", "a\nc"),
    ] {
        assert_eq!(plain(text).text, expected, "{text}");
    }
    let plain = plain("- a\n  # b\n");
    assert_eq!(&plain.text[plain.headings[0].clone()], "b");
}

#[test]
fn a_destination_with_a_space_is_noticed_and_prose_is_not() {
    for (text, expected) in [
        ("[x](https://a.example/b c/)", Some("https://a.example/b c/")),
        ("See [x](/en/a b) there.", Some("/en/a b")),
        ("- **a** [x](@/team/a b)", Some("@/team/a b")),
        ("[sic](so it stands there)", None),
        ("[x](</en/a b>)", None),
        ("[x](/en/a \"title\")", None),
        (r"\[x\](https://a b)", None),
        ("`[x](https://a b)`", None),
    ] {
        let found = survey(text, Locale::En).destinations_with_space;
        assert_eq!(found.first().map(|note| note.label.as_str()), expected, "{text}");
        assert!(found.iter().all(|note| text[note.range.clone()] == note.label), "{text}");
    }
}
