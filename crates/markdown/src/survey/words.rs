//! Counting words.

/// Counts words in pieces of text; a word may continue in the next piece (`un**likely**`).
#[derive(Debug, Default)]
pub(super) struct WordCounter {
    /// A blank and the text so far, with blanks between its blocks.
    text: Vec<u8>,
}

/// Positions counted at once: whole vectors, and few enough for a count in one byte.
const STRETCH: usize = 224;

impl WordCounter {
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

    /// Returns the number of words, and whether anything but white space was read.
    pub(super) fn finish(mut self) -> (u32, bool) {
        if self.text.is_empty() {
            return (0, false);
        }
        self.text.extend_from_slice(b"   ");
        let mut count = 0;
        let mut places = self.text.as_slice();
        while places.len() > 4 {
            let length = (places.len() - 4).min(STRETCH);
            count += u32::from(count_beginnings(places, length));
            places = &places[length..];
        }
        (count, self.text.iter().any(|byte| !is_blank(*byte)))
    }
}

/// Returns the number of words that begin in `bytes[1..=length]`: after a blank, and not as a mark that stands alone.
/// `bytes` holds at least `length` + 4 bytes.
fn count_beginnings(bytes: &[u8], length: usize) -> u8 {
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
    if may_be_marks == 0 { count } else { count - count_lone_marks(bytes, length) }
}

/// Returns the number of these beginnings that are marks standing alone: of one byte (`-`, `&`), of two bytes from 0xC2
/// on (`§`), or of three bytes from 0xE2 on (dashes, bullets, arrows).
fn count_lone_marks(bytes: &[u8], length: usize) -> u8 {
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
        let mut words = WordCounter::default();
        for piece in pieces {
            words.read(piece);
        }
        words.finish().0
    }

    #[test]
    fn words_are_separated_by_blanks() {
        assert_eq!(count(&["İş sözleşmesi (yazılı)\n“fesih”  5"]), 5);
        assert_eq!(count(&[" "]), 0);
        assert_eq!(count(&[]), 0);
    }

    #[test]
    fn block_ends_a_word() {
        let mut words = WordCounter::default();
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
        assert_eq!(WordCounter::default().finish(), (0, false));
        let mut blank = WordCounter::default();
        blank.read(" \n");
        assert_eq!(blank.finish(), (0, false));
    }

    #[test]
    fn word_may_come_in_pieces() {
        assert_eq!(count(&["un", "likely", " ", "end"]), 2);
    }

    #[test]
    fn isolated_marks_are_no_words() {
        assert_eq!(count(&["a – b - c & § d •"]), 4);
    }
}
