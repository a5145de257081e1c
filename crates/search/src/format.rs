//! The bytes of an index: a header, then the sections; numbers are little-endian.
//!
//! The header holds the mark, the version, the locale, a checksum of all bytes after it, and the length of every
//! section. The checksum is no signature, so a reader checks every access.

/// The first bytes of an index.
pub(crate) const MARK: [u8; 4] = *b"MCSI";
/// Raise it whenever the bytes, the rules for words or the stems change.
pub(crate) const VERSION: u32 = 6;
/// Bytes of the header.
pub(crate) const HEADER: usize = 4 + 4 + 8 + 8 + SECTIONS * 8;
pub(crate) const SECTIONS: usize = 15;
/// The term of a piece that is not a word.
pub(crate) const NO_TERM: u32 = u32::MAX;

/// The sections, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// For each document and one more: `u64`, where its entry in `Documents` begins.
    DocumentStarts,
    /// For each document its id, title, URL, kind, summary, translation and facts: a varint length and text each.
    Documents,
    /// For each document and one more: `u64`, where its text in `Texts` begins.
    TextStarts,
    /// Varint numbers of pieces. Two words in a row have a space between them.
    Texts,
    /// For each piece and one more: `u32`, where it begins in `Pieces`.
    PieceStarts,
    /// Words and gaps as they are written, the most frequent first.
    Pieces,
    /// For each piece `u32`: the term, or [`NO_TERM`].
    PieceTerms,
    /// For each form and one more: `u32`, where it begins in `Forms`.
    FormStarts,
    /// Folded words, sorted; the term of each is in `FormTerms`.
    Forms,
    /// For each form `u32`: its term.
    FormTerms,
    /// For each term and one more: `u32`, where it begins in `Terms`.
    TermStarts,
    /// Stems, sorted.
    Terms,
    /// For each term and one more: `u64`, where its postings begin.
    PostingStarts,
    /// For each term: varint number of documents, then for each a varint distance and a byte of weight.
    Postings,
    /// Groups of words that mean the same: for each a varint number of phrases, then a varint length and text each,
    /// whose words are stems with a space between them.
    Synonyms,
}

/// Bytes per step of the checksum.
const BLOCK: usize = 8;

/// Detects accidental damage to an index; it is not a signature.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, block: u64| (sum ^ block).wrapping_mul(PRIME).rotate_left(29);
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let sum = blocks.iter().fold(bytes.len() as u64, |sum, block| mix(sum, u64::from_le_bytes(*block)));
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    mix(mix(sum, u64::from_le_bytes(last)), PRIME)
}

/// Writes a number with seven bits per byte, the low ones first.
#[inline]
pub(crate) fn push_varint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number and moves `at` past it; `None` at the end, and for a number of more than 32 bits.
#[inline]
pub(crate) fn read_varint(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let rest = bytes.get(*at..)?;
    // Nearly all numbers are short.
    let (number, length) = match *rest {
        [a, ..] if a < 0x80 => (u32::from(a), 1),
        [a, b, ..] if b < 0x80 => (u32::from(a & 0x7f) | u32::from(b) << 7, 2),
        [a, b, c, ..] if c < 0x80 => (u32::from(a & 0x7f) | u32::from(b & 0x7f) << 7 | u32::from(c) << 14, 3),
        _ => return read_long_varint(bytes, at),
    };
    *at += length;
    Some(number)
}

fn read_long_varint(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let mut number = 0;
    for shift in [0, 7, 14, 21, 28] {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u32::from(byte & 0x7f).checked_mul(1 << shift)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Returns the start of the number that ends at `at`; `at` is not 0.
pub(crate) fn varint_before(bytes: &[u8], at: usize) -> usize {
    let mut start = at.saturating_sub(1);
    while start.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(|byte| *byte >= 0x80) {
        start -= 1;
    }
    start
}

/// Writes a length and a text.
pub(crate) fn push_text(out: &mut Vec<u8>, text: &str) {
    push_varint(out, text.len() as u32);
    out.extend_from_slice(text.as_bytes());
}

/// Reads a length and a text.
pub(crate) fn read_text<'a>(bytes: &'a [u8], at: &mut usize) -> Option<&'a str> {
    let length = read_varint(bytes, at)? as usize;
    let end = at.checked_add(length)?;
    let text = bytes.get(*at..end)?;
    *at = end;
    std::str::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_is_read_as_it_was_written_and_never_cut_short() {
        for number in [0, 0x7f, 0x80, 0x3fff, 0x4000, 0x1f_ffff, 0x20_0000, 0xfff_ffff, 0x1000_0000, u32::MAX] {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, number);
            let mut at = 0;
            assert_eq!((read_varint(&bytes, &mut at), at), (Some(number), bytes.len()));
            assert_eq!(varint_before(&bytes, at), 0);
            assert_eq!(read_varint(&bytes[..at - 1], &mut 0), None, "{number} breaks off");
        }
        for too_large in [[0xff, 0xff, 0xff, 0xff, 0x10], [0x80, 0x80, 0x80, 0x80, 0x7f], [0xff; 5]] {
            assert_eq!(read_varint(&too_large, &mut 0), None, "{too_large:x?}");
        }
    }
}
