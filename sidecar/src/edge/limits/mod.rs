//! How many requests one client may make in a minute.

mod client;
mod gcra;

use std::num::NonZeroU32;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use contract::{
    errors::ErrorCode,
    headers::{RATE_LIMIT, RATE_LIMIT_POLICY},
};

pub(crate) use self::client::Client;
use self::gcra::{Decision, Gcra};
use super::{
    answer::{payload::Reply, refusal},
    head::{Head, Lines},
};
use crate::config::LimitSettings;

/// The limits in force.
pub(crate) struct Limits {
    /// Requests to the content API.
    pub(crate) content: Quota,
    /// Requests to the content API with an issued credential.
    pub(crate) content_with_credential: Quota,
    /// Requests to the MCP endpoint.
    pub(crate) mcp: Quota,
    /// Requests to the MCP endpoint with an issued credential.
    pub(crate) mcp_with_credential: Quota,
    /// All requests to the registration flow. What matters is counted in the store; this limit keeps the store from
    /// being asked too often.
    pub(crate) registration: Quota,
    loopback: bool,
}

/// How many times more often than others the holder of a credential may ask for content.
const MORE: NonZeroU32 = const { NonZeroU32::new(10).unwrap() };

/// How many requests of one kind each client may make in a minute.
pub(crate) struct Quota {
    name: &'static str,
    most: usize,
    cells: Gcra,
    policy: HeaderValue,
    untouched: HeaderValue,
    /// Both as header lines.
    lines: Lines,
}

/// What a limit says about one request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Allowance {
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
            content_with_credential: Quota::new("content", settings.content_per_minute.saturating_mul(MORE)),
            mcp: Quota::new("mcp", settings.mcp_per_minute),
            mcp_with_credential: Quota::new("mcp", settings.mcp_with_credential_per_minute),
            registration: Quota::new("registration", settings.registration_per_minute),
            loopback: settings.loopback,
        }
    }

    /// Counts a request of `client` on `quota`; `now` returns the time in nanoseconds and is called only if it matters.
    pub(crate) fn count(
        &self,
        quota: &Quota,
        client: Client,
        now: impl FnOnce() -> u64,
    ) -> Result<Allowance, Exceeded> {
        self.count_all(quota, client, 1, now)
    }

    /// Counts `count` requests that came as one, like `count`: all of them are within the limit, or none is counted.
    pub(crate) fn count_all(
        &self,
        quota: &Quota,
        client: Client,
        count: u32,
        now: impl FnOnce() -> u64,
    ) -> Result<Allowance, Exceeded> {
        let key = match client {
            // A whole site behind one proxy must not be limited like one reader. What is counted in the store is
            // limited.
            Client::Loopback | Client::Proxied if !self.loopback => return Ok(Allowance::Unlimited),
            Client::Loopback | Client::Proxied => u64::MAX,
            Client::Remote(key) => key,
        };
        let decision = quota.cells.check(key, count, now());
        if decision.remaining.is_some() { Ok(Allowance::Within(decision)) } else { Err(Exceeded(decision)) }
    }

    /// Whether clients on this machine are not limited.
    pub(crate) fn spares_loopback(&self) -> bool {
        !self.loopback
    }
}

impl Exceeded {
    /// Returns how many seconds to wait, at least one.
    pub(crate) fn seconds(self) -> u64 {
        seconds(self.0.wait).max(1)
    }
}

impl Quota {
    /// Returns how many requests of a client it lets through at once, and in a minute.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Answers a request that is one too many.
    pub(crate) fn refuse(&self, exceeded: Exceeded) -> Reply {
        let mut response = refusal::refuse(ErrorCode::RateLimited);
        self.tell_exceeded(exceeded, response.headers_mut());
        response
    }

    fn new(name: &'static str, quota: NonZeroU32) -> Self {
        let policy = value(&format!("\"{name}\";q={quota};w=60"));
        let untouched = value(&format!("\"{name}\";r={quota};t=0"));
        let mut lines = Lines::default();
        lines.push(&POLICY, &policy);
        lines.push(&STATE, &untouched);
        Self { name, most: quota.get() as usize, cells: Gcra::new(quota), policy, untouched, lines }
    }

    /// Tells the client its state in `reply`: among the prepared fields, if there are any, because the HTTP library's
    /// map of fields takes far longer.
    pub(crate) fn tell_in(&self, allowance: Allowance, reply: Reply) -> Reply {
        reply.map_body(|head, mut payload| {
            match &mut payload.fields {
                Some(fields) => self.push(allowance, fields.begin_limit()),
                None => self.tell(allowance, head.headers_mut()),
            }
            payload
        })
    }

    /// Tells the client its state at the end of `head`.
    pub(crate) fn push(&self, allowance: Allowance, head: &mut Head) {
        match allowance {
            Allowance::Unlimited => head.push(self.lines.as_bytes()),
            Allowance::Within(decision) => {
                let mut lines = Lines::default();
                lines.push(&POLICY, &self.policy);
                lines.push(&STATE, &self.state(decision));
                head.push(lines.as_bytes());
            }
        }
    }

    /// Tells the client its state.
    pub(crate) fn tell(&self, allowance: Allowance, headers: &mut HeaderMap) {
        headers.insert(POLICY.clone(), self.policy.clone());
        let state = match allowance {
            Allowance::Unlimited => self.untouched.clone(),
            Allowance::Within(decision) => self.state(decision),
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

/// Returns whole seconds, rounded up: a client that waits that long has waited enough.
fn seconds(nanoseconds: u64) -> u64 {
    nanoseconds.div_ceil(1_000_000_000)
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""))
}
