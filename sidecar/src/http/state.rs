//! What the workers share.

use std::sync::atomic::AtomicBool;

use arc_swap::ArcSwap;
use clock::Clock;
use metrics::HttpMetrics;
use registration::registrar::Registrar;

use super::site::Site;
use crate::config::{EdgeSecret, Network};

/// What the workers share.
pub(crate) struct AppState {
    /// The build in force, with its limits.
    pub(crate) site: ArcSwap<Site>,
    pub(crate) trusted_proxies: Vec<Network>,
    pub(crate) edge_secret: Option<EdgeSecret>,
    /// Whether the site is on this machine. If it is not, a client that comes from this machine may be a proxy.
    pub(crate) is_local: bool,
    /// Origins of web applications that may use the MCP endpoint.
    pub(crate) mcp_allowed_origins: Vec<String>,
    pub(crate) clock: Clock,
    /// Handles registrations.
    pub(crate) registrar: Registrar,
    pub(crate) metrics: HttpMetrics,
    /// Whether the service finishes the requests it has and accepts no more.
    pub(crate) is_ending: AtomicBool,
}
