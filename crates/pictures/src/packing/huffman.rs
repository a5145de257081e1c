//! The Huffman code of a block, made from its token counts (RFC 1951, section 3.2.7).

use super::{ALL_TOKENS, MAX_MATCH, MIN_MATCH, RUN_TOKENS};

/// Number of symbols for bytes, the end of the block and lengths; the symbol for the end.
const SYMBOLS: usize = 286;
const END: usize = 256;
/// Maximum lengths of codes for symbols, and of codes for code lengths.
const MAX_BITS: usize = 15;
const MAX_LENGTH_BITS: usize = 7;
/// Order in which the code lengths of the length code are written.
const LENGTH_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Bits to write, lowest first, and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bits {
    bits: u32,
    count: u32,
}

impl Bits {
    const fn then(self, next: Self) -> Self {
        Self { bits: self.bits | next.bits << self.count, count: self.count + next.count }
    }
}

/// The code of each token of a block.
pub(super) struct PrefixCode {
    lengths: [usize; SYMBOLS],
    /// The highest distance symbol.
    of_rows: usize,
    tokens: [Bits; ALL_TOKENS],
    end: Bits,
}

impl PrefixCode {
    /// Makes the code for a block with these token counts; `distance` is the length of a row.
    pub(super) fn new(counts: &[u32; ALL_TOKENS], distance: usize) -> Self {
        let mut often = [0; SYMBOLS];
        often[END] = 1;
        for (token, count) in counts.iter().enumerate() {
            often[symbol(token).0] += count;
        }
        let lengths = lengths(&often, MAX_BITS);
        let symbols = codes(&lengths);
        let (of_rows, extra) = split_number(distance - 1, 1);
        // Both distances have a code of one bit: 0 for the previous byte, 1 for the byte above.
        let distances = [Bits { bits: 0, count: 1 }, Bits { bits: 1, count: 1 }.then(extra)];
        let mut tokens = [Bits::default(); ALL_TOKENS];
        for (token, bits) in tokens.iter_mut().enumerate() {
            let (symbol, extra) = symbol(token);
            *bits = symbols[symbol].then(extra);
            if let Some(kind) = (token / usize::from(RUN_TOKENS)).checked_sub(1) {
                *bits = bits.then(distances[kind]);
            }
        }
        Self { lengths, of_rows, tokens, end: symbols[END] }
    }

    /// Writes the tokens as the last block of the stream.
    pub(super) fn write(&self, tokens: [&[u16]; 2], out: &mut Vec<u8>) {
        let mut writer = BitWriter { out, bits: 0, count: 0 };
        // Last block, dynamic codes.
        writer.write(Bits { bits: 0b101, count: 3 });
        self.write_lengths(&mut writer);
        for token in tokens.into_iter().flatten() {
            writer.write(self.tokens[usize::from(*token)]);
        }
        writer.write(self.end);
        writer.finish();
    }

    fn write_lengths(&self, writer: &mut BitWriter) {
        let mut of_distances = vec![0; self.of_rows + 1];
        of_distances[0] = 1;
        of_distances[self.of_rows] = 1;
        let all: Vec<usize> = self.lengths.iter().chain(&of_distances).copied().collect();
        let mut symbols: Vec<(usize, Bits)> = Vec::new();
        let extra = |value: usize, count| Bits { bits: value as u32, count };
        for run in all.chunk_by(|one, next| one == next) {
            let (length, mut rest) = (run[0], run.len());
            if length > 0 {
                symbols.push((length, Bits::default()));
                rest -= 1;
            }
            while rest >= 3 {
                let (symbol, count, base) = match (length, rest) {
                    (1.., _) => (16, rest.min(6), extra(rest.min(6) - 3, 2)),
                    (0, 11..) => (18, rest.min(138), extra(rest.min(138) - 11, 7)),
                    (0, _) => (17, rest, extra(rest - 3, 3)),
                };
                symbols.push((symbol, base));
                rest -= count;
            }
            symbols.extend(std::iter::repeat_n((length, Bits::default()), rest));
        }
        let mut often = [0; LENGTH_ORDER.len()];
        for (symbol, _) in &symbols {
            often[*symbol] += 1;
        }
        let lengths = lengths(&often, MAX_LENGTH_BITS);
        let codes = codes(&lengths);
        let written = LENGTH_ORDER.iter().rposition(|symbol| lengths[*symbol] > 0).unwrap_or_default() + 1;
        let written = written.max(4);
        writer.write(extra(SYMBOLS - 257, 5));
        writer.write(extra(self.of_rows, 5));
        writer.write(extra(written - 4, 4));
        for symbol in &LENGTH_ORDER[..written] {
            writer.write(extra(lengths[*symbol], 3));
        }
        for (symbol, extra) in symbols {
            writer.write(codes[symbol].then(extra));
        }
    }
}

