//! Numbers of texts.

use std::{collections::HashMap, ops::Range};

use foldhash::fast::FixedState;

/// Octets that fit a key beside their number.
const SHORT: usize = 15;
/// No number: what a free slot has.
const NONE: u32 = u32::MAX;

/// Finds the number of a text. Nearly all words are short, and are looked up by their octets themselves: nothing is
/// followed and compared.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    short: Short,
    long: HashMap<Box<str>, u32, FixedState>,
}

impl Numbers {
    /// The number of what stands at `place` in `text`.
    #[inline]
    pub(super) fn find(&self, text: &str, place: Range<usize>) -> Option<u32> {
        match key(text.as_bytes(), &place) {
            Some(key) => self.short.find(key),
            None => self.find_long(&text[place]),
        }
    }

    #[inline(never)]
    fn find_long(&self, text: &str) -> Option<u32> {
        self.long.get(text).copied()
    }

    /// Remembers the number of `text`, which has none yet.
    pub(super) fn insert(&mut self, text: &str, number: u32) {
        match key(text.as_bytes(), &(0..text.len())) {
            Some(key) => self.short.insert(Slot { key, number }),
            None => {
                self.long.insert(text.into(), number);
            }
        }
    }
}

/// A table of short texts. Every word of a site is looked up here, and a general one takes a tenth longer for it all.
#[derive(Debug, Default)]
struct Short {
    /// None, or a power of two; at most a quarter of them are in use, so that the first look is nearly always the last.
    slots: Vec<Slot>,
    used: usize,
}

/// A key and its number, [`NONE`] if the slot is free.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u128,
    number: u32,
}

impl Short {
    #[inline]
    fn find(&self, key: u128) -> Option<u32> {
        let mut at = place(key);
        loop {
            // The slots are none or a power of two, so that this is never beyond them.
            let slot = self.slots.get(at & self.slots.len().wrapping_sub(1))?;
            if slot.key == key || slot.number == NONE {
                return (slot.number != NONE).then_some(slot.number);
            }
            at += 1;
        }
    }

    fn insert(&mut self, slot: Slot) {
        if self.used >= self.slots.len() / 4 {
            let free = Slot { key: 0, number: NONE };
            let slots = vec![free; (2 * self.slots.len()).max(64)];
            let old = std::mem::replace(&mut self.slots, slots);
            old.into_iter().filter(|slot| slot.number != NONE).for_each(|slot| self.put(slot));
        }
        self.put(slot);
        self.used += 1;
    }

    /// Takes the first free slot from the key's own on.
    fn put(&mut self, slot: Slot) {
        let last = self.slots.len() - 1;
        let mut at = place(slot.key) & last;
        while self.slots[at].number != NONE {
            at = (at + 1) & last;
        }
        self.slots[at] = slot;
    }
}

/// Where a key belongs: both halves of the product of its halves, of which either may be nought.
#[inline]
fn place(key: u128) -> usize {
    const LOW: u64 = 0x9e37_79b9_7f4a_7c15;
    const HIGH: u64 = 0xd1b5_4a32_d192_ed03;
    let product = u128::from(key as u64 ^ LOW) * u128::from((key >> 64) as u64 ^ HIGH);
    ((product >> 64) as u64 ^ product as u64) as usize
}

/// The octets at `place`, with their number in the last octet; `None` if they are too many.
#[inline]
fn key(text: &[u8], place: &Range<usize>) -> Option<u128> {
    let length = place.len();
    let own = *OWN.get(length)?;
    let whole = text.get(place.start..).and_then(|rest| rest.first_chunk());
    let octets = whole.copied().unwrap_or_else(|| {
        let mut octets = [0; 16];
        octets[..length].copy_from_slice(&text[place.clone()]);
        octets
    });
    Some(u128::from_le_bytes(octets) & own | (length as u128) << (8 * SHORT))
}

/// For each length of a short text: which bits of sixteen octets are its own, and not of what follows it.
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
        assert_eq!(Numbers::default().find("a", 0..1), None);
    }

    #[test]
    fn many_texts_keep_their_numbers() {
        let texts: Vec<String> = (0..5000).map(|at| format!("{:x}-{}", at * at, "ş".repeat(at % 5))).collect();
        let mut numbers = Numbers::default();
        for (number, text) in (0..).zip(&texts) {
            assert_eq!(numbers.find(text, 0..text.len()), None);
            numbers.insert(text, number);
        }
        for (number, text) in (0..).zip(&texts) {
            assert_eq!(numbers.find(text, 0..text.len()), Some(number), "{text}");
        }
    }
}
