//! Finds invisible characters, which change what people see or what programs read.

use contract::text::is_invisible;

/// Returns where the first invisible character of a text is, in bytes; line feeds and tabs are permitted.
pub(crate) fn find_invisible(text: &str) -> Option<usize> {
    /// Bytes that are examined together.
    const BLOCK: usize = 64;
    let mut at = 0;
    for block in text.as_bytes().chunks(BLOCK) {
        // Nearly all blocks contain none; the compiled code checks that for many bytes at once.
        if block.iter().fold(false, |any, byte| any | may_begin(*byte)) {
            let bytes = (at..).zip(block).filter(|(_, byte)| may_begin(**byte));
            let mut letters = bytes.filter_map(|(at, _)| Some((at, text[at..].chars().next()?)));
            let found = letters.find(|(_, letter)| is_invisible(*letter) && !matches!(letter, '\n' | '\t'));
            if let Some((at, _)) = found {
                return Some(at);
            }
        }
        at += block.len();
    }
    None
}

/// Returns whether an invisible character may begin with `byte`. Such a byte never occurs inside a character.
#[expect(clippy::needless_bitwise_bool, reason = "without branches, a compiler looks at many bytes at once")]
fn may_begin(byte: u8) -> bool {
    let is_control = (byte < b' ') & (byte != b'\n') & (byte != b'\t') | (byte == 0x7f);
    is_control | (byte == 0xc2) | (byte == 0xe2) | (byte >= 0xef)
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
