//! Serves a build of the site and keeps registrations of agents.
//!
//! The sidecar contains no page, no slug and no text of the firm: it reads `dist/manifest.json` and answers from
//! memory. [`Server::bind`] is the entry point for tests and for [`cli`] alike.

mod auth;
pub mod cli;
mod config;
mod http;
mod log;
mod operator;
mod published;
mod services;
mod usage_writer;

/// Parsers of request fields for the targets of `fuzz/`.
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::http::negotiate::{Available, Medium, accepts_json, coding, language, medium};
}

pub use clock::{Clock, Time};
pub use registration::registrar::Quotas;
pub use secrets::Entropy;
pub use settings::ConfigError;

pub use crate::{
    config::{Config, EdgeSecret, LimitSettings, LogFormat, LogSettings, NAMES, Network, RegistrationSettings},
    http::{Dependencies, Foreground, Handle, Running, Server, StartError},
    log::log_into,
    published::DistError,
    services::ServicesError,
};
