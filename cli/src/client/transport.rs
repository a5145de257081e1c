//! One attempt over HTTP; the only module that knows the HTTP library.

use std::{fs, io, io::Read, path::Path, sync::Arc, time::Duration};

use contract::headers;
use ureq::{
    Agent, Body, Error, Proxy,
    http::{HeaderMap, Response, header},
    tls::{PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem},
};

use crate::{
    failure::Failure,
    settings::{Key, Settings},
    surroundings::Surroundings,
};

/// The largest body that is read. The largest firm's lists are far below it.
const LARGEST_BODY: u64 = 16 * 1024 * 1024;

/// How the standard library begins the fault of a name that could not be looked up.
const LOOKUP: &str = "failed to lookup address";

/// A configured HTTP client.
pub(crate) struct Transport {
    agent: Agent,
    timeout: Duration,
}

/// One question.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) url: &'a str,
    pub(crate) key: Option<&'a Key>,
    /// The tag of the stored answer.
    pub(crate) tag: Option<&'a str>,
}

/// Something that is handed over. It is sent once: what it does must not be done twice.
#[derive(Clone, Copy)]
pub(crate) struct Parcel<'a> {
    pub(crate) url: &'a str,
    pub(crate) key: Option<&'a Key>,
    /// Media type of the body.
    pub(crate) media_type: &'a str,
    /// Further header fields.
    pub(crate) fields: &'a [(&'static str, &'a str)],
    pub(crate) body: &'a [u8],
}

/// What came back: any status, the fields that matter, and the whole body.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// Whether a key went with the question.
    pub(crate) keyed: bool,
    pub(crate) content_type: Option<String>,
    pub(crate) tag: Option<String>,
    pub(crate) location: Option<String>,
    pub(crate) request_id: Option<String>,
    pub(crate) retry_after: Option<String>,
    /// Whether the reply may be stored at all (RFC 9111, 5.2.2.5).
    pub(crate) is_storable: bool,
    pub(crate) body: Vec<u8>,
}

/// Why nothing usable came back.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Not within the time.
    Timeout(Duration),
    /// The name has no address.
    UnknownHost,
    /// No connection.
    Unreachable(String),
    /// The connection is not trusted.
    Untrusted(String),
    /// The reply ended early.
    CutOff,
    /// The reply is larger than any answer.
    TooLarge,
    /// The other side does not speak HTTP.
    Garbled(String),
}

impl Trouble {
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Timeout(limit) => format!("The host did not answer within {} s.", limit.as_secs_f64()),
            Self::UnknownHost => "The name of the host cannot be looked up.".to_owned(),
            Self::Unreachable(why) => format!("The host cannot be reached: {why}."),
            Self::Untrusted(why) => format!("The host's certificate is not trusted: {why}."),
            Self::CutOff => "The connection ended in the middle of the reply.".to_owned(),
            Self::TooLarge => format!("The reply is larger than {} MiB.", LARGEST_BODY >> 20),
            Self::Garbled(why) => format!("The reply is not HTTP: {why}."),
        }
    }

    pub(crate) const fn remedy(&self) -> &'static str {
        match self {
            Self::Timeout(_) => "Try again, or give the host more time.",
            Self::UnknownHost | Self::Unreachable(_) => {
                "Check the network and the host: --base-url or MECELLE_BASE_URL."
            }
            Self::Untrusted(_) => "Check the host; SSL_CERT_FILE names a file with further authorities to trust.",
            Self::CutOff => "Try again; if it persists, something between you and the host is at fault.",
            Self::TooLarge | Self::Garbled(_) => "Check the host: --base-url or MECELLE_BASE_URL.",
        }
    }

    /// Whether another attempt may succeed.
    pub(crate) const fn is_passing(&self) -> bool {
        matches!(self, Self::Timeout(_) | Self::Unreachable(_) | Self::CutOff)
    }

    /// Whether what was handed over may have been done all the same.
    pub(crate) const fn is_doubt(&self) -> bool {
        matches!(self, Self::Timeout(_) | Self::CutOff | Self::TooLarge | Self::Garbled(_))
    }

    /// Whether the host is out of reach, rather than answering wrongly.
    pub(crate) const fn is_absence(&self) -> bool {
        matches!(self, Self::Timeout(_) | Self::UnknownHost | Self::Unreachable(_) | Self::CutOff)
    }
}

