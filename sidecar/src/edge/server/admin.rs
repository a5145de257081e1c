//! What operators ask, on a separate address: is the service alive, is it ready, what did it count.

use std::{
    io,
    net::TcpListener,
    sync::{Arc, atomic::Ordering},
};

use actix_http::{HttpService, Request};
use actix_service::fn_service;
use actix_web::{
    dev::Server,
    http::{
        Method, StatusCode,
        header::{CONTENT_TYPE, HeaderValue},
    },
};
use contract::media;

use super::FIRST_HEAD;
use crate::edge::{
    answer::{
        payload::{self, Reply},
        refusal,
    },
    shared::Shared,
};

/// How many connections operators may have. What the public may have leaves enough files for them.
const CONNECTIONS: usize = 64;
/// How long to wait for their answers in the making once nobody else is waited for.
const GRACE_SECONDS: u64 = 2;

/// Creates the server that answers operators. It has its own worker and its own connections: a service whose public
/// side is full is alive.
pub(super) fn server(shared: Arc<Shared>, listener: TcpListener) -> io::Result<Server> {
    let builder = Server::build()
        .workers(1)
        .max_concurrent_connections(CONNECTIONS)
        .shutdown_timeout(GRACE_SECONDS)
        .disable_signals();
    let ending = builder.graceful_shutdown_signal();
    let builder = builder.listen("admin", listener, move || {
        let (shared, ending) = (Arc::clone(&shared), ending.clone());
        HttpService::build()
            .client_request_timeout(FIRST_HEAD)
            .graceful_shutdown_signal(move || {
                let ending = ending.clone();
                async move { ending.notified().await }
            })
            .h1(fn_service(move |request| {
                let shared = Arc::clone(&shared);
                async move {
                    let reply = answer(&shared, &request).await;
                    // None of these answers is prepared.
                    Ok::<_, actix_web::Error>(reply.map_body(|_, payload| payload.body))
                }
            }))
            .tcp()
    })?;
    Ok(builder.run())
}

/// Answers an operator's `request`.
async fn answer(shared: &Arc<Shared>, request: &Request) -> Reply {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return refusal::method_not_allowed("GET, HEAD");
    }
    let build = shared.site.load().build.clone();
    let (status, text) = match request.path() {
        // Nobody else can be answered any more.
        "/readyz" if shared.is_ending.load(Ordering::Relaxed) => {
            (StatusCode::SERVICE_UNAVAILABLE, "the service is ending\n".to_owned())
        }
        // The service opens its addresses only after a build was loaded, and has one from then on.
        "/livez" | "/readyz" => (StatusCode::OK, "ok\n".to_owned()),
        // Kept apart from the others: without the store, everything but registration and issued credentials still
        // works, so a load balancer must not take the site away.
        "/readyz/store" => match shared.registrar.store().probe().await {
            Ok(()) => (StatusCode::OK, "ok\n".to_owned()),
            Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the store cannot be read and written\n".to_owned()),
        },
        "/metrics" => (StatusCode::OK, shared.metrics.text(&build)),
        _ => (StatusCode::NOT_FOUND, "Available here: /livez /readyz /readyz/store /metrics\n".to_owned()),
    };
    let mut response = payload::reply(status, text);
    let headers = response.headers_mut();
    payload::harden(headers);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media::TEXT));
    response
}
