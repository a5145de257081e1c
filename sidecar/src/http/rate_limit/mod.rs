//! How many requests one client may make in a minute.

mod client;
mod gcra;

use std::num::NonZeroU32;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use contract::{
    errors::ErrorCode,
    forms::search::QUOTA,
    headers::{RATE_LIMIT, RATE_LIMIT_POLICY},
};

pub(crate) use self::client::ClientKey;
use self::gcra::{Balance, Gcra};
use super::response::{Response, error_response};
use crate::config::LimitSettings;

/// The limits in force.
pub(crate) struct RateLimits {
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
    /// Questions to the search page.
    pub(crate) search: Quota,
    loopback: bool,
}

/// How many times more often than others the holder of a credential may ask for content.
const MORE: NonZeroU32 = const { NonZeroU32::new(10).unwrap() };

/// How many requests of one kind each client may make in a minute.
pub(crate) struct Quota {
    name: &'static str,
    max: usize,
    cells: Gcra,
    policy: HeaderValue,
    untouched: HeaderValue,
    /// Whether clients on this machine are limited too.
    loopback: bool,
}

/// What a limit says about one request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Decision {
    /// The client is not limited; it always has its whole quota.
    Unlimited,
    /// The request is within the limit.
    Within(Balance),
}

/// The request is beyond the limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exceeded(Balance);

static POLICY: HeaderName = HeaderName::from_static(RATE_LIMIT_POLICY);
static STATE: HeaderName = HeaderName::from_static(RATE_LIMIT);

impl RateLimits {
    /// Creates the limits of `settings`. What clients have used of the `former` ones stays used.
    pub(crate) fn new(settings: LimitSettings, former: Option<&Self>) -> Self {
        let quota = |name, most, of: fn(&Self) -> &Quota| {
            Quota::new(name, most, settings.loopback, former.map(|former| &of(former).cells))
        };
        let content = settings.content_per_minute;
        Self {
            content: quota("content", content, |limits| &limits.content),
            content_with_credential: quota("content", content.saturating_mul(MORE), |limits| {
                &limits.content_with_credential
            }),
            mcp: quota("mcp", settings.mcp_per_minute, |limits| &limits.mcp),
            mcp_with_credential: quota("mcp", settings.mcp_with_credential_per_minute, |limits| {
                &limits.mcp_with_credential
            }),
            registration: quota("registration", settings.registration_per_minute, |limits| &limits.registration),
            search: quota(QUOTA, settings.search_per_minute, |limits| &limits.search),
            loopback: settings.loopback,
        }
    }

    /// Whether clients on this machine are not limited.
    pub(crate) fn exempts_loopback(&self) -> bool {
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
    /// Counts `requests` of `client` that came as one: all of them are within the limit, or none is counted. `now`
    /// returns the time in nanoseconds and is called only if it matters.
    pub(crate) fn count(
        &self,
        client: ClientKey,
        requests: u32,
        now: impl FnOnce() -> u64,
    ) -> Result<Decision, Exceeded> {
        let key = match client {
            // A whole site behind one proxy must not be limited like one reader. What is counted in the store is
            // limited.
            ClientKey::Loopback | ClientKey::Proxied if !self.loopback => return Ok(Decision::Unlimited),
            ClientKey::Loopback | ClientKey::Proxied => u64::MAX,
            ClientKey::Remote(key) => key,
        };
        let balance = self.cells.check(key, requests, now());
        if balance.remaining.is_some() { Ok(Decision::Within(balance)) } else { Err(Exceeded(balance)) }
    }

    /// Returns how many requests of a client it lets through at once, and in a minute.
    pub(crate) fn max(&self) -> usize {
        self.max
    }

    /// Answers a request that is one too many.
    pub(crate) fn refuse(&self, exceeded: Exceeded) -> Response {
        let mut response = error_response::of(ErrorCode::RateLimited);
        self.write_exceeded_fields(exceeded, response.headers_mut());
        response
    }

    fn new(name: &'static str, quota: NonZeroU32, loopback: bool, former: Option<&Gcra>) -> Self {
        let policy = value(&format!("\"{name}\";q={quota};w=60"));
        let untouched = value(&format!("\"{name}\";r={quota};t=0"));
        Self { name, max: quota.get() as usize, cells: Gcra::new(quota, former), policy, untouched, loopback }
    }

    /// Tells the client its state.
    pub(crate) fn write_fields(&self, decision: Decision, headers: &mut HeaderMap) {
        headers.insert(POLICY.clone(), self.policy.clone());
        let state = match decision {
            Decision::Unlimited => self.untouched.clone(),
            Decision::Within(balance) => self.state(balance),
        };
        headers.insert(STATE.clone(), state);
    }

    /// Tells the client that it has to wait.
    pub(crate) fn write_exceeded_fields(&self, exceeded: Exceeded, headers: &mut HeaderMap) {
        headers.insert(POLICY.clone(), self.policy.clone());
        headers.insert(STATE.clone(), self.state(exceeded.0));
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds(exceeded.0.wait)));
    }

    fn state(&self, balance: Balance) -> HeaderValue {
        value(&format!("\"{}\";r={};t={}", self.name, balance.remaining.unwrap_or(0), seconds(balance.wait)))
    }
}

/// Returns whole seconds, rounded up: a client that waits that long has waited enough.
fn seconds(nanoseconds: u64) -> u64 {
    nanoseconds.div_ceil(1_000_000_000)
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""))
}
