//! The admin server: liveness, readiness and metrics on a separate address.

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

/// The most admin connections; the limit of public connections leaves enough files for them.
const MAX_CONNECTIONS: usize = 64;
/// How long to wait for admin responses once the public server has ended.
const GRACE_SECONDS: u64 = 2;

/// Creates the admin server. It has its own worker and connections: a service whose public side is full is alive.
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

async fn answer(state: &AppState, request: &ServiceRequest) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return error_response::method_not_allowed("GET, HEAD", Locale::DEFAULT);
    }
    let build = state.site.load().build.clone();
    let (status, text) = match request.path() {
        // The public server accepts no more connections.
        "/readyz" if state.is_ending.load(Ordering::Relaxed) => {
            (StatusCode::SERVICE_UNAVAILABLE, "the service is ending\n".to_owned())
        }
        // The service listens only after it has loaded a build.
        "/livez" | "/readyz" => (StatusCode::OK, "ok\n".to_owned()),
        // Separate from `/readyz`: without the store, everything but registration and issued credentials works, so a
        // load balancer must keep the service.
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
