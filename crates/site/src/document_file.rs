//! Checks document files: the format must match the name, and the file must be complete and free of macros.

use findings::{Code, Finding, Place, messages};
use rawzip::ZipArchive;

use super::picture;

/// The most files of an archive that are examined. An office document has some dozens, few have hundreds.
const MAX_ENTRIES: usize = 20_000;

/// The number of last bytes in which the end marker of a PDF is expected; some programs write a line or two after it.
const PDF_END: usize = 2048;

/// The first bytes among which readers look for the mark of a PDF: some programs write lines of their own before it.
const PDF_START: usize = 1024;

/// The first bytes of archives, of the container of old office documents, and of programs.
const PROGRAMS: [&[u8]; 5] = [b"PK", b"\xd0\xcf\x11\xe0", b"MZ", b"\x7fELF", b"#!"];

/// The folders of an `OpenDocument` text with macros: in Basic, and in other languages.
const MACRO_FOLDERS: [&str; 2] = ["basic", "scripts"];
/// Parts of an Office document, in any folder, that contain macros or active controls.
const MACRO_PARTS: [&str; 3] = ["vbaproject.bin", "vbadata.xml", "activex"];

/// Returns the fault of a document that is published under `ending`.
///
/// Security: the server answers with the media type of the ending, and readers trust a file of their law firm.
/// Therefore neither a page under the name of a document nor a program is published.
pub(super) fn fault(file: &str, bytes: &[u8], ending: &str) -> Option<Finding> {
    let found = form(bytes);
    let message = match found {
        DocumentFormat::Whole(form) if form == ending => return None,
        DocumentFormat::Whole(form) => messages::file_of_another_form(ending, form),
        DocumentFormat::Other(form) => messages::file_of_another_form(ending, form.words()),
        DocumentFormat::Archive => messages::file_of_another_form(ending, messages::form_archive()),
        DocumentFormat::CutOff => messages::document_cut_off(ending),
        DocumentFormat::Macros => messages::document_with_macros(),
        DocumentFormat::Protected => messages::document_protected(),
        DocumentFormat::LockedPdf => messages::document_locked(),
        DocumentFormat::Unknown => messages::document_not_one(ending),
    };
    let finding = Finding::new(Code::DOCUMENT_FORM, Place::file(file), message);
    Some(finding.help(match found {
        DocumentFormat::Protected => messages::document_protected_help(ending),
        DocumentFormat::Macros => messages::document_with_macros_help(),
        DocumentFormat::LockedPdf => messages::document_locked_help(),
        _ => messages::document_form_help(ending),
    }))
}

/// The format of a file, according to its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DocumentFormat {
    /// A document that can be published, by its ending.
    Whole(&'static str),
    /// A picture or a page.
    Other(picture::PictureFormat),
    /// An archive that is no document.
    Archive,
    CutOff,
    Macros,
    /// The container of old and of encrypted office documents.
    Protected,
    /// A PDF that cannot be opened without a password.
    LockedPdf,
    Unknown,
}

fn form(bytes: &[u8]) -> DocumentFormat {
    let start = &bytes[..bytes.len().min(PDF_START)];
    // Security: what begins like another format is not published as a PDF, whatever follows.
    let may_be_pdf = picture::form(bytes).is_none() && !PROGRAMS.iter().any(|mark| bytes.starts_with(mark));
    if let Some(at) = memchr::memmem::find(start, b"%PDF-").filter(|at| *at == 0 || may_be_pdf) {
        // The places in a PDF count from its mark.
        let bytes = &bytes[at..];
        let end = &bytes[bytes.len().saturating_sub(PDF_END)..];
        let is_whole = memchr::memmem::find(end, b"%%EOF").is_some();
        return match is_whole {
            false => DocumentFormat::CutOff,
            true if pdf::needs_password(bytes) => DocumentFormat::LockedPdf,
            true => DocumentFormat::Whole("pdf"),
        };
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return archive(bytes).unwrap_or(DocumentFormat::CutOff);
    }
    if bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        return DocumentFormat::Protected;
    }
    match picture::form(bytes) {
        Some(form) => DocumentFormat::Other(form),
        None => str::from_utf8(bytes).map_or(DocumentFormat::Unknown, lines),
    }
}

