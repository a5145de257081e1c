//! Fetches a key set: one request, a few seconds, a few bytes, no detours.

use std::{fmt, io::Read as _, sync::Arc, time::Duration};

use ureq::{
    Agent,
    http::{HeaderMap, header},
    tls::{RootCerts, TlsConfig, TlsProvider},
    unversioned::{
        resolver::{DefaultResolver, Resolver},
        transport::{Connector as _, RustlsConnector, TcpConnector},
    },
};

use super::{
    address::{Forbidden, Guarded},
    freshness,
};

/// Something that gets the document at an address. It blocks; the cache calls it where blocking is allowed.
pub(super) trait Fetch: fmt::Debug + Send + Sync {
    /// Gets the document at `address`.
    fn fetch(&self, address: &str) -> Result<FetchedDocument, FetchError>;
}

/// A document.
#[derive(Clone, Debug)]
pub(super) struct FetchedDocument {
    pub(super) body: Vec<u8>,
    /// How long its sender says that it may be kept.
    pub(super) max_age: Option<Duration>,
}

/// Why there is no document. Whatever the reason, the known keys stay in use; the variants are for the log.
#[derive(Debug)]
pub(super) enum FetchError {
    /// The host has an address that must not be connected to.
    Forbidden,
    /// The answer has a status other than 200; redirects are not followed.
    Status(u16),
    /// The answer is compressed, although that was not requested.
    Encoded,
    /// The answer has more than 64 KiB.
    TooLarge,
    /// The answer is not a key set.
    NoKeySet(&'static str),
    /// There is no answer, or it did not come in time.
    Transport(ureq::Error),
    /// The answer broke off, or took too long.
    Broken(std::io::Error),
    /// The fetch itself was aborted.
    Aborted,
}

impl fmt::Display for FetchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forbidden => Forbidden.fmt(out),
            Self::Status(status) => write!(out, "the answer has the status {status}"),
            Self::Encoded => out.write_str("the answer is compressed"),
            Self::TooLarge => write!(out, "the answer has more than {MAX_BODY_BYTES} bytes"),
            Self::NoKeySet(reason) => write!(out, "the answer is not a key set: {reason}"),
            Self::Transport(error) => write!(out, "there is no answer: {error}"),
            Self::Broken(error) => write!(out, "the answer broke off: {error}"),
            Self::Aborted => out.write_str("the fetch was aborted"),
        }
    }
}

/// The most bytes that a key set may have.
const MAX_BODY_BYTES: u64 = 64 * 1024;
/// The most bytes that the header of the answer may have.
const MAX_HEADER_BYTES: usize = 16 * 1024;
/// How long connecting may take, including the handshake.
const CONNECT: Duration = Duration::from_secs(2);
/// How long everything may take, from resolving the name to the last byte.
const TOTAL: Duration = Duration::from_secs(3);

/// Fetches from public addresses over HTTPS, and from this machine over HTTP.
#[derive(Debug)]
pub(super) struct Https(Agent);

impl Https {
    pub(super) fn new() -> Self {
        Self::with(Guarded(DefaultResolver::default()), RootCerts::WebPki)
    }

    /// Creates a fetcher with this resolver and these roots. Security: every address that `resolver` returns is
    /// connected to, and everybody whom `roots` vouch for is trusted.
    pub(super) fn with(resolver: impl Resolver, roots: RootCerts) -> Self {
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
            .root_certs(roots)
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            // Security: a proxy from the environment would resolve names itself, and a redirect would choose the next
            // name.
            .proxy(None)
            .max_redirects(0)
            .http_status_as_error(false)
            .timeout_global(Some(TOTAL))
            .timeout_connect(Some(CONNECT))
            .max_response_header_size(MAX_HEADER_BYTES)
            // Keys are fetched hours apart; a connection that was kept would lead to where the name pointed long ago.
            .max_idle_connections(0)
            .user_agent(concat!("mecelle-sidecar/", env!("CARGO_PKG_VERSION")))
            .accept("application/jwk-set+json, application/json")
            .accept_encoding("identity")
            .build();
        let connector = ().chain(TcpConnector::default()).chain(RustlsConnector::default());
        Self(Agent::with_parts(config, connector, resolver))
    }
}

impl Fetch for Https {
    fn fetch(&self, address: &str) -> Result<FetchedDocument, FetchError> {
        let mut response = self.0.get(address).call().map_err(|error| match error {
            ureq::Error::Other(cause) if cause.is::<Forbidden>() => FetchError::Forbidden,
            error => FetchError::Transport(error),
        })?;
        if response.status() != 200 {
            return Err(FetchError::Status(response.status().as_u16()));
        }
        if fields(response.headers(), header::CONTENT_ENCODING).any(|value| !value.eq_ignore_ascii_case("identity")) {
            return Err(FetchError::Encoded);
        }
        let max_age = freshness::max_age(fields(response.headers(), header::CACHE_CONTROL));
        if response.body().content_length().is_some_and(|length| length > MAX_BODY_BYTES) {
            return Err(FetchError::TooLarge);
        }
        let mut body = Vec::new();
        // One byte more than allowed is enough to tell, however many follow.
        response.body_mut().as_reader().take(MAX_BODY_BYTES + 1).read_to_end(&mut body).map_err(FetchError::Broken)?;
        if body.len() as u64 > MAX_BODY_BYTES {
            Err(FetchError::TooLarge)
        } else {
            Ok(FetchedDocument { body, max_age })
        }
    }
}

/// Returns the values of a field that are text.
fn fields(headers: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok())
}
