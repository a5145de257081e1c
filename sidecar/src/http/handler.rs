//! Handlers of computed routes.

use std::pin::Pin;

use actix_web::dev::ServiceRequest;

use super::{admission::Admitted, response::Response, state::AppState};

/// An admitted request of a computed route, whose body is not read yet.
pub(crate) struct Incoming<'a> {
    pub(crate) state: &'a AppState,
    pub(crate) admitted: &'a Admitted<'a>,
    pub(crate) request: &'a mut ServiceRequest,
}

pub(crate) type Handler = for<'a> fn(Incoming<'a>) -> Handled<'a>;

pub(crate) type Handled<'a> = Pin<Box<dyn Future<Output = Response> + 'a>>;
