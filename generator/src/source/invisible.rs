//! Characters that nobody sees and that change what others see, or what programs read.

/// Whether a character may stand neither in a value nor in a text.
///
/// Security: overrides of direction make a line read otherwise than it is stored; blank letters and tags carry words
/// that only language models read; separators and characters that are none (`U+FFFF`) break the one-line fields and
/// the XML in which values are published. Joiners, direction marks and soft hyphens belong to ordinary writing and stay.
pub(crate) fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || u32::from(letter) & 0xfffe == 0xfffe
        || matches!(
            letter,
            '\u{200b}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fdd0}'..='\u{fdef}'
                | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Where the first invisible character of a text stands; line feeds and tabs belong there.
pub(crate) fn find_invisible(text: &str) -> Option<usize> {
    /// Octets that are looked at together.
    const BLOCK: usize = 64;
    let mut at = 0;
    for block in text.as_bytes().chunks(BLOCK) {
        // Nearly all blocks have none, which the compiler sees for many octets at once.
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

/// Whether an invisible character may begin with `octet`, which never stands inside another character.
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

    #[test]
    fn what_hides_or_breaks_is_invisible() {
        for letter in
            ['\0', '\u{1b}', '\u{85}', '\u{200b}', '\u{202e}', '\u{2066}', '\u{e0041}', '\u{ffff}', '\u{1fffe}']
        {
            assert!(is_invisible(letter), "{letter:?}");
        }
    }

    #[test]
    fn what_writing_needs_is_not() {
        for letter in
            ['a', 'İ', ' ', '\u{a0}', '\u{ad}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{fe0f}', '\u{fffd}', '😀']
        {
            assert!(!is_invisible(letter), "{letter:?}");
        }
    }
}
