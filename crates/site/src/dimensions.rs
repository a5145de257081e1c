//! Width and height of a picture, so that a page can reserve space for it while the file is loading.
//!
//! Reads only the bytes that state the size; a damaged file has no size.

use markdown::Size;

use super::drawing;

/// The longest side that a picture may have, in pixels.
pub(super) const MAX_SIDE: u32 = 32_768;

/// Returns the size of a picture with the given file ending.
pub(super) fn size(bytes: &[u8], ending: &str) -> Option<Size> {
    let (width, height) = sides(bytes, ending)?;
    let is_sane = (1..=MAX_SIDE).contains(&width) && (1..=MAX_SIDE).contains(&height);
    is_sane.then_some(Size { width, height })
}

/// Returns width and height as the file states them, without a limit.
pub(super) fn sides(bytes: &[u8], ending: &str) -> Option<(u32, u32)> {
    match ending {
        "svg" => svg(bytes),
        "png" => png(bytes),
        "jpg" => {
            jpeg(bytes).map(|frame| swap_if_sideways(frame.width, frame.height, is_on_its_side(frame.orientation)))
        }
        "webp" => webp(bytes),
        "avif" => avif(bytes),
        _ => None,
    }
}

/// Returns the bytes that a decoded pixel of a photograph takes, at most.
pub(super) fn bytes_per_pixel(bytes: &[u8], ending: &str) -> u64 {
    match ending {
        "jpg" => 3,
        // Bits of a channel and the kind of colour (PNG 3, 11.2.1). A palette or grey may have a transparent colour.
        "png" => match (bytes.get(24), bytes.get(25)) {
            (Some(16), Some(kind)) => 2 * png_channels(*kind),
            (_, Some(kind)) => png_channels(*kind),
            _ => 8,
        },
        _ => 4,
    }
}

/// Returns the bytes that a photograph of this number of pixels takes besides its pixels while it is decoded: the
/// coefficients of a progressive JPEG, of two bytes each, and a copy of the pixels of a lossless WebP. Others are decoded
/// line by line.
pub fn decoder_bytes(bytes: &[u8], pixels: u64) -> u64 {
    if bytes.starts_with(b"RIFF") && memchr::memmem::find(bytes, b"VP8L").is_some() {
        return pixels.saturating_mul(4);
    }
    let frame = jpeg(bytes).and_then(|frame| frame.progressive);
    frame.map_or(0, |(samples, of)| pixels.saturating_mul(2 * samples).div_ceil(of))
}

/// Returns the channels of a kind of colour of a PNG.
const fn png_channels(kind: u8) -> u64 {
    match kind {
        0 => 1,
        4 => 2,
        2 => 3,
        _ => 4,
    }
}

