//! The files that a text may show.

/// The file name endings of pictures.
const ENDINGS: [&str; 5] = ["svg", "png", "jpg", "webp", "avif"];

/// Returns whether a file may be published as a picture.
pub(crate) fn is_picture(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && ENDINGS.contains(&ending))
}
