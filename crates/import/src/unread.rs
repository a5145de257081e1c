//! What pandoc leaves out of a text of Word without a word.
//!
//! Frames around words (fields, content controls, directions) are removed before pandoc reads the text, and a few signs are
//! written in a form that it knows. Afterwards the words of both are compared, so that nothing is lost in silence.

use findings::messages::{self, Text};
use roxmltree::{Document, Node};
use serde_json::Value;

use crate::{
    Loss,
    edits::{PartEdit, WORD, edited, remove_tags},
    tree::excerpt,
};

/// Elements that only frame what is in them.
const FRAMES: [&str; 6] = ["fldSimple", "dir", "bdo", "customXml", "sdt", "sdtContent"];
/// The properties of frames.
const PROPERTIES: [&str; 3] = ["customXmlPr", "sdtPr", "sdtEndPr"];
/// The most paragraphs that are listed one by one.
const MAX_LISTED: usize = 20;

/// Returns a part of Word's text in the form that pandoc reads whole.
pub(crate) fn unframe(part: &str) -> Option<String> {
    let document = Document::parse(part).ok()?;
    edited(part, document.descendants().filter(Node::is_element).flat_map(edits_of).collect())
}

fn edits_of(node: Node) -> Vec<PartEdit> {
    let whole = node.range();
    let name = node.tag_name().name();
    if node.tag_name().namespace() != Some(WORD) {
        let is_of_words =
            || !node.descendants().any(|it| matches!(it.tag_name().name(), "drawing" | "pict" | "object"));
        return match name {
            // The same words in a newer and in an older form.
            "AlternateContent" | "Choice" if is_of_words() => remove_tags(node),
            "Fallback" if is_of_words() => vec![(whole.start, whole.end, String::new())],
            _ => Vec::new(),
        };
    }
    if node
        .ancestors()
        .skip(1)
        .any(|above| matches!(above.tag_name().name(), "Fallback" | "ruby") || is_property(above))
    {
        return Vec::new();
    }
    let prefix = node.lookup_prefix(WORD).unwrap_or("w");
    match name {
        "ins" if node.ancestors().skip(1).any(|above| above.has_tag_name((WORD, "ins"))) => remove_tags(node),
        _ if FRAMES.contains(&name) => remove_tags(node),
        _ if is_property(node) => vec![(whole.start, whole.end, String::new())],
        // pandoc leaves out a table with a column of unknown width.
        "gridCol" if node.attribute((WORD, "w")).is_none() => {
            vec![(whole.start, whole.end, format!("<{prefix}:gridCol {prefix}:w=\"1\"/>"))]
        }
        "cr" => vec![(whole.start, whole.end, format!("<{prefix}:br/>"))],
        "ptab" => vec![(whole.start, whole.end, format!("<{prefix}:tab/>"))],
        "dstrike" => {
            let start = whole.start + 1 + prefix.len() + 1;
            vec![(start, start + name.len(), "strike".to_owned())]
        }
        "ruby" => {
            let base = node.children().find(|child| child.has_tag_name((WORD, "rubyBase")));
            let words = base.map(words_of).unwrap_or_default().replace('&', "&amp;").replace('<', "&lt;");
            vec![(whole.start, whole.end, format!("<{prefix}:t>{words}</{prefix}:t>"))]
        }
        "checkBox" => {
            let Some(run) = node.ancestors().find(|above| above.has_tag_name((WORD, "r"))) else { return Vec::new() };
            let sign = if is_checked(node) { '☒' } else { '☐' };
            let start = run.range().start;
            vec![(start, start, format!("<{prefix}:r><{prefix}:t>{sign}</{prefix}:t></{prefix}:r>"))]
        }
        _ => Vec::new(),
    }
}

fn is_property(node: Node) -> bool {
    PROPERTIES.iter().any(|name| node.has_tag_name((WORD, *name)))
}

/// Returns whether a box of a form is ticked.
fn is_checked(check_box: Node) -> bool {
    let state = |name| check_box.children().find(|child| child.has_tag_name((WORD, name)));
    let is_on = |node: Node| !matches!(node.attribute((WORD, "val")), Some("0" | "false" | "off"));
    state("checked").or_else(|| state("default")).is_some_and(is_on)
}

