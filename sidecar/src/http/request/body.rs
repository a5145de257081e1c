//! Reads the body of a request within a limit of size and time.

use std::{future::poll_fn, task::Poll, time::Duration};

use actix_web::{
    HttpMessage as _,
    dev::ServiceRequest,
    http::header::{CONTENT_ENCODING, CONTENT_LENGTH},
};
use bytes::{Bytes, BytesMut};
use connection::ReadGate;
use contract::errors::BODY_SECONDS;
use futures_util::{Stream, StreamExt as _};
use tokio::time::timeout;

use super::values;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// In a content coding, which no resource here accepts (RFC 9110, 8.4).
    Coded,
    /// Larger than the resource accepts.
    TooLarge,
    /// Incomplete when its time ended.
    Late,
    /// The connection ended early, or the framing is malformed.
    Broken,
}

/// Reads at most `limit` bytes within [`BODY_SECONDS`].
pub(crate) async fn read(request: &mut ServiceRequest, limit: usize) -> Result<Bytes, BodyError> {
    if is_coded(request) {
        return Err(BodyError::Coded);
    }
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > limit) {
        return Err(BodyError::TooLarge);
    }
    // After an `Upgrade` the library would read until the connection ends, whatever the announced length.
    let length = if request.chunked().unwrap_or(false) { None } else { Some(announced.unwrap_or(0)) };
    let gate = request.conn_data::<ReadGate>().cloned().unwrap_or_default();
    match length {
        Some(length) => gate.admit(length),
        None => gate.admit_chunks(),
    }
    let gathering = gather(request.take_payload(), &gate, limit, length);
    let gathered = timeout(Duration::from_secs(BODY_SECONDS), gathering).await.unwrap_or(Err(BodyError::Late));
    if !gate.has_all_chunks() {
        gate.close();
    }
    if gathered == Err(BodyError::Broken) {
        // The service counts it as an unreadable request.
        request.extensions_mut().insert(BodyError::Broken);
    }
    gathered
}

fn is_coded(request: &ServiceRequest) -> bool {
    let is_plain = |coding: &[u8]| coding.is_empty() || coding.eq_ignore_ascii_case(b"identity");
    let mut codings = values(request, &CONTENT_ENCODING).flat_map(|value| value.split(|byte| *byte == b','));
    !codings.all(|coding| is_plain(coding.trim_ascii()))
}

/// Reads `length` bytes or, if that is unknown, until the payload ends. Malformed chunks do not end the payload, so
/// `gate` is checked.
async fn gather<E>(
    mut payload: impl Stream<Item = Result<Bytes, E>> + Unpin,
    gate: &ReadGate,
    limit: usize,
    length: Option<usize>,
) -> Result<Bytes, BodyError> {
    let mut body = BytesMut::new();
    while length.is_none_or(|length| body.len() < length) {
        let next = poll_fn(|context| {
            if gate.is_malformed() {
                return Poll::Ready(Err(BodyError::Broken));
            }
            payload.poll_next_unpin(context).map(|chunk| chunk.transpose().map_err(|_| BodyError::Broken))
        });
        let Some(chunk) = next.await? else { break };
        if body.len() + chunk.len() > limit {
            return Err(BodyError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the clock of these tests is paused")]
mod tests {
    use std::{
        pin::Pin,
        task::{Context, Poll},
    };

    use actix_web::http::header::HeaderName;
    use actix_web::{
        dev::Payload,
        error::PayloadError,
        http::header::{TRANSFER_ENCODING, UPGRADE},
        test::TestRequest,
    };
    use tokio::time::{Instant, sleep};

    use super::*;

    /// Sends a byte each second, and never ends.
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

    /// Returns a request with these fields and a body that trickles in.
    fn trickling(fields: &[(HeaderName, &str)]) -> ServiceRequest {
        let mut request = TestRequest::default();
        for field in fields {
            request = request.append_header((field.0.clone(), field.1));
        }
        let mut request = request.to_srv_request();
        request.set_payload(Payload::Stream { payload: Box::pin(Trickle(Box::pin(sleep(Duration::from_secs(1))))) });
        request
    }

    fn with_paused_time(test: impl Future<Output = ()>) {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().start_paused(true).build().unwrap().block_on(test);
    }

    #[test]
    fn trickling_body_is_abandoned_after_ten_seconds() {
        with_paused_time(async {
            for field in [(TRANSFER_ENCODING, "chunked"), (CONTENT_LENGTH, "99")] {
                let start = Instant::now();
                assert_eq!(read(&mut trickling(&[field]), 1000).await, Err(BodyError::Late));
                assert_eq!(start.elapsed().as_secs(), BODY_SECONDS);
            }
        });
    }

    #[test]
    fn body_with_an_upgrade_has_its_announced_length() {
        with_paused_time(async {
            for (length, limit, expected) in
                [(Some("3"), 1000, Ok(&b"xxx"[..])), (None, 1000, Ok(b"")), (Some("3"), 2, Err(BodyError::TooLarge))]
            {
                let length = length.map(|length| (CONTENT_LENGTH, length));
                let fields: Vec<_> = [(UPGRADE, "websocket")].into_iter().chain(length).collect();
                assert_eq!(read(&mut trickling(&fields), limit).await, expected.map(Bytes::from_static));
            }
        });
    }
}
