//! The service of one worker: names every request, catches panics, counts the response and completes it.
//!
//! Requests that the HTTP library cannot parse do not get here: it answers them 400, 408 or 431 without a body.

use std::{
    convert::Infallible,
    panic::AssertUnwindSafe,
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::{
    body::{BodySize, BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{ConnectionType, Method, header::HeaderValue},
};
use bytes::Bytes;
use contract::errors::ErrorCode;
use futures_util::FutureExt as _;
use metrics::{Kind, WorkerMetrics};

use super::{
    dispatch,
    request_id::{self, RequestIds},
    response::{Response, error_response},
    state::AppState,
    stream::ReadGate,
};
use crate::log;

/// The most bytes of a body that are handed to the HTTP library at once, which copies them. So a client that does not
/// read a long response costs little memory.
const MAX_CHUNK_BYTES: usize = 32 * 1024;

/// What one worker has.
pub(crate) struct Worker {
    state: Arc<AppState>,
    metrics: Arc<WorkerMetrics>,
    ids: RequestIds,
}

impl Worker {
    pub(crate) fn new(state: Arc<AppState>, metrics: Arc<WorkerMetrics>) -> Self {
        Self { metrics, ids: RequestIds::new(), state }
    }

    /// Answers a request.
    pub(crate) async fn serve(self: Rc<Self>, mut request: ServiceRequest) -> ServiceResponse {
        let gate = request.conn_data::<ReadGate>().cloned().unwrap_or_default();
        gate.close();
        let start = self.state.clock.nanoseconds();
        let id = self.ids.name(request.headers().get(&request_id::FIELD));
        // What a panic leaves half done in the store is rolled back.
        let answered = AssertUnwindSafe(dispatch::answer(&self.state, &mut request)).catch_unwind().await;
        let (kind, mut response) = answered.unwrap_or_else(|_| (Kind::None, broken(&id)));
        let status = response.status().as_u16();
        let bytes = if request.method() == Method::HEAD { 0 } else { response.body().len() as u64 };
        let nanoseconds = self.state.clock.nanoseconds().saturating_sub(start);
        self.metrics.answered(kind, status, nanoseconds, bytes);
        if tracing::enabled!(target: log::ACCESS, tracing::Level::INFO) {
            // Security: no address, no query, no credential, and not what the client calls itself.
            let (request_id, trace) = (id.to_str().unwrap_or_default(), request_id::trace(request.headers()));
            let seconds = Duration::from_nanos(nanoseconds).as_secs_f64();
            tracing::info!(
                target: log::ACCESS, class = kind.name(), status, bytes, duration_seconds = seconds, request_id,
                traceparent = trace
            );
        }
        response.headers_mut().insert(request_id::FIELD.clone(), id);
        // An offer of another protocol is ignored (RFC 9110, 7.8). The library keeps no such connection open.
        if request.head().connection_type() == ConnectionType::Upgrade {
            response.head_mut().set_connection_type(ConnectionType::Close);
        }
        gate.open();
        request.into_response(response.map_body(|_, body| boxed(body)))
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