fn words_of(node: Node) -> String {
    let texts = node.descendants().filter(|it| it.has_tag_name((WORD, "t"))).filter_map(|it| it.text());
    texts.collect()
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|letter| letter.is_alphanumeric())
}

/// The letters and digits of a tree, without those of notes, and of its notes.
#[derive(Default)]
pub(crate) struct TreeWords {
    text: String,
    notes: String,
}

impl TreeWords {
    pub(crate) fn of(tree: &Value) -> Self {
        let mut words = Self::default();
        words.add(tree, false);
        words
    }

    fn add(&mut self, value: &Value, is_in_note: bool) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.add(value, is_in_note)),
            Value::Object(node) => match (node.get("t").and_then(Value::as_str), node.get("c")) {
                (Some("Note"), Some(inside)) => self.add(inside, true),
                (Some("Str"), Some(Value::String(word))) => self.push(word, is_in_note),
                (Some("Code" | "CodeBlock" | "Math"), Some(Value::Array(parts))) => {
                    parts.iter().filter_map(Value::as_str).for_each(|code| self.push(code, is_in_note));
                }
                _ => node.values().for_each(|value| self.add(value, is_in_note)),
            },
            _ => {}
        }
    }

    fn push(&mut self, word: &str, is_in_note: bool) {
        if is_in_note { &mut self.notes } else { &mut self.text }.extend(letters(word));
    }

    /// Returns the paragraphs, of the text or of its notes, that are not in the tree whole.
    pub(crate) fn missing(
        &self,
        paragraphs: impl IntoIterator<Item = String>,
        is_notes: bool,
        message: &Text,
    ) -> Vec<Loss> {
        let all = if is_notes { &self.notes } else { &self.text }.as_str();
        let mut rest = all;
        let mut losses = Vec::new();
        for words in paragraphs {
            let sought: String = letters(&words).collect();
            if let Some(at) = rest.find(&sought) {
                rest = &rest[at + sought.len()..];
            } else if !all.contains(&sought) {
                losses.push(Loss { heading: String::new(), words: excerpt(&words), message: message.clone() });
            }
        }
        if losses.len() > MAX_LISTED {
            let message = messages::lost_words_elsewhere(losses.len() - MAX_LISTED);
            losses.truncate(MAX_LISTED);
            losses.push(Loss { heading: String::new(), words: String::new(), message });
        }
        losses
    }
}

/// Returns the words of each paragraph of a part of Word's text.
pub(crate) fn paragraphs(part: &str) -> Vec<String> {
    let Ok(document) = Document::parse(part) else { return Vec::new() };
    document.descendants().filter(|node| node.has_tag_name((WORD, "p"))).map(own_words).collect()
}

