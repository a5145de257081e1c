//! Fetches a key set: one request, limited in time and size, without redirects.

use std::{fmt::Debug, io::Read as _, sync::Arc, time::Duration};

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

/// Fetches a document; blocking.
pub(super) trait Fetch: Debug + Send + Sync {
    fn fetch(&self, address: &str) -> Result<FetchedDocument, FetchError>;
}

#[derive(Clone, Debug)]
pub(super) struct FetchedDocument {
    pub(super) body: Vec<u8>,
    /// `max-age` of the response.
    pub(super) max_age: Option<Duration>,
}

/// Why a fetch failed, for the log. The known keys stay in use.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    /// The host has a forbidden address.
    #[error("{Forbidden}")]
    Forbidden,
    /// The status is not 200; redirects are not followed.
    #[error("the answer has the status {0}")]
    Status(u16),
    /// The response is compressed, although not requested so.
    #[error("the answer is compressed")]
    Encoded,
    /// The response exceeds [`MAX_BODY_BYTES`].
    #[error("the answer has more than {MAX_BODY_BYTES} bytes")]
    TooLarge,
    /// The response is not a key set.
    #[error("the answer is not a key set: {0}")]
    NoKeySet(&'static str),
    /// No response in time.
    #[error("there is no answer: {0}")]
    Transport(ureq::Error),
    /// The body is incomplete.
    #[error("the answer broke off: {0}")]
    Broken(std::io::Error),
    /// The task of the fetch ended.
    #[error("the fetch was aborted")]
    Aborted,
}

/// Maximum size of a key set.
const MAX_BODY_BYTES: u64 = 64 * 1024;
/// Maximum size of the response header.
const MAX_HEADER_BYTES: usize = 16 * 1024;
/// Time limit of connecting, with the TLS handshake.
const CONNECT: Duration = Duration::from_secs(2);
/// Time limit of the whole fetch, with name resolution.
const TOTAL: Duration = Duration::from_secs(3);

/// Fetches over HTTPS from public addresses, and over HTTP from this machine.
#[derive(Debug)]
pub(super) struct Https(Agent);

impl Https {
    pub(super) fn new() -> Self {
        Self::with(Guarded(DefaultResolver::default()), RootCerts::WebPki)
    }

    /// Creates a fetcher. Security: connects to every address that `resolver` returns, and trusts every certificate of
    /// `roots`.
    pub(super) fn with(resolver: impl Resolver, roots: RootCerts) -> Self {
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
            .root_certs(roots)
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            // Security: a proxy would resolve names itself, and a redirect would choose another name.
            .proxy(None)
            .max_redirects(0)
            .http_status_as_error(false)
            .timeout_global(Some(TOTAL))
            .timeout_connect(Some(CONNECT))
            .max_response_header_size(MAX_HEADER_BYTES)
            // Keys are fetched hours apart; a kept connection would go to an outdated address.
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
        // Read one byte more than allowed, to detect larger bodies.
        response.body_mut().as_reader().take(MAX_BODY_BYTES + 1).read_to_end(&mut body).map_err(FetchError::Broken)?;
        if body.len() as u64 > MAX_BODY_BYTES {
            Err(FetchError::TooLarge)
        } else {
            Ok(FetchedDocument { body, max_age })
        }
    }
}

/// Returns the values of a field, those that are text.
fn fields(headers: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok())
}
