//! What the stream of a connection writes by itself, and what the service tells it.

use std::{
    cell::RefCell,
    io::{self, IoSlice},
    rc::Rc,
    task::Poll,
};

use actix_http::Request;
use bytes::{Buf as _, Bytes};

use crate::edge::fields::Head;

/// The empty line that ends the library's head.
const LINE_END: &[u8] = b"\r\n";

/// Octets of a body up to which it is copied behind its head: to copy them costs less than to name two places to the
/// system.
const COPIED: usize = 4 * 1024;

/// What a connection has to write behind the octets that the library writes next. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Rc<RefCell<Rest>>);

/// The rest of an answer, or what is known of one in the making.
#[derive(Debug, Default)]
struct Rest {
    /// Whether an answer is in the making that needs nothing more of the client.
    in_the_making: bool,
    /// The rest of the head, if it was prepared; the whole head once the library has written its part.
    head: Head,
    /// How much of it is written.
    written: usize,
    body: Bytes,
}

impl Tail {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// The way back of `request`. A connection without a tail of its own does not exist; its answers would be lost, not
    /// mixed up.
    pub(crate) fn of(request: &Request) -> Self {
        request.conn_data::<Self>().cloned().unwrap_or_default()
    }

    /// Says whether an answer is in the making that needs nothing more of the client. With [`Tail::put`] it is made.
    pub(crate) fn set_in_the_making(&self, whether: bool) {
        self.0.borrow_mut().in_the_making = whether;
    }

    pub(super) fn is_in_the_making(&self) -> bool {
        self.0.borrow().in_the_making
    }

    /// Takes the octets of the library that go before the rest.
    pub(crate) fn begin(&self, head: &[u8]) {
        let Rest { head: rest, written, body, .. } = &mut *self.0.borrow_mut();
        debug_assert_eq!(*written, 0, "an answer begins once");
        // Behind a part of the head the empty line is too many.
        let begin = if rest.as_bytes().is_empty() { head } else { head.strip_suffix(LINE_END).unwrap_or(head) };
        rest.put_first(begin);
        if body.len() <= COPIED {
            rest.push(body);
            *body = Bytes::new();
        }
    }

    /// Hands what is left to `write`, which says how many octets it took.
    pub(crate) fn write(
        &self,
        write: impl FnOnce(&[IoSlice<'_>]) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let mut rest = self.0.borrow_mut();
        let head = rest.head.as_bytes().get(rest.written..).unwrap_or_default();
        let parts = [head, &rest.body].map(IoSlice::new);
        let used = if rest.body.is_empty() { &parts[..1] } else { &parts[..] };
        write(used).map_ok(|written| {
            rest.advance(written);
            written
        })
    }

    /// Puts the rest of a head into the one that the library writes next, and `body` behind it.
    pub(crate) fn put(&self, head: Head, body: Bytes) {
        *self.0.borrow_mut() = Rest { in_the_making: false, head, written: 0, body };
    }
}

impl Rest {
    fn is_empty(&self) -> bool {
        self.written == self.head.as_bytes().len() && self.body.is_empty()
    }

    fn advance(&mut self, count: usize) {
        let of_head = count.min(self.head.as_bytes().len() - self.written);
        self.written += of_head;
        self.body.advance(count - of_head);
        if self.is_empty() {
            // An idle connection keeps nothing of its last answer.
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ndate: today\r\n\r\n";

    /// A system that takes `most` octets at a time.
    fn take(most: usize, out: &mut Vec<u8>) -> impl FnOnce(&[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        move |parts| {
            let before = out.len();
            out.extend(parts.iter().flat_map(|part| part.iter()).take(most));
            Poll::Ready(Ok(out.len() - before))
        }
    }

    fn written(tail: &Tail, most: usize) -> Vec<u8> {
        let mut out = Vec::new();
        while !tail.is_empty() {
            let Poll::Ready(Ok(1..)) = tail.write(take(most, &mut out)) else { unreachable!() };
        }
        out
    }

    #[test]
    fn fields_and_body_come_whole_however_little_is_written_at_once() {
        let fields = || Head::begin([b"a: 1\r\n", b"b: 2\r\n", b"\r\n", b""]);
        let whole = b"HTTP/1.1 200 OK\r\ndate: today\r\na: 1\r\nb: 2\r\n\r\n";
        for most in (1..100).chain([COPIED, COPIED + 100, 2 * COPIED]) {
            for length in [0, 4, COPIED, COPIED + 1] {
                let body = vec![b'x'; length];
                for (rest, head) in [(fields(), &whole[..]), (Head::default(), HEAD)] {
                    let tail = Tail::default();
                    tail.put(rest, body.clone().into());
                    tail.begin(HEAD);
                    assert!(written(&tail, most) == [head, &body].concat(), "{most} of {length} octets at a time");
                }
            }
        }
    }

    #[test]
    fn only_a_long_body_is_named_beside_its_head() {
        for (length, parts) in [(0, 1), (COPIED, 1), (COPIED + 1, 2)] {
            let tail = Tail::default();
            tail.put(Head::default(), vec![b'x'; length].into());
            tail.begin(HEAD);
            let mut seen = 0;
            assert!(
                tail.write(|parts| {
                    seen = parts.len();
                    Poll::Pending
                })
                .is_pending()
            );
            assert_eq!(seen, parts, "{length} octets");
        }
    }

    #[test]
    fn a_stream_that_takes_nothing_loses_nothing() {
        let tail = Tail::default();
        tail.put(Head::begin([b"a: 1\r\n", b"\r\n", b"", b""]), Bytes::new());
        tail.begin(HEAD);
        assert!(tail.write(|_| Poll::Pending).is_pending());
        assert!(written(&tail, 7).ends_with(b"today\r\na: 1\r\n\r\n"));
    }
}
