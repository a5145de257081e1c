//! Causes of a request without a usable reply.

use std::{io, time::Duration};

/// Maximum length of a body. The lists of the largest firm are far smaller.
pub(crate) const MAX_BODY_BYTES: u64 = 16 * 1024 * 1024;

/// Start of the standard library's error for an unknown host name.
const LOOKUP: &str = "failed to lookup address";

/// The TLS library's error for a certificate marked as an authority's, such as `openssl req -x509` makes.
const CA_AS_HOST: &str = "CaUsedAsEndEntity";

/// Time-out for a slow host, in seconds.
const SLOW_HOST_TIMEOUT: u64 = 60;
/// The longest time-out, in seconds.
const MAX_TIMEOUT: u64 = 600;

#[derive(Debug)]
pub(crate) enum Trouble {
    /// No reply within this time.
    Timeout(Duration),
    UnknownHost,
    Unreachable(String),
    Untrusted(String),
    /// No common version or method of TLS.
    Handshake(String),
    /// A reply without TLS.
    NoTls,
    /// The reply ended early.
    CutOff,
    /// The body exceeds [`MAX_BODY_BYTES`].
    TooLarge,
    /// The reply is not HTTP.
    Garbled(String),
}

impl Trouble {
    /// Classifies an I/O error after at most `timeout`.
    pub(crate) fn of_io(error: &io::Error, timeout: Duration) -> Self {
        use io::ErrorKind::{
            ConnectionAborted, ConnectionReset, InvalidData, Other, TimedOut, UnexpectedEof, WouldBlock,
        };
        match error.kind() {
            TimedOut | WouldBlock => Self::Timeout(timeout),
            UnexpectedEof | ConnectionReset | ConnectionAborted => Self::CutOff,
            // A failed TLS handshake.
            InvalidData => match error.get_ref().and_then(|cause| cause.downcast_ref()) {
                Some(cause) => Self::of_tls(cause),
                None => Self::Garbled(error.to_string()),
            },
            // The standard library has no error kind for it.
            _ if error.to_string().starts_with(LOOKUP) => Self::UnknownHost,
            // An error of a SOCKS proxy.
            Other => Self::Unreachable(error.to_string()),
            kind => Self::Unreachable(kind.to_string()),
        }
    }

    pub(crate) fn of_tls(error: &rustls::Error) -> Self {
        use rustls::{CertificateError::UnknownIssuer, Error, InvalidMessage};
        match error {
            Error::InvalidCertificate(UnknownIssuer) => {
                Self::Untrusted("no trusted authority has signed it".to_owned())
            }
            Error::InvalidCertificate(why) if why.to_string().contains(CA_AS_HOST) => {
                Self::Untrusted("it is the certificate of an authority, not of a host".to_owned())
            }
            Error::InvalidCertificate(why) => Self::Untrusted(why.to_string()),
            Error::InvalidMessage(InvalidMessage::InvalidContentType) => Self::NoTls,
            Error::AlertReceived(_)
            | Error::PeerIncompatible(_)
            | Error::PeerMisbehaved(_)
            | Error::NoApplicationProtocol
            | Error::NoCertificatesPresented => Self::Handshake(error.to_string()),
            // The reply may already have begun.
            other => Self::Garbled(other.to_string()),
        }
    }

    /// Returns the message; `proxy` is the proxy of the request. An unreachable proxy cannot be distinguished from an
    /// unreachable host behind it.
    pub(crate) fn message(&self, proxy: Option<&str>) -> String {
        match (self, proxy) {
            (_, None) => self.message_of_host(),
            (Self::UnknownHost, Some(proxy)) => {
                format!("The host cannot be reached through the proxy {proxy}: a name cannot be resolved.")
            }
            (Self::Unreachable(why), Some(proxy)) => {
                format!("The host cannot be reached through the proxy {proxy}: {why}.")
            }
            (_, Some(proxy)) => format!("{} The request went through the proxy {proxy}.", self.message_of_host()),
        }
    }

    fn message_of_host(&self) -> String {
        match self {
            Self::Timeout(limit) => format!("The host did not answer within {} s.", limit.as_secs_f64()),
            Self::UnknownHost => "The name of the host cannot be resolved.".to_owned(),
            Self::Unreachable(why) => format!("The host cannot be reached: {why}."),
            Self::Untrusted(why) => format!("The host's certificate is not trusted: {why}."),
            Self::Handshake(why) => format!("The host and the tool do not agree on a secure connection: {why}."),
            Self::NoTls => "The host does not speak TLS on this port, which https:// requires.".to_owned(),
            Self::CutOff => "The connection ended in the middle of the reply.".to_owned(),
            Self::TooLarge => format!("The reply is larger than {} MiB.", MAX_BODY_BYTES >> 20),
            Self::Garbled(why) => format!("The reply is not HTTP: {why}."),
        }
    }

