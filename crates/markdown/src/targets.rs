//! Resolving the destinations of links and pictures.

/// The endings under which pictures are published.
const PICTURES: [&str; 5] = ["svg", "png", "jpg", "webp", "avif"];
/// The endings under which documents are published.
const DOCUMENTS: [&str; 6] = ["pdf", "docx", "xlsx", "odt", "ics", "vcf"];

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

    /// Returns the forms of a photograph, each with its width in pixels, the narrowest first.
    fn forms(&self, _destination: &str) -> Vec<(String, u32)> {
        Vec::new()
    }

    /// Returns what a link says of the document that it leads to: its type and size.
    fn document(&self, _destination: &str) -> Option<String> {
        None
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

/// Returns the ending under which a file of this name is published: in lower case, and `jpg` for `jpeg`.
#[must_use]
pub fn published_ending(name: &str) -> Option<&'static str> {
    let (stem, ending) = name.rsplit_once('.')?;
    let ending = if ending.eq_ignore_ascii_case("jpeg") { "jpg" } else { ending };
    let mut known = PICTURES.into_iter().chain(DOCUMENTS);
    known.find(|known| !stem.is_empty() && ending.eq_ignore_ascii_case(known))
}

/// Returns whether a file of this name may be published as a picture.
#[must_use]
pub fn is_picture(name: &str) -> bool {
    published_ending(name).is_some_and(|ending| PICTURES.contains(&ending))
}

/// Returns whether a file of this name may be published as a document, to which texts link.
#[must_use]
pub fn is_document(name: &str) -> bool {
    published_ending(name).is_some_and(|ending| DOCUMENTS.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_published_under_one_ending_of_its_kind() {
        for (name, ending) in [
            ("a.svg", Some("svg")),
            ("IMG_0001.JPG", Some("jpg")),
            ("a.b.Jpeg", Some("jpg")),
            ("FORM.PDF", Some("pdf")),
            (".pdf", None),
            ("a.docm", None),
            ("pdf", None),
        ] {
            assert_eq!(published_ending(name), ending, "{name}");
        }
        assert!(is_picture("a.PNG") && !is_document("a.PNG") && is_document("a.Docx") && !is_picture("a.Docx"));
    }
}
