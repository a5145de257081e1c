//! Where destinations lead.

/// Where a destination written by an author leads: `@/kind/key#anchor`, `/en/…`, `figure.svg`, `#anchor`, `https://…`.
pub trait Targets {
    /// The public address for a destination, or `None` to leave it as it is written.
    fn resolve(&self, destination: &str) -> Option<String>;

    /// The size of a picture, so that the page keeps its place free while the file is on its way.
    fn size(&self, _destination: &str) -> Option<Size> {
        None
    }

    /// Whether a picture is drawn for dark mode too, so that the page gives it no light ground there.
    fn adapts(&self, _destination: &str) -> bool {
        false
    }
}

/// Width and height of a picture in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}
