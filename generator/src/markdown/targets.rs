//! Resolving the destinations of links and pictures.

/// Resolves the destinations that authors write: `@/kind/key#anchor`, `/en/…`, `figure.svg`, `#anchor`,
/// `https://…`.
pub trait Targets {
    /// Returns the public address for a destination, or `None` to leave it as it is written.
    fn resolve(&self, destination: &str) -> Option<String>;

    /// Returns the size of a picture, so that the page reserves its space while the file is being loaded.
    fn size(&self, _destination: &str) -> Option<Size> {
        None
    }

    /// Returns whether a picture is also drawn for dark mode, so that the page gives it no light background there.
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
