//! Headings and their anchors.

/// A heading with the anchor that leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// The anchor, unique in the document.
    pub id: String,
    /// Plain text.
    pub text: String,
    /// Octets before the heading.
    pub offset: usize,
}
