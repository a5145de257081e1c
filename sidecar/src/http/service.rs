//! The service of one worker: gives each request an ID, catches panics, counts the response and completes it. It also
//! writes the responses to requests that the HTTP library cannot read.

use std::{
    convert::Infallible,
    panic::AssertUnwindSafe,
    pin::Pin,
    rc::Rc,
    sync::{Arc, Mutex, atomic::Ordering},
    task::{Context, Poll},
    time::Duration,
};

use ::usage::RequestTally;
use actix_web::{
    HttpMessage as _,
    body::{BodySize, BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        ConnectionType, Method,
        header::{HeaderMap, HeaderValue},
    },
};
use bytes::Bytes;
use connection::{ReadGate, UnreadableRequest};
use contract::errors::ErrorCode;
use futures_util::FutureExt as _;
use metrics::{TargetKind, WorkerMetrics};

use super::{
    dispatch,
    request::body::BodyError,
    request_id::{self, RequestIds},
    response::{Response, error_response},
    state::AppState,
    usage,
};
use crate::log;

/// The most bytes of a body given to the HTTP library at once. The library copies them, so a client that does not read
/// a long response costs little memory.
const MAX_CHUNK_BYTES: usize = 32 * 1024;

pub(crate) struct RequestWorker {
    state: Arc<AppState>,
    metrics: Arc<WorkerMetrics>,
    tally: Option<Arc<Mutex<RequestTally>>>,
    ids: RequestIds,
}

impl RequestWorker {
    pub(crate) fn new(state: Arc<AppState>, metrics: Arc<WorkerMetrics>) -> Self {
        let tally = state.usage.as_ref().map(|counters| counters.worker());
        Self { metrics, tally, ids: RequestIds::new(), state }
    }

    pub(crate) async fn serve(self: Rc<Self>, mut request: ServiceRequest) -> ServiceResponse {
        let gate = request.conn_data::<ReadGate>().cloned().unwrap_or_default();
        gate.close();
        let start = self.state.clock.nanoseconds();
        let id = self.ids.name(request.headers().get(&request_id::FIELD));
        // Unwind safe: the store rolls back a transaction that a panic interrupts.
        let answered = AssertUnwindSafe(dispatch::answer(&self.state, &mut request)).catch_unwind().await;
        let (mut kind, mut response) = answered.unwrap_or_else(|_| (TargetKind::None, broken(&id)));
        if request.extensions().contains::<BodyError>() {
            kind = TargetKind::None;
        }
        let bytes = if request.method() == Method::HEAD { 0 } else { response.body().len() as u64 };
        let nanoseconds = self.state.clock.nanoseconds().saturating_sub(start);
        self.count(kind, &response, (bytes, nanoseconds), &id, Some(request.headers()));
        if let Some(tally) = &self.tally {
            usage::count(tally, &self.state.site, &request, kind, &mut response);
        }
        response.headers_mut().insert(request_id::FIELD.clone(), id);
        // An `Upgrade` is ignored (RFC 9110, 7.8). The library cannot keep such a connection open. A service that ends
        // lets balancers open their next connection elsewhere.
        let is_ending = self.state.is_ending.load(Ordering::Relaxed);
        if is_ending || request.head().connection_type() == ConnectionType::Upgrade {
            response.head_mut().set_connection_type(ConnectionType::Close);
        }
        if request.chunked().unwrap_or(false) && !gate.has_all_chunks() {
            // Security: a proxy could read the rest of an unread body as another request, so close the connection.
            response.head_mut().set_connection_type(ConnectionType::Close);
            gate.end();
        } else {
            gate.open();
        }
        request.into_response(response.map_body(|_, body| boxed(body)))
    }

    /// Returns the bytes of the last response of a connection, to a request that the HTTP library cannot read.
    pub(crate) fn error_response(&self, unreadable: &UnreadableRequest<'_>) -> Bytes {
        let mut response = error_response::unreadable(unreadable.status);
        let id = self.ids.name(None);
        let length = response.body().len();
        let sent = if unreadable.is_head { 0 } else { length };
        self.count(TargetKind::None, &response, (sent as u64, 0), &id, None);
        response.headers_mut().insert(request_id::FIELD.clone(), id);
        let mut message =
            format!("HTTP/1.1 {}\r\ncontent-length: {length}\r\nconnection: close\r\n", response.status()).into_bytes();
        for (name, value) in response.headers() {
            message.extend_from_slice(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
        }
        let body = response.body().get(..sent).unwrap_or_default();
        message.extend_from_slice(&[unreadable.date, b"\r\n\r\n", body].concat());
        message.into()
    }

    /// Counts a response, and logs it if the access log is on. The pair is the length of the body and the duration in
    /// nanoseconds.
    fn count(
        &self,
        kind: TargetKind,
        response: &Response,
        (bytes, nanoseconds): (u64, u64),
        id: &HeaderValue,
        fields: Option<&HeaderMap>,
    ) {
        let status = response.status().as_u16();
        self.metrics.count_response(kind, status, nanoseconds, bytes);
        if tracing::enabled!(target: log::ACCESS, tracing::Level::INFO) {
            // Security: no address, no query, no credential, no `User-Agent`.
            let (request_id, trace) = (id.to_str().unwrap_or_default(), fields.and_then(request_id::trace));
            let seconds = Duration::from_nanos(nanoseconds).as_secs_f64();
            tracing::info!(
                target: log::ACCESS, class = kind.name(), status, bytes, duration_seconds = seconds, request_id,
                traceparent = trace
            );
        }
    }
}

fn broken(id: &HeaderValue) -> Response {
    tracing::error!(request_id = id.to_str().unwrap_or_default(), "a request could not be answered");
    error_response::of(ErrorCode::InternalError)
}

fn boxed(body: Bytes) -> BoxBody {
    if body.len() <= MAX_CHUNK_BYTES { BoxBody::new(body) } else { BoxBody::new(LongBody(body)) }
}

/// A body that is written in chunks of [`MAX_CHUNK_BYTES`].
struct LongBody(Bytes);

impl MessageBody for LongBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.0.len() as u64)
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        let length = self.0.len().min(MAX_CHUNK_BYTES);
        Poll::Ready((length > 0).then(|| Ok(self.0.split_to(length))))
    }
}
