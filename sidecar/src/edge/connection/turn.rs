//! Whose turn it is to answer what a client sends next: the library's, or the connection's own.
//!
//! The connection may answer only where a request begins. That is known as long as each request came in one piece,
//! without a body, and was answered before more was read. After anything else only the library knows it, and the rest of
//! the connection is the library's.

use memchr::memchr_iter;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Turn {
    /// The library's: the first head of a connection has a deadline, which only a head that the library reads ends.
    #[default]
    First,
    /// The library's, which has a head and has not answered it yet.
    Asked,
    /// The connection's: the library has nothing to answer.
    Own,
    /// The library's, to the end.
    Library,
}

impl Turn {
    /// Returns whose turn it is after the library was given `octets`.
    pub(super) fn given(self, octets: &[u8]) -> Self {
        match self {
            Self::First | Self::Own if is_one_head(octets) => Self::Asked,
            _ => Self::Library,
        }
    }

    /// Returns whose turn it is after an answer was written.
    pub(super) fn answered(self) -> Self {
        if self == Self::Asked { Self::Own } else { self }
    }
}

/// Whether `octets` are the head of one request and nothing else. To the library, a line feed alone ends a line too, and
/// empty lines before a request are nothing.
fn is_one_head(octets: &[u8]) -> bool {
    let Some(lines) = octets.strip_suffix(b"\r\n\r\n") else { return false };
    let mut start = 0;
    memchr_iter(b'\n', lines).chain([lines.len()]).all(|end| {
        let line = lines.get(start..end).unwrap_or_default();
        start = end + 1;
        !matches!(line, b"" | b"\r")
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn to_the_library_too_one_head_is_one_request_and_nothing_over(
            parts in prop::collection::vec(
                prop::sample::select(vec!["\r\n", "\n", "\r", "a: b\r\n", "GET / HTTP/1.1\r\n", "host: x", "a:", " ", ":", "b"]),
                0..8,
            ),
        ) {
            let text = "GET / HTTP/1.1".to_owned() + &parts.concat() + "\r\n\r\n";
            let mut fields = [httparse::EMPTY_HEADER; 96];
            if is_one_head(text.as_bytes()) {
                match httparse::Request::new(&mut fields).parse(text.as_bytes()) {
                    Ok(httparse::Status::Complete(length)) => prop_assert_eq!(length, text.len()),
                    Ok(httparse::Status::Partial) => prop_assert!(false, "unfinished: {text:?}"),
                    Err(_) => {} // What it refuses ends the connection.
                }
            }
        }
    }

    #[test]
    fn one_head_ends_where_its_octets_do() {
        for one in ["GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nhost: x\r\n\r\n", "HEAD / HTTP/1.1\nhost: x\r\n\r\n"] {
            assert!(is_one_head(one.as_bytes()), "{one:?}");
        }
        for other in [
            "",
            "\r\n\r\n",
            "GET / HTTP/1.1\r\n",
            "GET / HTTP/1.1\r\nhost: x\r\n",
            "GET / HTTP/1.1\n\n",
            "\r\nGET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\n\nGET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\n\nGET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\n\r\nGET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n",
        ] {
            assert!(!is_one_head(other.as_bytes()), "{other:?}");
        }
    }

    #[test]
    fn the_connection_answers_only_after_whole_heads_that_were_answered() {
        let head = b"GET / HTTP/1.1\r\n\r\n";
        let asked = Turn::First.given(head);
        assert_eq!(asked, Turn::Asked);
        assert_eq!(asked.answered(), Turn::Own);
        assert_eq!(asked.answered().given(head), Turn::Asked);
        for lost in [asked.given(head), Turn::First.given(&head[1..9]), Turn::Own.given(b""), Turn::Library] {
            assert_eq!(lost.given(head).answered(), Turn::Library);
        }
        assert_eq!(Turn::First.answered(), Turn::First, "nothing was asked");
    }
}
