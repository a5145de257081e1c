//! The bytes of an answer on their way to the client, around the HTTP library's write buffer.
//!
//! The library copies every body into a buffer of its connection, and the system copies it from there. So each of
//! those who ask for one page has a copy of it in this process until it is written. Here the library writes the head
//! and the stream writes the shared bytes behind it, in the same system call.
//!
//! It also frames each answer by what was asked for: of requests that are sent ahead, the library remembers only
//! whether the last one it has read was HEAD.
//!
//! What this relies on: the library writes its whole buffer, which ends with the head of this answer, before it asks
//! for the body ([`HEAD_FIRST`]), and makes no other answer before the body has ended.

use std::{
    cell::RefCell,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use actix_http::{
    Request, Response,
    body::{BodySize, BoxBody, MessageBody},
};
use actix_web::http::{
    Method,
    header::{CONTENT_LENGTH, HeaderValue},
};
use bytes::{Buf as _, Bytes};

/// The library's bound on its write buffer: full with the first octet of a head.
pub(crate) const HEAD_FIRST: usize = 1;

/// What a connection has to write behind the next octets of the library. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Rc<RefCell<Bytes>>);

impl Tail {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// The bytes to write next; shared, not copied.
    pub(crate) fn rest(&self) -> Bytes {
        self.0.borrow().clone()
    }

    /// Notes that `count` octets of the rest are written, and says whether nothing is left.
    pub(crate) fn written(&self, count: usize) -> bool {
        let mut rest = self.0.borrow_mut();
        let count = count.min(rest.len());
        rest.advance(count);
        rest.is_empty()
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

    /// Hands the body to the connection and leaves the library the head. Nothing may be written in between.
    pub(crate) fn send(&self, response: Response<BoxBody>) -> Response<Body> {
        let BodySize::Sized(length @ 1..) = response.body().size() else {
            return response.map_body(|_, body| Body::of_library(body));
        };
        let (mut response, body) = response.into_parts();
        match body.try_into_bytes() {
            Ok(_) if self.is_head => {}
            Ok(bytes) => *self.tail.0.borrow_mut() = bytes,
            Err(body) => return response.set_body(Body::of_library(body)),
        }
        // To the library the answer is a stream without framing: it leaves `Content-Length` as it is, counts nothing
        // and keeps the connection.
        response.head_mut().no_chunking(true);
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
        response.set_body(Body(Way::Around(self.tail.clone())))
    }
}

/// The body as the library sees it.
pub(crate) struct Body(Way);

enum Way {
    /// The connection writes it; it has ended when nothing is left.
    Around(Tail),
    /// The library writes it: it is empty, or not there as a whole.
    Library(BoxBody),
}

impl Body {
    fn of_library(body: BoxBody) -> Self {
        Self(Way::Library(body))
    }
}

impl MessageBody for Body {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        match &self.0 {
            Way::Around(_) => BodySize::Stream,
            Way::Library(body) => body.size(),
        }
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        match &mut self.get_mut().0 {
            // The stream wakes this task when it has written the rest.
            Way::Around(tail) if !tail.is_empty() => Poll::Pending,
            Way::Around(_) => Poll::Ready(None),
            Way::Library(body) => Pin::new(body).poll_next(context),
        }
    }
}
