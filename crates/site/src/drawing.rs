//! Whether an SVG picture shows something, and does nothing else.
//!
//! What an element is to a browser depends on its namespace, whatever its name: so the file is read by a parser that
//! resolves namespaces and references as browsers do, and a file that it cannot read is refused.

use std::ops::Range;

use findings::{
    Code,
    messages::{self, Text},
};
use roxmltree::{Attribute, Document, Error, Node, NodeType, ParsingOptions, TextPos};

/// The namespace by which a browser distinguishes a drawing from any other XML.
const NAMESPACE: &str = "http://www.w3.org/2000/svg";
const XLINK: &str = "http://www.w3.org/1999/xlink";
const XML: &str = roxmltree::NS_XML_URI;

/// Namespaces of things that act in a page: one of their attributes could take effect on any element. Browsers obey no
/// attribute of any namespace other than these and a drawing's own.
const OF_PAGES: [&str; 3] =
    ["http://www.w3.org/1998/Math/MathML", "http://www.w3.org/1999/xhtml", "http://www.w3.org/2001/xml-events"];

/// Beginnings of the namespaces in which drawing programs keep notes in elements of their own: browsers do not know
/// them. Any other namespace may be one that a browser obeys, such as XHTML.
const NOTES: [&str; 22] = [
    "adobe:ns:meta/",
    "http://creativecommons.org/ns",
    "http://inkscape.sourceforge.net/",
    "http://krita.org/",
    "http://ns.adobe.com/",
    "http://purl.org/dc/",
    "http://schemas.microsoft.com/visio/",
    "http://sodipodi.sourceforge.net/",
    "http://svgjs.",
    "http://vectornator.io",
    "http://web.resource.org/cc/",
    "http://www.bohemiancoding.com/",
    "http://www.corel.com/",
    "http://www.figma.com/",
    "http://www.inkscape.org/",
    "http://www.openswatchbook.org/",
    "http://www.serif.com/",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/2000/01/rdf-schema#",
    "http://xml.openoffice.org/",
    "https://boxy-svg.com",
    "https://svgjs.",
];

/// What follows `<!DOCTYPE` in the exports of Illustrator, Affinity, Corel, Graphviz and others. Only these document
/// types of the W3C are allowed, word for word: they declare nothing, and no browser fetches what they name.
const DOCUMENT_TYPES: [&str; 5] = [
    "svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\"",
    "svg PUBLIC \"-//W3C//DTD SVG 1.1 Basic//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11-basic.dtd\"",
    "svg PUBLIC \"-//W3C//DTD SVG 1.1 Tiny//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11-tiny.dtd\"",
    "svg PUBLIC \"-//W3C//DTD SVG 1.0//EN\" \"http://www.w3.org/TR/2001/REC-SVG-20010904/DTD/svg10.dtd\"",
    "svg PUBLIC \"-//W3C//DTD SVG 20010904//EN\" \"http://www.w3.org/TR/2001/REC-SVG-20010904/DTD/svg10.dtd\"",
];
const DOCUMENT_TYPE: &str = "<!DOCTYPE";

/// The only encoding in which other readers see the same text as this one.
const ENCODING: &str = "utf-8";

/// Limits: the parser's work grows with the square of the attributes in a tag and with the cube of the namespaces.
/// Drawings have few of either.
const MAX_ATTRIBUTES: usize = 4_000;
const MAX_NAMESPACES: usize = 1_000;

/// These load other files from anywhere that styles are allowed.
const IMPORT: &str = "@import";
const URL: &str = "url(";
/// Takes addresses without `url(` as well.
const IMAGE_SET: &str = "image-set(";

/// Elements that run, embed or change something; `set` and `animate` can change the destination of a link.
const ACTIVE: [&str; 14] = [
    "script",
    "foreignobject",
    "iframe",
    "embed",
    "object",
    "audio",
    "video",
    "handler",
    "listener",
    "set",
    "animate",
    "animatemotion",
    "animatetransform",
    "a",
];

/// What a drawing does beyond showing, or why it is not shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: Code,
    pub(super) message: Text,
    /// Range of bytes in the file.
    pub(super) at: Range<usize>,
}

/// Creates the fault that the bytes `at` do what `message` says.
fn does(message: Text, at: Range<usize>) -> Fault {
    Fault { code: Code::PICTURE_ACTS, message, at }
}

/// Creates the fault that the picture is not shown, because of the bytes `at`.
fn breaks(message: Text, at: Range<usize>) -> Fault {
    Fault { code: Code::PICTURE_FORM, message, at }
}

