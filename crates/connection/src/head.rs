//! Scans the head of a request before the library reads it.

use memchr::memchr;

/// The library rejects a head that contains this byte.
const NUL: u8 = 0;
/// The start of the request line of a HEAD request.
const HEAD: &[u8] = b"HEAD ";

/// The scan of the current or last head.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about one head")]
#[derive(Debug)]
pub(crate) struct HeadReader {
    /// Bytes of the first line so far.
    first_line: usize,
    has_first_line: bool,
    /// Whether the first line matches [`HEAD`] so far.
    is_head_so_far: bool,
    /// Whether the current line is empty so far.
    is_blank: bool,
    /// Whether the last byte is a carriage return.
    ends_with_return: bool,
    is_whole: bool,
}

impl Default for HeadReader {
    fn default() -> Self {
        Self {
            first_line: 0,
            has_first_line: false,
            is_head_so_far: true,
            is_blank: true,
            ends_with_return: false,
            is_whole: false,
        }
    }
}

impl HeadReader {
    /// Returns the end of the next blank line in `bytes`, which ends a head, if there is one.
    ///
    /// Security: parsers differ on a bare line feed and could see different requests (RFC 9112, 2.2 and 11.2). It is
    /// replaced by a byte that the library rejects, and nothing after it is read.
    pub(crate) fn read(&mut self, bytes: &mut [u8]) -> Option<usize> {
        if self.is_whole {
            *self = Self::default();
        }
        let mut start = 0;
        loop {
            let rest = bytes.get_mut(start..).unwrap_or_default();
            let Some(length) = memchr(b'\n', rest) else {
                self.see(rest);
                return None;
            };
            let (line, rest) = rest.split_at_mut(length);
            self.see(line);
            start += length + 1;
            let is_end = !self.ends_with_return;
            if let (true, [byte, ..]) = (is_end, rest) {
                *byte = NUL;
            }
            self.is_whole = is_end || self.is_blank;
            if self.is_whole {
                return Some(start);
            }
            (self.has_first_line, self.is_blank, self.ends_with_return) = (true, true, false);
        }
    }

    /// Records the next part of a line.
    fn see(&mut self, part: &[u8]) {
        let Some(last) = part.last() else { return };
        if !self.has_first_line {
            let expected = HEAD.get(self.first_line..).unwrap_or_default();
            self.is_head_so_far &= part.iter().zip(expected).all(|(byte, expected)| byte == expected);
            self.first_line += part.len();
        }
        self.is_blank &= part == b"\r";
        self.ends_with_return = *last == b'\r';
    }

    /// Returns the length of the first line so far, in bytes.
    pub(crate) const fn first_line(&self) -> usize {
        self.first_line
    }

    /// Whether this is a HEAD request, whose response has no body.
    pub(crate) const fn is_head(&self) -> bool {
        self.is_head_so_far && self.first_line >= HEAD.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads `text` in two parts; returns the end of the first turn and the bytes for the library.
    fn read(text: &[u8], cut: usize) -> (Option<usize>, Vec<u8>) {
        let mut bytes = text.to_vec();
        let (first, second) = bytes.split_at_mut(cut.min(text.len()));
        let (length, mut head) = (first.len(), HeadReader::default());
        let end = head.read(first).or_else(|| Some(length + head.read(second)?));
        bytes.truncate(end.unwrap_or(bytes.len()));
        (end, bytes)
    }

    /// Returns the expected end of a turn: after the first blank line or bare line feed.
    fn expected(text: &[u8]) -> Option<usize> {
        let mut end = 0;
        text.split_inclusive(|byte| *byte == b'\n').find_map(|line| {
            end += line.len();
            let is_line = line.ends_with(b"\r\n");
            (line.ends_with(b"\n") && (!is_line || line == b"\r\n")).then_some(end)
        })
    }

    proptest! {
        #[test]
        fn turn_ends_at_a_blank_line_or_a_bare_line_feed(
            text in "[a\r\n]{0,12}", cut in 0..13_usize
        ) {
            let (end, body) = read(text.as_bytes(), cut);
            // The reader may count more lines as blank, which only ends a turn earlier.
            let expected = expected(text.as_bytes());
            prop_assert!(end == expected || end.is_some() && end < expected.or(Some(usize::MAX)));
            let lines = body.split_inclusive(|byte| *byte == b'\n');
            prop_assert!(lines.filter(|line| line.ends_with(b"\n")).all(|line| line.ends_with(b"\r\n")));
            prop_assert_eq!(body.contains(&0), end == expected && end.is_some_and(|end| {
                !text.as_bytes()[..end].ends_with(b"\r\n")
            }));
        }
    }

    #[test]
    fn first_line_is_measured_and_recognised_at_any_split() {
        for (line, is_head) in [("HEAD /x HTTP/1.1", true), ("HEADER / HTTP/1.1", false), ("GET / HTTP/1.1", false)] {
            let text = format!("{line}\r\nHost: a\r\n\r\n");
            for cut in 0..text.len() {
                let mut bytes = text.clone().into_bytes();
                let (first, second) = bytes.split_at_mut(cut);
                let mut head = HeadReader::default();
                assert_eq!(head.read(first), None);
                assert_eq!(head.read(second), Some(text.len() - cut));
                assert_eq!((head.first_line(), head.is_head()), (line.len() + 1, is_head), "{line} {cut}");
                assert_eq!(head.read(&mut b"HE".to_vec()), None);
                assert_eq!((head.first_line(), head.is_head()), (2, false));
            }
        }
    }
}
