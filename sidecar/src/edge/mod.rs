//! The HTTP rim. This is the only folder that knows actix.
//!
//! A request takes one way: [`front`] names it and catches what must not escape, [`routes`] decides what it
//! gets, and [`content`] answers from bytes and header lines that [`site`] prepared when the build was loaded. There is
//! no router besides the site's own table: one look-up finds a page, a redirect or an endpoint. The head of an answer
//! is written into memory that the worker keeps for the next one. Only one that comes a third time, octet for
//! octet, takes a shorter way: its [`connection`] answers it with what the [`worker`] remembers.
//!
//! What the HTTP library decides and we cannot: a request it cannot parse is answered 400, 408 or 431 without a body.

mod agent;
mod answer;
mod client_memory;
mod connection;
mod content;
mod date;
mod endpoints;
mod etag;
mod forms;
mod front;
mod guarded;
mod head;
mod limits;
mod mcp;
mod metrics;
mod negotiate;
mod recall;
mod request;
mod request_id;
mod routes;
mod server;
mod shared;
mod site;
mod worker;

pub(crate) use self::server::check;
pub use self::server::{Foreground, Handle, Parts, Running, Server, StartError};
