//! Checks that an SVG picture is passive, and that browsers can show it.
//!
//! The meaning of an element depends on its namespace, not on its prefix. Therefore a parser reads the file that
//! resolves namespaces and references as browsers do, and a file that it cannot read is refused.

mod colours;
mod work;

use std::{borrow::Cow, ops::Range};

use findings::{
    Code,
    messages::{self, Text},
};
use roxmltree::{Attribute, Document, Error, Node, NodeType, ParsingOptions, TextPos};

/// The namespace of SVG.
const NAMESPACE: &str = "http://www.w3.org/2000/svg";
const XLINK: &str = "http://www.w3.org/1999/xlink";
const XML: &str = roxmltree::NS_XML_URI;

/// Namespaces whose attributes could take effect on any element. Browsers ignore the attributes of all namespaces
/// except these and those of a drawing.
const PAGE_NAMESPACES: [&str; 3] =
    ["http://www.w3.org/1998/Math/MathML", "http://www.w3.org/1999/xhtml", "http://www.w3.org/2001/xml-events"];

/// Prefixes of the namespaces of drawing programs, whose elements browsers ignore. Elements of any other namespace are
/// refused, since browsers may process them, as those of XHTML.
const EDITOR_NAMESPACES: [&str; 22] = [
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

/// The document types in the exports of Illustrator, Affinity, Corel, Graphviz and others. Only these types of the W3C
/// are allowed, word for word: they contain no declarations, and no browser fetches their addresses.
const DOCUMENT_TYPES: [&str; 5] = [
    "svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\"",
    "svg PUBLIC \"-//W3C//DTD SVG 1.1 Basic//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11-basic.dtd\"",
    "svg PUBLIC \"-//W3C//DTD SVG 1.1 Tiny//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11-tiny.dtd\"",
    "svg PUBLIC \"-//W3C//DTD SVG 1.0//EN\" \"http://www.w3.org/TR/2001/REC-SVG-20010904/DTD/svg10.dtd\"",
    "svg PUBLIC \"-//W3C//DTD SVG 20010904//EN\" \"http://www.w3.org/TR/2001/REC-SVG-20010904/DTD/svg10.dtd\"",
];
const DOCUMENT_TYPE: &str = "<!DOCTYPE";

/// The only allowed encoding: with any other, a browser could read another text than this check.
const ENCODING: &str = "utf-8";

/// Limits, since the parser's work grows with the square of the attributes in a tag and with the cube of the
/// namespaces. Drawings have few of either.
const MAX_ATTRIBUTES: usize = 4_000;
const MAX_NAMESPACES: usize = 1_000;
/// Maximum of elements, texts and comments, since each takes a hundred bytes of memory while a drawing is read.
const MAX_NODES: u32 = 1_000_000;
/// Maximum size of a logo or an icon that is drawn, in bytes. Larger ones are drawings of another kind.
const MAX_DRAWN_BYTES: usize = 512 << 10;

/// `@import` and `url(` load other files wherever styles are allowed.
const IMPORT: &str = "@import";
const URL: &str = "url(";
/// Also accepts addresses without `url(`.
const IMAGE_SET: &str = "image-set(";

/// Elements that run, embed or change content; `set` and `animate` can change the destination of a link.
const ACTIVE_ELEMENTS: [&str; 14] = [
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

/// The reason why a drawing is refused: it is active, or browsers cannot show it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DrawingFault {
    pub(super) code: Code,
    pub(super) message: Text,
    /// Range of bytes in the file.
    pub(super) at: Range<usize>,
}

/// Returns the fault of a drawing that is active, or may be, because of the bytes `at`.
fn acting_fault(message: Text, at: Range<usize>) -> DrawingFault {
    DrawingFault { code: Code::PICTURE_ACTS, message, at }
}

/// Returns the fault of a drawing that browsers cannot show because of the bytes `at`.
fn format_fault(message: Text, at: Range<usize>) -> DrawingFault {
    DrawingFault { code: Code::PICTURE_FORM, message, at }
}

/// Returns the first active part of the drawing `text`, otherwise the reason why browsers cannot show it, if any.
///
/// Security: an embedded picture is passive, but its own address can be opened like a page of this origin, also on
/// hosts that send no content security policy.
pub(super) fn fault(text: &str) -> Option<DrawingFault> {
    let document = match read(text) {
        Ok(document) => document,
        Err(fault) => return Some(fault),
    };
    if declares_another_encoding(text) {
        return Some(acting_fault(messages::drawing_in_another_encoding(), 0..text.find('>').unwrap_or_default()));
    }
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        return Some(acting_fault(messages::drawing_is_none(), tag(text, root)));
    }
    document.descendants().find_map(|node| check_node(text, node)).or_else(|| check_namespace(text, root))
}

