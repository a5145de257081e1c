//! Serves a build of the site and, later, keeps registrations.
//!
//! The sidecar knows no page, no slug and no word of the firm: it reads `dist/manifest.json` and answers from memory.
//! [`Server::bind`] is the way in for tests and for [`cli`] alike.

mod auth;
pub mod cli;
mod clock;
mod config;
mod dist;
mod edge;
mod log;
mod mcp;

pub use crate::{
    clock::Clock,
    config::{Config, ConfigError, LimitSettings, LogFormat, LogSettings, NAMES, Name, Network, RegistrationSettings},
    dist::DistError,
    edge::{Handle, Parts, Running, Server, StartError},
};
