//! Hosts of web addresses, and whether a host is this machine.

use std::net::IpAddr;

/// Returns the host of a web address as written: a name, or an IP address without brackets.
pub fn host_of(address: &str) -> &str {
    let (_, rest) = address.split_once("://").unwrap_or_default();
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => authority.split(':').next().unwrap_or_default(),
    }
}

/// Returns whether `host`, a name or an address with or without brackets, is this machine: `localhost` and names below
/// it (RFC 6761, 6.3), and loopback addresses.
///
/// Security: before sending a secret there unencrypted, use [`is_surely_this_machine`].
pub fn is_this_machine(host: &str) -> bool {
    let name = host.strip_suffix('.').unwrap_or(host);
    name.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case("localhost")) || is_surely_this_machine(host)
}

/// Returns whether `host` is this machine with every resolver: not all of them resolve names below `localhost` locally.
pub fn is_surely_this_machine(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_precedes_port_and_path() {
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
    fn origin_on_this_machine_is_recognized() {
        for origin in ["http://127.0.0.1:8080", "http://[::1]:8080", "http://LOCALHOST", "http://firm.localhost:1"] {
            assert!(is_this_machine(host_of(origin)), "{origin}");
        }
        for origin in ["https://firm.example", "http://127.0.0.1.example", "http://localhost.example"] {
            assert!(!is_this_machine(host_of(origin)), "{origin}");
        }
    }

    #[test]
    fn all_names_of_this_machine_are_recognized() {
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
