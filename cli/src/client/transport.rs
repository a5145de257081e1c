//! One attempt over HTTP. Only this module and the proxy module use the HTTP library.

use std::{fs, io::Read, path::Path, sync::Arc, time::Duration};

use contract::headers;
use ureq::{
    Agent, Body, Error,
    http::{HeaderMap, Response, header},
    tls::{PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem},
};

use super::proxy;
use crate::{
    failure::Failure,
    key::Key,
    settings::Settings,
    surroundings::Surroundings,
    trouble::{MAX_BODY_BYTES, Trouble},
};

pub(crate) struct HttpTransport {
    agent: Agent,
    timeout: Duration,
    /// The proxy's name in failures.
    proxy: Option<String>,
}

#[derive(Clone, Copy)]
pub(crate) struct GetRequest<'a> {
    pub(crate) url: &'a str,
    pub(crate) key: Option<&'a Key>,
    /// The tag of the cached answer.
    pub(crate) tag: Option<&'a str>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PostRequest<'a> {
    pub(crate) path: &'a str,
    pub(crate) media_type: &'a str,
    pub(crate) fields: &'a [(&'static str, &'a str)],
    pub(crate) body: &'a [u8],
    /// Send the settings' key with the request.
    pub(crate) keyed: bool,
}

/// Status, relevant header fields and the whole body.
#[derive(Debug)]
pub(crate) struct HttpReply {
    pub(crate) status: u16,
    /// Whether a key was sent with the request.
    pub(crate) keyed: bool,
    pub(crate) content_type: Option<String>,
    pub(crate) tag: Option<String>,
    pub(crate) location: Option<String>,
    pub(crate) request_id: Option<String>,
    pub(crate) retry_after: Option<String>,
    /// No `no-store` in the reply (RFC 9111, 5.2.2.5).
    pub(crate) is_storable: bool,
    pub(crate) body: Vec<u8>,
}

impl HttpTransport {
    pub(crate) fn new(settings: &Settings, env: &Surroundings) -> Result<Self, Failure> {
        let roots = match env.path("SSL_CERT_FILE") {
            Some(path) => load_roots(path)?,
            None => RootCerts::WebPki,
        };
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
            .root_certs(roots)
            .build();
        // No proxy can reach a service on this machine.
        let named = if settings.base.is_loopback() { None } else { proxy::from_environment(env)? };
        let proxy = named.as_ref().and_then(|named| named.label_for(&settings.base.join("/")));
        let config = Agent::config_builder()
            .tls_config(tls)
            .proxy(named.map(|named| named.proxy))
            .timeout_global(Some(settings.timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("mecelle/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .build();
        Ok(Self { agent: config.new_agent(), timeout: settings.timeout, proxy })
    }

    /// Builds the failure after `attempts` attempts at `url`.
    pub(super) fn failure(&self, trouble: Trouble, url: &str, attempts: u8) -> Failure {
        Failure::Network { trouble, url: url.to_owned(), attempts, proxy: self.proxy.clone() }
    }

    pub(crate) fn send(&self, get: &GetRequest<'_>) -> Result<HttpReply, Trouble> {
        let mut request = self.agent.get(get.url);
        if let Some(key) = get.key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", key.reveal()));
        }
        if let Some(tag) = get.tag {
            request = request.header(header::IF_NONE_MATCH, tag);
        }
        self.read(request.call(), get.key.is_some())
    }

    /// Sends `post` to `url` once, since a repeated POST would take effect twice.
    pub(crate) fn post(&self, post: &PostRequest<'_>, url: &str, key: Option<&Key>) -> Result<HttpReply, Trouble> {
        let mut request = self.agent.post(url).header(header::CONTENT_TYPE, post.media_type);
        if let Some(key) = key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", key.reveal()));
        }
        for (name, value) in post.fields {
            request = request.header(*name, *value);
        }
        self.read(request.send(post.body), key.is_some())
    }

    fn read(&self, answered: Result<Response<Body>, Error>, keyed: bool) -> Result<HttpReply, Trouble> {
        let mut response = answered.map_err(|error| self.trouble(error))?;
        let mut body = Vec::new();
        let mut reader = response.body_mut().with_config().limit(u64::MAX).reader().take(MAX_BODY_BYTES + 1);
        reader.read_to_end(&mut body).map_err(|error| self.trouble(Error::from(error)))?;
        if body.len() as u64 > MAX_BODY_BYTES {
            return Err(Trouble::TooLarge);
        }
        let fields = response.headers();
        Ok(HttpReply {
            status: response.status().as_u16(),
            keyed,
            content_type: field(fields, header::CONTENT_TYPE.as_str()),
            tag: field(fields, header::ETAG.as_str()),
            location: field(fields, header::LOCATION.as_str()),
            request_id: field(fields, headers::X_REQUEST_ID),
            retry_after: field(fields, header::RETRY_AFTER.as_str()),
            is_storable: is_storable(fields),
            body,
        })
    }

    fn trouble(&self, error: Error) -> Trouble {
        match error {
            Error::Timeout(_) => Trouble::Timeout(self.timeout),
            Error::HostNotFound => Trouble::UnknownHost,
            Error::Io(error) => Trouble::of_io(&error, self.timeout),
            Error::ConnectionFailed => Trouble::Unreachable("the connection failed".to_owned()),
            Error::ConnectProxyFailed(why) => Trouble::Unreachable(format!("the proxy refused, {why}")),
            Error::Rustls(why) => Trouble::of_tls(&why),
            Error::Tls(why) => Trouble::Handshake(why.to_owned()),
            Error::LargeResponseHeader(..) => Trouble::TooLarge,
            other => Trouble::Garbled(other.to_string()),
        }
    }
}

/// Reads the certificate authorities of a PEM file, which replace the built-in ones.
fn load_roots(path: &Path) -> Result<RootCerts, Failure> {
    let wrong = |why: String| {
        let remedy = "Name a PEM file with certificates, or unset the variable.";
        Failure::usage(format!("SSL_CERT_FILE is `{}`: {why}.", path.display()), remedy)
    };
    let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let certificates: Vec<_> = parse_pem(&bytes)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if certificates.is_empty() { Err(wrong("it contains no certificate".to_owned())) } else { Ok(certificates.into()) }
}

/// Returns whether no `Cache-Control` field has `no-store`; there may be several fields (RFC 9110, 5.3).
fn is_storable(fields: &HeaderMap) -> bool {
    let forbids = |rules: &[u8]| String::from_utf8_lossy(rules).to_ascii_lowercase().contains("no-store");
    !fields.get_all(header::CACHE_CONTROL).iter().any(|rules| forbids(rules.as_bytes()))
}

fn field(fields: &HeaderMap, name: &str) -> Option<String> {
    Some(fields.get(name)?.to_str().ok()?.to_owned())
}
