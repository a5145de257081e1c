//! What a text needs to know of its site: destinations of links and pictures, and how lists are counted.

use super::Numbering;

/// Endings of published pictures.
const PICTURES: [&str; 5] = ["svg", "png", "jpg", "webp", "avif"];
/// Endings of published documents.
const DOCUMENTS: [&str; 6] = ["pdf", "docx", "xlsx", "odt", "ics", "vcf"];

/// Resolves the destinations that authors write: `@/kind/key#anchor`, `/en/…`, `figure.svg`, `#anchor`,
/// `https://…`.
pub trait Targets {
    /// Returns the public address of a destination, or `None` to leave the destination unchanged.
    fn resolve(&self, destination: &str) -> Option<String>;

    /// Returns the size of a picture, for which the page reserves space while the file loads.
    fn size(&self, _destination: &str) -> Option<Size> {
        None
    }

    /// Returns whether a drawing adapts to dark mode and therefore needs no light background.
    fn adapts(&self, _destination: &str) -> bool {
        false
    }

    /// Returns the addresses of a photograph's forms with their widths in pixels, the narrowest first.
    fn forms(&self, _destination: &str) -> Vec<(String, u32)> {
        Vec::new()
    }

    /// Returns how nested numbered lists are counted.
    fn numbering(&self) -> Numbering {
        Numbering::default()
    }

    /// Returns whether the title of the text names questions, so that its sections are folded.
    fn asks_questions(&self) -> bool {
        false
    }

    /// Returns the type and size of a document, shown after the link to it.
    fn document(&self, _destination: &str) -> Option<String> {
        None
    }
}

/// Width and height of a picture in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

/// Returns the ending of the published file: in lower case, and `jpg` for `jpeg`.
pub fn published_ending(name: &str) -> Option<&'static str> {
    let (stem, ending) = name.rsplit_once('.')?;
    let ending = if ending.eq_ignore_ascii_case("jpeg") { "jpg" } else { ending };
    let mut known = PICTURES.into_iter().chain(DOCUMENTS);
    known.find(|known| !stem.is_empty() && ending.eq_ignore_ascii_case(known))
}

/// Returns whether a file of this name may be published as a picture.
pub fn is_picture(name: &str) -> bool {
    published_ending(name).is_some_and(|ending| PICTURES.contains(&ending))
}

/// Returns whether a file of this name may be published as a document.
pub fn is_document(name: &str) -> bool {
    published_ending(name).is_some_and(|ending| DOCUMENTS.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_ending_is_in_lower_case() {
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