impl Transport {
    pub(crate) fn new(settings: &Settings, env: &Surroundings) -> Result<Self, Failure> {
        let roots = match env.path("SSL_CERT_FILE") {
            Some(path) => roots(path)?,
            None => RootCerts::WebPki,
        };
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
            .root_certs(roots)
            .build();
        // No proxy can reach a service on this machine.
        let proxy = if settings.base.is_loopback() { None } else { Proxy::try_from_env() };
        let config = Agent::config_builder()
            .tls_config(tls)
            .proxy(proxy)
            .timeout_global(Some(settings.timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("mecelle/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .build();
        Ok(Self { agent: config.new_agent(), timeout: settings.timeout })
    }

    /// Asks once.
    pub(crate) fn send(&self, attempt: &Attempt<'_>) -> Result<Reply, Trouble> {
        let mut request = self.agent.get(attempt.url);
        if let Some(key) = attempt.key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", key.reveal()));
        }
        if let Some(tag) = attempt.tag {
            request = request.header(header::IF_NONE_MATCH, tag);
        }
        self.read(request.call(), attempt.key.is_some())
    }

    /// Hands over a body, once.
    pub(crate) fn post(&self, parcel: &Parcel<'_>) -> Result<Reply, Trouble> {
        let mut request = self.agent.post(parcel.url).header(header::CONTENT_TYPE, parcel.media_type);
        if let Some(key) = parcel.key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", key.reveal()));
        }
        for (name, value) in parcel.fields {
            request = request.header(*name, *value);
        }
        self.read(request.send(parcel.body), parcel.key.is_some())
    }

    fn read(&self, answered: Result<Response<Body>, Error>, keyed: bool) -> Result<Reply, Trouble> {
        let mut response = answered.map_err(|error| self.trouble(error))?;
        let mut body = Vec::new();
        let mut reader = response.body_mut().with_config().limit(u64::MAX).reader().take(LARGEST_BODY + 1);
        reader.read_to_end(&mut body).map_err(|error| self.trouble(Error::from(error)))?;
        if body.len() as u64 > LARGEST_BODY {
            return Err(Trouble::TooLarge);
        }
        let fields = response.headers();
        Ok(Reply {
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
            Error::Io(error) => of_io(&error, self.timeout),
            Error::ConnectionFailed => Trouble::Unreachable("the connection failed".to_owned()),
            Error::ConnectProxyFailed(why) => Trouble::Unreachable(format!("the proxy refused, {why}")),
            Error::Rustls(why) => Trouble::Untrusted(why.to_string()),
            Error::Tls(why) => Trouble::Untrusted(why.to_owned()),
            Error::LargeResponseHeader(..) => Trouble::TooLarge,
            other => Trouble::Garbled(other.to_string()),
        }
    }
}

fn of_io(error: &io::Error, timeout: Duration) -> Trouble {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, InvalidData, TimedOut, UnexpectedEof, WouldBlock};
    match error.kind() {
        TimedOut | WouldBlock => Trouble::Timeout(timeout),
        UnexpectedEof | ConnectionReset | ConnectionAborted => Trouble::CutOff,
        // How a failed handshake arrives.
        InvalidData => Trouble::Untrusted(error.to_string()),
        // The standard library has no kind for a name that nobody knows.
        _ if error.to_string().starts_with(LOOKUP) => Trouble::UnknownHost,
        kind => Trouble::Unreachable(kind.to_string()),
    }
}

/// The authorities in a PEM file, in place of the built-in ones.
fn roots(path: &Path) -> Result<RootCerts, Failure> {
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
    if certificates.is_empty() { Err(wrong("it holds no certificate".to_owned())) } else { Ok(certificates.into()) }
}

/// Whether no `Cache-Control` forbids to store: the field may stand there several times (RFC 9110, 5.3).
fn is_storable(fields: &HeaderMap) -> bool {
    let forbids = |rules: &[u8]| String::from_utf8_lossy(rules).to_ascii_lowercase().contains("no-store");
    !fields.get_all(header::CACHE_CONTROL).iter().any(|rules| forbids(rules.as_bytes()))
}

fn field(fields: &HeaderMap, name: &str) -> Option<String> {
    Some(fields.get(name)?.to_str().ok()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_cannot_be_looked_up_is_told_as_such() {
        let error = io::Error::other("failed to lookup address information: Temporary failure in name resolution");
        assert!(matches!(of_io(&error, Duration::ZERO), Trouble::UnknownHost));
        let error = io::Error::from(io::ErrorKind::ConnectionRefused);
        assert!(matches!(of_io(&error, Duration::ZERO), Trouble::Unreachable(why) if why == "connection refused"));
    }
}
