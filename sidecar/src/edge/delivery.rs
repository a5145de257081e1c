//! The bytes of an answer on their way to the client, around the HTTP library's write buffer.
//!
//! The library copies every body into a buffer of its connection, and the system copies it from there. So each of
//! those who ask for one page has a copy of it in this process until it is written. Here the library writes the head
//! and the stream writes the shared bytes behind it, in the same system call: the fields that were prepared
//! ([`Fields`]) and the request's name before the empty line that ends the head, and the body behind it.
//!
//! It also frames each answer by what was asked for: of requests that are sent ahead, the library remembers only
//! whether the last one it has read was HEAD.
//!
//! What this relies on: the library writes its whole buffer, which ends with the head of this answer, before it asks
//! for the body ([`HEAD_FIRST`]), and makes no other answer before the body has ended.

use std::{
    array,
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
    fields::Fields,
    payload::{Payload, Reply},
    request_id::{self, RequestId},
};

/// The library's bound on its write buffer: full with the first octet of a head.
pub(crate) const HEAD_FIRST: usize = 1;

/// What ends a line, and, on a line of its own, a head.
const LINE_END: &[u8] = b"\r\n";

/// Into how many pieces falls what is written behind the library's octets.
const PARTS: usize = 6;

/// What a connection has to write behind the next octets of the library. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Rc<RefCell<Rest>>);

#[derive(Debug, Default)]
struct Rest {
    /// Three blocks of fields, the name of the request and the empty line behind them, if they were prepared; then the
    /// body.
    parts: [Bytes; PARTS],
    /// Whether the fields stand before the empty line with which the library's head ends: then that is not written.
    goes_on: bool,
}

impl Tail {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Hands `head`, which is of the library, and what goes behind it to `write`, which says how many octets it took.
    /// Returns how many of `head` are done with.
    pub(crate) fn write_behind(
        &self,
        head: &[u8],
        write: impl FnOnce(&[IoSlice<'_>]) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let mut rest = self.0.borrow_mut();
        let kept = if rest.goes_on { head.strip_suffix(LINE_END).unwrap_or(head) } else { head };
        write(&rest.slices(kept)).map_ok(|written| {
            let Some(behind) = written.checked_sub(kept.len()) else { return written };
            rest.goes_on = false;
            rest.advance(behind);
            head.len()
        })
    }

    /// Hands what is left to `write` once the head is written. Returns how many octets it took.
    pub(crate) fn write(
        &self,
        write: impl FnOnce(&[IoSlice<'_>]) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let mut rest = self.0.borrow_mut();
        write(&rest.slices(&[])).map_ok(|written| {
            rest.advance(written);
            written
        })
    }

    /// Puts prepared fields into the head that the library writes next, and `body` behind it.
    fn put_prepared(&self, Fields([a, b, c]): Fields, id: Bytes, body: Bytes) {
        let parts = [a, b, c, id, Bytes::from_static(LINE_END), body];
        *self.0.borrow_mut() = Rest { parts, goes_on: true };
    }

    /// Puts `body` behind the head that the library writes next.
    fn put(&self, body: Bytes) {
        let mut parts = [const { Bytes::new() }; PARTS];
        parts[PARTS - 1] = body;
        *self.0.borrow_mut() = Rest { parts, goes_on: false };
    }
}

impl Rest {
    fn is_empty(&self) -> bool {
        self.parts.iter().all(Bytes::is_empty)
    }

    fn slices<'a>(&'a self, before: &'a [u8]) -> [IoSlice<'a>; PARTS + 1] {
        array::from_fn(|at| IoSlice::new(at.checked_sub(1).map_or(before, |at| &self.parts[at])))
    }

    fn advance(&mut self, mut count: usize) {
        for part in &mut self.parts {
            let done = count.min(part.len());
            part.advance(done);
            count -= done;
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
    pub(crate) fn send(&self, reply: Reply, id: RequestId) -> Response<Body> {
        let (mut response, Payload { fields, body }) = reply.into_parts();
        let (length, body) = (body.len(), if self.is_head { Bytes::new() } else { body });
        if let Some(fields) = fields {
            self.tail.put_prepared(fields, id.into_line(), body);
        } else {
            response.headers_mut().insert(request_id::FIELD.clone(), id.value());
            if length == 0 {
                return response.set_body(Body(None));
            }
            response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
            self.tail.put(body);
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

    fn id() -> Bytes {
        Bytes::from_static(b"id: 3\r\n")
    }

    fn written(tail: &Tail, most: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let mut head = HEAD;
        while !head.is_empty() {
            let Poll::Ready(Ok(done)) = tail.write_behind(head, take(most, &mut out)) else { unreachable!() };
            head = &head[done..];
        }
        while !tail.is_empty() {
            let Poll::Ready(Ok(1..)) = tail.write(take(most, &mut out)) else { unreachable!() };
        }
        out
    }

    #[test]
    fn fields_and_body_come_whole_however_little_is_written_at_once() {
        let fields = || Fields(["a: 1\r\n", "", "b: 2\r\n"].map(|lines| Bytes::from_static(lines.as_bytes())));
        for most in 1..100 {
            let tail = Tail::default();
            tail.put_prepared(fields(), id(), Bytes::from_static(b"body"));
            let whole = b"HTTP/1.1 200 OK\r\ndate: today\r\na: 1\r\nb: 2\r\nid: 3\r\n\r\nbody";
            assert_eq!(written(&tail, most), whole, "{most} octets at a time");
            tail.put(Bytes::from_static(b"body"));
            assert_eq!(written(&tail, most), [HEAD, b"body"].concat(), "{most} octets at a time");
            tail.put_prepared(fields(), id(), Bytes::new());
            assert_eq!(written(&tail, most), &whole[..whole.len() - 4], "{most} octets at a time");
        }
    }

    #[test]
    fn a_stream_that_takes_nothing_loses_nothing() {
        let tail = Tail::default();
        tail.put_prepared(
            Fields(["a: 1\r\n", "", ""].map(|lines| Bytes::from_static(lines.as_bytes()))),
            id(),
            Bytes::new(),
        );
        assert!(tail.write_behind(HEAD, |_| Poll::Pending).is_pending());
        assert!(written(&tail, 7).ends_with(b"today\r\na: 1\r\nid: 3\r\n\r\n"));
    }
}
