//! Edits in the text of a part of an office document.

use roxmltree::Node;

/// The namespace of Word's elements.
pub(crate) const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

/// A range of bytes of a text, and what it becomes.
pub(crate) type PartEdit = (usize, usize, String);

/// Returns a text with its edits, which do not overlap.
pub(crate) fn edited(text: &str, mut edits: Vec<PartEdit>) -> Option<String> {
    edits.sort();
    let mut written = String::with_capacity(text.len() + 64 * edits.len());
    let mut at = 0;
    for (start, end, with) in edits {
        written.push_str(text.get(at..start)?);
        written.push_str(&with);
        at = end;
    }
    written.push_str(text.get(at..)?);
    Some(written)
}

/// Returns the edits that leave only what is inside an element.
pub(crate) fn remove_tags(node: Node) -> Vec<PartEdit> {
    let (Some(first), Some(last)) = (node.first_child(), node.last_child()) else {
        return vec![(node.range().start, node.range().end, String::new())];
    };
    vec![(node.range().start, first.range().start, String::new()), (last.range().end, node.range().end, String::new())]
}
