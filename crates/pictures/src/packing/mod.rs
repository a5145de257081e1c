//! Writes rows of palette indexes as PNG (ISO/IEC 15948), compressed by their repetitions (RFC 1950, RFC 1951).

mod huffman;

use std::ops::Range;

use huffman::PrefixCode;

/// Minimum and maximum length of a repetition, in bytes.
const MIN_MATCH: usize = 3;
const MAX_MATCH: usize = 258;
/// Tokens: literal bytes, then repetitions of the previous byte by length, then repetitions of the row above by length.
const RUN_TOKENS: u16 = 256;
const ROW_TOKENS: u16 = 512;
const ALL_TOKENS: usize = 768;
/// A shorter repetition of the row above takes more bits than its bytes, unless they are a run.
const MIN_ROW_MATCH: usize = 7;
/// The prime of the checksum (Adler-32).
const ADLER: u64 = 65_521;

/// A compressed row, and its part of the checksum.
pub(crate) struct PackedRow {
    /// Number of zeros before and after the tokens.
    before: usize,
    after: usize,
    tokens: Vec<u16>,
    len: usize,
    sums: [u64; 2],
}

impl PackedRow {
    pub(crate) fn new(row: &[u8], above: Option<&[u8]>) -> Self {
        let mut tokens = Vec::new();
        let written = nonzero_range(row);
        write_repetitions(row, written.clone(), above, &mut tokens);
        Self { before: written.start, after: row.len() - written.end, tokens, len: row.len(), sums: adler_sums(row) }
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.tokens.is_empty()
    }
}

/// The tokens of the rows added so far.
pub(crate) struct Tokens {
    list: Vec<u16>,
    /// Zeros that are not written yet, after another byte.
    zeros: usize,
    /// The checksum (RFC 1950, section 8.2).
    sums: [u64; 2],
}

impl Tokens {
    pub(crate) fn new() -> Self {
        Self { list: Vec::with_capacity(1 << 14), zeros: 0, sums: [1, 0] }
    }

    pub(crate) fn add_row(&mut self, row: &[u8], above: Option<&[u8]>) {
        self.sum(row.len(), adler_sums(row));
        let written = nonzero_range(row);
        self.zeros += written.start;
        if !written.is_empty() {
            self.write_zeros();
            self.zeros = row.len() - written.end;
            write_repetitions(row, written, above, &mut self.list);
        }
    }

    /// Adds a row that was compressed before.
    pub(crate) fn add_packed_row(&mut self, row: &PackedRow) {
        self.sum(row.len, row.sums);
        self.zeros += row.before;
        if !row.is_blank() {
            self.write_zeros();
            self.list.extend_from_slice(&row.tokens);
            self.zeros = row.after;
        }
    }

    fn sum(&mut self, len: usize, [plain, weighted]: [u64; 2]) {
        self.sums[1] = (self.sums[1] + len as u64 * self.sums[0] + weighted) % ADLER;
        self.sums[0] = (self.sums[0] + plain) % ADLER;
    }

    /// Writes the pending zeros.
    fn write_zeros(&mut self) {
        let zeros = std::mem::take(&mut self.zeros);
        if let Some(others) = zeros.checked_sub(1) {
            self.list.push(0);
            repeat(others, RUN_TOKENS, 0, &mut self.list);
        }
    }
}

/// Writes a repetition of `count` bytes; a remainder below the minimum is written as literal `byte`s.
fn repeat(mut count: usize, kind: u16, byte: u8, tokens: &mut Vec<u16>) {
    while count >= MIN_MATCH {
        // The rest must not be too short for another repetition.
        let is_split = (MAX_MATCH + 1..MAX_MATCH + MIN_MATCH).contains(&count);
        let len = if is_split { MAX_MATCH - MIN_MATCH } else { count.min(MAX_MATCH) };
        tokens.push(kind + (len - MIN_MATCH) as u16);
        count -= len;
    }
    tokens.extend(std::iter::repeat_n(u16::from(byte), count));
}

/// Returns the range from the first to the last byte that is not 0; empty at the end if there is none.
fn nonzero_range(row: &[u8]) -> Range<usize> {
    let zero_words = |row: &mut dyn Iterator<Item = &[u8]>| 8 * row.take_while(|word| **word == [0; 8]).count();
    let start = zero_words(&mut row.chunks_exact(8));
    let start = start + row[start..].iter().take_while(|number| **number == 0).count();
    let end = row.len() - zero_words(&mut row[start..].rchunks_exact(8));
    start..end - row[start..end].iter().rev().take_while(|number| **number == 0).count()
}

/// Writes the tokens of a range of a row that is not the first row of the stream.
fn write_repetitions(
    row: &[u8],
    Range { start: mut at, end }: Range<usize>,
    above: Option<&[u8]>,
    tokens: &mut Vec<u16>,
) {
    let row = &row[..end];
    while at < end {
        let rest = &row[at..];
        let run = if at > 0 { common_prefix(rest, &row[at - 1..]) } else { 0 };
        let up = above.map_or(0, |above| common_prefix(rest, &above[at..]));
        if run >= MIN_MATCH {
            let (count, kind) = if up > run { (up, ROW_TOKENS) } else { (run, RUN_TOKENS) };
            repeat(count, kind, row[at], tokens);
            at += count;
        } else if up >= MIN_ROW_MATCH && common_prefix(&rest[1..], rest) < up {
            repeat(up, ROW_TOKENS, row[at], tokens);
            at += up;
        } else {
            tokens.push(row[at].into());
            at += 1;
        }
    }
}

