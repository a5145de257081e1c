//! Checks picture files: the format must match the name, the file must be complete, and a drawing must be passive.

use content::{Lines, other_format};
use findings::{
    Code, Finding, Place, Span,
    messages::{self, Text},
};
use memchr::memmem;

use super::{
    dimensions::{MAX_SIDE, sides, size},
    drawing::{self, DrawingFault},
};

/// The format of a file, according to its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureFormat {
    /// A picture that can be published, by its extension.
    Picture(&'static str),
    /// The default format of phones; only one browser shows it.
    Heif,
    Gif,
    Bmp,
    Tiff,
    Pdf,
    Xml,
    Page,
}

impl PictureFormat {
    pub(super) fn words(self) -> Text {
        match self {
            Self::Picture(ending) => Text::verbatim(ending),
            Self::Heif => messages::form_heif(),
            Self::Gif => messages::form_gif(),
            Self::Bmp => messages::form_bmp(),
            Self::Tiff => messages::form_tiff(),
            Self::Pdf => messages::form_pdf(),
            Self::Xml => messages::form_xml(),
            Self::Page => messages::form_page(),
        }
    }
}

/// Returns a finding if a side of the picture exceeds [`MAX_SIDE`].
fn too_large(file: &str, bytes: &[u8], ending: &str) -> Option<Finding> {
    let (width, height) = sides(bytes, ending).filter(|(width, height)| *width.max(height) > MAX_SIDE)?;
    let message = messages::picture_too_large(width, height, MAX_SIDE);
    let finding = Finding::new(Code::TOO_LARGE, Place::file(file), message);
    Some(finding.help(messages::picture_too_large_help()))
}

/// Returns the fault of a picture that is published under `ending`.
///
/// Security: the server answers with the media type of the extension. On hosts that do not send `nosniff`, a browser
/// would show a page under the name of a picture as a page.
pub(super) fn fault(file: &str, bytes: &[u8], ending: &str) -> Option<Finding> {
    if ending == "svg" {
        let (code, message, span) = match str::from_utf8(bytes) {
            Ok(text) => {
                let Some(DrawingFault { code, message, at }) = drawing::fault(text) else {
                    return too_large(file, bytes, ending);
                };
                (code, message, Lines::of(text).span(text, at))
            }
            Err(_) => (Code::PICTURE_ACTS, messages::drawing_not_utf8(), Span::FILE),
        };
        let finding = Finding::new(code, Place::new(file, span), message);
        return Some(finding.help(messages::drawing_help()));
    }
    let form = form(bytes);
    let is_named = matches!(form, Some(PictureFormat::Picture(form)) if form == ending);
    let has_size = size(bytes, ending).is_some();
    if is_named && has_size && !is_cut_off(bytes, ending) {
        return None;
    }
    if is_named
        && !is_cut_off(bytes, ending)
        && let Some(finding) = too_large(file, bytes, ending)
    {
        return Some(finding);
    }
    let message = match form {
        Some(_) if is_named && has_size => messages::picture_cut_off(ending),
        Some(_) if is_named => messages::picture_without_size(ending),
        Some(form) => messages::file_of_another_form(ending, form.words()),
        None => messages::file_without_picture(ending),
    };
    let finding = Finding::new(Code::PICTURE_FORM, Place::file(file), message);
    Some(match form {
        Some(PictureFormat::Picture(form)) if !is_named => {
            let stem = file.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or(file, |(stem, _)| stem);
            finding.help(messages::picture_of_another_form_help(format!("{stem}.{form}")))
        }
        Some(PictureFormat::Heif) => finding.help(other_format("x.heic").unwrap_or_default()),
        _ => finding.help(messages::picture_form_help()),
    })
}

