//! Requests to the site. This is the only module that knows the HTTP library.

use std::{sync::Arc, time::Duration};

use ureq::{
    Agent, AsSendBody, Body, Proxy,
    http::{Request, Response, request::Builder},
    tls::{RootCerts, TlsConfig, TlsProvider},
};

use crate::{
    messages::{self, Text},
    source::is_loopback,
};

/// How long one answer may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest body that is read, in bytes.
const MAX_BODY_BYTES: u64 = 16 * 1024 * 1024;

/// A client for one site.
pub(super) struct Visit {
    origin: String,
    agent: Agent,
}

/// An answer, with its whole body.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    head: Response<()>,
}

impl Visit {
    pub(super) fn new(origin: &str) -> Self {
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
            .root_certs(RootCerts::WebPki)
            .build();
        // A proxy cannot reach a site on this machine.
        let proxy = if is_loopback(origin) { None } else { Proxy::try_from_env() };
        let config = Agent::config_builder()
            .tls_config(tls)
            .proxy(proxy)
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("mecelle-doctor/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { origin: origin.to_owned(), agent: config.new_agent() }
    }

    /// Returns the scheme and host.
    pub(super) fn origin(&self) -> &str {
        &self.origin
    }

    pub(super) fn get(&self, path: &str, fields: &[(&str, &str)]) -> Result<Answer, Text> {
        self.ask("GET", path, fields)
    }

    /// Sends a request for `path`; the error is meant for people.
    pub(super) fn ask(&self, method: &str, path: &str, fields: &[(&str, &str)]) -> Result<Answer, Text> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.origin));
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        self.send(request, (), (method, path))
    }

    /// Posts JSON to `path`; the error is meant for people.
    pub(super) fn post(&self, path: &str, fields: &[(&str, &str)], body: &str) -> Result<Answer, Text> {
        let mut request = Request::builder().method("POST").uri(format!("{}{path}", self.origin));
        for (name, value) in [("content-type", "application/json")].iter().chain(fields) {
            request = request.header(*name, *value);
        }
        self.send(request, body.to_owned(), ("POST", path))
    }

    fn send(&self, request: Builder, body: impl AsSendBody, (method, path): (&str, &str)) -> Result<Answer, Text> {
        let unanswered = |error: &dyn std::fmt::Display| messages::request_unanswered(method, path, error);
        let request = request.body(body).map_err(|error| unanswered(&error))?;
        let response: Response<Body> = self.agent.run(request).map_err(|error| unanswered(&error))?;
        let (parts, mut body) = response.into_parts();
        let body = body.with_config().limit(MAX_BODY_BYTES).read_to_vec().map_err(|error| unanswered(&error))?;
        Ok(Answer { status: parts.status.as_u16(), body, head: Response::from_parts(parts, ()) })
    }
}

impl Answer {
    /// Returns the first value of a field; empty if there is none.
    pub(super) fn field(&self, name: &str) -> &str {
        self.head.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Whether the answer is of a media type, whatever its parameters.
    pub(super) fn has_type(&self, media_type: &str) -> bool {
        let essence = |text: &str| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        essence(self.field("content-type")) == essence(media_type)
    }

    /// Whether a field that is a list, on one line or on several, names `word`.
    pub(super) fn names(&self, field: &str, word: &str) -> bool {
        let lines = self.head.headers().get_all(field).iter().filter_map(|value| value.to_str().ok());
        lines.flat_map(|line| line.split(',')).any(|name| name.trim().eq_ignore_ascii_case(word))
    }

    /// Whether the body explains an error, as every error of the API does.
    pub(super) fn is_error(&self) -> bool {
        let told = self.json().unwrap_or_default();
        ["error", "message", "resolution"].iter().all(|field| told[*field].is_string())
    }

    pub(super) fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    pub(super) fn json(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::from_slice(&self.body)
    }
}