/// The reason why the build does not draw a logo or an icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndrawnReason {
    /// It is too much work, or has a fault.
    Work,
    /// It has colours or rules that the drawing library does not know.
    Colours,
    /// It has a picture of pixels in it, which the drawing library leaves out.
    Pixels,
}

/// A reason, and the line of the drawing to which it applies; 0 if it applies to the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undrawn {
    pub reason: UndrawnReason,
    pub line: u32,
}

/// Returns the text of a drawing for the drawing library, as a logo or an icon: with little work, and in colours that
/// the library knows.
///
/// # Errors
/// If it is not to be drawn.
pub fn drawable(bytes: &[u8]) -> Result<Cow<'_, str>, Undrawn> {
    const TOO_MUCH: Undrawn = Undrawn { reason: UndrawnReason::Work, line: 0 };
    if bytes.len() > MAX_DRAWN_BYTES {
        return Err(TOO_MUCH);
    }
    let text = str::from_utf8(bytes).map_err(|_| TOO_MUCH)?;
    let document = read(text).map_err(|_| TOO_MUCH)?;
    if !work::is_drawable(&document) {
        return Err(TOO_MUCH);
    }
    let undrawn = |reason, at| Undrawn { reason, line: document.text_pos_at(at).row };
    let mut pictures = document.descendants().filter(|node| matches!(node.tag_name().name(), "image" | "feImage"));
    if let Some(picture) = pictures.next() {
        return Err(undrawn(UndrawnReason::Pixels, picture.range().start));
    }
    colours::known(text, &document).map_err(|at| undrawn(UndrawnReason::Colours, at))
}

/// Returns whether the document `text` has elements that a browser shows or runs: of a drawing or a page. `None` if it
/// cannot be read.
pub(super) fn is_shown_by_browsers(text: &str) -> Option<bool> {
    const XHTML: &str = "http://www.w3.org/1999/xhtml";
    let document = read(text).ok()?;
    let mut namespaces = document.descendants().filter_map(|node| node.tag_name().namespace());
    Some(namespaces.any(|namespace| namespace == NAMESPACE || namespace == XHTML))
}

/// Parses the drawing `text`.
pub(super) fn read(text: &str) -> Result<Document<'_>, DrawingFault> {
    // A control character can switch the encoding; no drawing program writes any.
    if let Some((at, control)) = text.char_indices().find(|(_, c)| c.is_control() && !matches!(c, '\t' | '\n' | '\r')) {
        return Err(acting_fault(messages::drawing_with_control_character(), at..at + control.len_utf8()));
    }
    if text.matches("xmlns").nth(MAX_NAMESPACES).is_some() {
        return Err(format_fault(messages::drawing_with_many_namespaces(MAX_NAMESPACES), 0..0));
    }
    if text.split('<').any(|tag| tag.matches('=').nth(MAX_ATTRIBUTES).is_some()) {
        return Err(format_fault(messages::drawing_with_many_attributes(MAX_ATTRIBUTES), 0..0));
    }
    // With declarations in a document type, browsers could see another text than this parser, so none may have any.
    let options = ParsingOptions {
        allow_dtd: text.split(DOCUMENT_TYPE).skip(1).all(is_known_document_type),
        nodes_limit: MAX_NODES,
        ..Default::default()
    };
    Document::parse_with_options(text, options).map_err(|error| parse_fault(text, &error))
}

