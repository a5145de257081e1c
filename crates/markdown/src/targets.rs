//! Resolving the destinations of links and pictures.

/// The file name endings of pictures.
const PICTURES: [&str; 5] = ["svg", "png", "jpg", "webp", "avif"];

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

/// Returns whether a file of this name may be published as a picture.
#[must_use]
pub fn is_picture(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && PICTURES.contains(&ending))
}
