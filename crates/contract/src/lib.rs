//! Names and types shared by all parts of Mecelle: resources, routes, errors, scopes, discovery documents and the build
//! manifest.
//!
//! The crate uses no file system, no clock and no HTTP library. Names on the wire are literals only here.

#![warn(missing_docs)]

pub mod agent_auth;
pub mod agent_replies;
pub mod agent_requests;
pub mod discovery;
pub mod errors;
pub mod forms;
pub mod headers;
pub mod id_jag;
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

pub use locale::{Locale, PerLocale};

/// Environment variables of the command-line tool. Other programs of the project ignore them.
pub mod tool {
    /// The host to contact.
    pub const BASE_URL: &str = "MECELLE_BASE_URL";
    /// The credential to send.
    pub const API_KEY: &str = "MECELLE_API_KEY";
    /// The folder of cached answers.
    pub const CACHE_DIR: &str = "MECELLE_CACHE_DIR";
    /// The folder of stored keys.
    pub const CONFIG_DIR: &str = "MECELLE_CONFIG_DIR";
    /// The program that shows long output.
    pub const PAGER: &str = "MECELLE_PAGER";

    /// Every variable.
    pub const VARIABLES: [&str; 5] = [BASE_URL, API_KEY, CACHE_DIR, CONFIG_DIR, PAGER];
}
