//! The body of a request, read whole and never beyond its bound.

use std::{future::poll_fn, pin::Pin};

use actix_http::{HttpMessage as _, Request};
use actix_web::http::header::CONTENT_LENGTH;
use bytes::{Bytes, BytesMut};
use futures_core::Stream as _;

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// Larger than the resource accepts.
    TooLarge,
    /// The client broke off, or its framing is wrong.
    Broken,
}

/// Reads at most `most` octets. How long it may take is bounded where the connection is.
pub(crate) async fn read(request: &mut Request, most: usize) -> Result<Bytes, BodyError> {
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > most as u64) {
        return Err(BodyError::TooLarge);
    }
    let mut payload = request.take_payload();
    let mut body = Bytes::new();
    let mut more = BytesMut::new();
    while let Some(chunk) = poll_fn(|context| Pin::new(&mut payload).poll_next(context)).await {
        let chunk = chunk.map_err(|_| BodyError::Broken)?;
        if body.len() + more.len() + chunk.len() > most {
            return Err(BodyError::TooLarge);
        }
        // A small body comes in one piece, which is kept as it is.
        if body.is_empty() && more.is_empty() {
            body = chunk;
            continue;
        }
        if more.is_empty() {
            more.extend_from_slice(&body);
            body = Bytes::new();
        }
        more.extend_from_slice(&chunk);
    }
    Ok(if more.is_empty() { body } else { more.freeze() })
}
