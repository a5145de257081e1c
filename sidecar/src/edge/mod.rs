//! The HTTP rim. The only folder that knows actix.
//!
//! A request takes one way: [`front`] names it and catches what must not escape, [`routes`] decides in the order
//! method, credential, path, query, and [`content`] answers from bytes and header values that [`site`] prepared when
//! the build was loaded. There is no router beside the site's own table: one look-up finds a page, a redirect or an
//! endpoint, and nothing on this way allocates more than a name for the request.

mod admin;
mod conditional;
mod content;
mod cors;
mod endpoints;
mod front;
mod limits;
mod metrics;
mod negotiate;
mod patience;
mod refusal;
mod reload;
mod representation;
mod request_id;
mod routes;
mod running;
mod server;
mod signals;
mod site;
mod start_error;
mod target;

pub(crate) use self::reload::check;
pub use self::{
    running::{Handle, Running},
    server::{Parts, Server},
    start_error::StartError,
};
