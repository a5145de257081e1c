//! Detects metadata in pictures: the place where it was taken, the camera's number, a thumbnail of the uncropped
//! picture, texts of the program that saved it, a film behind its end.
//!
//! A picture counts as free of metadata only if it consists of parts that are known to be needed to show it.

/// Returns whether a picture with the given file ending may contain metadata.
///
/// Security: a portrait must not reveal where a person lives. Unknown parts count as metadata.
pub(super) fn has_notes(bytes: &[u8], ending: &str) -> bool {
    match ending {
        "png" => !is_bare_png(bytes).unwrap_or_default(),
        "jpg" => !is_bare_jpeg(bytes).unwrap_or_default(),
        "webp" => !is_bare_webp(bytes).unwrap_or_default(),
        "avif" => !is_bare_avif(bytes).unwrap_or_default(),
        _ => false,
    }
}

/// Returns whether a picture moves.
pub(super) fn is_animated(bytes: &[u8], ending: &str) -> bool {
    match ending {
        // The chunk `acTL` precedes the pixels (PNG 3, 11.3.6.1).
        "png" => memchr::memmem::find(bytes, b"IDAT")
            .and_then(|pixels| bytes.get(..pixels))
            .is_some_and(|head| memchr::memmem::find(head, b"\0\0\0\x08acTL").is_some()),
        // The second bit of the flags in the extended header.
        "webp" => bytes.get(12..16) == Some(b"VP8X") && bytes.get(20).is_some_and(|flags| flags & 2 != 0),
        "avif" => bytes.get(8..12) == Some(b"avis"),
        _ => false,
    }
}

/// The chunks of a PNG for pixels and their colours. A colour profile is none of them: it names its maker, and more.
const PNG_CHUNKS: [&[u8; 4]; 12] =
    [b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"sBIT", b"sRGB", b"cICP", b"bKGD", b"pHYs"];

fn is_bare_png(bytes: &[u8]) -> Option<bool> {
    let mut rest = bytes.get(8..)?;
    while let Some((length, behind)) = rest.split_first_chunk() {
        let (name, data) = behind.split_first_chunk()?;
        // A chunk ends with its checksum.
        rest = data.get((u32::from_be_bytes(*length) as usize).checked_add(4)?..)?;
        if !PNG_CHUNKS.contains(&name) {
            return Some(false);
        }
        if name == b"IEND" {
            return Some(rest.is_empty());
        }
    }
    None
}

fn is_bare_jpeg(bytes: &[u8]) -> Option<bool> {
    let mut rest = bytes.strip_prefix(b"\xff\xd8")?;
    loop {
        let ([0xff, mark], behind) = rest.split_first_chunk()? else { return Some(false) };
        if *mark == 0xff {
            // Fill bytes may precede a segment.
            rest = &rest[1..];
            continue;
        }
        let length = usize::from(u16::from_be_bytes(*behind.first_chunk()?));
        let segment = behind.get(2..length)?;
        rest = behind.get(length..)?;
        match mark {
            0xda => break,
            // Application segments: JFIF without a thumbnail, and how Adobe's programs encode colours.
            0xe0 if segment.starts_with(b"JFIF\0") && segment.len() == 14 => {}
            0xee if segment.starts_with(b"Adobe") && segment.len() == 12 => {}
            0xe0..=0xef | 0xfe => return Some(false),
            _ => {}
        }
    }
    // The coded pixels contain no such marker: `ff` is followed by a zero byte or a restart number.
    let has_marker = |mark: u8| memchr::memmem::find(rest, &[0xff, mark]).is_some();
    let is_last = rest.ends_with(b"\xff\xd9") && memchr::memmem::find_iter(rest, b"\xff\xd9").count() == 1;
    Some(is_last && !has_marker(0xd8) && !(0xe0..=0xef).any(has_marker) && !has_marker(0xfe))
}

