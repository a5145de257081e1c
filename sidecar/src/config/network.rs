//! Networks in CIDR notation.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// An address and the length of its prefix in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

/// Number of bits in an IPv6 address before the IPv4 address that it maps (RFC 4291, 2.5.5.2).
const MAPPED_PREFIX_BITS: u8 = 96;

impl Network {
    /// All addresses of both families.
    pub(super) const ALL: [Self; 2] = [
        Self { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), bits: 0 },
        Self { address: IpAddr::V6(Ipv6Addr::UNSPECIFIED), bits: 0 },
    ];

    /// Whether the network is wider than any private one and so includes public addresses.
    pub(super) fn is_wide(&self) -> bool {
        self.bits < if self.address.is_ipv4() { 8 } else { 7 }
    }

    /// Parses `192.0.2.0/24`, `2001:db8::/32` or a single address. An IPv4-mapped network, `::ffff:192.0.2.0/120`,
    /// becomes its IPv4 network; a prefix shorter than the mapping is rejected.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().ok()?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(width);
        let bare = address.to_canonical();
        let mapped_bits = if bare == address { bits } else { bits.checked_sub(MAPPED_PREFIX_BITS)? };
        (bits <= width).then_some(Self { address: bare, bits: mapped_bits })
    }

    /// Whether `address` is in the network. An IPv4-mapped IPv6 address counts as its IPv4 address.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let shift = 32 - u32::from(self.bits);
                u64::from(own.to_bits()) >> shift == u64::from(other.to_bits()) >> shift
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let shift = 128 - u32::from(self.bits);
                own.to_bits().checked_shr(shift) == other.to_bits().checked_shr(shift)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.address, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(network: &str, address: &str) -> bool {
        Network::parse(network).unwrap().contains(address.parse().unwrap())
    }

    #[test]
    fn network_holds_its_addresses_and_no_others() {
        assert!(inside("10.0.0.0/8", "10.200.3.4"));
        assert!(!inside("10.0.0.0/8", "11.0.0.1"));
        assert!(inside("2001:db8::/32", "2001:db8:1::7"));
        assert!(!inside("2001:db8::/32", "2001:db9::7"));
        assert!(inside("192.0.2.7", "192.0.2.7"));
        assert!(!inside("192.0.2.7", "192.0.2.8"));
    }

    #[test]
    fn zero_bits_hold_the_whole_family() {
        assert!(inside("0.0.0.0/0", "203.0.113.9"));
        assert!(inside("::/0", "2001:db8::1"));
        assert!(!inside("::/0", "203.0.113.9"));
    }

    #[test]
    fn mapped_ipv4_address_counts_as_ipv4() {
        for address in ["10.1.2.3", "::ffff:10.1.2.3"] {
            assert!(inside("10.0.0.0/8", address) && inside("::ffff:10.0.0.0/104", address), "{address}");
            assert!(inside("::ffff:10.1.2.3", address) && !inside("::ffff:10.1.2.4", address), "{address}");
            assert!(inside("::ffff:0:0/96", address), "every one");
        }
        assert_eq!(Network::parse("::ffff:10.0.0.0/104").unwrap().to_string(), "10.0.0.0/8");
    }

    #[test]
    fn nonsense_is_no_network() {
        for text in [
            "",
            "10.0.0.0/33",
            "::/129",
            "10.0.0/8",
            "localhost",
            "10.0.0.0/x",
            "::ffff:10.0.0.0/95",
            "::ffff:10.0.0.0/8",
        ] {
            assert!(Network::parse(text).is_none(), "{text}");
        }
    }
}
