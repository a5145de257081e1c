//! Whether two words differ by one typing slip.

/// Whether `a` becomes `b` when one letter is added, left out or replaced, or two neighbours are swapped.
pub(crate) fn is_one_slip(a: &[u8], b: &[u8]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() - short.len() > 1 {
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

#[cfg(test)]
mod tests {
    use super::is_one_slip;

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