/// Returns the symbol of a token and the extra bits of its length.
fn symbol(token: usize) -> (usize, Bits) {
    let longest = MAX_MATCH - MIN_MATCH;
    match token {
        0..END => (token, Bits::default()),
        _ if token % usize::from(RUN_TOKENS) == longest => (SYMBOLS - 1, Bits::default()),
        _ => {
            let (symbol, extra) = split_number(token % usize::from(RUN_TOKENS), 2);
            (END + 1 + symbol, extra)
        }
    }
}

/// Splits a number as the format does for lengths and distances: a symbol, of which `1 << fine` share a magnitude, and
/// the bits below.
fn split_number(number: usize, fine: u32) -> (usize, Bits) {
    let count = number.checked_ilog2().unwrap_or_default().saturating_sub(fine);
    let symbol = ((count as usize) << fine) + (number >> count);
    (symbol, Bits { bits: (number & ((1 << count) - 1)) as u32, count })
}

/// Returns code lengths for symbol counts, none above `most`.
fn lengths<const N: usize>(often: &[u32; N], most: usize) -> [usize; N] {
    let mut often = *often;
    loop {
        let lengths = optimal_lengths(&often);
        if lengths.iter().all(|length| *length <= most) {
            return lengths;
        }
        // Make the counts more alike, which shortens the longest code.
        for count in often.iter_mut().filter(|count| **count > 0) {
            *count = *count / 2 + 1;
        }
    }
}

/// Returns the lengths of an optimal Huffman code.
fn optimal_lengths<const N: usize>(often: &[u32; N]) -> [usize; N] {
    let mut leaves: Vec<(u32, usize)> =
        often.iter().enumerate().filter(|(_, count)| **count > 0).map(|(symbol, count)| (*count, symbol)).collect();
    leaves.sort_unstable();
    let mut lengths = [0; N];
    if let [(_, only)] = leaves[..] {
        lengths[only] = 1;
    }
    // Nodes in the order of creation, which is that of their counts: leaves first.
    let mut counts: Vec<u32> = leaves.iter().map(|(count, _)| *count).collect();
    let mut parents = vec![0; (2 * leaves.len()).saturating_sub(1)];
    let (mut leaf, mut inner) = (0, leaves.len());
    for node in leaves.len()..parents.len() {
        let mut take = || {
            let is_leaf = leaf < leaves.len() && (inner >= node || counts[leaf] <= counts[inner]);
            let taken = if is_leaf { &mut leaf } else { &mut inner };
            *taken += 1;
            parents[*taken - 1] = node;
            counts[*taken - 1]
        };
        let both = take() + take();
        counts.push(both);
    }
    let mut depths = vec![0; parents.len()];
    for node in (0..parents.len().saturating_sub(1)).rev() {
        depths[node] = depths[parents[node]] + 1;
        if let Some((_, symbol)) = leaves.get(node) {
            lengths[*symbol] = depths[node];
        }
    }
    lengths
}

