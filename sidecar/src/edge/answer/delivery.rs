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
//! keeps no such connection, its end is announced.
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
    ConnectionType, Request, Response,
    body::{BodySize, MessageBody},
};
use actix_web::http::{
    Method,
    header::{CONTENT_LENGTH, HeaderValue},
};
use bytes::Bytes;

use super::{
    fields::Head,
    payload::{Payload, Reply},
};
use crate::edge::{
    connection::Tail,
    request::request_id::{self, RequestId},
};

/// The library's bound on its write buffer: full with the first octet of a head.
pub(crate) const HEAD_FIRST: usize = 1;

/// How the answer to one request is delivered.
pub(crate) struct Delivery {
    tail: Tail,
    is_head: bool,
    /// Whether the connection ends with the answer.
    is_last: bool,
    is_too_late: bool,
}

impl Delivery {
    /// The way back of `request`.
    pub(crate) fn of(request: &Request) -> Self {
        let tail = Tail::of_task();
        let is_too_late = tail.is_over();
        let is_last = is_too_late || request.head().connection_type() != ConnectionType::KeepAlive;
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

    /// Hands the body and the prepared fields to the connection and leaves the library the rest of the head. Nothing may
    /// be written in between.
    pub(crate) fn send(&self, reply: Reply, id: &RequestId) -> Response<Body> {
        let (mut response, Payload { fields, body }) = reply.into_parts();
        if self.is_last {
            self.tail.set_over();
            response.head_mut().set_connection_type(ConnectionType::Close);
        }
        let (length, body) = (body.len(), if self.is_head { Bytes::new() } else { body });
        if let Some(mut head) = fields {
            head.end(id);
            self.tail.put(head, body);
        } else {
            response.headers_mut().insert(request_id::FIELD.clone(), id.value());
            if length == 0 {
                self.tail.put(Head::default(), body);
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
