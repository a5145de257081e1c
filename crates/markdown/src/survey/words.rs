//! Counting words.

/// Counts words over pieces of text; a word may continue from one piece to the next (`un**likely**`).
#[derive(Debug, Default)]
pub(super) struct Words {
    /// The text so far, after a blank; its blocks are separated by blanks.
    text: Vec<u8>,
}

/// How many positions are counted at once: as many as a byte can count, in whole vectors.
const STRETCH: usize = 224;

impl Words {
    /// Reads the next piece.
    pub(super) fn read(&mut self, text: &str) {
        if self.text.is_empty() {
            self.text.push(b' ');
        }
        self.text.extend_from_slice(text.as_bytes());
    }

    /// Ends the current block, and with it the word.
    pub(super) fn pause(&mut self) {
        if !matches!(self.text.last(), None | Some(b' ')) {
            self.text.push(b' ');
        }
    }

    /// Returns how many words there are, and whether anything but white space was read.
    pub(super) fn finish(mut self) -> (u32, bool) {
        if self.text.is_empty() {
            return (0, false);
        }
        self.text.extend_from_slice(b"   ");
        let mut count = 0;
        let mut places = self.text.as_slice();
        while places.len() > 4 {
            let length = (places.len() - 4).min(STRETCH);
            count += u32::from(beginnings(places, length));
            places = &places[length..];
        }
        (count, self.text.iter().any(|byte| !is_blank(*byte)))
    }
}

/// Returns how many words begin at the second to the last but three of the first `length` + 4 bytes: after a blank, and
/// not as a mark that stands alone.
fn beginnings(bytes: &[u8], length: usize) -> u8 {
    let before = &bytes[..length];
    let first = &bytes[1..=length];
    let second = &bytes[2..length + 2];
    let (mut count, mut may_be_marks) = (0, 0);
    for at in 0..length {
        let begins = u8::from(is_blank(before[at])) & u8::from(!is_blank(first[at]));
        count += begins;
        may_be_marks |= begins & u8::from(is_blank(second[at])) & u8::from(!first[at].is_ascii_alphabetic())
            | u8::from(first[at] == 0xC2)
            | u8::from(first[at] == 0xE2);
    }
    if may_be_marks == 0 { count } else { count - marks(bytes, length) }
}

/// Returns how many of these beginnings are marks that stand alone: of one byte (`-`, `&`), of two from 0xC2 on (`§`),
/// or of three from 0xE2 on (dashes, bullets, arrows).
fn marks(bytes: &[u8], length: usize) -> u8 {
    let is_mark = |places: &&[u8]| match **places {
        [before, ..] if !is_blank(before) => false,
        [_, mark, after, _, _] if mark.is_ascii_punctuation() => is_blank(after),
        [_, 0xC2, _, after, _] | [_, 0xE2, _, _, after] => is_blank(after),
        _ => false,
    };
    bytes[..length + 4].windows(5).filter(is_mark).count() as u8
}

fn is_blank(byte: u8) -> bool {
    byte <= b' '
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(pieces: &[&str]) -> u32 {
        let mut words = Words::default();
        for piece in pieces {
            words.read(piece);
        }
        words.finish().0
    }

    #[test]
    fn words_stand_between_blanks() {
        assert_eq!(count(&["İş sözleşmesi (yazılı)\n“fesih”  5"]), 5);
        assert_eq!(count(&[" "]), 0);
        assert_eq!(count(&[]), 0);
    }

    #[test]
    fn block_ends_a_word() {
        let mut words = Words::default();
        words.pause();
        for block in ["one", "two ", "–", "three four"] {
            words.read(block);
            words.pause();
        }
        assert_eq!(words.finish(), (4, true));
    }

    #[test]
    fn long_texts_are_counted_in_stretches() {
        for length in 1..700 {
            assert_eq!(count(&[&"ab - ".repeat(length)]), length as u32);
            assert_eq!(count(&[&" ".repeat(length), "a", &" ".repeat(length)]), 1);
        }
        assert_eq!(Words::default().finish(), (0, false));
        let mut blank = Words::default();
        blank.read(" \n");
        assert_eq!(blank.finish(), (0, false));
    }

    #[test]
    fn word_may_come_in_pieces() {
        assert_eq!(count(&["un", "likely", " ", "end"]), 2);
    }

    #[test]
    fn marks_that_stand_alone_are_no_words() {
        assert_eq!(count(&["a – b - c & § d •"]), 4);
    }
}
