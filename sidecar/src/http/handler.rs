//! Handlers of computed routes.

use std::pin::Pin;

use actix_web::dev::ServiceRequest;

use super::{admission::Admitted, response::Response, state::AppState};

/// A handler of an admitted request, which may read the body of its request.
pub(crate) type Handler = for<'a> fn(&'a AppState, &'a Admitted<'a>, &'a mut ServiceRequest) -> Handled<'a>;

/// The future of a response.
pub(crate) type Handled<'a> = Pin<Box<dyn Future<Output = Response> + 'a>>;
