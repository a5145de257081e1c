//! Which names and addresses are this machine's own.

use std::net::IpAddr;

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