/// Detects a format that consists of content lines (RFC 5545, 3.1; RFC 6350, 3.2).
fn lines(text: &str) -> DocumentFormat {
    let text = text.trim_start_matches('\u{feff}').trim();
    let is = |line: Option<&str>, wanted: &str| line.is_some_and(|line| line.trim_end().eq_ignore_ascii_case(wanted));
    for (ending, first, last) in [("ics", "BEGIN:VCALENDAR", "END:VCALENDAR"), ("vcf", "BEGIN:VCARD", "END:VCARD")] {
        if is(text.lines().next(), first) {
            return if is(text.lines().next_back(), last) {
                DocumentFormat::Whole(ending)
            } else {
                DocumentFormat::CutOff
            };
        }
    }
    DocumentFormat::Unknown
}

/// Detects the format of an archive by the names of its files; `None` if it cannot be read to its end.
fn archive(bytes: &[u8]) -> Option<DocumentFormat> {
    let archive = ZipArchive::from_slice(bytes).ok()?;
    let mut entries = archive.entries();
    let (mut form, mut has_types) = (None, false);
    for _ in 0..MAX_ENTRIES {
        let Some(entry) = entries.next_entry().ok()? else {
            let is_odt = bytes.get(30..).is_some_and(|name| {
                // The first file is the uncompressed media type (OpenDocument 1.3, part 2, 3.3).
                name.starts_with(b"mimetypeapplication/vnd.oasis.opendocument.textPK")
            });
            return Some(match form.filter(|_| has_types) {
                Some(form) => DocumentFormat::Whole(form),
                None if is_odt => DocumentFormat::Whole("odt"),
                None => DocumentFormat::Archive,
            });
        };
        let path = entry.file_path();
        let name = path.as_ref();
        match name {
            _ if is_macro_file(name) => return Some(DocumentFormat::Macros),
            b"[Content_Types].xml" => has_types = true,
            b"word/document.xml" => form = Some("docx"),
            b"xl/workbook.xml" => form = Some("xlsx"),
            _ => {}
        }
    }
    Some(DocumentFormat::Unknown)
}

