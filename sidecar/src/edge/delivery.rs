//! The bytes of an answer on their way to the client, around the HTTP library's write buffer.
//!
//! The library copies every body into a buffer of its connection, and the system copies it from there. So each of
//! those who ask for one page has a copy of it in this process until it is written. Here the library writes the start
//! of the head and the stream puts the rest behind it: the fields that were prepared ([`Head`]) and the request's name
//! before the empty line that ends the head, and the body, all in one system call. Only a short body is copied.
//!
//! It also frames each answer by what was asked for: of requests that are sent ahead, the library remembers only
//! whether the last one it has read was HEAD.
//!
//! What this relies on: the library polls what it has called at once; it writes its whole buffer, which ends with the
//! head of this answer, before it asks for the body ([`HEAD_FIRST`]), flushes what it has written, asks again in the
//! same turn, and makes no other answer before the body has ended.

use std::{
    cell::RefCell,
    convert::Infallible,
    io::{self, IoSlice},
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use actix_http::{
    Request, Response,
    body::{BodySize, MessageBody},
};
use actix_web::http::{
    Method,
    header::{CONTENT_LENGTH, HeaderValue},
};
use bytes::{Buf as _, Bytes};

use super::{
    fields::Head,
    payload::{Payload, Reply},
    request_id::{self, RequestId},
};

/// The library's bound on its write buffer: full with the first octet of a head.
pub(crate) const HEAD_FIRST: usize = 1;

/// The empty line that ends the library's head.
const LINE_END: &[u8] = b"\r\n";

/// Octets of a body up to which it is copied behind its head: to copy them costs less than to name two places to the
/// system.
const COPIED: usize = 4 * 1024;

/// What a connection has to write behind the octets that the library writes next. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Rc<RefCell<Rest>>);

#[derive(Debug, Default)]
struct Rest {
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

    /// Takes the octets of the library that go before the rest.
    pub(crate) fn begin(&self, head: &[u8]) {
        let Rest { head: rest, written, body } = &mut *self.0.borrow_mut();
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
    pub(super) fn put(&self, head: Head, body: Bytes) {
        *self.0.borrow_mut() = Rest { head, written: 0, body };
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

/// How the answer to one request is delivered.
pub(crate) struct Delivery {
    tail: Tail,
    is_head: bool,
}

impl Delivery {
    /// The way back of `request`.
    pub(crate) fn of(request: &Request) -> Self {
        // A connection without a tail of its own does not exist; its answers would be lost, not mixed up.
        let tail = request.conn_data::<Tail>().cloned().unwrap_or_default();
        Self { tail, is_head: request.method() == Method::HEAD }
    }

    /// Hands the body and the prepared fields to the connection and leaves the library the rest of the head. Nothing may
    /// be written in between.
    pub(crate) fn send(&self, reply: Reply, id: &RequestId) -> Response<Body> {
        let (mut response, Payload { fields, body }) = reply.into_parts();
        let (length, body) = (body.len(), if self.is_head { Bytes::new() } else { body });
        if let Some(mut head) = fields {
            head.end(id);
            self.tail.put(head, body);
        } else {
            response.headers_mut().insert(request_id::FIELD.clone(), id.value());
            if length == 0 {
                return response.set_body(Body(None));
            }
            response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
            self.tail.put(Head::default(), body);
        }
        // To the library the answer is a stream without framing: it leaves `Content-Length` as it is, counts nothing
        // and keeps the connection.
        response.head_mut().no_chunking(true);
        response.set_body(Body(Some(self.tail.clone())))
    }
}

/// The body as the library sees it: the connection writes it, and it has ended when nothing is left; or there is none.
pub(crate) struct Body(Option<Tail>);

impl MessageBody for Body {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        if self.0.is_some() { BodySize::Stream } else { BodySize::Sized(0) }
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        // The stream wakes this task when it has written the rest.
        if self.0.as_ref().is_some_and(|tail| !tail.is_empty()) { Poll::Pending } else { Poll::Ready(None) }
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
