//! The framing of a chunked body (RFC 9112, 7.1), read strictly.

/// The position of a reader in a chunked body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunks {
    /// In the digits of a size.
    Size { size: usize, has_digits: bool },
    /// In the blanks after a size.
    Blank(usize),
    /// In a chunk extension, which is ignored.
    Extension(usize),
    /// At the line feed after a size.
    LineFeed(usize),
    /// In the data: `left` bytes remain, including the two that end its line. The last chunk has only these two;
    /// trailers are malformed.
    Data { left: usize, is_last: bool },
    /// After the body.
    End,
    /// At an invalid byte.
    Malformed,
}

impl Chunks {
    pub(crate) const START: Self = Self::Size { size: 0, has_digits: false };
    /// The size from which one more digit is rejected; no body may be so long.
    const MAX_SIZE: usize = 1 << 24;

    /// Returns how many of `bytes` are a well-formed part of the body, and the position after them.
    pub(crate) fn read(mut self, bytes: &[u8]) -> (usize, Self) {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if let Self::Data { left: left @ 3.., is_last } = self {
                let length = (left - 2).min(bytes.len() - at);
                self = Self::Data { left: left - length, is_last };
                at += length;
                continue;
            }
            self = self.next(*byte);
            match self {
                Self::Malformed => break,
                Self::End => return (at + 1, self),
                _ => at += 1,
            }
        }
        (at, self)
    }

    fn next(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Size { size, .. }, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') if size < Self::MAX_SIZE => {
                let digit = char::from(byte).to_digit(16).unwrap_or_default() as usize;
                Self::Size { size: size * 16 + digit, has_digits: true }
            }
            (Self::Size { size, has_digits: true } | Self::Blank(size), b' ' | b'\t') => Self::Blank(size),
            (Self::Size { size, has_digits: true } | Self::Blank(size), b';')
            | (Self::Extension(size), b'\t' | b' '..=b'~' | 0x80..) => Self::Extension(size),
            (Self::Size { size, has_digits: true } | Self::Blank(size) | Self::Extension(size), b'\r') => {
                Self::LineFeed(size)
            }
            (Self::LineFeed(size), b'\n') => Self::Data { left: size + 2, is_last: size == 0 },
            (Self::Data { left: 2, is_last }, b'\r') => Self::Data { left: 1, is_last },
            (Self::Data { left: 1, is_last: false }, b'\n') => Self::START,
            (Self::Data { left: 1, is_last: true }, b'\n') => Self::End,
            _ => Self::Malformed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads `text` in pieces of `length` bytes; returns the number of bytes read and the last position.
    fn read(text: &str, length: usize) -> (usize, Chunks) {
        let (mut total, mut chunks) = (0, Chunks::START);
        for piece in text.as_bytes().chunks(length) {
            let (count, next) = chunks.read(piece);
            (total, chunks) = (total + count, next);
            if count < piece.len() || next == Chunks::End {
                break;
            }
        }
        (total, chunks)
    }

    #[test]
    fn body_ends_behind_its_last_chunk_however_it_is_cut() {
        for body in [
            "0\r\n\r\n",
            "5\r\nhello\r\n0\r\n\r\n",
            "A;name=\"value\"\r\n0\r\n\r\n0\r\n\r\n\r\n00\r\n\r\n",
            "00000001 \r\nx\r\n1\t;y\r\n\n\r\n0;z\r\n\r\n",
        ] {
            for length in 1..body.len() {
                assert_eq!(read(&format!("{body}GET / HTTP/1.1\r\n"), length), (body.len(), Chunks::End), "{body:?}");
                assert_ne!(read(&body[..body.len() - 1], length).1, Chunks::End, "{body:?}");
            }
        }
    }

    #[test]
    fn body_is_malformed_at_the_first_invalid_byte() {
        for (good, bad) in [
            ("", "\r\n"),
            ("", "+5\r\n"),
            ("", ";x\r\n"),
            ("5", "\n"),
            ("5;x", "\nhello"),
            ("5;x\r", "y"),
            ("5", "x\r\n"),
            ("5 \t", "x\r\n"),
            ("1\r\nx", "y\r\n"),
            ("1\r\nx", "\n0\r\n\r\n"),
            ("1\r\nx\r", "0"),
            ("0\r\n", "X-Trailer: y\r\n\r\n"),
            ("0\r\n", "\nGET / HTTP/1.1\r\n"),
            ("0\r\n\r", "\r\n"),
            ("1234567", "8\r\n"),
        ] {
            let text = format!("{good}{bad}");
            for length in 1..=text.len() {
                assert_eq!(read(&text, length), (good.len(), Chunks::Malformed), "{text:?}");
            }
        }
    }
}
