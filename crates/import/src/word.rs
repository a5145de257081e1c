//! Reads a text of Word (`.docx`) or `LibreOffice` (`.odt`).

use std::{collections::BTreeMap, fs, path::Path, sync::LazyLock};

use contract::Locale;
use findings::messages::{self, Text};
use regex_lite::Regex;
use roxmltree::{Document, Node};

use crate::{
    Loss, Picture, archive, numbering, open_document, pandoc,
    tree::{self, BREAK, CLOSE, OPEN, Resolve, excerpt},
    unread::{self, TreeWords},
};

/// The longest document, in bytes, as it is on disk.
const MAX_FILE: u64 = 64 << 20;

const DOCUMENT: &str = "word/document.xml";
const OPEN_DOCUMENT: &str = "content.xml";
/// The parts with the words of a text, and whether they are notes.
const PARTS: [(&str, bool); 3] = [(DOCUMENT, false), ("word/footnotes.xml", true), ("word/endnotes.xml", true)];

/// A text with what belongs to it.
pub(crate) struct ConvertedText {
    pub(crate) title: Option<String>,
    pub(crate) body: String,
    pub(crate) pictures: Vec<Picture>,
    pub(crate) losses: Vec<Loss>,
}

/// Reads a document. Pictures are named after `key`.
pub(crate) fn read(file: &Path, locale: Locale, key: &str) -> Result<ConvertedText, Text> {
    let length = fs::metadata(file).map_err(|error| Text::verbatim(&error))?.len();
    if length == 0 {
        return Err(messages::import_empty());
    }
    if length > MAX_FILE {
        return Err(messages::import_too_large());
    }
    let bytes = fs::read(file).map_err(|error| Text::verbatim(&error))?;
    if bytes.starts_with(b"\xd0\xcf\x11\xe0") {
        return Err(messages::import_old_word());
    }
    let mut parts = archive::unpack(&bytes)?;
    let format = if parts.contains_key(DOCUMENT) {
        "docx"
    } else if parts.get("mimetype").is_some_and(|it| it.starts_with(b"application/vnd.oasis.opendocument.text")) {
        "odt"
    } else {
        return Err(messages::import_not_a_document());
    };
    for (name, _) in PARTS {
        if let Some(written) = text(&parts, name).and_then(unread::unframe) {
            parts.insert(name.to_owned(), written.into_bytes());
        }
    }
    let unframed = text(&parts, OPEN_DOCUMENT).and_then(open_document::unframe);
    let content = unframed.and_then(|written| parts.insert(OPEN_DOCUMENT.to_owned(), written.into_bytes()));
    if let (Some(document), Some(numbers)) = (text(&parts, DOCUMENT), text(&parts, "word/numbering.xml")) {
        let styles = text(&parts, "word/styles.xml");
        if let Some(written) = numbering::write_out(document, numbers, styles) {
            parts.insert(DOCUMENT.to_owned(), written.into_bytes());
        }
    }
    // pandoc reads the archive that was unpacked within limits, and no other.
    let folder = tempfile::tempdir().map_err(|error| Text::verbatim(&error))?;
    let copy = folder.path().join(format!("text.{format}"));
    fs::write(&copy, archive::pack(&parts)?).map_err(|error| Text::verbatim(&error))?;
    let read = pandoc::read(&copy, format)?;
    let words = TreeWords::of(&read);
    let mut pictures: BTreeMap<String, Picture> = BTreeMap::new();
    let mut name_picture = |target: &str| {
        let path = if format == "docx" { format!("word/{target}") } else { target.to_owned() };
        let bytes = parts.get(&path).ok_or_else(|| messages::lost_picture(target))?;
        let extension = target.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
        if !markdown::is_picture(&format!("x.{extension}")) {
            return Err(messages::lost_picture_form(extension));
        }
        let number = pictures.len() + 1;
        let picture = pictures
            .entry(path)
            .or_insert_with(|| Picture { name: format!("{key}-{number}.{extension}"), bytes: bytes.clone() });
        Ok(picture.name.clone())
    };
    let adapted = tree::adapt(read, locale, true, &mut name_picture, &|_| Resolve::Outside, &mut |target| {
        Err(messages::lost_link(target))
    });
    let mut losses = adapted.losses;
    if format == "odt" {
        let content = content.and_then(|content| String::from_utf8(content).ok()).unwrap_or_default();
        losses.extend(open_document::losses(&content, text(&parts, "styles.xml").unwrap_or_default(), &words));
    }
    let left = ["word/header", "word/footer"].iter().any(|name| parts.keys().any(|part| part.starts_with(name)));
    if left {
        losses.push(Loss { heading: String::new(), words: String::new(), message: messages::lost_header() });
    }
    if let Some(document) = text(&parts, DOCUMENT).and_then(|document| Document::parse(document).ok()) {
        losses.extend(unread_parts(&document));
    }
    for (name, is_notes) in PARTS {
        let paragraphs = text(&parts, name).map(unread::paragraphs).unwrap_or_default();
        losses.extend(words.missing(paragraphs, is_notes, &messages::lost_words()));
    }
    let body = to_markdown(&adapted.tree)?;
    if body.trim().is_empty() {
        return Err(messages::import_empty());
    }
    Ok(ConvertedText { title: adapted.title, body, pictures: pictures.into_values().collect(), losses })
}

