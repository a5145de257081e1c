//! Reduces colours to a palette that one byte can index.

use std::collections::HashMap;

/// Returns a palette of at most `most` colours, and the palette index of each used colour. `used` gives the number of
/// pixels per colour. If there are too many colours, similar ones are merged into the most frequent of them, so that
/// large areas keep their colour.
pub fn reduce_palette(
    used: impl IntoIterator<Item = ([u8; 3], usize)>,
    most: usize,
) -> (Vec<[u8; 3]>, HashMap<[u8; 3], u8>) {
    let mut used: Vec<([u8; 3], usize)> = used.into_iter().collect();
    used.sort_unstable_by(|(one, often), (other, seldom)| seldom.cmp(often).then(one.cmp(other)));
    for dropped_bits in 0..u8::BITS {
        let mut palette = Vec::new();
        let mut near: HashMap<[u8; 3], usize> = HashMap::new();
        let numbers = used.iter().map(|(colour, _)| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept() {
        let used = [([1, 2, 3], 5), ([1, 2, 4], 9), ([200, 0, 0], 5)];
        let (palette, numbers) = reduce_palette(used, 3);
        assert_eq!(palette, [[1, 2, 4], [1, 2, 3], [200, 0, 0]], "sorted by use, then by colour");
        assert!(palette.iter().enumerate().all(|(number, colour)| usize::from(numbers[colour]) == number));
    }

    #[test]
    fn similar_colours_become_the_most_frequent_one() {
        let used = (0..=u8::MAX).map(|red| ([red, 10, 10], if red == 77 { 1000 } else { 1 }));
        let (palette, numbers) = reduce_palette(used, 200);
        assert!(palette.len() <= 200 && palette[0] == [77, 10, 10], "{palette:?}");
        assert_eq!(numbers.len(), 256);
        for (colour, number) in numbers {
            assert!(colour[0].abs_diff(palette[usize::from(number)][0]) <= 1);
        }
    }
}
