use contract::Locale;
use proptest::prelude::*;
use pulldown_cmark::{Event, LinkType, Parser, Tag};

use super::{
    Numbering, OPTIONS, Size, Targets, goes_on_with_list, plain, survey, to_forms, to_html, to_plain, to_twin, trimmed,
    with_own_labels,
};

mod anchors;
mod clauses;
mod html;
mod surveys;
mod twins;

/// Leaves every destination as it is written.
struct AsWritten;

impl Targets for AsWritten {
    fn resolve(&self, _: &str) -> Option<String> {
        None
    }
}

/// Resolves every destination to itself.
struct Identity;

impl Targets for Identity {
    fn resolve(&self, destination: &str) -> Option<String> {
        Some(destination.to_owned())
    }
}

/// Puts a mark before every destination.
struct Marked;

impl Targets for Marked {
    fn resolve(&self, destination: &str) -> Option<String> {
        Some(format!("/m/{destination}"))
    }

    fn size(&self, _: &str) -> Option<Size> {
        Some(Size { width: 640, height: 480 })
    }
}

/// Publishes documents.
struct Shelf;

impl Targets for Shelf {
    fn resolve(&self, destination: &str) -> Option<String> {
        destination.ends_with(".pdf").then(|| format!("/files/{destination}"))
    }

    fn document(&self, destination: &str) -> Option<String> {
        destination.ends_with(".pdf").then(|| "PDF, 1,2 MB".to_owned())
    }
}

/// Generates texts of Markdown constructs in any order.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "İş ",
        "ğ",
        " ",
        "  \n",
        "\n",
        "\n\n",
        "\n> ",
        "\n>\n> — ",
        "\n- ",
        "\n1. ",
        "\n1) ",
        "\n(2) ",
        "\na) ",
        "\nb) ",
        "    ",
        "\t",
        "# ",
        "\n## ",
        "*",
        "**",
        "_",
        "~~",
        "`",
        "```\n",
        "[",
        "]",
        "](",
        ")",
        "(",
        "<",
        ">",
        "![",
        "](b)",
        "](</x y>)",
        "](a\\)b \"t\")",
        "[^1]",
        "\n\n[^1]: ",
        "\n[^2]: ",
        "[^2]",
        "\n\n[r]: /r\n",
        "\n\n[R e]: <x y>\n",
        "[r]",
        "[t][r]",
        "[r][]",
        "![r][]",
        "[ r ]",
        "[R e]",
        "|",
        "\n|a|b|\n|-|:-:|\n|c|",
        "\\",
        "\\|",
        "&amp;",
        "&",
        "&#10;",
        "<b>",
        "\n<div>\n",
        "<https://a.example>",
        "\"",
        "'",
        "\u{0}",
        "\r\n",
        "---\n",
        "![i](i.svg \"t\")",
        "[a](b\\|c)",
        "[x](\n  y)",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

#[test]
fn bar_in_a_destination_makes_no_table() {
    for text in ["[a](b\\|c)\n- |---\n", "[a]\n- |---\n\n[a]: b|c\n", "|x|\n|-|\n|[a](b\\|c)|\n"] {
        assert_eq!(events(&to_twin(text, Locale::En, &Marked), false), events(text, true), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn html_is_balanced_whatever_is_written(text in prop_oneof![markdown(), any::<String>()]) {
        for locale in Locale::ALL {
            let html = to_html(&text, locale, &Marked);
            html::assert_balanced(&html.html);
            prop_assert!(!html.html.contains('\0') || text.contains('\0'));
        }
    }

    #[test]
    fn survey_finds_the_anchors_of_the_page(text in markdown()) {
        let text = canonical(&text, Locale::Tr);
        let surveyed = survey(&text, Locale::Tr);
        prop_assert_eq!(surveyed.headings, to_html(&text, Locale::Tr, &AsWritten).headings);
    }

    #[test]
    fn every_range_of_a_survey_is_a_range_of_the_text(text in prop_oneof![markdown(), any::<String>()]) {
        let survey = survey(&text, Locale::En);
        let notes = [survey.footnotes_undefined, survey.footnotes_unused, survey.footnotes_repeated, survey.references_undefined];
        let ranges = survey.links.iter().map(|link| link.range.clone())
            .chain(survey.images.iter().map(|image| image.range.clone()))
            .chain(survey.raw_html.iter().cloned())
            .chain(notes.iter().flatten().map(|note| note.range.clone()))
            .chain(survey.headings.iter().map(|heading| heading.offset..heading.offset));
        for range in ranges {
            prop_assert!(text.get(range.clone()).is_some(), "{range:?}");
        }
    }

    #[test]
    fn twin_without_new_destinations_is_the_text(text in prop_oneof![markdown(), any::<String>()]) {
        let text = canonical(&text, Locale::En);
        prop_assert_eq!(&to_twin(&text, Locale::En, &Identity), &text);
        prop_assert_eq!(&to_twin(&text, Locale::En, &AsWritten), &text);
    }

    #[test]
    fn twin_reads_as_the_text_with_other_destinations(text in markdown()) {
        let text = canonical(&text, Locale::En);
        let twin = to_twin(&text, Locale::En, &Marked);
        prop_assert_eq!(events(&twin, false), events(&text, true), "{}", twin);
    }

    #[test]
    fn labels_of_an_owner_render_the_same_html(text in markdown()) {
        // The parser reads a footnote without text in several ways; the check rejects such a footnote.
        let text = canonical(&format!("[^1]: one\n\n[^2]: two\n\n{text}"), Locale::En);
        let joined = with_own_labels(&text, "3-");
        let html = |text| to_html(text, Locale::En, &AsWritten).html;
        prop_assert_eq!(html(&joined), html(&text), "{}", joined);
    }

    #[test]
    fn all_forms_are_the_same_in_one_parse(text in markdown()) {
        let forms = to_forms(&text, Locale::En, &AsWritten, &Marked);
        prop_assert_eq!(forms.html, to_html(&text, Locale::En, &AsWritten));
        prop_assert_eq!(forms.twin, to_twin(&text, Locale::En, &Marked));
        prop_assert_eq!(&forms.plain, &plain(&canonical(&text, Locale::En)));
        prop_assert_eq!(forms.plain, to_plain(&text, Locale::En, Numbering::default()));
    }

    #[test]
    fn plain_text_never_ends_in_a_blank(text in prop_oneof![markdown(), any::<String>()]) {
        let plain = plain(&text).text;
        prop_assert_eq!(plain.trim_end(), &plain);
    }
}

/// Returns a text with its clauses in lines of their own.
fn canonical(text: &str, locale: Locale) -> String {
    to_twin(text, locale, &AsWritten)
}

/// Returns the events of a text; with `mark`, their destinations are changed as [`Marked`] changes them.
fn events(text: &str, mark: bool) -> Vec<Event<'_>> {
    let mark = |form: LinkType, destination: pulldown_cmark::CowStr<'_>| {
        if mark && !matches!(form, LinkType::Autolink | LinkType::Email) {
            format!("/m/{destination}").into()
        } else {
            destination.into_string().into()
        }
    };
    Parser::new_ext(text, OPTIONS)
        .map(|event| match event {
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                Event::Start(Tag::Link { link_type, dest_url: mark(link_type, dest_url), title, id })
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                Event::Start(Tag::Image { link_type, dest_url: mark(link_type, dest_url), title, id })
            }
            event => event,
        })
        .collect()
}
