//! Writes the sections of an index one after another.

use contract::Locale;

use crate::format::{HEADER, MARK, SECTIONS, Section, VERSION, checksum};

/// Positions of the checksum and of the lengths of the sections in the header.
const SUM: usize = 16;
const LENGTHS: usize = 24;

/// An index whose first sections are written.
pub(super) struct Sections {
    bytes: Vec<u8>,
    /// Number of sections written.
    done: usize,
}

impl Sections {
    /// Creates an index without sections; `bytes` is an estimate of its size.
    pub(super) fn new(locale: Locale, bytes: usize) -> Self {
        let mut bytes = Vec::with_capacity(bytes);
        bytes.extend_from_slice(&MARK);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&locale.as_str().as_bytes()[..2]);
        bytes.resize(HEADER, 0);
        Self { bytes, done: 0 }
    }

    /// Writes the next section.
    pub(super) fn write(&mut self, section: Section, write: impl FnOnce(&mut Vec<u8>)) {
        debug_assert_eq!(section as usize, self.done, "sections stand in their order");
        let begin = self.bytes.len();
        write(&mut self.bytes);
        let length = (self.bytes.len() - begin) as u64;
        let place = LENGTHS + size_of::<u64>() * self.done;
        self.bytes[place..place + size_of::<u64>()].copy_from_slice(&length.to_le_bytes());
        self.done += 1;
    }

    /// Writes the next section: `u32`, where each of `texts` begins, and where the last one ends.
    pub(super) fn text_starts<'t>(&mut self, section: Section, texts: impl Iterator<Item = &'t str>) {
        self.write(section, |out| {
            let mut at: u32 = 0;
            out.extend_from_slice(&at.to_le_bytes());
            for text in texts {
                at += text.len() as u32;
                out.extend_from_slice(&at.to_le_bytes());
            }
        });
    }

    /// Writes the next section: texts without anything between them.
    pub(super) fn texts<'t>(&mut self, section: Section, texts: impl Iterator<Item = &'t str>) {
        self.write(section, |out| texts.for_each(|text| out.extend_from_slice(text.as_bytes())));
    }

    /// Writes the next section: one `u32` after another.
    pub(super) fn numbers(&mut self, section: Section, numbers: impl Iterator<Item = u32>) {
        self.write(section, |out| numbers.for_each(|number| out.extend_from_slice(&number.to_le_bytes())));
    }

    /// Writes the next two sections: where each of `stretches` begins and where the last one ends, as `u64`; then the
    /// stretches themselves. `write` appends a stretch.
    pub(super) fn stretches<S>(
        &mut self,
        [starts, section]: [Section; 2],
        stretches: impl ExactSizeIterator<Item = S>,
        mut write: impl FnMut(S, &mut Vec<u8>),
    ) {
        // The starts are filled in while the stretches are written, because those are most of the index and are written
        // only once.
        let mut start_at = self.bytes.len();
        self.write(starts, |out| out.resize(out.len() + (stretches.len() + 1) * size_of::<u64>(), 0));
        self.write(section, |out| {
            let begin = out.len();
            for stretch in stretches {
                write(stretch, out);
                start_at += size_of::<u64>();
                let at = (out.len() - begin) as u64;
                out[start_at..start_at + size_of::<u64>()].copy_from_slice(&at.to_le_bytes());
            }
        });
    }

    /// Writes the checksum and returns the index.
    pub(super) fn finish(mut self) -> Vec<u8> {
        debug_assert_eq!(self.done, SECTIONS, "every section stands");
        let sum = checksum(&self.bytes[LENGTHS..]);
        self.bytes[SUM..LENGTHS].copy_from_slice(&sum.to_le_bytes());
        self.bytes
    }
}
