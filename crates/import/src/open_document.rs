//! What pandoc leaves out of a text of `LibreOffice` without a word.
//!
//! As with Word, frames around words are removed from `content.xml` before pandoc reads it, and the words of both are
//! compared afterwards.

use std::collections::HashSet;

use findings::messages::{self, Text};
use roxmltree::{Document, Node};

use crate::{
    Loss,
    edits::{PartEdit, edited, remove_tags},
    tree::excerpt,
    unread::TreeWords,
};

const TEXT: &str = "urn:oasis:names:tc:opendocument:xmlns:text:1.0";
const TABLE: &str = "urn:oasis:names:tc:opendocument:xmlns:table:1.0";
const DRAWING: &str = "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0";
/// What `LibreOffice` adds to the standard.
const EXTENSION: &str = "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0";

/// Elements around rows, columns and paragraphs.
const FRAMES: [&str; 9] = [
    "table-row-group",
    "table-rows",
    "table-header-rows",
    "table-column-group",
    "table-columns",
    "table-header-columns",
    "section",
    "numbered-paragraph",
    "bibliography",
];
/// Elements inside a paragraph that pandoc reads, or whose content is not shown. All others are fields, and frame what is shown.
const NO_FIELDS: [&str; 14] = [
    "a",
    "span",
    "p",
    "h",
    "note",
    "note-citation",
    "note-body",
    "list",
    "list-item",
    "list-header",
    "bookmark-ref",
    "reference-ref",
    "ruby-text",
    "script",
];
/// Elements made of the words of the text.
const INDEXES: [&str; 6] =
    ["table-of-content", "illustration-index", "table-index", "object-index", "user-index", "alphabetical-index"];

/// Returns `content.xml` in the form that pandoc reads whole.
pub(crate) fn unframe(content: &str) -> Option<String> {
    let document = Document::parse(content).ok()?;
    edited(
        content,
        document.descendants().filter(|node| is_frame(*node)).flat_map(remove_tags).collect::<Vec<PartEdit>>(),
    )
}

fn is_frame(node: Node) -> bool {
    let name = node.tag_name().name();
    match node.tag_name().namespace() {
        Some(TEXT | TABLE) if FRAMES.contains(&name) => true,
        Some(TEXT) if matches!(name, "index-body" | "index-title") => is_within(node, &["bibliography"]),
        // The number of a paragraph is a setting of its list, too.
        Some(TEXT) if name == "number" => false,
        Some(TEXT | EXTENSION) => !NO_FIELDS.contains(&name) && is_within(node, &["p", "h"]) && has_words(node),
        _ => false,
    }
}

/// Returns what of a text is not in pandoc's tree, and hidden text, which is. `styles` is `styles.xml`.
pub(crate) fn losses(content: &str, styles: &str, words: &TreeWords) -> Vec<Loss> {
    let lose = |words: String, message: Text| Loss { heading: String::new(), words: excerpt(&words), message };
    let mut losses = vec![lose(String::new(), messages::lost_numbers_of_odt())];
    let is_of_page = |node: Node| ["header", "footer"].iter().any(|name| node.tag_name().name().starts_with(name));
    if Document::parse(styles).is_ok_and(|styles| styles.descendants().any(|it| is_of_page(it) && has_words(it))) {
        losses.push(lose(String::new(), messages::lost_header()));
    }
    let Ok(document) = Document::parse(content) else { return losses };
    let (mut text, mut notes, mut boxes) = (Vec::new(), Vec::new(), Vec::new());
    let hidden = hidden_styles(&document);
    for node in document.descendants().filter(|node| node.tag_name().namespace() == Some(TEXT)) {
        let name = node.tag_name().name();
        if INDEXES.contains(&name) {
            let body = node.children().find(|child| child.tag_name().name() == "index-body");
            losses.push(lose(body.map(own_words).unwrap_or_default(), messages::lost_index()));
        }
        if is_hidden(node, &hidden) && has_words(node) {
            losses.push(lose(own_words(node), messages::hidden_text_kept()));
        }
        // Comments and changes are the message above.
        let is_elsewhere = || is_within(node, &INDEXES) || is_within(node, &["annotation", "tracked-changes"]);
        if !matches!(name, "p" | "h") || is_elsewhere() {
            continue;
        }
        let is_in_box = node.ancestors().any(|above| above.tag_name().namespace() == Some(DRAWING));
        match () {
            () if is_in_box => &mut boxes,
            () if is_within(node, &["note"]) => &mut notes,
            () => &mut text,
        }
        .push(own_words(node));
    }
    for (paragraphs, is_notes, message) in [
        (text, false, messages::lost_words()),
        (notes, true, messages::lost_words()),
        (boxes, false, messages::lost_text_box()),
    ] {
        losses.extend(words.missing(paragraphs, is_notes, &message));
    }
    losses
}