fn is_bare_webp(bytes: &[u8]) -> Option<bool> {
    let length = u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?) as usize;
    let mut rest = bytes.get(12..)?;
    if bytes.len() != length.checked_add(8)? {
        return Some(false);
    }
    while let Some((name, behind)) = rest.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*behind.first_chunk()?) as usize;
        if ![b"VP8 ", b"VP8L", b"VP8X", b"ALPH"].contains(&name) {
            return Some(false);
        }
        // Chunks have an even length.
        rest = behind.get(length.checked_add(4)?.checked_next_multiple_of(2)?..)?;
    }
    Some(rest.is_empty())
}

/// The boxes of an AVIF that describe and contain pictures.
const AVIF_BOXES: [&[u8; 4]; 4] = [b"ftyp", b"meta", b"moov", b"mdat"];

/// Returns whether an AVIF consists only of boxes that describe and contain pictures (ISO 14496-12, 4.2). Outside
/// `mdat` they must not name an Exif or XMP item (ISO 23008-12, annex A) or a `uuid` box.
fn is_bare_avif(bytes: &[u8]) -> Option<bool> {
    let mut rest = bytes;
    while let Some((length, behind)) = rest.split_first_chunk() {
        let (name, _) = behind.split_first_chunk::<4>()?;
        let (head, length) = match u32::from_be_bytes(*length) {
            // Zero means up to the end of the file.
            0 => (8, rest.len()),
            1 => (16, usize::try_from(u64::from_be_bytes(*rest.get(8..)?.first_chunk()?)).ok()?),
            length => (8, length as usize),
        };
        let content = rest.get(head..length)?;
        let is_empty = matches!(name, b"free" | b"skip") && content.iter().all(|byte| *byte == 0);
        let names_notes = || {
            let notes = [&b"Exif"[..], b"application/rdf+xml", b"uuid"];
            notes.iter().any(|name| memchr::memmem::find(content, name).is_some())
        };
        if !is_empty && (!AVIF_BOXES.contains(&name) || (name != b"mdat" && names_notes())) {
            return Some(false);
        }
        rest = &rest[length..];
    }
    Some(rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(name: &[u8], data: &[u8]) -> Vec<u8> {
        [&u32::try_from(data.len()).unwrap().to_be_bytes()[..], name, data, b"crc."].concat()
    }

    fn segment(mark: u8, data: &[u8]) -> Vec<u8> {
        [&[0xff, mark][..], &u16::try_from(data.len() + 2).unwrap().to_be_bytes(), data].concat()
    }

    #[test]
    fn png_with_pixels_and_colours_only_is_bare() {
        let png = |middle: &[u8], behind: &[u8]| {
            let (start, end) = (chunk(b"IHDR", &[0; 13]), chunk(b"IEND", b""));
            [b"\x89PNG\r\n\x1a\n", &start[..], middle, &end, behind].concat()
        };
        assert!(!has_notes(&png(&chunk(b"IDAT", b"..."), b""), "png"));
        for name in [b"eXIf", b"tEXt", b"iTXt", b"zTXt", b"tIME", b"caBX", b"iCCP"] {
            assert!(has_notes(&png(&chunk(name, b"..."), b""), "png"), "{name:?}");
        }
        assert!(has_notes(&png(&chunk(b"IDAT", b"..."), b"film"), "png"));
        assert!(has_notes(b"\x89PNG\r\n\x1a\n", "png"));
    }

    #[test]
    fn jpeg_with_metadata_before_or_behind_its_pixels_is_not_bare() {
        let jpeg = |before: &[u8], behind: &[u8]| {
            [b"\xff\xd8", before, &segment(0xdb, b"table"), &segment(0xda, b"scan"), b"a\xff\0b\xff\xd0c", behind]
                .concat()
        };
        let jfif = segment(0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0");
        assert!(!has_notes(&jpeg(&jfif, b"\xff\xd9"), "jpg"));
        for (mark, data) in [
            (0xe1, &b"Exif\0\0II*\0"[..]),
            (0xe1, b"http://ns.adobe.com/xap/1.0/\0"),
            (0xe2, b"MPF\0"),
            (0xe2, b"ICC_PROFILE\0\x01\x01..."),
            (0xed, b"Photoshop 3.0\0"),
            (0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01rgb"),
            (0xe0, b"JFXX\0"),
            (0xfe, b"a comment"),
        ] {
            assert!(has_notes(&jpeg(&segment(mark, data), b"\xff\xd9"), "jpg"), "{mark:x}");
        }
        for behind in [&b""[..], b"\xff\xd9film", b"\xff\xd9\xff\xd8\xff\xe1\xff\xd9", b"\xff\xe1\0\x02\xff\xd9"] {
            assert!(has_notes(&jpeg(b"", behind), "jpg"), "{behind:?}");
        }
    }

    #[test]
    fn webp_with_a_metadata_chunk_is_not_bare() {
        let webp = |name: &[u8; 4]| {
            let chunk = [&name[..], &3_u32.to_le_bytes(), b"abc\0"].concat();
            [b"RIFF", &u32::try_from(4 + chunk.len()).unwrap().to_le_bytes()[..], b"WEBP", &chunk].concat()
        };
        assert!(!has_notes(&webp(b"VP8 "), "webp") && has_notes(&[&webp(b"VP8 ")[..], b"."].concat(), "webp"));
        for name in [b"EXIF", b"XMP ", b"ICCP"] {
            assert!(has_notes(&webp(name), "webp"), "{name:?}");
        }
    }

    #[test]
    fn moving_picture_is_recognised_whatever_its_size() {
        let png = |before: &[u8], behind: &[u8]| {
            [&b"\x89PNG\r\n\x1a\n"[..], before, &chunk(b"IDAT", b"..."), behind].concat()
        };
        assert!(is_animated(&png(&chunk(b"acTL", &[0; 8]), b""), "png"));
        assert!(!is_animated(&png(b"", &chunk(b"acTL", &[0; 8])), "png") && !is_animated(&png(b"", b""), "png"));
        let webp = |flags: u8| [&b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0"[..], &[flags]].concat();
        assert!(is_animated(&webp(0x12), "webp") && !is_animated(&webp(0x10), "webp"));
        assert!(is_animated(b"\0\0\0\x20ftypavis", "avif") && !is_animated(b"\0\0\0\x20ftypavif", "avif"));
    }

    #[test]
    fn avif_with_a_metadata_box_is_not_bare() {
        let of = |name: &[u8; 4], content: &[u8]| {
            [&u32::try_from(content.len() + 8).unwrap().to_be_bytes(), &name[..], content].concat()
        };
        let (kind, pixels) = (of(b"ftyp", b"avif"), of(b"mdat", b"..Exif in pixels"));
        let avif = |boxes: &[&[u8]]| [kind.as_slice(), &boxes.concat()].concat();
        let far = vec![0; 200 * 1024];
        let bare = avif(&[&of(b"meta", b"av01"), &of(b"free", &far), &pixels]);
        assert!(!has_notes(&bare, "avif"));
        // A box may go to the end of the file, or have a length of eight bytes.
        assert!(!has_notes(&avif(&[&of(b"meta", b"av01"), b"\0\0\0\0mdat..."]), "avif"));
        assert!(!has_notes(&avif(&[b"\0\0\0\x01mdat\0\0\0\0\0\0\0\x12.."]), "avif"));
        for noted in [
            avif(&[&of(b"meta", &[&far[..], b"Exif"].concat()), &pixels]),
            avif(&[&pixels, &of(b"meta", b"mime application/rdf+xml")]),
            avif(&[&of(b"uuid", b"a packet of XMP"), &pixels]),
            avif(&[&of(b"free", b"a film"), &pixels]),
            avif(&[&pixels, b"behind the end"]),
            avif(&[b"\0\0\0\x04mdat"]),
        ] {
            assert!(has_notes(&noted, "avif"), "{:?}", String::from_utf8_lossy(&noted));
        }
    }
}
