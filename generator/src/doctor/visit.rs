//! Requests to the site. Only this module uses the HTTP library.

use std::{
    cell::{Cell, OnceCell, RefCell},
    io::ErrorKind,
    sync::Arc,
    thread,
    time::Duration,
};

use answers::Names;
use contract::text::{host_of, is_this_machine};
use contract::{Locale, headers::X_REQUEST_ID, media};
use findings::messages::{self, Text};
use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};
use ureq::{
    Agent, AsSendBody, Proxy,
    http::{HeaderMap, Request, Response},
    tls::{Certificate, RootCerts, TlsConfig, TlsProvider},
};

use super::fault::Fault;

const TIMEOUT: Duration = Duration::from_secs(30);
/// Seconds that a visit waits in total for `Retry-After`: its requests exceed some rate limits of a minute.
const PATIENCE: u64 = 120;
const MAX_BODY_BYTES: u64 = 16 * 1024 * 1024;

/// Errors of a connection that the server has closed.
const ENDED: [ErrorKind; 3] = [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];

/// A client for one site.
pub(super) struct Visit {
    origin: String,
    agent: Agent,
    /// Seconds by which the server's clock is ahead of this machine's.
    clock_error: i64,
    /// Seconds left of [`PATIENCE`].
    patience: Cell<u64>,
    has_waited: Cell<bool>,
    /// Paths whose 429 had no `Retry-After`.
    endless: RefCell<Vec<String>>,
    /// Paths whose 503 was none a moment later.
    limited: RefCell<Vec<String>>,
    /// How many more answers 503 are doubted.
    doubts: Cell<u32>,
    /// Values of the placeholders in the table of answers, looked up once.
    pub(super) names: OnceCell<Names>,
}

/// A response with its whole body.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    head: Response<()>,
}

impl Visit {
    /// Creates a client for `origin`.
    ///
    /// # Errors
    /// If the certificates of this machine's authorities cannot be read.
    pub(super) fn new(origin: &str) -> Result<Self, Text> {
        let roots = if origin.starts_with("https://") { roots()? } else { RootCerts::WebPki };
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
            .root_certs(roots)
            .build();
        // A proxy cannot reach a site on this machine.
        let proxy = if is_this_machine(host_of(origin)) { None } else { Proxy::try_from_env() };
        let config = Agent::config_builder()
            .tls_config(tls)
            .proxy(proxy)
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("mecelle-doctor/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self {
            origin: origin.to_owned(),
            agent: config.new_agent(),
            clock_error: 0,
            patience: Cell::new(PATIENCE),
            has_waited: Cell::default(),
            endless: RefCell::default(),
            limited: RefCell::default(),
            doubts: Cell::new(3),
            names: OnceCell::new(),
        })
    }

    pub(super) fn origin(&self) -> &str {
        &self.origin
    }

    /// Compares the `Date` of an answer, if it can be parsed, with `now`.
    pub(super) fn compare_clocks(&mut self, answer: &Answer, now: Timestamp) {
        let there = DateTimeParser::new().parse_timestamp(answer.field("date"));
        self.clock_error = there.map_or(0, |there| there.as_second() - now.as_second());
    }

    /// Returns the seconds by which the server's clock is ahead of this machine's.
    pub(super) const fn clock_error(&self) -> i64 {
        self.clock_error
    }

    /// Returns whether the rate limit of the service was reached, and the paths whose 429 had no `Retry-After`.
    pub(super) fn rate_limit_hits(&self) -> (bool, Vec<String>) {
        (self.has_waited.get(), self.endless.borrow().clone())
    }

    /// Returns the paths whose 503 was none a moment later.
    pub(super) fn limited(&self) -> Vec<String> {
        self.limited.borrow().clone()
    }

    pub(super) fn get(&self, path: &str, fields: &[(&str, &str)]) -> Result<Answer, Fault> {
        self.ask("GET", path, fields)
    }

    /// Sends a request for `path`.
    pub(super) fn ask(&self, method: &str, path: &str, fields: &[(&str, &str)]) -> Result<Answer, Fault> {
        self.send((method, path), fields, ()).map_err(|error| unanswered_fault(path, error))
    }

    /// Posts `body` to `path`; `fields` contain its media type.
    pub(super) fn post(&self, path: &str, fields: &[(&str, &str)], body: &str) -> Result<Answer, Fault> {
        self.send(("POST", path), fields, body.to_owned()).map_err(|error| unanswered_fault(path, error))
    }

    /// Sends a request; after a 429 waits once as long as `Retry-After` names.
    pub(super) fn send(
        &self,
        (method, path): (&str, &str),
        fields: &[(&str, &str)],
        body: impl AsSendBody + Clone,
    ) -> Result<Answer, ureq::Error> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.origin));
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let request = request.body(body)?;
        let answer = self.exchange(&request)?;
        if answer.status == 429 {
            let retry_after = wait(answer.head.headers());
            self.has_waited.set(true);
            if retry_after.is_none() {
                self.endless.borrow_mut().push(path.to_owned());
            }
            if self.sleep(retry_after.unwrap_or(1)) {
                return self.exchange(&request);
            }
        }
        // Unlike a service that is down, one behind a limit answers a moment later.
        if answer.status == 503 && !answer.is_error() && self.doubts.get() > 0 && self.sleep(1) {
            let again = self.exchange(&request)?;
            if again.status == 503 {
                self.doubts.set(self.doubts.get() - 1);
            } else {
                self.limited.borrow_mut().push(path.to_owned());
            }
            return Ok(again);
        }
        Ok(answer)
    }

    fn exchange(&self, request: &Request<impl AsSendBody + Clone>) -> Result<Answer, ureq::Error> {
        let response = match self.agent.run(request.clone()) {
            // The server has closed a connection of an earlier request: try again on a new one.
            Err(ureq::Error::Io(error)) if ENDED.contains(&error.kind()) => self.agent.run(request.clone()),
            answered => answered,
        };
        let (parts, mut body) = response?.into_parts();
        let body = body.with_config().limit(MAX_BODY_BYTES).read_to_vec()?;
        Ok(Answer { status: parts.status.as_u16(), body, head: Response::from_parts(parts, ()) })
    }

    /// Sleeps if enough of [`PATIENCE`] is left.
    fn sleep(&self, seconds: u64) -> bool {
        let left = self.patience.get().checked_sub(seconds);
        if let Some(left) = left {
            self.patience.set(left);
            thread::sleep(Duration::from_secs(seconds));
        }
        left.is_some()
    }
}

