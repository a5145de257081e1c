//! Numbers of texts.

use std::{collections::HashMap, ops::Range};

use foldhash::fast::FixedState;

/// Octets that fit a key beside their number.
const SHORT: usize = 15;

/// Finds the number of a text. Nearly all words are short, and are looked up by their octets themselves: nothing is
/// followed and compared.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    short: HashMap<u128, u32, FixedState>,
    long: HashMap<Box<str>, u32, FixedState>,
}

impl Numbers {
    /// The number of what stands at `place` in `text`.
    pub(super) fn find(&self, text: &str, place: Range<usize>) -> Option<u32> {
        match key(text.as_bytes(), &place) {
            Some(key) => self.short.get(&key).copied(),
            None => self.long.get(&text[place]).copied(),
        }
    }

    /// Remembers the number of `text`.
    pub(super) fn insert(&mut self, text: &str, number: u32) {
        match key(text.as_bytes(), &(0..text.len())) {
            Some(key) => self.short.insert(key, number),
            None => self.long.insert(text.into(), number),
        };
    }
}

/// The octets at `place`, with their number in the last octet; `None` if they are too many.
fn key(text: &[u8], place: &Range<usize>) -> Option<u128> {
    let length = place.len();
    if length > SHORT {
        return None;
    }
    let whole = text.get(place.start..).and_then(|rest| rest.first_chunk());
    let octets = whole.copied().unwrap_or_else(|| {
        let mut octets = [0; 16];
        octets[..length].copy_from_slice(&text[place.clone()]);
        octets
    });
    // What follows the text is shifted out.
    let free = 8 * (16 - length as u32);
    let octets = if length == 0 { 0 } else { u128::from_le_bytes(octets) << free >> free };
    Some(octets | (length as u128) << (8 * SHORT))
}

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
