//! The client under which a request counts.

use std::net::{IpAddr, SocketAddr};

use crate::config::Network;

/// The key of a client for limits: one IPv4 address, or the /64 network in which an IPv6 host chooses its addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientKey {
    /// A person at this machine, on which the site is.
    Loopback,
    /// Any client behind a proxy on this machine that names no client or is not trusted.
    Proxied,
    /// Another machine. Security: the number is never logged.
    Remote(u64),
}

impl ClientKey {
    /// All clients without an address. No host has this number.
    const UNKNOWN: Self = Self::Remote(u64::MAX - 1);

    /// Returns the client behind `peer`. `X-Forwarded-For` is trusted only from a trusted proxy: it is read from the
    /// right, and the first address that is not a trusted proxy is the client, because the client may have written the
    /// rest. `is_forwarded` returns whether other signs show that a proxy may have forwarded the request.
    ///
    /// Security: only a request without any sign of a proxy counts as made by a person at this machine, who may be
    /// exempt from limits. A client without an address never does.
    pub(crate) fn of<'a>(
        peer: Option<SocketAddr>,
        forwarded_for: impl DoubleEndedIterator<Item = &'a [u8]>,
        is_forwarded: impl FnOnce() -> bool,
        trusted: &[Network],
    ) -> Self {
        let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
        let Some(mut client) = peer.map(|peer| peer.ip()) else { return Self::UNKNOWN };
        let mut hops = forwarded_for.rev().flat_map(|field| field.rsplit(|byte| *byte == b',')).peekable();
        let is_proxy = is_trusted(client);
        let has_hops = hops.peek().is_some();
        if is_proxy {
            for hop in hops {
                let Some(address) = address(hop) else { break };
                client = address;
                if !is_trusted(client) {
                    break;
                }
            }
        }
        match Self::at(client) {
            Self::Loopback if is_proxy || has_hops || is_forwarded() => Self::Proxied,
            client => client,
        }
    }

    /// Returns the client that a proxy names by `address`: never a person at this machine.
    pub(crate) fn behind_proxy(address: IpAddr) -> Self {
        match Self::at(address) {
            Self::Loopback => Self::Proxied,
            client => client,
        }
    }

    fn at(address: IpAddr) -> Self {
        match address.to_canonical() {
            address if address.is_loopback() => Self::Loopback,
            IpAddr::V4(address) => Self::Remote(u64::from(address.to_bits())),
            IpAddr::V6(address) => Self::Remote((address.to_bits() >> 64) as u64),
        }
    }
}

/// Parses an address as proxies write it: bare, in brackets, with or without a port.
fn address(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded_for: &[&str], trusted: &[&str]) -> ClientKey {
        let trusted: Vec<_> = trusted.iter().map(|text| Network::parse(text).unwrap()).collect();
        let peer = SocketAddr::new(peer.parse().unwrap(), 1);
        ClientKey::of(Some(peer), forwarded_for.iter().map(|field| field.as_bytes()), || false, &trusted)
    }

    fn at(address: &str) -> ClientKey {
        ClientKey::at(address.parse().unwrap())
    }

    #[test]
    fn stranger_cannot_forge_an_address() {
        assert_eq!(client("203.0.113.1", &["198.51.100.2"], &[]), at("203.0.113.1"));
    }

    #[test]
    fn client_behind_a_trusted_proxy_is_the_rightmost_untrusted_address() {
        let trusted = ["10.0.0.0/8"];
        assert_eq!(client("10.0.0.1", &["198.51.100.2"], &trusted), at("198.51.100.2"));
        assert_eq!(client("10.0.0.1", &["1.2.3.4, 198.51.100.2, 10.0.0.9"], &trusted), at("198.51.100.2"));
        assert_eq!(client("10.0.0.1", &["1.2.3.4", "198.51.100.2"], &trusted), at("198.51.100.2"));
        assert_eq!(client("10.0.0.1", &["198.51.100.2:4711"], &trusted), at("198.51.100.2"));
    }

    #[test]
    fn unnamed_local_proxy_is_not_exempt_from_limits() {
        for peer in ["127.0.0.1", "::1"] {
            assert_eq!(client(peer, &["198.51.100.2"], &[]), ClientKey::Proxied);
            assert_eq!(client(peer, &["127.0.0.1"], &[]), ClientKey::Proxied);
            assert_eq!(client(peer, &[""], &[]), ClientKey::Proxied);
            assert_eq!(client(peer, &["198.51.100.2"], &["127.0.0.1", "::1"]), at("198.51.100.2"));
            assert_eq!(client(peer, &[], &[]), ClientKey::Loopback);
            let address = SocketAddr::new(peer.parse().unwrap(), 1);
            assert_eq!(
                ClientKey::of(Some(address), [].into_iter(), || true, &[]),
                ClientKey::Proxied,
                "`Via`, `Forwarded`, or a site that is elsewhere"
            );
        }
    }

    #[test]
    fn client_behind_a_trusted_proxy_is_not_exempt_from_limits() {
        for fields in [&[][..], &[""], &["unknown"], &["203.0.113.203,"], &["127.0.0.1"], &["::1", "127.0.0.1"]] {
            assert_eq!(client("127.0.0.1", fields, &["127.0.0.0/8", "::1"]), ClientKey::Proxied, "{fields:?}");
        }
        assert_eq!(client("10.0.0.1", &["127.0.0.1"], &["10.0.0.0/8"]), ClientKey::Proxied);
    }

    #[test]
    fn client_without_an_address_is_limited_like_a_remote_one() {
        for fields in [&[][..], &["127.0.0.1"], &["203.0.113.1"]] {
            let client = ClientKey::of(None, fields.iter().map(|field| field.as_bytes()), || !fields.is_empty(), &[]);
            assert!(matches!(client, ClientKey::Remote(_)), "{fields:?}: {client:?}");
        }
    }

    #[test]
    fn last_readable_hop_counts() {
        assert_eq!(client("10.0.0.1", &[], &["10.0.0.0/8"]), at("10.0.0.1"));
        assert_eq!(client("10.0.0.1", &["unknown"], &["10.0.0.0/8"]), at("10.0.0.1"));
    }

    #[test]
    fn ipv6_network_is_one_client() {
        assert_eq!(client("2001:db8::1", &[], &[]), client("2001:db8::ffff:2", &[], &[]));
        assert_ne!(client("2001:db8::1", &[], &[]), client("2001:db8:0:1::1", &[], &[]));
        assert_eq!(client("::ffff:203.0.113.1", &[], &[]), at("203.0.113.1"));
    }

    #[test]
    fn this_machine_is_loopback_in_every_form() {
        for address in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(client(address, &[], &[]), ClientKey::Loopback, "{address}");
        }
    }
}