/// Returns the fault of a file that is published below `/.well-known/`, if browsers may show it as a drawing or a page.
/// What it is counts, and not its ending.
pub(super) fn well_known_fault(file: &str, bytes: &[u8]) -> Option<Finding> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let is_named = [".svg", ".xml", ".xhtml", ".xht"].iter().any(|ending| file.to_ascii_lowercase().ends_with(ending));
    let is_markup = bytes.trim_ascii_start().starts_with(b"<");
    if form(bytes) == Some(PictureFormat::Page) {
        let finding = Finding::new(Code::PICTURE_ACTS, Place::file(file), messages::well_known_page());
        return Some(finding.help(messages::well_known_page_help()));
    }
    let is_shown = match str::from_utf8(bytes) {
        Ok(_) if !is_markup => false,
        Ok(text) => drawing::is_shown_by_browsers(text).unwrap_or(is_named),
        Err(_) => is_named,
    };
    if is_shown || file.to_ascii_lowercase().ends_with(".svg") { fault(file, bytes, "svg") } else { None }
}

/// Returns whether the end of a picture is missing. Ignores data after the end, which some cameras write.
fn is_cut_off(bytes: &[u8], ending: &str) -> bool {
    match ending {
        "png" => !png_ends(bytes),
        "jpg" => !jpeg_ends(bytes),
        // The length of the rest of the file precedes the name of the format.
        "webp" => bytes
            .get(4..8)
            .and_then(|length| length.first_chunk())
            .is_none_or(|length| bytes.len() - 8 < u32::from_le_bytes(*length) as usize),
        _ => false,
    }
}

/// Returns whether the chunks are complete up to `IEND` (PNG, 5.3). Each has a length, a name, that many bytes and a
/// checksum.
fn png_ends(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(8..).unwrap_or_default();
    while let Some((length, behind)) = rest.split_first_chunk() {
        let length = u32::from_be_bytes(*length) as usize;
        let Some(next) = behind.get(4..).and_then(|data| data.get(length.checked_add(4)?..)) else { return false };
        if behind.starts_with(b"IEND") {
            return true;
        }
        rest = next;
    }
    false
}

/// Returns whether an end marker follows the scan. A thumbnail in the metadata has an end marker of its own.
fn jpeg_ends(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(2..).unwrap_or_default();
    while let Some(([0xff, mark], behind)) = rest.split_first_chunk() {
        if *mark == 0xda {
            return memmem::find(behind, b"\xff\xd9").is_some();
        }
        let Some(length) = behind.first_chunk() else { return false };
        rest = behind.get(usize::from(u16::from_be_bytes(*length))..).unwrap_or_default();
    }
    false
}

/// Detects the format of a file by its first bytes.
pub(super) fn form(bytes: &[u8]) -> Option<PictureFormat> {
    let brand = bytes.get(8..12).filter(|_| bytes.get(4..8) == Some(b"ftyp".as_slice()));
    let text = bytes.trim_ascii_start();
    let starts = |mark: &[u8]| text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    Some(match bytes {
        _ if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => PictureFormat::Picture("png"),
        _ if bytes.starts_with(b"\xff\xd8\xff") => PictureFormat::Picture("jpg"),
        _ if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP".as_slice()) => {
            PictureFormat::Picture("webp")
        }
        _ if matches!(brand, Some(b"avif" | b"avis")) => PictureFormat::Picture("avif"),
        // Some tools name the general brand first and list `avif` among the compatible ones.
        _ if matches!(brand, Some(b"mif1" | b"miaf")) && has_avif_brand(bytes) => PictureFormat::Picture("avif"),
        _ if brand.is_some() => PictureFormat::Heif,
        _ if bytes.starts_with(b"GIF8") => PictureFormat::Gif,
        _ if bytes.starts_with(b"BM") => PictureFormat::Bmp,
        _ if bytes.starts_with(b"II*\0") || bytes.starts_with(b"MM\0*") => PictureFormat::Tiff,
        _ if bytes.starts_with(b"%PDF-") => PictureFormat::Pdf,
        _ if starts(b"<svg") || starts(b"<?xml") => PictureFormat::Xml,
        _ if starts(b"<!doctype") || starts(b"<html") || starts(b"<head") || starts(b"<script") => PictureFormat::Page,
        _ => return None,
    })
}

/// Returns whether `avif` is among the compatible brands of the first box.
fn has_avif_brand(bytes: &[u8]) -> bool {
    let length = bytes.first_chunk::<4>().map_or(0, |length| u32::from_be_bytes(*length) as usize);
    let brands = bytes.get(16..length.min(256)).unwrap_or_default();
    brands.as_chunks::<4>().0.contains(b"avif")
}

