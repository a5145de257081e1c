//! The state that all workers share.

use std::sync::{Arc, atomic::AtomicBool};

use arc_swap::ArcSwap;
use clock::Clock;
use metrics::HttpMetrics;
use registration::registrar::Registrar;

use super::{site::ServedSite, usage::UsageCounters};
use crate::config::{EdgeSecret, Network};

pub(crate) struct AppState {
    /// The build in force, with its limits.
    pub(crate) site: ArcSwap<ServedSite>,
    pub(crate) trusted_proxies: Vec<Network>,
    pub(crate) edge_secret: Option<EdgeSecret>,
    /// Whether the site is on this machine. If not, a client on this machine may be a proxy.
    pub(crate) is_local: bool,
    /// Origins of web applications that may use the MCP endpoint.
    pub(crate) mcp_allowed_origins: Vec<String>,
    pub(crate) clock: Clock,
    pub(crate) registrar: Registrar,
    pub(crate) metrics: HttpMetrics,
    /// Counts for the operator's report, unless they are switched off.
    pub(crate) usage: Option<Arc<UsageCounters>>,
    /// Whether the service is shutting down.
    pub(crate) is_ending: AtomicBool,
}
