//! Counting words.

/// Counts words over pieces of text; a word may go on from one piece to the next (`un**likely**`).
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Words so far.
    pub(super) count: u32,
    /// Whether anything but white space was read.
    pub(super) any: bool,
    in_word: bool,
}

impl Words {
    /// Reads on.
    ///
    /// A word is a run without white space that holds a letter or a digit. Bytes from 0xC3 on begin letters, but for
    /// 0xE2, which begins dashes, quotes, bullets and arrows.
    pub(super) fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            if byte.is_ascii_whitespace() {
                self.in_word = false;
                continue;
            }
            self.any = true;
            if !self.in_word && (byte.is_ascii_alphanumeric() || (byte >= 0xC3 && byte != 0xE2)) {
                self.in_word = true;
                self.count += 1;
            }
        }
    }

    /// Ends the word at hand.
    pub(super) fn pause(&mut self) {
        self.in_word = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_are_no_words_and_a_word_may_come_in_pieces() {
        let mut words = Words::default();
        words.read("İş sözleşmesi – § 5, un");
        words.read("likely");
        words.pause();
        words.read("end");
        assert_eq!(words.count, 5);
    }
}
