//! The colours of a picture, at most as many as a byte can number.

use std::collections::HashMap;

/// Returns at most `most` colours, and the number of the one that stands for each of those that are `used`, which are
/// sorted by how often that is. If there are more, those that are nearly the same become the one of them that is used
/// most, so that the large areas of a picture stay what they are.
#[must_use]
pub fn reduced(used: &[[u8; 3]], most: usize) -> (Vec<[u8; 3]>, HashMap<[u8; 3], u8>) {
    for dropped_bits in 0..u8::BITS {
        let mut palette = Vec::new();
        let mut near: HashMap<[u8; 3], usize> = HashMap::new();
        let numbers = used.iter().map(|colour| {
            let number = *near.entry(colour.map(|part| part >> dropped_bits)).or_insert_with(|| {
                palette.push(*colour);
                palette.len() - 1
            });
            Some((*colour, u8::try_from(number).ok().filter(|_| number < most)?))
        });
        if let Some(numbers) = numbers.collect() {
            return (palette, numbers);
        }
    }
    (Vec::new(), HashMap::new())
}