    pub(crate) const fn remedy(&self, is_proxied: bool) -> &'static str {
        match self {
            Self::Timeout(_) if is_proxied => {
                "Raise --timeout, or check the proxy; NO_PROXY names hosts to contact without it."
            }
            Self::UnknownHost | Self::Unreachable(_) | Self::CutOff if is_proxied => {
                "Check the proxy, then the host; NO_PROXY names hosts to contact without it."
            }
            Self::Timeout(_) => "Try again, or raise --timeout.",
            Self::UnknownHost | Self::Unreachable(_) => {
                "Check the network and the host: --base-url or MECELLE_BASE_URL."
            }
            Self::Untrusted(_) => {
                "Check the host; SSL_CERT_FILE names a file with the authorities to trust instead of the built-in ones."
            }
            Self::Handshake(_) => "Check the host: the tool supports TLS 1.3, and 1.2 with forward secrecy.",
            Self::NoTls => "Check the port; for a service without TLS, use http://.",
            Self::CutOff => "Try again; if it persists, check the connection to the host.",
            Self::TooLarge | Self::Garbled(_) => "Check the host: --base-url or MECELLE_BASE_URL.",
        }
    }

    /// Returns the time-out for another attempt after one without a reply, in seconds.
    pub(crate) fn longer_timeout(&self) -> Option<u64> {
        match self {
            Self::Timeout(limit) if limit.as_secs() < SLOW_HOST_TIMEOUT => Some(SLOW_HOST_TIMEOUT),
            Self::Timeout(_) => Some(MAX_TIMEOUT),
            _ => None,
        }
    }

    /// Returns whether another attempt may succeed.
    pub(crate) const fn is_transient(&self) -> bool {
        matches!(self, Self::Timeout(_) | Self::Unreachable(_) | Self::CutOff)
    }

    /// Returns whether a POST may have taken effect.
    pub(crate) const fn may_have_succeeded(&self) -> bool {
        matches!(self, Self::Timeout(_) | Self::CutOff | Self::TooLarge | Self::Garbled(_))
    }

    /// Returns whether the host did not reply, unlike a wrong reply.
    pub(crate) const fn is_unreachable(&self) -> bool {
        matches!(self, Self::Timeout(_) | Self::UnknownHost | Self::Unreachable(_) | Self::CutOff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_host_name_has_its_own_message() {
        let error = io::Error::other("failed to lookup address information: Temporary failure in name resolution");
        assert!(matches!(Trouble::of_io(&error, Duration::ZERO), Trouble::UnknownHost));
        let error = io::Error::from(io::ErrorKind::ConnectionRefused);
        assert!(
            matches!(Trouble::of_io(&error, Duration::ZERO), Trouble::Unreachable(why) if why == "connection refused")
        );
    }

    #[test]
    fn proxy_is_blamed_only_for_what_may_be_its_fault() {
        assert!(Trouble::CutOff.remedy(true).starts_with("Check the proxy"));
        for trouble in [Trouble::Untrusted(String::new()), Trouble::NoTls, Trouble::TooLarge] {
            assert_eq!(trouble.remedy(true), trouble.remedy(false), "{trouble:?}");
        }
    }

    #[test]
    fn certificates_are_blamed_only_for_their_own_errors() {
        use rustls::{AlertDescription, CertificateError, Error};
        let alert = Error::AlertReceived(AlertDescription::HandshakeFailure);
        let unsigned = Error::InvalidCertificate(CertificateError::UnknownIssuer);
        for (error, is_certificate) in [(alert, false), (Error::DecryptError, false), (unsigned, true)] {
            let trouble = Trouble::of_io(&io::Error::new(io::ErrorKind::InvalidData, error), Duration::ZERO);
            let message = format!("{} {}", trouble.message(None), trouble.remedy(false));
            assert_eq!(
                message.contains("certificate") && message.contains("SSL_CERT_FILE"),
                is_certificate,
                "{message}"
            );
            assert!(!message.contains("UnknownIssuer"), "{message}");
        }
    }
}
