//! The bytes of an answer on their way to the client, around the HTTP library's write buffer.
//!
//! The library copies every body into a buffer of its connection, and the system copies it from there. So there is one
//! copy of a page in this process for every client that has asked for it, until it is written. Here the library writes
//! the start of the head and the stream appends the rest: the prepared fields ([`Head`]) and the request's name before
//! the empty line that ends the head, and then the body, all in one system call. Only a short body is copied.
//!
//! It also frames each answer according to its own request: when requests are sent ahead, the library remembers only
//! whether the last one it has read was HEAD, and whether the connection continues after it. To a client that offers
//! another protocol the library would say yes and then close; here the offer is ignored (RFC 9110, 7.8), and since the
//! library keeps no such connection open, its end is announced. What the library itself says about the end is not
//! written: it also announces the end too early, where a request that it has read since asks for the end or has not
//! been read to its own end, and then continues.
//!
//! What this relies on: the library polls what it has called at once; it writes its whole buffer, which ends with the
//! head of this answer, before it asks for the body ([`HEAD_FIRST`]), flushes what it has written, asks again in the
//! same turn, and makes no other answer before the body has ended. When it has answered a head that came alone, it has
//! nothing else of the client, so that what comes next begins a request.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use actix_http::{
    ConnectionType, HttpMessage as _, Payload as RequestPayload, Request, Response,
    body::{BodySize, MessageBody},
};
use actix_web::http::{Method, StatusCode};
use bytes::Bytes;

use super::payload::{Payload, Reply};
use crate::edge::{
    connection::{Ending, Tail},
    head::Head,
    request_id::RequestId,
};

/// The limit of the library's write buffer: it is full after the first octet of a head.
pub(crate) const HEAD_FIRST: usize = 1;

/// How the answer to one request is delivered.
pub(crate) struct Delivery {
    tail: Tail,
    is_head: bool,
    /// Whether the connection ends with the answer, whatever the answer is.
    is_last: bool,
    is_too_late: bool,
}

impl Delivery {
    /// Creates the delivery of the answer to `request`.
    pub(crate) fn of(request: &mut Request) -> Self {
        let tail = Tail::of_task();
        let is_too_late = tail.is_over();
        let is_last = is_too_late || request.head().connection_type() != ConnectionType::KeepAlive;
        // The library reads and discards what is left of a chunked body, and continues.
        let has_body = !matches!(request.payload(), RequestPayload::None);
        tail.set_unread(has_body && !request.chunked().unwrap_or(false));
        if has_body || is_last {
            tail.leave_to_library();
        }
        Self { tail, is_head: request.method() == Method::HEAD, is_last, is_too_late }
    }

    /// Takes the octets of the request, if it came before, has no body, and is not the last of its connection.
    pub(crate) fn take_octets(&self) -> Option<Box<[u8]>> {
        self.tail.take_asked()
    }

    /// Returns whether the end of the connection has already been announced: then the request does not count as one
    /// (RFC 9112, 9.6).
    pub(crate) const fn is_too_late(&self) -> bool {
        self.is_too_late
    }

    /// Records that somebody is working on the answer.
    pub(crate) fn set_in_the_making(&self) {
        self.tail.set_in_the_making(true);
    }

    /// Hands the connection the body and the fields that the library does not have, and leaves the rest of the head to
    /// the library. Nothing may be written in between.
    pub(crate) fn send(&self, reply: Reply, id: &RequestId) -> Response<Body> {
        let (mut response, Payload { fields, body }) = reply.into_parts();
        if self.is_last || self.tail.is_unread() || Ending::has_come() {
            self.tail.set_over();
            response.head_mut().set_connection_type(ConnectionType::Close);
        }
        let mut head = if let Some(fields) = fields {
            fields.head
        } else {
            let mut head = Head::begin([b""; 4]);
            if response.status() != StatusCode::NO_CONTENT {
                head.length(body.len());
            }
            head
        };
        head.end(id);
        self.tail.put(head, if self.is_head { Bytes::new() } else { body });
        // To the library the answer is a stream without framing: it counts nothing and keeps the connection open.
        response.head_mut().no_chunking(true);
        response.set_body(Body(self.tail.clone()))
    }
}

/// The body as the library sees it: the connection writes it, and it ends when nothing is left. An empty body works the
/// same way, or the library would write such a head past the connection.
pub(crate) struct Body(Tail);

impl MessageBody for Body {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        // The stream wakes this task when it has written the rest.
        if self.0.is_empty() { Poll::Ready(None) } else { Poll::Pending }
    }
}
