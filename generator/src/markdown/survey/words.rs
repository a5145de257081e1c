//! Counting words.

/// Counts words over pieces of text; a word may go on from one piece to the next (`un**likely**`).
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Words of the blocks that have ended.
    pub(super) count: u32,
    /// Whether anything but white space was read.
    pub(super) any: bool,
    /// The text of the block at hand, after a blank.
    block: Vec<u8>,
}

impl Words {
    /// Reads on.
    pub(super) fn read(&mut self, text: &str) {
        if self.block.is_empty() {
            self.block.push(b' ');
        }
        self.block.extend_from_slice(text.as_bytes());
    }

    /// Ends the block at hand.
    pub(super) fn pause(&mut self) {
        if self.block.is_empty() {
            return;
        }
        self.block.extend_from_slice(b"   ");
        let mut places = self.block.as_slice();
        while places.len() > 4 {
            // As many as a byte can count, so that the compiler can count sixteen places at once.
            let length = (places.len() - 4).min(255);
            self.count += u32::from(beginnings(places, length));
            places = &places[length..];
        }
        self.any = self.any || self.block.iter().any(|byte| !is_blank(*byte));
        self.block.clear();
    }
}

/// How many words begin at the second to the last but three of the first `length` + 4 bytes: after a blank, and not
/// as a mark that stands alone.
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

/// How many of these beginnings are marks that stand alone: of one byte (`-`, `&`), of two from 0xC2 on (`§`), or of three
/// from 0xE2 on (dashes, bullets, arrows).
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
        words.pause();
        words.count
    }

    #[test]
    fn words_stand_between_blanks() {
        assert_eq!(count(&["İş sözleşmesi (yazılı)\n“fesih”  5"]), 5);
        assert_eq!(count(&[" "]), 0);
        assert_eq!(count(&[]), 0);
    }

    #[test]
    fn a_word_may_come_in_pieces() {
        assert_eq!(count(&["un", "likely", " ", "end"]), 2);
    }

    #[test]
    fn marks_that_stand_alone_are_no_words() {
        assert_eq!(count(&["a – b - c & § d •"]), 4);
    }
}