/// Returns whether `rest`, the text after `<!DOCTYPE`, begins with one of [`DOCUMENT_TYPES`], without declarations.
fn is_known_document_type(rest: &str) -> bool {
    let Some((declared, _)) = rest.split_once('>') else { return false };
    let words = declared.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    DOCUMENT_TYPES.contains(&words.as_str())
}

/// Converts a parser error.
fn parse_fault(text: &str, error: &Error) -> DrawingFault {
    let at = offset(text, error.pos());
    let place = at..text[at..].char_indices().nth(1).map_or(text.len(), |(next, _)| at + next);
    match error {
        Error::NoRootNode => acting_fault(messages::drawing_is_none(), place),
        Error::NodesLimitReached => format_fault(messages::drawing_with_many_elements(MAX_NODES), 0..0),
        Error::DtdDetected => {
            let at = text.find(DOCUMENT_TYPE).unwrap_or_default();
            acting_fault(messages::drawing_with_document_type(), at..at + DOCUMENT_TYPE.len())
        }
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            let end = text.trim_end().len();
            format_fault(messages::drawing_breaks_off(), end..end)
        }
        Error::UnexpectedCloseTag(open, closed, _) => {
            format_fault(messages::drawing_closes_another(closed, open), place)
        }
        Error::UnknownNamespace(prefix, _) => format_fault(messages::drawing_with_unknown_prefix(prefix), place),
        _ => {
            let words = error.to_string().replace(&format!(" at {}", error.pos()), "");
            format_fault(messages::drawing_not_xml(words), place)
        }
    }
}

/// Converts a position of the parser, in lines and columns, to a byte offset.
fn offset(text: &str, place: TextPos) -> usize {
    let line: usize = text.split_inclusive('\n').take(place.row as usize - 1).map(str::len).sum();
    text[line..].char_indices().nth(place.col as usize - 1).map_or(text.len(), |(at, _)| line + at)
}

/// Returns whether the XML declaration names an encoding other than [`ENCODING`]: a browser that follows it may see
/// other tags in the same bytes.
fn declares_another_encoding(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((mut rest, _)) = text.strip_prefix("<?xml ").and_then(|text| text.split_once("?>")) else { return false };
    while let Some((name, quoted)) = rest.find(['"', '\'']).map(|at| rest.split_at(at)) {
        // A value without an end contains `?>`.
        let Some((value, next)) = quoted[1..].split_once(&quoted[..1]) else { return true };
        if name.contains("encoding") && !value.eq_ignore_ascii_case(ENCODING) {
            return true;
        }
        rest = next;
    }
    false
}

/// Returns a fault if the root element is not in the namespace of SVG.
fn check_namespace(text: &str, root: Node) -> Option<DrawingFault> {
    let place = tag(text, root);
    let declaration = match text[place.clone()].trim_start_matches('<').split_once(':') {
        Some((prefix, _)) => format!("xmlns:{prefix}"),
        None => "xmlns".to_owned(),
    };
    let message = || messages::drawing_without_namespace(format!("{declaration}=\"{NAMESPACE}\""));
    (root.tag_name().namespace() != Some(NAMESPACE)).then(|| format_fault(message(), place))
}

/// Returns the range of an element's tag from its beginning to the end of its name.
fn tag(text: &str, element: Node) -> Range<usize> {
    let Range { start, end } = element.range();
    let name = text[start..end].find(|c: char| c.is_whitespace() || matches!(c, '/' | '>'));
    start..name.map_or(end, |length| start + length)
}

fn check_node(text: &str, node: Node) -> Option<DrawingFault> {
    match node.node_type() {
        NodeType::PI => Some(acting_fault(messages::drawing_with_instruction(), node.range())),
        NodeType::Element => check_element(text, node),
        NodeType::Root | NodeType::Comment | NodeType::Text => None,
    }
}

