//! Invisible characters that change the display of a text or its meaning to programs.

/// Returns whether a character is forbidden in values and texts.
///
/// Security: direction overrides display a line differently from its bytes; blank letters and tags carry words that
/// only language models read; separators and noncharacters (`U+FFFF`) break one-line fields and XML. Joiners, direction
/// marks and soft hyphens belong to ordinary writing and are allowed.
pub fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || u32::from(letter) & 0xfffe == 0xfffe
        || matches!(
            letter,
            '\u{200b}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fdd0}'..='\u{fdef}'
                | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_hide_or_break_are_invisible() {
        for letter in
            ['\0', '\u{1b}', '\u{85}', '\u{200b}', '\u{202e}', '\u{2066}', '\u{e0041}', '\u{ffff}', '\u{1fffe}']
        {
            assert!(is_invisible(letter), "{letter:?}");
        }
    }

    #[test]
    fn characters_that_writing_needs_are_visible() {
        for letter in
            ['a', 'İ', ' ', '\u{a0}', '\u{ad}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{fe0f}', '\u{fffd}', '😀']
        {
            assert!(!is_invisible(letter), "{letter:?}");
        }
    }
}
