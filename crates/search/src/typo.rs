//! Differences of two words: one typing slip, or a few letters.

/// Returns a set with a bit for each letter of a word.
pub(crate) fn letter_set(word: &[u8]) -> u32 {
    word.iter().fold(0, |set, letter| set | 1 << (letter & 31))
}

/// Returns whether words with these sets of letters may differ by one slip, which takes one letter and brings another.
pub(crate) const fn may_be_one_slip(a: u32, b: u32) -> bool {
    let differing = a ^ b;
    let without_first = differing & differing.wrapping_sub(1);
    without_first & without_first.wrapping_sub(1) == 0
}

/// Returns whether `a` becomes `b` when one letter is added, left out or replaced, or two neighbours are swapped.
pub(crate) fn is_one_slip(a: &[u8], b: &[u8]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    // One slip leaves the first or the last letter in place; most words are told apart by these two.
    let differs_at_both_ends = short.len() > 2 && short[0] != long[0] && short.last() != long.last();
    if long.len() - short.len() > 1 || differs_at_both_ends {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (short, long) = (&short[same..], &long[same..]);
    match (short, long) {
        (short, [_, long @ ..]) if short.len() == long.len() => short == long,
        ([a, b, short @ ..], [c, d, long @ ..]) if a == d && b == c && short == long => true,
        ([_, short @ ..], [_, long @ ..]) => short == long,
        _ => false,
    }
}

/// Returns whether `a` becomes `b` when at most `most` letters are added, left out or replaced.
pub(crate) fn differ_by_at_most(most: usize, a: &[u8], b: &[u8]) -> bool {
    // For the letters of `a` so far, the distance to each beginning of `b`.
    let mut distances: Vec<usize> = (0..=b.len()).collect();
    for (number, letter) in a.iter().enumerate() {
        let mut before = std::mem::replace(&mut distances[0], number + 1);
        for (at, other) in b.iter().enumerate() {
            let replaced = before + usize::from(letter != other);
            before = distances[at + 1];
            distances[at + 1] = replaced.min(before + 1).min(distances[at] + 1);
        }
    }
    distances[b.len()] <= most
}

#[cfg(test)]
mod tests {
    use super::{differ_by_at_most, is_one_slip};

    #[test]
    fn letters_are_added_left_out_or_replaced() {
        for (a, b, distance) in [
            ("tazmnati", "tazminat", 2),
            ("temettu", "temel", 3),
            ("redundancy", "refund", 5),
            ("ab", "", 2),
            ("", "", 0),
            ("same", "same", 0),
        ] {
            for (a, b) in [(a, b), (b, a)] {
                let [a, b] = [a, b].map(str::as_bytes);
                assert!(differ_by_at_most(distance, a, b));
                assert!(distance == 0 || !differ_by_at_most(distance - 1, a, b));
            }
        }
    }

    #[test]
    fn one_slip_is_one_letter_or_two_neighbours() {
        for [a, b] in
            [["tazminat", "tazmnat"], ["tazminat", "tazminatt"], ["tazminat", "tasminat"], ["form", "from"], ["a", ""]]
        {
            assert!(is_one_slip(a.as_bytes(), b.as_bytes()), "{a} {b}");
            assert!(is_one_slip(b.as_bytes(), a.as_bytes()), "{b} {a}");
        }
        for [a, b] in [["same", "same"], ["tazminat", "tazmnt"], ["abcd", "badc"], ["", ""], ["ab", ""]] {
            assert!(!is_one_slip(a.as_bytes(), b.as_bytes()), "{a} {b}");
        }
    }
}
