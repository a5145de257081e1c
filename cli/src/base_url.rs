//! The host that requests go to.

use std::fmt;

use contract::{routes, text::is_this_machine};

/// Scheme and authority of a service, without a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseUrl(String);

impl BaseUrl {
    /// Parses an address: the host, with or without `/api/v1`, with or without a scheme. The default scheme is `https`,
    /// and `http` for this machine.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, text),
        };
        if rest.contains(['?', '#']) {
            return Err("it has a query or a fragment");
        }
        let rest = rest.trim_end_matches('/');
        let authority = rest.strip_suffix(routes::API_BASE).unwrap_or(rest).trim_end_matches('/');
        if authority.contains('/') {
            return Err("it has a path");
        }
        if authority.contains('@') {
            return Err("it contains a user name; give a credential with --api-key");
        }
        if !authority.is_ascii() {
            return Err("it contains non-ASCII characters; give the `xn--` form of the name");
        }
        if !is_authority(authority) {
            return Err("it is not the address of a host");
        }
        let authority = authority.to_ascii_lowercase();
        let scheme = scheme.unwrap_or_else(|| if is_loopback(&authority) { "http" } else { "https" }.to_owned());
        if scheme != "http" && scheme != "https" {
            return Err("only http and https are supported");
        }
        // One spelling per host: stored keys and answers are found by it.
        let usual = if scheme == "https" { ":443" } else { ":80" };
        let authority = authority.strip_suffix(usual).unwrap_or(&authority);
        Ok(Self(format!("{scheme}://{authority}")))
    }

    /// Returns the URL of `path`, which begins with a slash.
    pub(crate) fn join(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }

    /// Returns whether a credential would be sent unencrypted over a network.
    pub(crate) fn is_exposed(&self) -> bool {
        self.0.strip_prefix("http://").is_some_and(|authority| !is_loopback(authority))
    }

    /// Returns whether the host is this machine, which no proxy can reach.
    pub(crate) fn is_loopback(&self) -> bool {
        self.0.split_once("://").is_some_and(|(_, authority)| is_loopback(authority))
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

fn is_authority(text: &str) -> bool {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (text, None),
    };
    let host_is_fine = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)),
    };
    host_is_fine && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

fn is_loopback(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => host,
        _ => authority,
    };
    is_this_machine(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        BaseUrl::parse(text).map_or_else(str::to_owned, |url| url.to_string())
    }

    #[test]
    fn base_url_is_the_same_for_every_spelling() {
        for text in ["https://a.example", "https://a.example/", "https://A.example/api/v1", "a.example/api/v1/"] {
            assert_eq!(parsed(text), "https://a.example", "{text}");
        }
        assert_eq!(parsed("127.0.0.1:8080"), "http://127.0.0.1:8080");
        assert_eq!(parsed("localhost:8080/api/v1"), "http://localhost:8080");
        assert_eq!(parsed("http://[::1]:80"), "http://[::1]");
        assert_eq!(parsed("https://a.example:443"), "https://a.example");
        assert_eq!(parsed("https://a.example:80"), "https://a.example:80");
    }

    #[test]
    fn base_url_that_is_no_host_is_rejected_with_the_reason() {
        for (text, word) in [
            ("", "address"),
            ("https://", "address"),
            ("https://a.example/firm", "path"),
            ("https://a.example?x=1", "query"),
            ("https://me:secret@a.example", "user name"),
            ("ftp://a.example", "http"),
            ("https://a.example:99999", "address"),
            ("https://a b.example", "address"),
            ("http://ışık.example", "`xn--`"),
        ] {
            assert!(parsed(text).contains(word), "{text}: {}", parsed(text));
        }
    }

    #[test]
    fn credential_is_exposed_by_plain_http_to_another_machine_only() {
        for (text, exposed) in [
            ("http://a.example", true),
            ("https://a.example", false),
            ("http://127.0.0.1:1", false),
            ("http://[::1]", false),
        ] {
            assert_eq!(BaseUrl::parse(text).unwrap().is_exposed(), exposed, "{text}");
        }
    }
}
