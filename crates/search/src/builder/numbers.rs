//! Numbers of texts.

use std::{collections::HashMap, ops::Range};

use foldhash::fast::FixedState;

/// Number of bytes that fit into a key besides their count.
const SHORT: usize = 15;

/// How many of the keys that were found last are remembered, as a power of two.
const RECENT_BITS: u32 = 10;

/// Finds the number of a text. Nearly all words are short, and their bytes themselves are the key: no pointer is
/// followed and compared. Most of them are among the few hundred words that every text repeats, so those found last are
/// looked at first.
#[derive(Debug)]
pub(super) struct Numbers {
    short: HashMap<u128, u32, FixedState>,
    long: HashMap<Box<str>, u32, FixedState>,
    /// Keys with their numbers, each at the one place that it may have.
    recent: Box<[(u128, u32)]>,
}

impl Default for Numbers {
    fn default() -> Self {
        // No text has this key: its count of bytes is too large.
        let nothing = (u128::MAX, 0);
        Self { short: HashMap::default(), long: HashMap::default(), recent: vec![nothing; 1 << RECENT_BITS].into() }
    }
}

impl Numbers {
    /// The number of the text at `place` in `text`.
    pub(super) fn find(&mut self, text: &str, place: Range<usize>) -> Option<u32> {
        let Some(key) = key(text.as_bytes(), &place) else { return self.long.get(&text[place]).copied() };
        let recent = &mut self.recent[recent_place(key)];
        if recent.0 == key {
            return Some(recent.1);
        }
        let number = *self.short.get(&key)?;
        *recent = (key, number);
        Some(number)
    }

    /// Remembers the number of `text`.
    pub(super) fn insert(&mut self, text: &str, number: u32) {
        match key(text.as_bytes(), &(0..text.len())) {
            Some(key) => self.short.insert(key, number),
            None => self.long.insert(text.into(), number),
        };
    }
}

/// Where a key is remembered.
fn recent_place(key: u128) -> usize {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    ((key as u64 ^ (key >> 64) as u64).wrapping_mul(MIX) >> (u64::BITS - RECENT_BITS)) as usize
}

/// The bytes at `place`, with their count in the last byte; `None` if there are too many.
fn key(text: &[u8], place: &Range<usize>) -> Option<u128> {
    let length = place.len();
    let own = *OWN.get(length)?;
    let whole = text.get(place.start..).and_then(|rest| rest.first_chunk());
    let bytes = whole.copied().unwrap_or_else(|| {
        let mut bytes = [0; 16];
        bytes[..length].copy_from_slice(&text[place.clone()]);
        bytes
    });
    Some(u128::from_le_bytes(bytes) & own | (length as u128) << (8 * SHORT))
}

/// For each length of a short text: which bits of sixteen bytes are its own, and not of the text that follows it.
const OWN: [u128; SHORT + 1] = {
    let mut own = [0; SHORT + 1];
    let mut length = 1;
    while length <= SHORT {
        own[length] = own[length - 1] << 8 | 0xff;
        length += 1;
    }
    own
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_wherever_it_stands() {
        let known =
            ["", "a", "a\0", "sözleşme", "fifteen letters", "sixteen letters!", "far more than sixteen letters"];
        let mut numbers = Numbers::default();
        for (number, text) in (0..).zip(known) {
            numbers.insert(text, number);
        }
        for (number, text) in (0..).zip(known) {
            for before in ["", "x", "what stands before"] {
                for after in ["", "y", "what stands after it"] {
                    let whole = format!("{before}{text}{after}");
                    let place = before.len()..before.len() + text.len();
                    assert_eq!(numbers.find(&whole, place), Some(number), "{whole}");
                }
            }
        }
        assert_eq!(numbers.find("b", 0..1), None);
        assert_eq!(numbers.find("a\0\0", 0..3), None);
    }
}