/// Returns whether the file of this name in an archive contains code that runs on the reader's machine. Office ignores
/// the case of names.
fn is_macro_file(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase().replace('\\', "/");
    let mut parts = name.split('/').filter(|part| !matches!(*part, "" | "."));
    let is_in_folder = parts.clone().count() > 1 && parts.clone().next().is_some_and(|it| MACRO_FOLDERS.contains(&it));
    is_in_folder || parts.any(|part| MACRO_PARTS.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an archive of empty files that are not compressed.
    fn zip(names: &[&str]) -> Vec<u8> {
        let (mut files, mut directory) = (Vec::new(), Vec::new());
        for name in names {
            let (name, content) = name.split_once('=').unwrap_or((name, ""));
            let crc = if content.is_empty() { 0_u32 } else { 0x0c32_c65e };
            let length = u32::try_from(content.len()).unwrap().to_le_bytes();
            let name_length = u16::try_from(name.len()).unwrap().to_le_bytes();
            let at = u32::try_from(files.len()).unwrap().to_le_bytes();
            let common = [&[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &crc.to_le_bytes(), &length, &length, &name_length];
            let common = common.concat();
            directory.extend([&b"PK\x01\x02\x14\0"[..], &common, &[0; 12], &at, name.as_bytes()].concat());
            files.extend([&b"PK\x03\x04"[..], &common, &[0; 2], name.as_bytes(), content.as_bytes()].concat());
        }
        let count = u16::try_from(names.len()).unwrap().to_le_bytes();
        let (size, at) = (directory.len() as u32, files.len() as u32);
        let end = [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &size.to_le_bytes(), &at.to_le_bytes(), &[0; 2]];
        [files, directory, end.concat()].concat()
    }

    #[test]
    fn format_is_detected_by_the_content() {
        let odt = "mimetype=application/vnd.oasis.opendocument.text";
        for (bytes, expected) in [
            (b"%PDF-1.7\n...\n%%EOF\r\n".to_vec(), DocumentFormat::Whole("pdf")),
            (b"%PDF-1.7\n...".to_vec(), DocumentFormat::CutOff),
            (b"\r\n\0%PDF-1.7\n...\n%%EOF\r\n".to_vec(), DocumentFormat::Whole("pdf")),
            ([&[b' '; 1019][..], b"%PDF-1.7\n%%EOF"].concat(), DocumentFormat::Whole("pdf")),
            ([&[b' '; 1020][..], b"%PDF-1.7\n%%EOF"].concat(), DocumentFormat::Unknown),
            (b"<!doctype html>\n%PDF-1.7\n%%EOF".to_vec(), DocumentFormat::Other(picture::PictureFormat::Page)),
            (b"MZ\x90%PDF-1.7\n%%EOF".to_vec(), DocumentFormat::Unknown),
            (zip(&["[Content_Types].xml", "word/document.xml"]), DocumentFormat::Whole("docx")),
            (zip(&["word/document.xml"]), DocumentFormat::Archive),
            (zip(&["xl/workbook.xml", "[Content_Types].xml"]), DocumentFormat::Whole("xlsx")),
            (zip(&["[Content_Types].xml", "word/document.xml", "word/vbaProject.bin"]), DocumentFormat::Macros),
            (zip(&[odt, "content.xml"]), DocumentFormat::Whole("odt")),
            (zip(&[odt, "Basic/Standard/Module1.xml"]), DocumentFormat::Macros),
            (zip(&[odt, "Scripts/python/a.py"]), DocumentFormat::Macros),
            (zip(&["[Content_Types].xml", "word/document.xml", "Word\\VbaProject.BIN"]), DocumentFormat::Macros),
            (zip(&["[Content_Types].xml", "word/document.xml", "other/vbaProject.bin"]), DocumentFormat::Macros),
            (zip(&["[Content_Types].xml", "xl/workbook.xml", "xl/activeX/activeX1.bin"]), DocumentFormat::Macros),
            (zip(&["[Content_Types].xml", "word/document.xml", "word/basic/a.xml"]), DocumentFormat::Whole("docx")),
            (zip(&["setup.exe"]), DocumentFormat::Archive),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1..".to_vec(), DocumentFormat::Protected),
            (b"\xef\xbb\xbfBEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n".to_vec(), DocumentFormat::Whole("ics")),
            (b"begin:vcard\nFN:A\nEND:VCARD".to_vec(), DocumentFormat::Whole("vcf")),
            (b"BEGIN:VCARD\nFN:A".to_vec(), DocumentFormat::CutOff),
            (b"<!doctype html>".to_vec(), DocumentFormat::Other(picture::PictureFormat::Page)),
            (b"MZ\x90".to_vec(), DocumentFormat::Unknown),
            (Vec::new(), DocumentFormat::Unknown),
        ] {
            assert_eq!(form(&bytes), expected, "{:?}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn document_that_is_cut_off_is_refused() {
        for (bytes, ending) in [
            (zip(&["[Content_Types].xml", "word/document.xml"]), "docx"),
            (zip(&["mimetype=application/vnd.oasis.opendocument.text", "content.xml"]), "odt"),
            (b"%PDF-1.7\n%%EOF".to_vec(), "pdf"),
            (b"BEGIN:VCALENDAR\nEND:VCALENDAR".to_vec(), "ics"),
        ] {
            assert_eq!(fault("x", &bytes, ending), None, "{ending}");
            for end in 0..bytes.len() {
                let found = fault("x", &bytes[..end], ending).unwrap();
                assert_eq!(found.code, Code::DOCUMENT_FORM, "{ending} {end}");
            }
        }
    }
}
