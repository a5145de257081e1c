//! How much one client may ask in a minute.

mod client;
mod gcra;

use std::num::NonZeroU32;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use contract::headers::{RATE_LIMIT, RATE_LIMIT_POLICY};

pub(crate) use self::client::Client;
use self::gcra::{Decision, Gcra};
use crate::config::LimitSettings;

/// The limits in force.
pub(crate) struct Limits {
    content: Quota,
    mcp: Quota,
    mcp_with_credential: Quota,
    loopback: bool,
}

/// What each client may ask of one kind in a minute.
pub(crate) struct Quota {
    name: &'static str,
    cells: Gcra,
    policy: HeaderValue,
    untouched: HeaderValue,
}

/// What a limit says to one request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Standing {
    /// The client is not limited; it always has its whole quota.
    Unlimited,
    /// The request is within the limit.
    Within(Decision),
}

/// The request is beyond the limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exceeded(Decision);

static POLICY: HeaderName = HeaderName::from_static(RATE_LIMIT_POLICY);
static STATE: HeaderName = HeaderName::from_static(RATE_LIMIT);

impl Limits {
    pub(crate) fn new(settings: LimitSettings) -> Self {
        Self {
            content: Quota::new("content", settings.content_per_minute),
            mcp: Quota::new("mcp", settings.mcp_per_minute),
            mcp_with_credential: Quota::new("mcp", settings.mcp_with_credential_per_minute),
            loopback: settings.loopback,
        }
    }

    /// Counts a request to the content API; `now` gives the time in nanoseconds and is asked only if it matters.
    pub(crate) fn content(&self, client: Client, now: impl FnOnce() -> u64) -> Result<Standing, Exceeded> {
        self.count(&self.content, client, now)
    }

    /// The quota of the MCP endpoint, for clients with a credential that was issued and for others.
    pub(crate) fn mcp(&self, with_credential: bool) -> &Quota {
        if with_credential { &self.mcp_with_credential } else { &self.mcp }
    }

    /// Counts a request on `quota`.
    pub(crate) fn count(&self, quota: &Quota, client: Client, now: impl FnOnce() -> u64) -> Result<Standing, Exceeded> {
        let key = match client {
            Client::Loopback if !self.loopback => return Ok(Standing::Unlimited),
            Client::Loopback => u64::MAX,
            Client::Remote(key) => key,
        };
        let decision = quota.cells.check(key, now());
        if decision.remaining.is_some() { Ok(Standing::Within(decision)) } else { Err(Exceeded(decision)) }
    }

    /// Whether clients on this machine are not limited.
    pub(crate) fn spares_loopback(&self) -> bool {
        !self.loopback
    }

    /// Counts a request of `client`; where it is one too many, the seconds to wait.
    pub(crate) fn pass(&self, client: Client, now: impl FnOnce() -> u64) -> Result<(), u64> {
        self.content(client, now).map(|_| ()).map_err(|Exceeded(decision)| seconds(decision.wait).max(1))
    }

    /// Tells a client of the content API where it stands (draft-ietf-httpapi-ratelimit-headers).
    pub(crate) fn tell(&self, standing: Standing, headers: &mut HeaderMap) {
        self.content.tell(standing, headers);
    }

    /// Tells a client of the content API that it has to wait.
    pub(crate) fn tell_exceeded(&self, exceeded: Exceeded, headers: &mut HeaderMap) {
        self.content.tell_exceeded(exceeded, headers);
    }
}

impl Quota {
    fn new(name: &'static str, quota: NonZeroU32) -> Self {
        Self {
            name,
            cells: Gcra::new(quota),
            policy: value(&format!("\"{name}\";q={quota};w=60")),
            untouched: value(&format!("\"{name}\";r={quota};t=0")),
        }
    }

    /// Tells the client where it stands.
    pub(crate) fn tell(&self, standing: Standing, headers: &mut HeaderMap) {
        headers.insert(POLICY.clone(), self.policy.clone());
        let state = match standing {
            Standing::Unlimited => self.untouched.clone(),
            Standing::Within(decision) => self.state(decision),
        };
        headers.insert(STATE.clone(), state);
    }

    /// Tells the client that it has to wait.
    pub(crate) fn tell_exceeded(&self, exceeded: Exceeded, headers: &mut HeaderMap) {
        headers.insert(POLICY.clone(), self.policy.clone());
        headers.insert(STATE.clone(), self.state(exceeded.0));
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds(exceeded.0.wait)));
    }

    fn state(&self, decision: Decision) -> HeaderValue {
        value(&format!("\"{}\";r={};t={}", self.name, decision.remaining.unwrap_or(0), seconds(decision.wait)))
    }
}

/// Whole seconds, rounded up: who waits that long has waited enough.
fn seconds(nanoseconds: u64) -> u64 {
    nanoseconds.div_ceil(1_000_000_000)
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""))
}
