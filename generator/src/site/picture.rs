//! What is wrong with a picture as a file: another form than its name says, or more than a picture.

use std::{collections::BTreeMap, fs, path::Path};

use rayon::prelude::*;

use super::{
    dimensions::size,
    drawing::{self, Fault},
};
use crate::{
    diagnostic::{Code, Finding, Place, Span},
    source::{LARGEST_PICTURE, Lines},
};

/// The faults of every picture in the content folder; those that are too large are not opened.
pub(crate) fn faults(content: &Path, pictures: &BTreeMap<String, u64>) -> Vec<Finding> {
    let small: Vec<&String> =
        pictures.iter().filter(|(_, size)| **size <= LARGEST_PICTURE).map(|(file, _)| file).collect();
    let look = |file: &String| match fs::read(content.join(file)) {
        Ok(bytes) => fault(file, &bytes),
        Err(error) => {
            let message = format!("file cannot be read: {error}");
            Some(Finding::new(Code::NOT_READABLE, Place::file(file.as_str()), message))
        }
    };
    small.into_par_iter().filter_map(look).collect()
}

/// The fault of one picture.
///
/// Security: its address answers with the type of its ending. A page under the name of a picture is one that a visitor
/// may be sent to on hosts that do not say `nosniff`.
pub(super) fn fault(file: &str, bytes: &[u8]) -> Option<Finding> {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    if ending == "svg" {
        let (code, words, span) = match str::from_utf8(bytes) {
            Ok(text) => {
                let Fault { code, words, at } = drawing::fault(text)?;
                (code, words, Lines::of(text).span(text, at))
            }
            Err(_) => (Code::PICTURE_ACTS, "is not UTF-8".to_owned(), Span::FILE),
        };
        let finding = Finding::new(code, Place::new(file, span), format!("the picture {words}"));
        return Some(finding.help("export it again as a plain SVG, or as a PNG"));
    }
    let form = form(bytes);
    if form == Some(ending) && size(bytes, ending).is_some() {
        return None;
    }
    let message = match form {
        Some(form) if form == ending => {
            format!("the picture breaks off or is damaged: no size can be read from this {ending}")
        }
        Some(form) => format!("the file is called {ending} and holds {form}"),
        None => format!("the file is called {ending} and holds no picture"),
    };
    let finding = Finding::new(Code::PICTURE_FORM, Place::file(file), message);
    Some(match form {
        Some(form @ ("png" | "jpg" | "webp" | "avif")) if form != ending => {
            let stem = file.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or(file, |(stem, _)| stem);
            finding.help(format!("rename it to `{stem}.{form}`, and where it is shown"))
        }
        _ => finding.help("export the picture again; accepted are svg, png, jpg, webp and avif"),
    })
}

/// The form of a file by its first octets, as an ending or in words.
fn form(bytes: &[u8]) -> Option<&'static str> {
    let brand = bytes.get(8..12).filter(|_| bytes.get(4..8) == Some(b"ftyp".as_slice()));
    let text = bytes.trim_ascii_start();
    let starts = |mark: &[u8]| text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    Some(match bytes {
        _ if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => "png",
        _ if bytes.starts_with(b"\xff\xd8\xff") => "jpg",
        _ if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP".as_slice()) => "webp",
        _ if matches!(brand, Some(b"avif" | b"avis")) => "avif",
        // Other tools name the general brand first and `avif` among the compatible ones.
        _ if matches!(brand, Some(b"mif1" | b"miaf")) && has_avif_brand(bytes) => "avif",
        _ if brand.is_some() => "a film or a picture in HEIF",
        _ if bytes.starts_with(b"GIF8") => "a GIF",
        _ if bytes.starts_with(b"BM") => "a BMP",
        _ if bytes.starts_with(b"II*\0") || bytes.starts_with(b"MM\0*") => "a TIFF",
        _ if bytes.starts_with(b"%PDF-") => "a PDF",
        _ if starts(b"<svg") || starts(b"<?xml") => "an SVG or other XML",
        _ if starts(b"<!doctype") || starts(b"<html") || starts(b"<head") || starts(b"<script") => "a page",
        _ => return None,
    })
}

/// Whether `avif` stands among the compatible brands of the first box.
fn has_avif_brand(bytes: &[u8]) -> bool {
    let length = bytes.first_chunk::<4>().map_or(0, |length| u32::from_be_bytes(*length) as usize);
    let brands = bytes.get(16..length.min(256)).unwrap_or_default();
    brands.as_chunks::<4>().0.contains(b"avif")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_first_octets() {
        for (bytes, found) in [
            (b"\x89PNG\r\n\x1a\n".as_slice(), Some("png")),
            (b"\xff\xd8\xff\xe0", Some("jpg")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("webp")),
            (b"\0\0\0\x20ftypavif\0\0\0\0avifmif1", Some("avif")),
            (b"\0\0\0\x18ftypmif1\0\0\0\0avifmif1", Some("avif")),
            (b"\0\0\0\x18ftypmif1\0\0\0\0heicmif1", Some("a film or a picture in HEIF")),
            (b" \n<!DOCTYPE html>", Some("a page")),
            (b"<SVG ", Some("an SVG or other XML")),
            (b"MZ", None),
            (b"", None),
        ] {
            assert_eq!(form(bytes), found, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_drawing_that_is_no_text_acts() {
        let found = fault("x.svg", b"\xff\xfe<\0s\0v\0g\0").unwrap();
        assert_eq!((found.code, found.place.span), (Code::PICTURE_ACTS, Span::FILE));
    }

    #[test]
    fn a_picture_without_a_size_is_damaged() {
        assert!(fault("x.png", b"\x89PNG\r\n\x1a\n").unwrap().message.contains("damaged"));
        assert!(fault("x.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10").is_none());
    }
}
