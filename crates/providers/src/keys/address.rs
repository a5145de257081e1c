//! Restricts the addresses from which providers' keys are fetched (SSRF).
//!
//! Security: a name is resolved once, every address is checked, and the connection goes to a checked address. So
//! neither a name of an internal host nor DNS rebinding reaches this machine's network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ureq::{
    config::Config,
    http::{Uri, uri::Scheme},
    unversioned::{
        resolver::{ResolvedSocketAddrs, Resolver},
        transport::NextTimeout,
    },
};

/// A resolver that rejects a name unless all its addresses are allowed.
#[derive(Debug)]
pub(super) struct Guarded<R>(pub(super) R);

/// The error of a name with a forbidden address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the host has an address that is not public")]
pub(super) struct Forbidden;

impl<R: Resolver> Resolver for Guarded<R> {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.0.resolve(uri, config, timeout)?;
        // The trust list allows plain HTTP only for this machine, in development.
        let is_allowed = if uri.scheme() == Some(&Scheme::HTTPS) { is_public } else { is_loopback };
        if found.is_empty() || !found.iter().all(|address| is_allowed(address.ip())) {
            return Err(ureq::Error::Other(Box::new(Forbidden)));
        }
        Ok(found)
    }
}

/// Whether the host of a URL can only be inside a network: an address that is not public, or a name that is not in the
/// public domain name system.
pub(crate) fn is_inward(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    if let Ok(address) = bare.parse() {
        return !is_public(address);
    }
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    let Some((_, last)) = name.rsplit_once('.') else { return true };
    // Some resolvers read `127.1` or `127.0.0.0x1` as an address.
    let is_number = last.starts_with("0x") || last.bytes().all(|byte| byte.is_ascii_digit());
    is_number || matches!(last, "localhost" | "local" | "internal")
}

fn is_loopback(address: IpAddr) -> bool {
    address.is_loopback()
}

/// Whether `address` is public (IANA special-purpose address registries).
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Non-public IPv4 networks: first address and prefix length.
const NOT_PUBLIC_V4: [([u8; 4], u32); 16] = [
    ([0, 0, 0, 0], 8),        // this network
    ([10, 0, 0, 0], 8),       // private
    ([100, 64, 0, 0], 10),    // shared by a carrier's clients
    ([127, 0, 0, 0], 8),      // loopback
    ([168, 63, 129, 16], 32), // metadata of a cloud, although the address is public
    ([169, 254, 0, 0], 16),   // link-local, metadata of clouds
    ([172, 16, 0, 0], 12),    // private
    ([192, 0, 0, 0], 24),     // protocol assignments
    ([192, 0, 2, 0], 24),     // documentation
    ([192, 88, 99, 0], 24),   // relays of 6to4
    ([192, 168, 0, 0], 16),   // private
    ([198, 18, 0, 0], 15),    // benchmarks
    ([198, 51, 100, 0], 24),  // documentation
    ([203, 0, 113, 0], 24),   // documentation
    ([224, 0, 0, 0], 4),      // multicast
    ([240, 0, 0, 0], 4),      // reserved
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    !NOT_PUBLIC_V4.iter().any(|(first, bits)| {
        let shift = 32 - bits;
        u32::from_be_bytes(*first) >> shift == address.to_bits() >> shift
    })
}

/// Non-public networks within `2000::/3`: first address and prefix length.
const NOT_PUBLIC_V6: [(u128, u32); 4] = [
    (0x2001_0000 << 96, 23), // protocol assignments: Teredo, ORCHID, benchmarks
    (0x2001_0db8 << 96, 32), // documentation
    (0x2002_0000 << 96, 16), // 6to4, which holds any IPv4 address
    (0x3fff_0000 << 96, 20), // documentation
];

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits_of = |address: u128, bits: u32| address >> (128 - bits);
    let number = address.to_bits();
    // The NAT64 prefix, which maps all of IPv4 (RFC 6052, 2.1): check the IPv4 address.
    if bits_of(number, 96) == bits_of(0x0064_ff9b << 96, 96) {
        return is_public_v4(Ipv4Addr::from_bits(number as u32));
    }
    // Everything outside 2000::/3 is local, mapped, multicast or reserved.
    bits_of(number, 3) == 0b001
        && !NOT_PUBLIC_V6.iter().any(|(first, bits)| bits_of(*first, *bits) == bits_of(number, *bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(address: &str) -> bool {
        is_public(address.parse().unwrap())
    }

    #[test]
    fn addresses_of_the_internet_are_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "172.15.255.255",
            "172.32.0.1",
            "100.63.255.255",
            "100.128.0.0",
            "198.17.255.255",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "2001:200::1",
            "2003::1",
            "64:ff9b::808:808",
        ] {
            assert!(public(address), "{address}");
        }
    }

    #[test]
    fn private_link_local_loopback_shared_and_metadata_addresses_are_not() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
        ] {
            assert!(!public(address), "{address}");
        }
    }

    #[test]
    fn hosts_inside_a_network_are_inward_in_every_spelling() {
        for host in [
            "127.0.0.1",
            "[::1]",
            "[fe80::1]",
            "[::ffff:169.254.169.254]",
            "169.254.169.254",
            "10.0.0.7",
            "localhost",
            "LOCALHOST.",
            "keys.localhost",
            "keys",
            "keys.local",
            "metadata.google.internal",
            "127.1",
            "2130706433",
            "0x7f000001",
            "127.0.0.0x1",
        ] {
            assert!(is_inward(host), "{host}");
        }
        for host in ["agents.example", "Keys.Agents.Example.", "8.8.8.8", "[2606:4700::1111]", "local.example"] {
            assert!(!is_inward(host), "{host}");
        }
    }

    #[test]
    fn mapped_translated_and_local_ipv6_addresses_are_not_public() {
        for address in [
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "2001::1",
            "2001:0:7f00:1::",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::",
            "3fff::1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "100::1",
            "5f00::1",
            "4000::1",
            "e000::1",
        ] {
            assert!(!public(address), "{address}");
        }
    }
}
