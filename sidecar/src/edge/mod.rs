//! The HTTP rim. The only folder that knows actix.
//!
//! A request takes one way: [`front`] names it and catches what must not escape, [`routes`] decides what it gets, and
//! [`content`] answers from bytes and header lines that [`site`] prepared when the build was loaded. There is no router
//! beside the site's own table: one look-up finds a page, a redirect or an endpoint. The head of an answer is written
//! into memory that the worker keeps for the next one.
//!
//! What the HTTP library decides and we cannot: a request it cannot parse is answered 400, 408 or 431 without a body.

mod admin;
mod agent;
mod body;
mod conditional;
mod connection;
mod content;
mod cors;
mod delivery;
mod endpoints;
mod etag;
mod fields;
mod forms;
mod front;
mod guarded;
mod limits;
mod mcp;
mod media_type;
mod metrics;
mod negotiate;
mod object;
mod origin;
mod outline;
mod parameters;
mod payload;
mod published;
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
mod table;
mod target;

pub(crate) use self::reload::check;
pub use self::{
    running::{Handle, Running},
    server::{Parts, Server},
    start_error::StartError,
};