/// Returns the codes of symbols by their lengths (RFC 1951, section 3.2.2).
fn codes<const N: usize>(lengths: &[usize; N]) -> [Bits; N] {
    let mut next = 0_u32;
    let mut codes = [Bits::default(); N];
    for length in 1..=MAX_BITS {
        next <<= 1;
        for (code, _) in codes.iter_mut().zip(lengths).filter(|(_, of)| **of == length) {
            let count = length as u32;
            *code = Bits { bits: next.reverse_bits() >> (u32::BITS - count), count };
            next += 1;
        }
    }
    codes
}

/// Writes bits into bytes, lowest first.
struct BitWriter<'o> {
    out: &'o mut Vec<u8>,
    bits: u64,
    count: u32,
}

impl BitWriter<'_> {
    fn write(&mut self, Bits { bits, count }: Bits) {
        self.bits |= u64::from(bits) << self.count;
        self.count += count;
        if self.count >= u32::BITS {
            self.out.extend_from_slice(&(self.bits as u32).to_le_bytes());
            self.bits >>= u32::BITS;
            self.count -= u32::BITS;
        }
    }

    fn finish(self) {
        let bytes = self.count.div_ceil(u8::BITS) as usize;
        self.out.extend_from_slice(&self.bits.to_le_bytes()[..bytes]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the code space used by these lengths, in parts of 1 << [`MAX_BITS`].
    fn used(lengths: &[usize]) -> usize {
        lengths.iter().filter(|length| **length > 0).map(|length| 1 << (MAX_BITS - length)).sum()
    }

    #[test]
    fn code_is_complete_and_shorter_for_frequent_symbols() {
        let often = [40, 0, 1, 7, 7, 20, 1, 0];
        let lengths = lengths(&often, MAX_BITS);
        assert_eq!(used(&lengths), 1 << MAX_BITS, "{lengths:?}");
        for (one, count) in often.iter().enumerate() {
            assert_eq!(lengths[one] == 0, *count == 0);
            let longer = often.iter().zip(lengths).filter(|(other, _)| *other > count);
            assert!(
                *count == 0 || longer.map(|(_, length)| length).all(|length| length <= lengths[one]),
                "{lengths:?}"
            );
        }
    }

    #[test]
    fn no_code_is_longer_than_the_format_allows() {
        // Fibonacci-like counts make the longest codes.
        let mut often = [1_u32; 40];
        for at in 2..often.len() {
            often[at] = often[at - 1] + often[at - 2];
        }
        for most in [MAX_LENGTH_BITS, MAX_BITS] {
            let lengths = lengths(&often, most);
            assert!(lengths.iter().all(|length| (1..=most).contains(length)), "{lengths:?}");
            assert_eq!(used(&lengths), 1 << MAX_BITS);
        }
    }

    #[test]
    fn only_symbol_has_a_code_of_one_bit() {
        assert_eq!(lengths(&[0, 3, 0], MAX_BITS), [0, 1, 0]);
        assert_eq!(lengths(&[0, 0, 0], MAX_BITS), [0, 0, 0]);
    }

    #[test]
    fn lengths_and_distances_are_split_as_in_the_tables_of_the_format() {
        let split_number = |number, fine| {
            let (symbol, Bits { bits, count }) = super::split_number(number, fine);
            (symbol, bits, count)
        };
        // Lengths 3, 10, 11, 257 as differences from 3; distances 1, 4, 5, 1201 as differences from 1.
        assert_eq!(
            [0, 7, 8, 254].map(|number| split_number(number, 2)),
            [(0, 0, 0), (7, 0, 0), (8, 0, 1), (27, 30, 5)]
        );
        assert_eq!(
            [0, 3, 4, 1200].map(|number| split_number(number, 1)),
            [(0, 0, 0), (3, 0, 0), (4, 0, 1), (20, 176, 9)]
        );
        assert_eq!(symbol(usize::from(RUN_TOKENS) + MAX_MATCH - MIN_MATCH), (285, Bits::default()));
    }
}