/// Returns what the drawing `text` does beyond showing or, failing that, what keeps browsers from showing it, if
/// anything.
///
/// Security: in a page a picture is harmless, but its own address can be opened like a page, on this origin, also from
/// hosts that send no content security policy.
pub(super) fn fault(text: &str) -> Option<Fault> {
    let document = match read(text) {
        Ok(document) => document,
        Err(fault) => return Some(fault),
    };
    if declares_another_encoding(text) {
        return Some(does(messages::drawing_in_another_encoding(), 0..text.find('>').unwrap_or_default()));
    }
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        return Some(does(messages::drawing_is_none(), tag(text, root)));
    }
    document.descendants().find_map(|node| of_node(text, node)).or_else(|| lacks_namespace(text, root))
}

/// Parses the drawing `text`.
pub(super) fn read(text: &str) -> Result<Document<'_>, Fault> {
    // A control character can begin another encoding; no drawing program writes any.
    if let Some((at, control)) = text.char_indices().find(|(_, c)| c.is_control() && !matches!(c, '\t' | '\n' | '\r')) {
        return Err(does(messages::drawing_with_control_character(), at..at + control.len_utf8()));
    }
    if text.matches("xmlns").nth(MAX_NAMESPACES).is_some() {
        return Err(breaks(messages::drawing_with_many_namespaces(MAX_NAMESPACES), 0..0));
    }
    if text.split('<').any(|tag| tag.matches('=').nth(MAX_ATTRIBUTES).is_some()) {
        return Err(breaks(messages::drawing_with_many_attributes(MAX_ATTRIBUTES), 0..0));
    }
    // The declarations of a document type could give browsers another text than this parser: it reads one only if none
    // declares anything.
    let options =
        ParsingOptions { allow_dtd: text.split(DOCUMENT_TYPE).skip(1).all(is_of_drawings), ..Default::default() };
    Document::parse_with_options(text, options).map_err(|error| unread(text, &error))
}

/// Returns whether the document type whose name begins `rest` is one that drawings have, with no declarations of its
/// own.
fn is_of_drawings(rest: &str) -> bool {
    let Some((declared, _)) = rest.split_once('>') else { return false };
    let words = declared.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    DOCUMENT_TYPES.contains(&words.as_str())
}

/// Returns why a file is not XML that browsers read.
fn unread(text: &str, error: &Error) -> Fault {
    let at = offset(text, error.pos());
    let place = at..text[at..].char_indices().nth(1).map_or(text.len(), |(next, _)| at + next);
    match error {
        Error::NoRootNode => does(messages::drawing_is_none(), place),
        Error::DtdDetected => {
            let at = text.find(DOCUMENT_TYPE).unwrap_or_default();
            does(messages::drawing_with_document_type(), at..at + DOCUMENT_TYPE.len())
        }
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            let end = text.trim_end().len();
            breaks(messages::drawing_breaks_off(), end..end)
        }
        Error::UnexpectedCloseTag(open, closed, _) => breaks(messages::drawing_closes_another(closed, open), place),
        Error::UnknownNamespace(prefix, _) => breaks(messages::drawing_with_unknown_prefix(prefix), place),
        _ => {
            let words = error.to_string().replace(&format!(" at {}", error.pos()), "");
            breaks(messages::drawing_not_xml(words), place)
        }
    }
}

/// Returns the byte offset of a place that the parser gives by line and column.
fn offset(text: &str, place: TextPos) -> usize {
    let line: usize = text.split_inclusive('\n').take(place.row as usize - 1).map(str::len).sum();
    text[line..].char_indices().nth(place.col as usize - 1).map_or(text.len(), |(at, _)| line + at)
}

/// Returns whether the XML declaration names an encoding other than the one in which pictures are read here: a reader
/// that honours it may see other tags in the same bytes.
fn declares_another_encoding(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((mut rest, _)) = text.strip_prefix("<?xml ").and_then(|text| text.split_once("?>")) else { return false };
    while let Some((name, quoted)) = rest.find(['"', '\'']).map(|at| rest.split_at(at)) {
        // A value that does not end here contains the mark that ends the declaration.
        let Some((value, next)) = quoted[1..].split_once(&quoted[..1]) else { return true };
        if name.contains("encoding") && !value.eq_ignore_ascii_case(ENCODING) {
            return true;
        }
        rest = next;
    }
    false
}

/// Returns a fault if the first element is not in the namespace of drawings.
fn lacks_namespace(text: &str, root: Node) -> Option<Fault> {
    let place = tag(text, root);
    let declaration = match text[place.clone()].trim_start_matches('<').split_once(':') {
        Some((prefix, _)) => format!("xmlns:{prefix}"),
        None => "xmlns".to_owned(),
    };
    let message = || messages::drawing_without_namespace(format!("{declaration}=\"{NAMESPACE}\""));
    (root.tag_name().namespace() != Some(NAMESPACE)).then(|| breaks(message(), place))
}

/// Returns the range of an element's tag from its beginning to the end of its name.
fn tag(text: &str, element: Node) -> Range<usize> {
    let Range { start, end } = element.range();
    let name = text[start..end].find(|c: char| c.is_whitespace() || matches!(c, '/' | '>'));
    start..name.map_or(end, |length| start + length)
}