/// Returns what pandoc leaves out without a word: text boxes and symbols of a font. And hidden text, which it takes over.
fn unread_parts(document: &Document) -> Vec<Loss> {
    let lose = |words: String, message| Loss { heading: String::new(), words, message };
    let has = |node: Node, name: &str| node.ancestors().any(|above| above.tag_name().name() == name);
    let words_of = |node: Node| {
        let texts = node.descendants().filter(|it| it.tag_name().name() == "t").filter_map(|it| it.text());
        texts.collect::<String>().trim().to_owned()
    };
    let mut losses = Vec::new();
    for node in document.descendants() {
        match node.tag_name().name() {
            // Word writes each box twice, for itself and for older versions.
            "txbxContent" if !has(node, "Fallback") && !words_of(node).is_empty() => {
                losses.push(lose(excerpt(&words_of(node)), messages::lost_text_box()));
            }
            "sym" if !has(node, "Fallback") => {
                let above = node.ancestors().find(|above| above.tag_name().name() == "p");
                losses.push(lose(above.map(|it| excerpt(&words_of(it))).unwrap_or_default(), messages::lost_symbol()));
            }
            "vanish" if !matches!(node.attributes().next().map(|it| it.value()), Some("0" | "false")) => {
                let run = node.ancestors().find(|above| above.tag_name().name() == "r");
                let words = run.map(words_of).filter(|words| !words.is_empty());
                losses.extend(words.map(|words| lose(excerpt(&words), messages::hidden_text_kept())));
            }
            _ => {}
        }
    }
    losses
}

/// Marks of clauses, which pandoc escapes: the site reads them as they are typed.
static ESCAPED_MARK: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:\\\((\w{1,4})\\?\)|(\w{1,4})\\\)) ").ok());

/// Returns the Markdown of an adapted tree.
pub(crate) fn to_markdown(tree: &serde_json::Value) -> Result<String, Text> {
    let written = pandoc::write(tree)?.replace(BREAK, "<br>").replace(OPEN, "[").replace(CLOSE, "]");
    let unescaped = |line: &str| {
        // pandoc ends a line with two spaces, which editors remove.
        let broken =
            line.strip_suffix("  ").filter(|line| !line.trim().is_empty()).map(|line| format!("{}\\", line.trim_end()));
        let line = broken.as_deref().unwrap_or(line).trim_end();
        let Some(mark) = ESCAPED_MARK.as_ref().and_then(|mark| mark.captures(line)) else { return line.to_owned() };
        let rest = &line[mark[0].len()..];
        match (mark.get(1), mark.get(2)) {
            (Some(number), _) => format!("({}) {rest}", number.as_str()),
            (None, Some(number)) => format!("{}) {rest}", number.as_str()),
            (None, None) => line.to_owned(),
        }
    };
    // pandoc sets this between two blocks that would become one.
    let lines: Vec<String> = written.lines().filter(|line| line.trim() != "&nbsp;").map(unescaped).collect();
    let mut text = lines.join("\n");
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    Ok(text.trim().to_owned() + "\n")
}

fn text<'a>(parts: &'a archive::Parts, name: &str) -> Option<&'a str> {
    str::from_utf8(parts.get(name)?).ok()
}
