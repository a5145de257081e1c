//! Serves a build of the site and keeps registrations of agents.
//!
//! The sidecar contains no page, no slug and no text of the firm: it reads `dist/manifest.json` and answers from
//! memory. [`Server::bind`] is the entry point for tests and for [`cli`] alike.

mod auth;
mod build;
mod calendar;
pub mod cli;
mod clock;
mod config;
mod forms;
mod http;
mod log;
mod mail;
mod mcp;
mod office;
mod operator;
mod private;
mod registrar;
mod registration;
mod store;

pub use crate::{
    build::DistError,
    clock::{Clock, Time},
    config::{
        Config, ConfigError, LimitSettings, LogFormat, LogSettings, NAMES, Name, Network, Places, Quotas,
        RegistrationSettings,
    },
    http::{Foreground, Handle, Parts, Running, Server, StartError},
    log::log_into,
    office::OfficeError,
    registration::Entropy,
};
