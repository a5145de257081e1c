//! The hosts of addresses of the web, and which of them are this machine itself.

use std::net::IpAddr;

/// The host in an address of the web, as it is written: a name, or an IP address without brackets.
#[must_use]
pub fn host_of(address: &str) -> &str {
    let (_, rest) = address.split_once("://").unwrap_or_default();
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => authority.split(':').next().unwrap_or_default(),
    }
}

/// Whether `host`, a name or an address with or without brackets, is this machine itself: `localhost` and names below
/// it (RFC 6761, 6.3), and addresses that lead nowhere else.
///
/// Before something secret is sent there unencrypted, ask [`is_surely_this_machine`].
#[must_use]
pub fn is_this_machine(host: &str) -> bool {
    let name = host.strip_suffix('.').unwrap_or(host);
    name.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case("localhost")) || is_surely_this_machine(host)
}

/// Whether `host` leads nowhere else no matter what resolves names here: not every resolver keeps names below
/// `localhost` to itself.
#[must_use]
pub fn is_surely_this_machine(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_is_what_stands_before_port_and_path() {
        for (address, host) in [
            ("https://firm.example", "firm.example"),
            ("https://firm.example:8443/en?x#y", "firm.example"),
            ("https://firm.example?x", "firm.example"),
            ("http://[::1]:8080/en", "::1"),
            ("firm.example", ""),
        ] {
            assert_eq!(host_of(address), host, "{address}");
        }
    }

    #[test]
    fn site_on_this_machine_is_known_by_its_host() {
        for origin in ["http://127.0.0.1:8080", "http://[::1]:8080", "http://LOCALHOST", "http://firm.localhost:1"] {
            assert!(is_this_machine(host_of(origin)), "{origin}");
        }
        for origin in ["https://firm.example", "http://127.0.0.1.example", "http://localhost.example"] {
            assert!(!is_this_machine(host_of(origin)), "{origin}");
        }
    }

    #[test]
    fn this_machine_is_known_by_each_of_its_names() {
        for host in ["localhost", "LocalHost", "127.0.0.1", "127.9.9.9", "::1", "[::1]", "[::ffff:127.0.0.1]"] {
            assert!(is_this_machine(host) && is_surely_this_machine(host), "{host}");
        }
        for host in ["localhost.", "firm.localhost", "FIRM.LOCALHOST"] {
            assert!(is_this_machine(host) && !is_surely_this_machine(host), "{host}");
        }
        for host in [
            "",
            "local",
            "mylocalhost",
            "localhost.firm.example",
            "127.0.0.1.firm.example",
            "10.0.0.1",
            "0.0.0.0",
            "[2001:db8::1]",
            "[localhost",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
