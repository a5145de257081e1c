//! The bytes of an answer on their way to the client, around the HTTP library's write buffer.
//!
//! The library copies every body into a buffer of its connection, and the system copies it from there. So each of
//! those who ask for one page has a copy of it in this process until it is written. Here the library writes the start
//! of the head and the stream puts the rest behind it: the fields that were prepared ([`Head`]) and the request's name
//! before the empty line that ends the head, and the body, all in one system call. Only a short body is copied.
//!
//! It also frames each answer by what was asked for: of requests that are sent ahead, the library remembers only
//! whether the last one it has read was HEAD, and whether the connection goes on behind it. To a client that offers
//! another protocol it would say yes and then close; here the offer is passed over (RFC 9110, 7.8), and since the library
//! keeps no such connection, its end is announced. What the library says of the end is not written: it says so too early
//! where a request that it has read since asks for the end, or has not come to its own, and then goes on.
//!
//! What this relies on: the library polls what it has called at once; it writes its whole buffer, which ends with the
//! head of this answer, before it asks for the body ([`HEAD_FIRST`]), flushes what it has written, asks again in the
//! same turn, and makes no other answer before the body has ended.

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

/// The library's bound on its write buffer: full with the first octet of a head.
pub(crate) const HEAD_FIRST: usize = 1;

/// How the answer to one request is delivered.
pub(crate) struct Delivery {
    tail: Tail,
    is_head: bool,
    /// Whether the connection ends with the answer, however it is made.
    is_last: bool,
    is_too_late: bool,
}

impl Delivery {
    /// The way back of `request`.
    pub(crate) fn of(request: &mut Request) -> Self {
        let tail = Tail::of_task();
        let is_too_late = tail.is_over();
        let is_last = is_too_late || request.head().connection_type() != ConnectionType::KeepAlive;
        // What is left of a body in chunks the library takes in and forgets, and goes on.
        let has_body = !matches!(request.payload(), RequestPayload::None);
        tail.set_unread(has_body && !request.chunked().unwrap_or(false));
        Self { tail, is_head: request.method() == Method::HEAD, is_last, is_too_late }
    }

    /// Whether the end of the connection was announced before: then the request is not one (RFC 9112, 9.6).
    pub(crate) const fn is_too_late(&self) -> bool {
        self.is_too_late
    }

    /// Says that somebody is at work on the answer.
    pub(crate) fn set_in_the_making(&self) {
        self.tail.set_in_the_making(true);
    }

    /// Hands the body and the fields that the library does not have to the connection, and leaves the library the rest of
    /// the head. Nothing may be written in between.
    pub(crate) fn send(&self, reply: Reply, id: &RequestId) -> Response<Body> {
        let (mut response, Payload { fields, body }) = reply.into_parts();
        if self.is_last || self.tail.is_unread() || Ending::has_come() {
            self.tail.set_over();
            response.head_mut().set_connection_type(ConnectionType::Close);
        }
        let mut head = fields.unwrap_or_else(|| {
            let mut head = Head::begin([b""; 4]);
            if response.status() != StatusCode::NO_CONTENT {
                head.length(body.len());
            }
            head
        });
        head.end(id);
        self.tail.put(head, if self.is_head { Bytes::new() } else { body });
        // To the library the answer is a stream without framing: it counts nothing and keeps the connection.
        response.head_mut().no_chunking(true);
        response.set_body(Body(self.tail.clone()))
    }
}

/// The body as the library sees it: the connection writes it, and it has ended when nothing is left. So it is where there
/// is none, too, or the library would write such a head past the connection.
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
