//! Finds invisible characters, which change what people see or what programs read.

use contract::text::is_invisible;

/// Returns where the first invisible character of a text is, in octets; line feeds and tabs are permitted.
pub(crate) fn find_invisible(text: &str) -> Option<usize> {
    /// Octets that are examined together.
    const BLOCK: usize = 64;
    let mut at = 0;
    for block in text.as_bytes().chunks(BLOCK) {
        // Nearly all blocks contain none; the compiled code checks that for many octets at once.
        if block.iter().fold(false, |any, octet| any | may_begin(*octet)) {
            let octets = (at..).zip(block).filter(|(_, octet)| may_begin(**octet));
            let mut letters = octets.filter_map(|(at, _)| Some((at, text[at..].chars().next()?)));
            let found = letters.find(|(_, letter)| is_invisible(*letter) && !matches!(letter, '\n' | '\t'));
            if let Some((at, _)) = found {
                return Some(at);
            }
        }
        at += block.len();
    }
    None
}

/// Returns whether an invisible character may begin with `octet`. Such an octet never occurs inside a character.
#[expect(clippy::needless_bitwise_bool, reason = "without branches, a compiler looks at many octets at once")]
fn may_begin(octet: u8) -> bool {
    let is_control = (octet < b' ') & (octet != b'\n') & (octet != b'\t') | (octet == 0x7f);
    is_control | (octet == 0xc2) | (octet == 0xe2) | (octet >= 0xef)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_one_is_found_wherever_it_stands() {
        for letter in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let expected = is_invisible(letter) && !matches!(letter, '\n' | '\t');
            assert_eq!(find_invisible(&format!("“a”\n{letter}")), expected.then_some(8), "{letter:?}");
        }
        for before in 0..200 {
            assert_eq!(find_invisible(&format!("{}\u{202e}", "–".repeat(before))), Some(3 * before));
        }
    }
}