/// Returns the length of the common prefix.
fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let len = one.len().min(other.len());
    let (one, other) = (&one[..len], &other[..len]);
    let mut at = 0;
    while let (Some(a), Some(b)) = (one[at..].first_chunk(), other[at..].first_chunk()) {
        let differing = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differing != 0 {
            return at + (differing.trailing_zeros() / u8::BITS) as usize;
        }
        at += size_of::<u64>();
    }
    at + one[at..].iter().zip(&other[at..]).take_while(|(one, other)| one == other).count()
}

/// Returns the Adler-32 sums of a row, starting from 0.
fn adler_sums(row: &[u8]) -> [u64; 2] {
    let sum = u64::from(libdeflater::adler32(row));
    let (plain, weighted) = (sum & 0xffff, sum >> 16);
    [(plain + ADLER - 1) % ADLER, (weighted + ADLER - row.len() as u64 % ADLER) % ADLER]
}

pub(crate) struct IndexedImage<'i> {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) palette: &'i [[u8; 3]],
    pub(crate) tokens: &'i Tokens,
}

pub(crate) fn png(image: &IndexedImage) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut out, *b"IHDR", |out| {
        for side in [image.width, image.height] {
            out.extend((side as u32).to_be_bytes());
        }
        // Eight bits per pixel with a palette; methods 0; not interlaced.
        out.extend([8, 3, 0, 0, 0]);
    });
    chunk(&mut out, *b"PLTE", |out| out.extend_from_slice(image.palette.as_flattened()));
    chunk(&mut out, *b"IDAT", |out| zlib(image.tokens, image.width + 1, out));
    chunk(&mut out, *b"IEND", |_| {});
    out
}

fn chunk(out: &mut Vec<u8>, name: [u8; 4], write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend([0; 4]);
    out.extend(name);
    write(out);
    let len = (out.len() - start - 8) as u32;
    out[start..start + 4].copy_from_slice(&len.to_be_bytes());
    let checksum = libdeflater::crc32(&out[start + 4..]);
    out.extend(checksum.to_be_bytes());
}

/// Writes the tokens as a zlib stream of one block; `distance` is the length of a row.
fn zlib(tokens: &Tokens, distance: usize, out: &mut Vec<u8>) {
    // A window of 32 KiB.
    out.extend([0x78, 0x5e]);
    let mut rest = Tokens { list: Vec::new(), zeros: tokens.zeros, sums: [0; 2] };
    rest.write_zeros();
    let all = [&tokens.list[..], &rest.list];
    let mut counts = [0; ALL_TOKENS];
    for token in all.into_iter().flatten() {
        counts[usize::from(*token)] += 1;
    }
    let code = PrefixCode::new(&counts, distance);
    code.write(all, out);
    let [plain, weighted] = tokens.sums;
    out.extend(((weighted << 16 | plain) as u32).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    fn encode(width: usize, pixels: &[u8], is_packed: impl Fn(usize) -> bool) -> Vec<u8> {
        let palette: Vec<[u8; 3]> = (0..=u8::MAX).map(|number| [number, 0, 0]).collect();
        let mut tokens = Tokens::new();
        let rows: Vec<Vec<u8>> = pixels.chunks_exact(width).map(|row| [&[0], row].concat()).collect();
        for (number, row) in rows.iter().enumerate() {
            let above = number.checked_sub(1).map(|above| rows[above].as_slice());
            if is_packed(number) {
                tokens.add_packed_row(&PackedRow::new(row, above));
            } else {
                tokens.add_row(row, above);
            }
        }
        png(&IndexedImage { width, height: rows.len(), palette: &palette, tokens: &tokens })
    }

    /// Returns the palette indexes of a picture, after checking all checksums.
    fn read(bytes: &[u8]) -> Vec<u8> {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        reader.finish().unwrap();
        pixels
    }

    /// Rows of runs, some of which repeat the row above.
    fn pictures() -> impl Strategy<Value = (usize, Vec<u8>)> {
        let run = (prop_oneof![Just(0_u8), 0..4_u8, any::<u8>()], prop_oneof![1..6_usize, 1..700_usize]);
        let row = prop_oneof![Just(None), vec(run, 1..30).prop_map(Some)];
        (1..900_usize, vec(row, 1..30)).prop_map(|(width, rows)| {
            let mut pixels: Vec<u8> = Vec::new();
            for row in rows {
                let above = pixels.len().saturating_sub(width)..pixels.len();
                let runs = row.map(|runs| runs.into_iter().flat_map(|(number, count)| vec![number; count]));
                let mut row: Vec<u8> = runs.map_or_else(|| pixels[above].to_vec(), |runs| runs.take(width).collect());
                row.resize(width, 0);
                pixels.extend(row);
            }
            (width, pixels)
        })
    }

    proptest! {
        #[test]
        fn picture_is_read_back_unchanged((width, pixels) in pictures(), packed in any::<u32>()) {
            let written = encode(width, &pixels, |row| packed >> (row % 32) & 1 == 1);
            prop_assert_eq!(read(&written), pixels);
        }
    }

    #[test]
    fn repetition_of_any_length_is_written() {
        for width in (1..30).chain(250..270).chain(510..530) {
            for pixels in [vec![7; width], [vec![0; width], vec![9; width]].concat(), vec![0; 3 * width]] {
                assert_eq!(read(&encode(width, &pixels, |_| false)), pixels, "{width}");
            }
        }
    }

    #[test]
    fn blank_rows_take_almost_no_bytes() {
        let blank = encode(1200, &vec![0; 1200 * 630], |_| false).len();
        assert!(blank < 2000, "{blank}");
    }

    #[test]
    fn packed_row_equals_a_written_row() {
        let pixels: Vec<u8> = (0..900_usize).map(|at| (at * at / 7 % 5) as u8).collect();
        assert_eq!(encode(90, &pixels, |_| true), encode(90, &pixels, |_| false));
    }
}
