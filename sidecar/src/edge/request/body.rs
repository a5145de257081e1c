//! The body of a request, read whole, but never beyond its bound and no longer than its time.

use std::{future::poll_fn, pin::Pin, time::Duration};

use actix_http::{HttpMessage as _, Request};
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, UPGRADE};
use bytes::{Bytes, BytesMut};
use contract::errors::BODY_SECONDS;
use futures_core::Stream;
use tokio::time::timeout;

use super::values;
use crate::edge::connection::Tail;

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// Compressed, or coded otherwise, which no resource here reads (RFC 9110, 8.4).
    Coded,
    /// Larger than the resource accepts.
    TooLarge,
    /// Not all of it came in time.
    Late,
    /// The client broke off, or the framing is wrong.
    Broken,
}

/// Reads at most `most` octets, for as long as [`BODY_SECONDS`] says.
pub(crate) async fn read(request: &mut Request, most: usize) -> Result<Bytes, BodyError> {
    if is_coded(request) {
        return Err(BodyError::Coded);
    }
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > most as u64) {
        return Err(BodyError::TooLarge);
    }
    let tail = Tail::of_task();
    // After an offer of another protocol, the library reads until the connection ends, whatever length is announced.
    let is_endless = request.headers().contains_key(UPGRADE) && !request.chunked().unwrap_or(false);
    let end = is_endless.then(|| announced.and_then(|length| usize::try_from(length).ok()).unwrap_or(0));
    let work = gather(request.take_payload(), most, end);
    // The rest is let in, and then nothing more until there is an answer.
    tail.set_in_the_making(false);
    let done = timeout(Duration::from_secs(BODY_SECONDS), work).await.unwrap_or(Err(BodyError::Late));
    tail.set_in_the_making(true);
    if done.is_ok() && !is_endless {
        tail.set_unread(false);
    }
    done
}

fn is_coded(request: &Request) -> bool {
    let is_plain = |coding: &[u8]| coding.is_empty() || coding.eq_ignore_ascii_case(b"identity");
    let mut codings = values(request, &CONTENT_ENCODING).flat_map(|value| value.split(|octet| *octet == b','));
    !codings.all(|coding| is_plain(coding.trim_ascii()))
}

/// Gathers what comes until the payload ends or, if it has no end, until `end`.
async fn gather<E>(
    mut payload: impl Stream<Item = Result<Bytes, E>> + Unpin,
    most: usize,
    end: Option<usize>,
) -> Result<Bytes, BodyError> {
    let mut body = Bytes::new();
    let mut more = BytesMut::new();
    while end.is_none_or(|end| body.len() + more.len() < end) {
        let Some(chunk) = poll_fn(|context| Pin::new(&mut payload).poll_next(context)).await else { break };
        let mut chunk = chunk.map_err(|_| BodyError::Broken)?;
        let gathered = body.len() + more.len();
        chunk.truncate(end.map_or(usize::MAX, |end| end - gathered));
        if gathered + chunk.len() > most {
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

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the clock of these tests is paused")]
mod tests {
    use std::task::{Context, Poll};

    use actix_http::{BoxedPayloadStream, Payload, error::PayloadError};
    use tokio::time::{Instant, sleep};

    use super::*;

    /// Sends an octet each second, and never ends.
    struct Trickle(Pin<Box<tokio::time::Sleep>>);

    impl Stream for Trickle {
        type Item = Result<Bytes, PayloadError>;

        fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            std::task::ready!(self.0.as_mut().poll(context));
            let next = Instant::now() + Duration::from_secs(1);
            self.0.as_mut().reset(next);
            Poll::Ready(Some(Ok(Bytes::from_static(b"x"))))
        }
    }

    #[test]
    fn a_body_that_trickles_in_is_left_after_ten_seconds() {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().start_paused(true).build().unwrap().block_on(async {
            let trickle: BoxedPayloadStream = Box::pin(Trickle(Box::pin(sleep(Duration::from_secs(1)))));
            let mut request = Request::with_payload(Payload::Stream { payload: trickle });
            let start = Instant::now();
            assert_eq!(read(&mut request, 1000).await, Err(BodyError::Late));
            assert_eq!(start.elapsed().as_secs(), BODY_SECONDS);
        });
    }

    #[test]
    fn behind_an_offer_of_another_protocol_a_body_is_as_long_as_it_says() {
        use actix_web::http::header::HeaderValue;
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().start_paused(true).build().unwrap().block_on(async {
            for (length, read_at_most, expected) in
                [(Some("3"), 1000, Ok(&b"xxx"[..])), (None, 1000, Ok(b"")), (Some("3"), 2, Err(BodyError::TooLarge))]
            {
                let trickle: BoxedPayloadStream = Box::pin(Trickle(Box::pin(sleep(Duration::from_secs(1)))));
                let mut request = Request::with_payload(Payload::Stream { payload: trickle });
                let headers = request.headers_mut();
                headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
                if let Some(length) = length {
                    headers.insert(CONTENT_LENGTH, HeaderValue::from_static(length));
                }
                assert_eq!(read(&mut request, read_at_most).await, expected.map(Bytes::from_static));
            }
        });
    }
}
