//! The HTTP layer, and the only folder that uses actix.
//!
//! A [`service`] gives each request an ID, catches panics and completes the response; [`dispatch`] selects the
//! response; [`content`] answers with the fields and bytes that [`site`] prepared when the build was loaded; [`routes`]
//! lists the computed routes. One look-up in the table of the site finds a page, a redirect or a computed route.

mod admission;
mod agent;
mod content;
mod dispatch;
mod forms;
mod handler;
mod mcp;
pub(crate) mod negotiate;
mod rate_limit;
mod request;
mod request_id;
mod response;
mod routes;
mod search;
mod server;
mod service;
mod site;
mod state;
mod usage;

pub use self::server::{Dependencies, Foreground, Handle, Running, Server, StartError};
pub(crate) use self::server::{check, site_url};
pub(crate) use self::usage::UsageCounters;
