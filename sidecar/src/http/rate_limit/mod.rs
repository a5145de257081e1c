//! Limits of requests per client and minute.

mod client;
mod gcra;

use std::num::NonZeroU32;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use contract::{
    forms::search::QUOTA,
    headers::{RATE_LIMIT, RATE_LIMIT_POLICY},
};

pub(crate) use self::client::ClientKey;
use self::gcra::{Balance, Gcra};
use crate::config::LimitSettings;

pub(crate) struct RateLimits {
    /// Requests to the content API.
    pub(crate) content: Quota,
    /// Requests to the content API with an issued credential.
    pub(crate) content_with_credential: Quota,
    /// Requests to the MCP endpoint.
    pub(crate) mcp: Quota,
    /// Requests to the MCP endpoint with an issued credential.
    pub(crate) mcp_with_credential: Quota,
    /// All requests to the registration flow. Budgets are counted in the store; this limit protects the store.
    pub(crate) registration: Quota,
    /// Queries of the search page.
    pub(crate) search: Quota,
    loopback: bool,
}

/// The factor by which an issued credential raises the limit of the content API.
const MORE: NonZeroU32 = const { NonZeroU32::new(10).unwrap() };

/// The limit of one kind of request per client and minute.
pub(crate) struct Quota {
    name: &'static str,
    max: usize,
    cells: Gcra,
    policy: HeaderValue,
    untouched: HeaderValue,
    /// Whether clients on this machine are limited too.
    loopback: bool,
}

/// The limit's decision about an admitted request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Decision {
    /// The client is exempt.
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
    /// Creates the limits of `settings`, with the use of the `former` ones.
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
    /// Counts the `requests` of one array: all or none. `now` returns the time in nanoseconds and is called only for
    /// limited clients.
    pub(crate) fn count(
        &self,
        client: ClientKey,
        requests: u32,
        now: impl FnOnce() -> u64,
    ) -> Result<Decision, Exceeded> {
        let key = match client {
            // All clients behind one proxy must not be limited as one. The budgets in the store still apply.
            ClientKey::Loopback | ClientKey::Proxied if !self.loopback => return Ok(Decision::Unlimited),
            ClientKey::Loopback | ClientKey::Proxied => u64::MAX,
            ClientKey::Remote(key) => key,
        };
        let balance = self.cells.check(key, requests, now());
        if balance.remaining.is_some() { Ok(Decision::Within(balance)) } else { Err(Exceeded(balance)) }
    }

    /// Returns the most requests of a client at once and in a minute.
    pub(crate) fn max(&self) -> usize {
        self.max
    }

    fn new(name: &'static str, quota: NonZeroU32, loopback: bool, former: Option<&Gcra>) -> Self {
        let policy = value(&format!("\"{name}\";q={quota};w=60"));
        let untouched = value(&format!("\"{name}\";r={quota};t=0"));
        Self { name, max: quota.get() as usize, cells: Gcra::new(quota, former), policy, untouched, loopback }
    }

    /// Writes the state of the limit into the fields of a response.
    pub(crate) fn write_fields(&self, decision: Decision, headers: &mut HeaderMap) {
        headers.insert(POLICY.clone(), self.policy.clone());
        let state = match decision {
            Decision::Unlimited => self.untouched.clone(),
            Decision::Within(balance) => self.state(balance),
        };
        headers.insert(STATE.clone(), state);
    }

    /// Writes the state and `Retry-After` into the fields of a 429.
    pub(crate) fn write_exceeded_fields(&self, exceeded: Exceeded, headers: &mut HeaderMap) {
        headers.insert(POLICY.clone(), self.policy.clone());
        headers.insert(STATE.clone(), self.state(exceeded.0));
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds(exceeded.0.wait)));
    }

    fn state(&self, balance: Balance) -> HeaderValue {
        value(&format!("\"{}\";r={};t={}", self.name, balance.remaining.unwrap_or(0), seconds(balance.wait)))
    }
}

/// Returns whole seconds, rounded up, so that a client that waits that long succeeds.
fn seconds(nanoseconds: u64) -> u64 {
    nanoseconds.div_ceil(1_000_000_000)
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""))
}
