//! What operators ask, on a separate address: is the service alive, is it ready, what did it count.

use std::{
    io,
    net::TcpListener,
    sync::{Arc, atomic::Ordering},
};

use actix_service::fn_service;
use actix_web::{
    App, HttpServer,
    dev::{Server, ServiceRequest},
    http::{
        Method, StatusCode,
        header::{CONTENT_TYPE, HeaderValue},
    },
};
use contract::{Locale, media};

use super::FIRST_HEAD;
use crate::http::{
    response::{Response, error_response, harden, plain},
    state::AppState,
};

/// How many connections operators may have. What the public may have leaves enough files for them.
const MAX_CONNECTIONS: usize = 64;
/// How long to wait for responses to operators once the public side has ended.
const GRACE_SECONDS: u64 = 2;

/// Creates the server that answers operators. It has its own worker and its own connections: a service whose public
/// side is full is alive.
pub(super) fn server(state: Arc<AppState>, listener: TcpListener) -> io::Result<Server> {
    let app = move || {
        let state = Arc::clone(&state);
        App::new().default_service(fn_service(move |request: ServiceRequest| {
            let state = Arc::clone(&state);
            async move {
                let response = answer(&state, &request).await;
                Ok(request.into_response(response.map_into_boxed_body()))
            }
        }))
    };
    let server = HttpServer::new(app)
        .workers(1)
        .max_connections(MAX_CONNECTIONS)
        .client_request_timeout(FIRST_HEAD)
        .shutdown_timeout(GRACE_SECONDS)
        .disable_signals()
        .listen(listener)?;
    Ok(server.run())
}

/// Answers an operator's `request`.
async fn answer(state: &AppState, request: &ServiceRequest) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return error_response::method_not_allowed("GET, HEAD", Locale::DEFAULT);
    }
    let build = state.site.load().build.clone();
    let (status, text) = match request.path() {
        // Other clients are answered no more.
        "/readyz" if state.is_ending.load(Ordering::Relaxed) => {
            (StatusCode::SERVICE_UNAVAILABLE, "the service is ending\n".to_owned())
        }
        // The service opens its addresses only after a build was loaded, and has one from then on.
        "/livez" | "/readyz" => (StatusCode::OK, "ok\n".to_owned()),
        // Kept apart from the others: without the store, everything but registration and issued credentials still
        // works, so a load balancer must not take the site away.
        "/readyz/store" => match state.registrar.store().probe().await {
            Ok(()) => (StatusCode::OK, "ok\n".to_owned()),
            Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the store cannot be read and written\n".to_owned()),
        },
        "/metrics" => (StatusCode::OK, state.metrics.text(&build) + &state.registrar.metrics(state.clock.now()).await),
        _ => (StatusCode::NOT_FOUND, "Available here: /livez /readyz /readyz/store /metrics\n".to_owned()),
    };
    let mut response = plain(status, text);
    let headers = response.headers_mut();
    harden(headers);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media::TEXT));
    response
}