#[cfg(test)]
mod tests {
    use contract::Locale;

    use super::*;

    fn fault(file: &str, bytes: &[u8]) -> Option<Finding> {
        super::fault(file, bytes, file.rsplit('.').next().unwrap())
    }

    #[test]
    fn format_is_detected_by_the_first_bytes() {
        for (bytes, found) in [
            (b"\x89PNG\r\n\x1a\n".as_slice(), Some(PictureFormat::Picture("png"))),
            (b"\xff\xd8\xff\xe0", Some(PictureFormat::Picture("jpg"))),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some(PictureFormat::Picture("webp"))),
            (b"\0\0\0\x20ftypavif\0\0\0\0avifmif1", Some(PictureFormat::Picture("avif"))),
            (b"\0\0\0\x18ftypmif1\0\0\0\0avifmif1", Some(PictureFormat::Picture("avif"))),
            (b"\0\0\0\x18ftypmif1\0\0\0\0heicmif1", Some(PictureFormat::Heif)),
            (b" \n<!DOCTYPE html>", Some(PictureFormat::Page)),
            (b"<SVG ", Some(PictureFormat::Xml)),
            (b"MZ", None),
            (b"", None),
        ] {
            assert_eq!(form(bytes), found, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn drawing_that_is_not_utf8_is_refused() {
        let found = fault("x.svg", b"\xff\xfe<\0s\0v\0g\0").unwrap();
        assert_eq!((found.code, found.place.span), (Code::PICTURE_ACTS, Span::FILE));
    }

    #[test]
    fn picture_without_a_size_is_reported_as_damaged() {
        assert!(fault("x.png", b"\x89PNG\r\n\x1a\n").unwrap().message[Locale::En].contains("damaged"));
    }

    #[test]
    fn complete_picture_that_is_too_large_is_not_reported_as_damaged() {
        let png = |width: u32, height: u32| {
            let sides = [width.to_be_bytes(), height.to_be_bytes()].concat();
            [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &sides[..], b"\x08\0\0\0\0crc.\0\0\0\0IENDcrc."].concat()
        };
        let found = fault("x.png", &png(40_000, 2)).unwrap();
        assert_eq!(found.code, Code::TOO_LARGE);
        assert_eq!(
            &found.message[Locale::En],
            "the picture is 40000 pixels wide and 2 high; the limit is 32768 for either"
        );
        assert_eq!([&found.help[0][Locale::En]], ["reduce it to the size at which it is shown"]);
        assert_eq!(fault("x.png", &png(32_768, 2)), None);
        for sides in [r#"width="40000" height="40000""#, r#"width="100" height="1e30""#, r#"viewBox="0 0 32769 4""#] {
            let drawing = format!(r#"<svg xmlns="http://www.w3.org/2000/svg" {sides}/>"#);
            assert_eq!(fault("x.svg", drawing.as_bytes()).map(|found| found.code), Some(Code::TOO_LARGE), "{sides}");
        }
        assert!(fault("x.png", &png(0, 2)).unwrap().message[Locale::En].contains("damaged"));
    }

    #[test]
    fn picture_that_is_cut_off_is_refused_and_bytes_behind_its_end_are_ignored() {
        let png =
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\0\0\0\0crc.\0\0\0\x04IDATIENDcrc.\0\0\0\0IENDcrc.";
        // The camera's metadata contains the end of a thumbnail.
        let jpeg =
            b"\xff\xd8\xff\xe1\0\x04\xff\xd9\xff\xc0\0\x11\x08\0\x10\0\x10\x03.........\xff\xda\0\x02ab\xff\0c\xff\xd9";
        let webp = b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x0f\0\0\x0f\0\0";
        for (file, whole) in [("x.png", &png[..]), ("x.jpg", jpeg), ("x.webp", webp)] {
            assert_eq!(fault(file, whole), None, "{file}");
            assert_eq!(fault(file, &[whole, b"\0\xff."].concat()), None, "{file}");
            for end in 0..whole.len() {
                assert!(fault(file, &whole[..end]).is_some(), "{file} {end}");
            }
        }
        assert!(fault("x.png", &png[..50]).unwrap().message[Locale::En].contains("breaks off"));
    }
}