/// Returns `Retry-After` in seconds; the field holds a number or a date (RFC 9110, 10.2.3).
fn wait(fields: &HeaderMap) -> Option<u64> {
    let field = |name: &str| fields.get(name).and_then(|value| value.to_str().ok());
    let date = |text: &str| DateTimeParser::new().parse_timestamp(text).ok().map(Timestamp::as_second);
    let value = field("retry-after")?;
    let until = |then: i64| u64::try_from(then - field("date").and_then(date).unwrap_or(then - 1)).unwrap_or_default();
    value.parse().ok().or_else(|| date(value).map(until))
}

/// Returns the fault of a request without an answer.
fn unanswered_fault(path: &str, error: ureq::Error) -> Fault {
    Fault::new(path, messages::request_unanswered(error), messages::doctor_answer_help)
}

/// Returns the trusted certificate authorities: those of this machine or of `SSL_CERT_FILE`; if there are none, as in a
/// small container, the built-in ones.
fn roots() -> Result<RootCerts, Text> {
    let found = rustls_native_certs::load_native_certs();
    if let (true, Some(error)) = (found.certs.is_empty(), found.errors.first()) {
        return Err(messages::authorities_unreadable(error));
    }
    let roots = found.certs.iter().map(|root| Certificate::from_der(root).to_owned());
    Ok(if found.certs.is_empty() { RootCerts::WebPki } else { roots.into() })
}

impl Answer {
    /// Returns the first value of a field; empty if there is none.
    pub(super) fn field(&self, name: &str) -> &str {
        self.head.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns every value of a field.
    pub(super) fn lines(&self, name: &str) -> Vec<&str> {
        self.head.headers().get_all(name).iter().filter_map(|value| value.to_str().ok()).collect()
    }

    /// Returns whether a page has a script that is not the site's. Its own are JSON-LD and the script whose digest the
    /// policy names; without a policy, every script with a digest counts as its own.
    pub(super) fn has_script(&self) -> bool {
        let text = self.text().to_ascii_lowercase();
        let policy = self.field("content-security-policy").to_ascii_lowercase();
        let is_own = |rest: &str| {
            let tag = rest.split('>').next().unwrap_or_default();
            let digest = tag.split("integrity=\"").nth(1).and_then(|rest| rest.split('"').next());
            tag.trim_start().starts_with("type=\"application/ld+json\"")
                || digest.is_some_and(|digest| policy.is_empty() || policy.contains(&format!("'{digest}'")))
        };
        self.has_type("text/html") && text.split("<script").skip(1).any(|rest| !is_own(rest))
    }

    /// Returns the media type without parameters; empty if there is none.
    pub(super) fn media_type(&self) -> &str {
        essence(self.field("content-type"))
    }

    /// Returns whether the media type, without parameters, is this one.
    pub(super) fn has_type(&self, media_type: &str) -> bool {
        self.media_type().eq_ignore_ascii_case(essence(media_type))
    }

    /// Returns whether a list field, on one line or several, contains `word`.
    pub(super) fn names(&self, field: &str, word: &str) -> bool {
        self.lines(field)
            .into_iter()
            .flat_map(|line| line.split(','))
            .any(|name| name.trim().eq_ignore_ascii_case(word))
    }

    /// Returns whether the body is an error in the form of the API.
    pub(super) fn is_error(&self) -> bool {
        let body = self.json().unwrap_or_default();
        ["error", "message", "resolution"].iter().all(|field| body[*field].is_string())
    }

    /// Returns whether the service sent the response: an error of the API, a JSON-RPC message, or a page with one of
    /// the service's header fields. One field is enough, because a proxy may drop others; a response without type may
    /// be a page.
    pub(super) fn is_own(&self) -> bool {
        let body = self.json().unwrap_or_default();
        let is_page = self.has_type(media::HTML) || self.media_type().is_empty();
        // Error pages of others may have `Content-Language`, but no request id.
        let may_be_page_of_others = self.status >= 400 && self.field(X_REQUEST_ID).is_empty();
        let is_signed = self.field("content-security-policy").starts_with("default-src 'none'")
            || self.field("x-frame-options") == "DENY"
            || !may_be_page_of_others
                && Locale::ALL.iter().any(|locale| self.field("content-language") == locale.as_str());
        self.is_error() || body["jsonrpc"].is_string() || body["err"].is_string() || is_page && is_signed
    }

    /// Returns the message about the status and the media type.
    pub(super) fn status_message(&self) -> Text {
        match self.media_type() {
            "" => messages::status_without_type(self.status),
            media_type => messages::status_and_type(self.status, media_type),
        }
    }

    pub(super) fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    pub(super) fn json(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::from_slice(&self.body)
    }
}

fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}