/// Returns the names of styles whose text is hidden.
fn hidden_styles<'d>(document: &'d Document) -> HashSet<&'d str> {
    let is_hidden = |node: &Node| node.attribute((TEXT, "display")) == Some("none");
    let properties =
        document.descendants().filter(|node| node.tag_name().name() == "text-properties").filter(is_hidden);
    let style_of = |node: Node<'d, 'd>| {
        let style = node.parent_element()?;
        style.attributes().find(|attribute| attribute.name() == "name").map(|name| name.value())
    };
    properties.filter_map(style_of).collect()
}

fn is_hidden(node: Node, styles: &HashSet<&str>) -> bool {
    node.attribute((TEXT, "display")) == Some("none")
        || node.attribute((TEXT, "style-name")).is_some_and(|style| styles.contains(style))
        || node.children().any(|child| child.attribute((TEXT, "is-hidden")) == Some("true"))
}

fn is_within(node: Node, names: &[&str]) -> bool {
    node.ancestors().skip(1).any(|above| names.contains(&above.tag_name().name()))
}

fn has_words(node: Node) -> bool {
    node.descendants().any(|it| it.is_text() && it.text().is_some_and(|text| !text.trim().is_empty()))
}

/// Returns the words of an element, without those of notes, comments, text boxes, and what is not shown.
fn own_words(node: Node) -> String {
    let is_apart = |above: Node| {
        above.tag_name().namespace() == Some(DRAWING)
            || matches!(above.tag_name().name(), "note" | "annotation" | "number" | "script" | "ruby-text")
    };
    let own = |text: &Node| text.is_text() && !text.ancestors().take_while(|above| *above != node).any(is_apart);
    node.descendants().filter(own).filter_map(|text| text.text()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use contract::Locale;

    use super::*;
    use crate::{archive, word};

    const OFFICE: &str = "urn:oasis:names:tc:opendocument:xmlns:office:1.0";
    const STYLE: &str = "urn:oasis:names:tc:opendocument:xmlns:style:1.0";

    /// Returns the Markdown of a text, and its losses.
    fn read(styles: &str, text: &str, pages: &str) -> (String, Vec<(String, String)>) {
        let names = format!(
            "xmlns:office=\"{OFFICE}\" xmlns:style=\"{STYLE}\" xmlns:text=\"{TEXT}\" xmlns:table=\"{TABLE}\" \
             xmlns:draw=\"{DRAWING}\" xmlns:loext=\"{EXTENSION}\" office:version=\"1.3\""
        );
        let content = format!(
            "<office:document-content {names}><office:automatic-styles>{styles}</office:automatic-styles>\
             <office:body><office:text>{text}</office:text></office:body></office:document-content>"
        );
        let pages = format!(
            "<office:document-styles {names}><office:master-styles>{pages}</office:master-styles></office:document-styles>"
        );
        let part = |name: &str, text: String| (name.to_owned(), text.into_bytes());
        let kind = "application/vnd.oasis.opendocument.text".to_owned();
        let parts = [part("mimetype", kind), part("content.xml", content), part("styles.xml", pages)];
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.odt");
        fs::write(&file, archive::pack(&parts.into()).unwrap()).unwrap();
        let read = word::read(&file, Locale::En, "a").unwrap();
        let losses = read.losses.into_iter().map(|loss| (loss.words, loss.message[Locale::En].to_owned()));
        (read.body, losses.filter(|(_, message)| !message.contains("save it as .docx")).collect())
    }

    #[test]
    fn words_in_frames_are_carried_over() {
        let row = |word: &str| {
            let cell = |word| format!("<table:table-cell><text:p>{word}</text:p></table:table-cell>");
            format!("<table:table-row>{}{}</table:table-row>", cell(word), cell("b"))
        };
        let text = format!(
            "<text:h text:outline-level=\"1\">From <text:date>June</text:date></text:h>\
             <text:p>A <text:user-defined>field</text:user-defined>, <text:meta>words <text:span><text:title>in</text:title></text:span> it</text:meta>\
             <text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>of <text:time>noon</text:time></text:p></text:note-body></text:note>, \
             <text:ruby><text:ruby-base>base</text:ruby-base><text:ruby-text>above</text:ruby-text></text:ruby>, \
             <loext:content-control>a choice</loext:content-control><text:script>no()</text:script>.</text:p>\
             <text:section><text:p>In a section.</text:p></text:section>\
             <text:numbered-paragraph><text:number>1.</text:number><text:p>Numbered.</text:p></text:numbered-paragraph>\
             <table:table><table:table-column table:number-columns-repeated=\"2\"/>\
             <table:table-header-rows>{}</table:table-header-rows><table:table-row-group>{}</table:table-row-group></table:table>\
             <text:bibliography><text:index-body><text:p>A source.</text:p></text:index-body></text:bibliography>",
            row("head"),
            row("grouped")
        );
        let (body, losses) = read("", &text, "");
        for words in [
            "A field, words in it[^1], base, a choice.",
            "[^1]: of noon",
            "In a section.",
            "Numbered.",
            "| head    | b   |",
            "| grouped | b   |",
            "A source.",
        ] {
            assert!(body.contains(words), "{words}: {body}");
        }
        assert_eq!(losses, [], "{body}");
    }

    #[test]
    fn words_that_stay_away_are_listed() {
        let shape = "<draw:custom-shape><text:p>boxed</text:p></draw:custom-shape>";
        let inner = "<table:table table:is-sub-table=\"true\"><table:table-row><table:table-cell>\
                     <text:p>inner</text:p></table:table-cell></table:table-row></table:table>";
        let text = format!(
            "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes>\
             <text:table-of-content><text:index-body><text:p>Contents</text:p></text:index-body></text:table-of-content>\
             <text:p>Text{shape}<office:annotation><text:p>remark</text:p></office:annotation></text:p>\
             <text:p>See <text:span text:style-name=\"T1\">quietly</text:span></text:p>\
             <text:section text:display=\"none\"><text:p>For us only</text:p></text:section>\
             <table:table><table:table-column/><table:table-row><table:table-cell>{inner}</table:table-cell></table:table-row></table:table>"
        );
        let styles = "<style:style style:name=\"T1\"><style:text-properties text:display=\"none\"/></style:style>";
        let pages = "<style:master-page><style:footer><text:p>Page</text:p></style:footer></style:master-page>";
        let (body, losses) = read(styles, &text, pages);
        assert_eq!(
            body.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>(),
            ["Text", "See quietly", "For us only"]
        );
        for (words, message) in [
            ("", "headers and footers"),
            ("", "a table of one row or one column"),
            ("Contents", "a table of contents or an index is left out"),
            ("quietly", "hidden text stands"),
            ("For us only", "hidden text stands"),
            ("inner", "words of this paragraph could not be read"),
            ("boxed", "a text box is left out"),
        ] {
            let is_it = |loss: &&(String, String)| loss.0 == words && loss.1.contains(message);
            assert_eq!(losses.iter().filter(is_it).count(), 1, "{words}: {losses:?}");
        }
        assert_eq!(losses.len(), 7, "{losses:?}");
    }
}
