//! The vocabulary that every part of Mecelle shares: resources, routes, errors, scopes, discovery documents and the
//! build manifest.
//!
//! This crate uses no file system, no clock and no HTTP library. A name that appears on the wire is a literal here and
//! nowhere else.

pub mod agent_auth;
pub mod agent_errors;
pub mod agent_replies;
pub mod agent_requests;
mod coded;
pub mod discovery;
pub mod errors;
pub mod event_errors;
pub mod form_errors;
pub mod forms;
pub mod headers;
pub mod locale;
pub mod manifest;
pub mod mcp;
pub mod media;
mod named;
pub mod resources;
pub mod retained_assets;
pub mod routes;
pub mod scopes;
pub mod text;
pub mod tool;

pub use locale::{Locale, PerLocale};
