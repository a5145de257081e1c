//! What operators ask, on an address of its own: is it alive, is it ready, what did it count.

use std::sync::Arc;

use actix_http::Request;
use actix_web::http::{
    Method, StatusCode,
    header::{CONTENT_TYPE, HeaderValue},
};
use contract::media;

use crate::edge::{
    answer::{
        payload::{self, Reply},
        refusal,
    },
    routes::Shared,
};

/// Answers `request` of an operator.
pub(crate) async fn answer(shared: &Arc<Shared>, request: &Request) -> Reply {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return refusal::method_not_allowed("GET, HEAD");
    }
    let build = shared.site.load().build.clone();
    let (status, text) = match request.path() {
        // The service opens its addresses only after a build was loaded, and keeps one from then on.
        "/livez" | "/readyz" => (StatusCode::OK, "ok\n".to_owned()),
        // A service of its own: without the store everything but registration and issued credentials still works, so
        // a load balancer must not take the site away.
        "/readyz/store" => match shared.registrar.store().probe().await {
            Ok(()) => (StatusCode::OK, "ok\n".to_owned()),
            Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the store does not read and write\n".to_owned()),
        },
        "/metrics" => (StatusCode::OK, shared.metrics.text(&build)),
        _ => (StatusCode::NOT_FOUND, "Available here: /livez /readyz /readyz/store /metrics\n".to_owned()),
    };
    let mut response = payload::reply(status, text);
    let headers = response.headers_mut();
    refusal::harden(headers);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media::TEXT));
    response
}