fn big_endian(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

fn little_endian(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// Returns the orientation to which browsers turn a picture (Exif 2.3, 4.6.4): 1 is upright. Chromium turns a JPEG and
/// a PNG, but not a WebP.
pub(super) fn orientation(bytes: &[u8], ending: &str) -> u8 {
    let found = match ending {
        "png" => png_orientation(bytes),
        "jpg" => jpeg(bytes).map(|frame| frame.orientation),
        _ => None,
    };
    found.filter(|orientation| (1..=8).contains(orientation)).unwrap_or(1)
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    bytes.starts_with(b"\x89PNG\r\n\x1a\n").then_some(())?;
    let (width, height) = (big_endian(bytes, 16, 4)?, big_endian(bytes, 20, 4)?);
    Some(swap_if_sideways(width, height, png_orientation(bytes).is_some_and(is_on_its_side)))
}

/// Reads the chunk `eXIf` (PNG 3, 11.3.4.5), if it precedes the picture data, as browsers require.
fn png_orientation(bytes: &[u8]) -> Option<u8> {
    let mut at = 8;
    loop {
        let (length, kind) = (big_endian(bytes, at, 4)? as usize, bytes.get(at + 4..at + 8)?);
        let inside = bytes.get(at + 8..)?;
        match kind {
            b"eXIf" => return read_exif_orientation(inside.get(..length)?),
            b"IDAT" => return None,
            // A chunk is followed by its checksum.
            _ => at += 12 + length,
        }
    }
}

/// The facts in the segments of a JPEG before its pixels.
struct JpegFrame {
    width: u32,
    height: u32,
    orientation: u8,
    /// Of a progressive picture, how many samples there are for how many pixels.
    progressive: Option<(u64, u64)>,
}

/// Returns how many samples a frame has for how many pixels (ITU-T T.81, B.2.2).
fn samples(bytes: &[u8], at: usize) -> Option<(u64, u64)> {
    let parts = bytes.get(at + 10..)?.chunks_exact(3).take(usize::from(*bytes.get(at + 9)?));
    let factors: Vec<(u64, u64)> = parts.map(|part| (u64::from(part[1] >> 4), u64::from(part[1] & 15))).collect();
    let across = factors.iter().map(|(across, _)| *across).max()?;
    let down = factors.iter().map(|(_, down)| *down).max()?;
    Some((factors.iter().map(|(across, down)| across * down).sum(), (across * down).max(1)))
}

/// Walks the segments up to the frame header.
fn jpeg(bytes: &[u8]) -> Option<JpegFrame> {
    bytes.starts_with(b"\xff\xd8").then_some(())?;
    let mut at = 2;
    let mut orientation = None;
    loop {
        let marker = big_endian(bytes, at, 2)?;
        let is_frame = matches!(marker, 0xffc0..=0xffcf) && !matches!(marker, 0xffc4 | 0xffc8 | 0xffcc);
        if is_frame {
            let (width, height) = (big_endian(bytes, at + 7, 2)?, big_endian(bytes, at + 5, 2)?);
            let progressive = if marker == 0xffc2 { samples(bytes, at) } else { None };
            return Some(JpegFrame { width, height, orientation: orientation.unwrap_or(1), progressive });
        }
        (marker > 0xff00).then_some(())?;
        let length = big_endian(bytes, at + 2, 2)? as usize;
        if marker == 0xffe1 && orientation.is_none() {
            let exif = bytes.get(at + 4..at + 2 + length).and_then(|segment| segment.strip_prefix(b"Exif\0\0"));
            orientation = exif.and_then(read_exif_orientation);
        }
        at += 2 + length;
    }
}

/// Returns whether an orientation swaps width and height.
const fn is_on_its_side(orientation: u8) -> bool {
    matches!(orientation, 5..=8)
}

/// Reads the orientation from Exif data, which is in TIFF format.
fn read_exif_orientation(tiff: &[u8]) -> Option<u8> {
    let number: fn(&[u8], usize, usize) -> Option<u32> = match tiff.get(..4)? {
        b"II*\0" => little_endian,
        b"MM\0*" => big_endian,
        _ => return None,
    };
    let directory = number(tiff, 4, 4)? as usize;
    let count = number(tiff, directory, 2)? as usize;
    let mut fields = (0..count).map_while(|at| tiff.get(directory.checked_add(2 + 12 * at)?..)?.get(..12));
    let field = fields.find(|field| number(field, 0, 2) == Some(0x0112))?;
    // Type 3: an integer of two bytes.
    (number(field, 2, 2)? == 3).then(|| number(field, 8, 2))?.and_then(|orientation| orientation.try_into().ok())
}

/// Returns width and height of a picture as it is shown.
const fn swap_if_sideways(width: u32, height: u32, on_its_side: bool) -> (u32, u32) {
    if on_its_side { (height, width) } else { (width, height) }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    (bytes.starts_with(b"RIFF") && bytes.get(8..12)? == b"WEBP").then_some(())?;
    match bytes.get(12..16)? {
        b"VP8 " => Some((little_endian(bytes, 26, 2)? & 0x3fff, little_endian(bytes, 28, 2)? & 0x3fff)),
        b"VP8L" => {
            let bits = little_endian(bytes, 21, 4)?;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => Some((little_endian(bytes, 24, 3)? + 1, little_endian(bytes, 27, 3)? + 1)),
        _ => None,
    }
}

/// Reads the first `ispe` property, which in files with one picture is that of the picture, and an `irot` property,
/// which turns it by a multiple of 90°.
fn avif(bytes: &[u8]) -> Option<(u32, u32)> {
    (bytes.get(4..8)? == b"ftyp").then_some(())?;
    let find = |property: &[u8]| bytes.windows(4).take(4096).position(|name| name == property);
    let at = find(b"ispe")?;
    let on_its_side = find(b"irot").and_then(|at| bytes.get(at + 4)).is_some_and(|angle| angle & 1 == 1);
    Some(swap_if_sideways(big_endian(bytes, at + 8, 4)?, big_endian(bytes, at + 12, 4)?, on_its_side))
}

/// Returns `width` and `height` of the root element in pixels, else the size of its `viewBox`.
fn svg(bytes: &[u8]) -> Option<(u32, u32)> {
    let document = drawing::read(str::from_utf8(bytes).ok()?).ok()?;
    let root = document.root_element();
    // Given only a name, the parser returns an attribute of any namespace.
    let value = |name| {
        let found = root.attributes().find(|attribute| attribute.namespace().is_none() && attribute.name() == name);
        found.map(|attribute| attribute.value())
    };
    let side = |name| value(name).and_then(pixels);
    if let (Some(width), Some(height)) = (side("width"), side("height")) {
        return Some((width, height));
    }
    let numbers = value("viewBox")?.split(|mark: char| mark.is_ascii_whitespace() || mark == ',');
    let mut sides = numbers.filter(|number| !number.is_empty()).skip(2);
    Some((pixels(sides.next()?)?, pixels(sides.next()?)?))
}

/// Reads a length in pixels, rounded up.
fn pixels(length: &str) -> Option<u32> {
    let number: f32 = length.trim().trim_end_matches("px").parse().ok()?;
    #[expect(clippy::cast_sign_loss, reason = "it is positive, and what is too large becomes the largest number")]
    (number >= 1.0).then(|| number.ceil() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8], ending: &str) -> Option<(u32, u32)> {
        size(bytes, ending).map(|size| (size.width, size.height))
    }

    #[test]
    fn size_is_read_from_every_format() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0";
        assert_eq!(of(png, "png"), Some((640, 480)));
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\x01\xe0\x02\x80";
        assert_eq!(of(jpeg, "jpg"), Some((640, 480)));
        let webp = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0";
        assert_eq!(of(webp, "webp"), Some((640, 480)));
        let avif = b"\0\0\0\x20ftypavif....ispe\0\0\0\0\0\0\x02\x80\0\0\x01\xe0";
        assert_eq!(of(avif, "avif"), Some((640, 480)));
    }

    #[test]
    fn coefficients_of_a_progressive_picture_are_counted() {
        let frame = |marker: u8, parts: &[u8]| {
            let head = [0xff, 0xd8, 0xff, marker, 0, 8 + parts.len() as u8, 8, 0, 10, 0, 10, parts.len() as u8 / 3];
            [&head[..], parts].concat()
        };
        let (whole, halved) = ([1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0], [1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0]);
        assert_eq!(super::decoder_bytes(&frame(0xc2, &whole), 100), 600);
        assert_eq!(super::decoder_bytes(&frame(0xc2, &halved), 100), 300);
        assert_eq!(super::decoder_bytes(&frame(0xc2, &[1, 0x11, 0]), 100), 200);
        assert_eq!(super::decoder_bytes(&frame(0xc0, &whole), 100), 0);
        assert_eq!(super::decoder_bytes(&frame(0xc2, &[1, 0, 0]), 100), 0);
        assert_eq!(super::decoder_bytes(b"RIFF\0\0\0\0WEBPVP8L", 100), 400);
        assert_eq!(super::decoder_bytes(b"RIFF\0\0\0\0WEBPVP8 ", 100), 0);
    }

    #[test]
    fn size_of_a_drawing_is_read_from_its_first_element() {
        for (drawing, expected) in [
            ("<svg width='30px' height=\"20\" viewBox=\"0 0 9 9\"/>", (30, 20)),
            ("<?xml version='1.0'?>\n<svg stroke-width=\"4\" viewBox=\"0 0 640.5 480\"/>", (641, 480)),
            ("<!-- drawn after <svg width=\"9\" height=\"900\"> --><svg width=\"4\" height=\"2\"/>", (4, 2)),
            ("<svg aria-label=\"1 > 0\" width=\"4\" height=\"2\"/>", (4, 2)),
            ("<s:svg xmlns:s=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"2\"/>", (4, 2)),
            ("<svg viewBox=\"0\t0,\t4\n2\"/>", (4, 2)),
            ("<svg viewBox=\"0 0 4 &#50;\" x:width=\"9\" x:height=\"9\" xmlns:x=\"x\"/>", (4, 2)),
        ] {
            assert_eq!(of(drawing.as_bytes(), "svg"), Some(expected), "{drawing}");
        }
        for none in ["<svg width=\"100%\" height=\"100%\"/>", "<svg/>", "<svg width=\"4\" height=\"2\">"] {
            assert_eq!(of(none.as_bytes(), "svg"), None, "{none}");
        }
    }

    #[test]
    fn size_of_a_rotated_picture_is_the_shown_size() {
        let frame = b"\xff\xc0\0\x11\x08\x01\xe0\x02\x80";
        for (orientation, expected) in
            [(1, (640, 480)), (4, (640, 480)), (5, (480, 640)), (6, (480, 640)), (8, (480, 640))]
        {
            // Two fields; the second one is the orientation.
            let big = [
                &b"MM\0*\0\0\0\x08\0\x02\x01\x0f\0\x02\0\0\0\x01a\0\0\0\x01\x12\0\x03\0\0\0\x01\0"[..],
                &[orientation],
            ];
            let little = [&b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0"[..], &[orientation]];
            for tiff in [big, little] {
                let tiff = [tiff.concat().as_slice(), b"\0\0\0"].concat();
                let segment = [b"Exif\0\0", tiff.as_slice()].concat();
                let length = u16::try_from(segment.len() + 2).unwrap().to_be_bytes();
                let jpeg = [b"\xff\xd8\xff\xe0\0\x04ab\xff\xe1", &length[..], &segment, frame].concat();
                assert_eq!(of(&jpeg, "jpg"), Some(expected), "{orientation}");
                assert_eq!(super::orientation(&jpeg, "jpg"), orientation);
                let chunk = |kind: &[u8; 4], inside: &[u8]| {
                    [&u32::try_from(inside.len()).unwrap().to_be_bytes(), kind, inside, b"\0crc"].concat()
                };
                let header = chunk(b"IHDR", b"\0\0\x02\x80\0\0\x01\xe0\x08\0\0\0\0");
                let (notes, data) = (chunk(b"eXIf", &tiff), chunk(b"IDAT", b"bytes"));
                let png = |chunks: [&[u8]; 3]| [b"\x89PNG\r\n\x1a\n", chunks.concat().as_slice()].concat();
                assert_eq!(of(&png([&header, &notes, &data]), "png"), Some(expected), "{orientation}");
                assert_eq!(of(&png([&header, &data, &notes]), "png"), Some((640, 480)), "{orientation}");
                // A directory that is cut short or out of range has no orientation.
                for end in 0..tiff.len() {
                    read_exif_orientation(&tiff[..end]);
                    of(&png([&header, &notes[..end], &[]]), "png").unwrap();
                }
                let lost = [&tiff[..4], b"\xff\xff\xff\xff", &tiff[8..]].concat();
                assert_eq!(read_exif_orientation(&lost), None);
            }
        }
        for (angle, expected) in [(0, (640, 480)), (1, (480, 640)), (2, (640, 480)), (3, (480, 640))] {
            let avif =
                [&b"\0\0\0\x20ftypavif....ispe\0\0\0\0\0\0\x02\x80\0\0\x01\xe0\0\0\0\x09irot"[..], &[angle]].concat();
            assert_eq!(of(&avif, "avif"), Some(expected), "{angle}");
        }
    }

    #[test]
    fn file_that_is_cut_short_has_no_size() {
        let jpeg = b"\xff\xd8\xff\xe0\0\0\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\x01\xe0\x02\x80";
        for end in 0..jpeg.len() {
            for ending in ["svg", "png", "jpg", "webp", "avif", "gif"] {
                assert_eq!(of(&jpeg[..end], ending), None);
            }
        }
    }
}
