//! Reads every picture and document once, before the checks.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read as _},
    mem,
};

use content::{Folder, MAX_DOCUMENT_BYTES, MAX_PHOTOGRAPH_BYTES, MAX_PICTURE_BYTES, is_well_known};
use findings::{Code, Finding, Place, messages};
use markdown::{is_picture, published_ending};
use rayon::prelude::*;

use super::{
    dimensions::{bytes_per_pixel, decoder_bytes, orientation, size},
    document_file, drawing,
    file_facts::{FileFacts, FileStamp},
    known_files::KnownFiles,
    metadata::{has_notes, is_animated},
    photograph::is_convertible,
    picture,
};
use crate::fingerprint;

/// The most pixels of a photograph. Security: a small file can claim any number of them, and decoding takes memory for
/// each.
const MAX_PIXELS: u64 = 64_000_000;
/// The most bytes of all pixels of a photograph when it is decoded: those of [`MAX_PIXELS`] in three colours.
const MAX_DECODED_BYTES: u64 = 3 * MAX_PIXELS;
/// The most bytes that decoding a photograph may take.
pub const MAX_DECODING_BYTES: u64 = 300 << 20;

/// Returns the largest size in bytes of a file with this ending.
fn max_bytes(file: &str) -> u64 {
    match published_ending(file) {
        Some(ending) if is_convertible(ending) => MAX_PHOTOGRAPH_BYTES,
        _ if is_picture(file) => MAX_PICTURE_BYTES,
        _ => MAX_DOCUMENT_BYTES,
    }
}

/// Reads every file that is not in `known` and reports its faults. Does not open files that are too large. Afterwards
/// `known` contains exactly the present photographs.
pub fn inspect(
    content: &Folder,
    files: BTreeMap<String, u64>,
    known: &mut KnownFiles,
) -> (BTreeMap<String, FileFacts>, Vec<Finding>) {
    let mut before = mem::take(known);
    (known.texts, known.faultless) = (before.texts.take(), mem::take(&mut before.faultless));
    known.pages = mem::take(&mut before.pages);
    let inspected: Vec<_> = files
        .into_par_iter()
        .map(|(file, bytes)| {
            // Taken before the file is read: if the file changes meanwhile, the next build reads it again.
            let is_photograph = published_ending(&file).is_some_and(is_convertible);
            let stamp = Some(content.path_of(&file)).filter(|_| is_photograph).and_then(|path| FileStamp::of(&path));
            let facts = match stamp.and_then(|stamp| before.get(&file, stamp)) {
                Some(facts) => Ok(facts),
                None => facts(content, &file, bytes),
            };
            (file, stamp, facts)
        })
        .collect();
    let (mut there, mut findings) = (BTreeMap::new(), Vec::new());
    for (file, stamp, facts) in inspected {
        match (&facts, stamp) {
            (Ok(facts), Some(stamp)) => known.note(&file, stamp, facts),
            (Ok(_), None) => {}
            (Err(finding), _) => findings.push(finding.as_ref().clone()),
        }
        there.insert(file, facts.unwrap_or_default());
    }
    (there, findings)
}

/// Reads a file as it is published. Git may change the line ends of text files on checkout; therefore drawings get
/// line feeds, and calendars and cards get carriage return and line feed (RFC 5545, 3.1; RFC 6350, 3.2). Files of
/// `well-known` stay as they are. Reads at most one byte more than the limit, so that a file that is too large is
/// recognised.
pub(crate) fn read(content: &Folder, file: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(content.path_of(file))?.take(max_bytes(file) + 1).read_to_end(&mut bytes)?;
    let end = match published_ending(file).filter(|_| !is_well_known(file)) {
        Some("svg") => "\n",
        Some("ics" | "vcf") => "\r\n",
        _ => return Ok(bytes),
    };
    Ok(match str::from_utf8(&bytes) {
        Ok(text) => text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', end).into_bytes(),
        Err(_) => bytes,
    })
}

