//! The service of one worker: names each request, counts it, and lets no panic out.

use std::{
    future::{Ready, ready},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Poll},
};

use actix_http::{HttpMessage as _, Request, Response, body::BoxBody};
use actix_service::{Service, ServiceFactory};
use contract::errors::ErrorCode;

use super::{
    metrics::{Counters, Kind},
    refusal,
    request_id::{self, RequestIds},
    routes::{self, Shared},
};

/// Makes the service of each worker.
pub(crate) struct FrontFactory(pub(crate) Arc<Shared>);

impl ServiceFactory<Request> for FrontFactory {
    type Response = Response<BoxBody>;
    type Error = actix_web::Error;
    type Config = ();
    type Service = Front;
    type InitError = ();
    type Future = Ready<Result<Front, ()>>;

    fn new_service(&self, (): ()) -> Self::Future {
        let shared = Arc::clone(&self.0);
        ready(Ok(Front { counters: shared.metrics.worker(), ids: RequestIds::new(), shared }))
    }
}

/// The service of one worker.
pub(crate) struct Front {
    shared: Arc<Shared>,
    counters: Arc<Counters>,
    ids: RequestIds,
}

impl Service<Request> for Front {
    type Response = Response<BoxBody>;
    type Error = actix_web::Error;
    type Future = Ready<Result<Self::Response, Self::Error>>;

    fn poll_ready(&self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&self, request: Request) -> Self::Future {
        let id = self.ids.name(request.headers().get(&request_id::FIELD));
        // Everything that an answer changes is either its own or counted in one step, so nothing is left half done.
        let answer = catch_unwind(AssertUnwindSafe(|| routes::answer(&self.shared, &request)));
        let (kind, mut response) = answer.unwrap_or_else(|_| {
            tracing::error!(request_id = id.to_str().unwrap_or_default(), "a request could not be answered");
            (Kind::None, refusal::refuse(ErrorCode::InternalError))
        });
        response.headers_mut().insert(request_id::FIELD.clone(), id);
        self.counters.count(kind, response.status());
        ready(Ok(response))
    }
}