/// Returns the words of a paragraph, without those of text boxes in it and of older forms of the same words.
fn own_words(paragraph: Node) -> String {
    let own = |node: &Node| {
        let mut above = node.ancestors().take_while(|above| *above != paragraph);
        node.has_tag_name((WORD, "t")) && !above.any(|it| matches!(it.tag_name().name(), "txbxContent" | "Fallback"))
    };
    let is_apart = paragraph.ancestors().any(|it| matches!(it.tag_name().name(), "txbxContent" | "Fallback"));
    if is_apart {
        return String::new();
    }
    paragraph.descendants().filter(own).filter_map(|node| node.text()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unframed(inside: &str) -> String {
        let part = format!("<w:body xmlns:w=\"{WORD}\" xmlns:mc=\"urn:mc\">{inside}</w:body>");
        let written = unframe(&part).unwrap();
        Document::parse(&written).unwrap();
        let (_, inside) = written.split_once('>').unwrap();
        inside.trim_end_matches("</w:body>").to_owned()
    }

    #[test]
    fn frames_are_removed_and_their_words_stay() {
        for (inside, expected) in [
            ("<w:fldSimple w:instr=\"REF a\"><w:r><w:t>5</w:t></w:r></w:fldSimple>", "<w:r><w:t>5</w:t></w:r>"),
            ("<w:sdt><w:sdtPr><w:id/></w:sdtPr><w:sdtContent><w:tc/></w:sdtContent></w:sdt>", "<w:tc/>"),
            ("<w:customXml><w:customXmlPr/><w:bdo><w:dir><w:p/></w:dir></w:bdo></w:customXml>", "<w:p/>"),
            ("<w:ins w:id=\"1\"><w:ins><w:r/></w:ins></w:ins>", "<w:ins w:id=\"1\"><w:r/></w:ins>"),
            ("<w:r><w:cr/><w:ptab/></w:r>", "<w:r><w:br/><w:tab/></w:r>"),
            ("<w:dstrike w:val=\"0\"/>", "<w:strike w:val=\"0\"/>"),
            ("<w:sdt/>", ""),
            ("<w:gridCol/><w:gridCol w:w=\"9\"/>", "<w:gridCol w:w=\"1\"/><w:gridCol w:w=\"9\"/>"),
            (
                "<w:r><w:ruby><w:rt><w:r><w:t>x</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>a&amp;b</w:t></w:r></w:rubyBase></w:ruby></w:r>",
                "<w:r><w:t>a&amp;b</w:t></w:r>",
            ),
            (
                "<mc:AlternateContent><mc:Choice><w:r/></mc:Choice><mc:Fallback><w:sdt/></mc:Fallback></mc:AlternateContent>",
                "<w:r/>",
            ),
        ] {
            assert_eq!(unframed(inside), expected, "{inside}");
        }
        let drawn = "<mc:AlternateContent><mc:Choice><w:drawing/></mc:Choice></mc:AlternateContent>";
        assert_eq!(unframed(drawn), drawn);
    }

    #[test]
    fn boxes_of_a_form_are_signs() {
        for (state, sign) in [
            ("<w:default w:val=\"1\"/>", '☒'),
            ("<w:default w:val=\"1\"/><w:checked w:val=\"0\"/>", '☐'),
            ("<w:default w:val=\"0\"/><w:checked/>", '☒'),
            ("", '☐'),
        ] {
            let field =
                format!("<w:r><w:fldChar><w:ffData><w:checkBox>{state}</w:checkBox></w:ffData></w:fldChar></w:r>");
            assert_eq!(unframed(&field), format!("<w:r><w:t>{sign}</w:t></w:r>{field}"));
        }
    }

    #[test]
    fn paragraph_that_the_tree_lacks_is_listed() {
        let part = format!(
            "<w:body xmlns:w=\"{WORD}\"><w:p><w:r><w:t>Madde 5 – </w:t><w:tab/><w:t>(1) Süre.</w:t></w:r></w:p>\
             <w:p><w:r><w:t>Bu fıkra okunmaz.</w:t></w:r></w:p><w:p/><w:p><w:r><w:t>Son</w:t></w:r></w:p></w:body>"
        );
        let words = |text: &[&str]| {
            let text: Vec<Value> = text.iter().map(|it| serde_json::json!({ "t": "Str", "c": it })).collect();
            TreeWords::of(&serde_json::json!({ "blocks": [{ "t": "Para", "c": text }] }))
        };
        let missing = |text: &[&str]| -> Vec<_> {
            let losses = words(text).missing(paragraphs(&part), false, &messages::lost_words());
            losses.into_iter().map(|loss| loss.words).collect()
        };
        assert_eq!(missing(&["Madde", "5", "(1)", "Süre.", "Bu fıkra", "okunmaz.", "Son"]), [""; 0]);
        assert_eq!(missing(&["Madde 5", "(1)", "Süre.", "Son"]), ["Bu fıkra okunmaz."]);
        assert_eq!(missing(&[]).len(), 3);
        let repeated = part.replace("<w:p/>", &"<w:p><w:r><w:t>a</w:t></w:r></w:p>".repeat(90));
        assert_eq!(words(&[]).missing(paragraphs(&repeated), false, &messages::lost_words()).len(), MAX_LISTED + 1);
    }
}