fn facts(content: &Folder, file: &str, length: u64) -> Result<FileFacts, Box<Finding>> {
    let limit = max_bytes(file);
    let bytes = if length > limit { Ok(Vec::new()) } else { read(content, file) };
    let unusable = |code, message, help| Box::new(Finding::new(code, Place::file(file), message).help(help));
    let bytes = bytes.map_err(|error| {
        Box::new(Finding::new(Code::NOT_READABLE, Place::file(file), messages::file_not_readable(error)))
    })?;
    // The file may have grown since the folder was listed.
    let length = length.max(bytes.len() as u64);
    if length > limit {
        let (size, limit) = (length >> 20, limit >> 20);
        let (message, help) = if is_picture(file) {
            (messages::picture_too_heavy(size, limit), messages::picture_too_large_help())
        } else {
            (messages::document_too_heavy(size, limit), messages::document_too_heavy_help())
        };
        return Err(unusable(Code::TOO_LARGE, message, help));
    }
    if is_well_known(file) {
        if let Some(finding) = picture::well_known_fault(file, &bytes) {
            return Err(Box::new(finding));
        }
        return Ok(FileFacts { bytes: length, fingerprint: fingerprint(&bytes), ..FileFacts::default() });
    }
    let ending = published_ending(file).unwrap_or_default();
    let fault = if is_picture(file) { picture::fault } else { document_file::fault };
    if let Some(finding) = fault(file, &bytes, ending) {
        return Err(Box::new(finding));
    }
    let (size, has_notes) = (size(&bytes, ending), has_notes(&bytes, ending));
    let pixels = size.map_or(0, |size| u64::from(size.width) * u64::from(size.height));
    if is_convertible(ending) && pixels > MAX_PIXELS {
        let (millions, limit) = (pixels / 1_000_000, MAX_PIXELS / 1_000_000);
        let message = messages::picture_with_many_pixels(millions, limit);
        return Err(unusable(Code::TOO_LARGE, message, messages::picture_too_large_help()));
    }
    let decoded = pixels.saturating_mul(bytes_per_pixel(&bytes, ending));
    if is_convertible(ending) && decoded > MAX_DECODED_BYTES {
        let message = messages::picture_with_many_bytes(decoded >> 20, MAX_DECODED_BYTES >> 20);
        return Err(unusable(Code::TOO_LARGE, message, messages::picture_with_many_bytes_help()));
    }
    let needed = decoded.saturating_add(decoder_bytes(&bytes, pixels));
    if is_convertible(ending) && needed > MAX_DECODING_BYTES {
        let message = messages::picture_costly_to_read(needed >> 20, MAX_DECODING_BYTES >> 20);
        return Err(unusable(Code::TOO_LARGE, message, messages::picture_costly_to_read_help()));
    }
    if is_animated(&bytes, ending) {
        let message = messages::photograph_animated();
        return Err(unusable(Code::PICTURE_UNUSABLE, message, messages::photograph_animated_help()));
    }
    if ending == "avif" && has_notes {
        let message = messages::picture_with_notes();
        return Err(unusable(Code::PICTURE_UNUSABLE, message, messages::picture_with_notes_help()));
    }
    Ok(FileFacts {
        bytes: bytes.len() as u64,
        fingerprint: fingerprint(&bytes),
        size,
        has_notes,
        orientation: orientation(&bytes, ending),
        adapts: ending == "svg" && memchr::memmem::find(&bytes, b"prefers-color-scheme").is_some(),
        undrawn: if ending == "svg" { drawing::drawable(&bytes).err() } else { None },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_that_grew_after_listing_is_not_read_beyond_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pdf");
        // A sparse file occupies no space.
        File::create(&path).and_then(|file| file.set_len(64 * MAX_DOCUMENT_BYTES)).unwrap();
        let content = Folder::new(folder.path());
        let refused = facts(&content, "a.pdf", 10).unwrap_err();
        assert_eq!(refused.code, Code::TOO_LARGE);
        assert_eq!(facts(&content, "a.pdf", 64 * MAX_DOCUMENT_BYTES).unwrap_err().code, Code::TOO_LARGE);
    }

    #[test]
    fn photograph_is_refused_by_the_bytes_of_its_pixels() {
        let folder = tempfile::tempdir().unwrap();
        let content = Folder::new(folder.path());
        let code = |width: u32, depth: u8, colour: u8| {
            let sides = [width.to_be_bytes(), 2_000_u32.to_be_bytes()].concat();
            let head = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &sides[..], &[depth, colour, 0, 0, 0], b"crc."].concat();
            std::fs::write(folder.path().join("a.png"), [&head[..], b"\0\0\0\0IENDcrc."].concat()).unwrap();
            facts(&content, "a.png", 60).err().map(|finding| finding.code)
        };
        // 64 million pixels of three bytes, and of six.
        assert_eq!([code(32_000, 8, 2), code(16_000, 16, 2), code(12_000, 16, 6)], [None; 3]);
        assert_eq!(
            [code(16_001, 16, 2), code(12_001, 16, 6), code(32_000, 16, 0)],
            [Some(Code::TOO_LARGE), Some(Code::TOO_LARGE), None]
        );
    }

    #[test]
    fn file_of_well_known_is_judged_by_what_it_is() {
        const DRAWING: &str = "<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>";
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("well-known")).unwrap();
        let content = Folder::new(folder.path());
        let code = |name: &str, text: &str| {
            let file = format!("well-known/{name}");
            std::fs::write(folder.path().join(&file), text).unwrap();
            facts(&content, &file, text.len() as u64).err().map(|finding| finding.code)
        };
        for (name, text) in [
            ("a.svg", DRAWING),
            ("proof", DRAWING),
            ("a.txt", &format!("\u{feff}<?xml version='1.0'?>{DRAWING}")),
            ("a.xml", "<x xmlns='urn:x'><h:p xmlns:h='http://www.w3.org/1999/xhtml'/></x>"),
            ("a.xml", "<!DOCTYPE x [<!ENTITY y 'z'>]><x>&y;</x>"),
            ("proof", "<!DOCTYPE html><p>"),
        ] {
            assert_eq!(code(name, text), Some(Code::PICTURE_ACTS), "{name}: {text}");
        }
        assert_eq!(code("a.svg", "proof=1"), Some(Code::PICTURE_FORM));
        for (name, text) in [
            ("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'><path d='M0 0'/></svg>"),
            ("proof", "google-site-verification: x.html"),
            ("a.json", "{}"),
            ("a.xml", "<users xmlns='urn:x'><user>1</user></users>"),
        ] {
            assert_eq!(code(name, text), None, "{name}: {text}");
        }
    }
}