fn check_element(text: &str, element: Node) -> Option<DrawingFault> {
    let (name, place) = (element.tag_name(), tag(text, element));
    let written = &text[place.start + 1..place.end];
    if !is_drawing_namespace(name.namespace()) && !is_editor_namespace(name.namespace()) {
        return Some(acting_fault(messages::drawing_with_foreign_element(written), place));
    }
    let local = name.name().to_ascii_lowercase();
    if ACTIVE_ELEMENTS.contains(&local.as_str()) {
        return Some(acting_fault(messages::drawing_with_element(written), place));
    }
    let attribute = element.attributes().find_map(|attribute| check_attribute(text, &attribute));
    attribute.or_else(|| if local == "style" { check_style_element(text, element) } else { None })
}

fn check_attribute(text: &str, attribute: &Attribute) -> Option<DrawingFault> {
    let at = attribute.range();
    let written = text[at.clone()].split('=').next().unwrap_or_default().trim_end();
    if attribute.namespace().is_some_and(|namespace| PAGE_NAMESPACES.contains(&namespace)) {
        return Some(acting_fault(messages::drawing_with_foreign_attribute(written), at));
    }
    // Attributes of drawing programs are not styles: names of files, for example.
    if !is_drawing_namespace(attribute.namespace()) {
        return None;
    }
    let (local, value) = (attribute.name().to_ascii_lowercase(), attribute.value().trim().to_ascii_lowercase());
    if local.starts_with("on") {
        return Some(acting_fault(messages::drawing_with_attribute(written), at));
    }
    let picture = ["data:image/png;", "data:image/jpeg;", "data:image/webp;"];
    let is_fine = value.starts_with('#') || picture.iter().any(|start| value.starts_with(start));
    let leads = matches!(local.as_str(), "href" | "src") || (local == "base" && attribute.namespace() == Some(XML));
    if leads && !is_fine {
        return Some(acting_fault(messages::drawing_links_elsewhere(written), at));
    }
    // Names and descriptions, which browsers do not read as styles.
    let is_text =
        matches!(local.as_str(), "id" | "content") || local.starts_with("data-") || local.starts_with("aria-");
    if is_text { None } else { check_styles(text, attribute.value(), at.clone(), at) }
}

/// Checks a `style` element. Joins its text nodes as browsers do, since a word may be split over several.
fn check_style_element(text: &str, element: Node) -> Option<DrawingFault> {
    if let Some(child) = element.first_element_child() {
        let place = tag(text, child);
        let name = &text[place.start + 1..place.end];
        return Some(acting_fault(messages::drawing_with_element_in_style(name), place));
    }
    let styles: String = element.children().filter(Node::is_text).filter_map(|node| node.text()).collect();
    check_styles(text, &styles, element.range(), tag(text, element))
}

/// Checks `styles`, with references resolved. In the file they lie `within` these bytes; `or` is the range of the fault
/// if `styles` are not written there literally.
fn check_styles(text: &str, styles: &str, within: Range<usize>, or: Range<usize>) -> Option<DrawingFault> {
    let Some((message, word)) = find_external_load(&styles.to_ascii_lowercase()) else {
        // An escape could hide a forbidden word. No drawing program writes any.
        return styles.contains('\\').then(|| acting_fault(messages::drawing_with_escapes(), or));
    };
    let place = text[within.clone()].find(styles).map(|at| within.start + at);
    Some(acting_fault(message, place.map_or(or, |at| at + word.start..at + word.end)))
}

/// Returns the first place where styles load another file, with a message.
fn find_external_load(styles: &str) -> Option<(Text, Range<usize>)> {
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

/// Returns whether browsers process attributes and elements of this namespace as part of the drawing.
fn is_drawing_namespace(namespace: Option<&str>) -> bool {
    matches!(namespace, None | Some(NAMESPACE | XLINK | XML))
}

fn is_editor_namespace(namespace: Option<&str>) -> bool {
    namespace.is_some_and(|namespace| EDITOR_NAMESPACES.iter().any(|start| namespace.starts_with(start)))
}

#[cfg(test)]
mod tests;