fn of_node(text: &str, node: Node) -> Option<Fault> {
    match node.node_type() {
        NodeType::PI => Some(does(messages::drawing_with_instruction(), node.range())),
        NodeType::Element => of_element(text, node),
        NodeType::Root | NodeType::Comment | NodeType::Text => None,
    }
}

fn of_element(text: &str, element: Node) -> Option<Fault> {
    let (name, place) = (element.tag_name(), tag(text, element));
    let written = &text[place.start + 1..place.end];
    if !is_judged(name.namespace()) && !is_note(name.namespace()) {
        return Some(does(messages::drawing_with_foreign_element(written), place));
    }
    let local = name.name().to_ascii_lowercase();
    if ACTIVE.contains(&local.as_str()) {
        return Some(does(messages::drawing_with_element(written), place));
    }
    let attribute = element.attributes().find_map(|attribute| of_attribute(text, &attribute));
    attribute.or_else(|| if local == "style" { of_style(text, element) } else { None })
}

fn of_attribute(text: &str, attribute: &Attribute) -> Option<Fault> {
    let at = attribute.range();
    let written = text[at.clone()].split('=').next().unwrap_or_default().trim_end();
    if attribute.namespace().is_some_and(|namespace| OF_PAGES.contains(&namespace)) {
        return Some(does(messages::drawing_with_foreign_attribute(written), at));
    }
    // What drawing programs note for themselves is not a style: names of files, for example.
    if !is_judged(attribute.namespace()) {
        return None;
    }
    let (local, value) = (attribute.name().to_ascii_lowercase(), attribute.value().trim().to_ascii_lowercase());
    if local.starts_with("on") {
        return Some(does(messages::drawing_with_attribute(written), at));
    }
    let picture = ["data:image/png;", "data:image/jpeg;", "data:image/webp;"];
    let is_fine = value.starts_with('#') || picture.iter().any(|start| value.starts_with(start));
    let leads = matches!(local.as_str(), "href" | "src") || (local == "base" && attribute.namespace() == Some(XML));
    if leads && !is_fine {
        return Some(does(messages::drawing_links_elsewhere(written), at));
    }
    // Names and descriptions, in which browsers do not look for styles.
    let is_text =
        matches!(local.as_str(), "id" | "content") || local.starts_with("data-") || local.starts_with("aria-");
    if is_text { None } else { of_styles(text, attribute.value(), at.clone(), at) }
}

/// Returns what is wrong with a `style` element. A word may be split over parts that only a browser joins.
fn of_style(text: &str, element: Node) -> Option<Fault> {
    if let Some(child) = element.first_element_child() {
        let place = tag(text, child);
        let name = &text[place.start + 1..place.end];
        return Some(does(messages::drawing_with_element_in_style(name), place));
    }
    let styles: String = element.children().filter(Node::is_text).filter_map(|node| node.text()).collect();
    of_styles(text, &styles, element.range(), tag(text, element))
}

/// Returns what is wrong with `styles` as browsers read them. In the file they are `within` these bytes; `or` is the
/// range to show if a word is not written there as it is read.
fn of_styles(text: &str, styles: &str, within: Range<usize>, or: Range<usize>) -> Option<Fault> {
    let Some((message, word)) = reaches_out(&styles.to_ascii_lowercase()) else {
        // An escape could hide a word that is looked for here. No drawing program writes any.
        return styles.contains('\\').then(|| does(messages::drawing_with_escapes(), or));
    };
    let place = text[within.clone()].find(styles).map(|at| within.start + at);
    Some(does(message, place.map_or(or, |at| at + word.start..at + word.end)))
}

/// Returns how, and where, styles load another file.
fn reaches_out(styles: &str) -> Option<(Text, Range<usize>)> {
    let is_elsewhere = |at: &usize| {
        let url = styles[at + URL.len()..].trim_start();
        !url.trim_start_matches(['"', '\'']).starts_with('#')
    };
    let import = styles.find(IMPORT).map(|at| (messages::drawing_imports_styles(), at, IMPORT));
    let url = || styles.match_indices(URL).map(|(at, _)| at).find(is_elsewhere);
    let set = || styles.find(IMAGE_SET).map(|at| (messages::drawing_loads_file("image-set(…)"), at, IMAGE_SET));
    let found = import.or_else(|| Some((messages::drawing_loads_file("url(…)"), url()?, URL))).or_else(set);
    found.map(|(message, at, word)| (message, at..at + word.len()))
}

/// Returns whether browsers treat this namespace as a part of the drawing.
fn is_judged(namespace: Option<&str>) -> bool {
    matches!(namespace, None | Some(NAMESPACE | XLINK | XML))
}

fn is_note(namespace: Option<&str>) -> bool {
    namespace.is_some_and(|namespace| NOTES.iter().any(|start| namespace.starts_with(start)))
}

#[cfg(test)]
mod tests;
