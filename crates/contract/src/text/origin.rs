//! Parses origins and hosts of requests and settings.

use std::net::IpAddr;

use super::is_this_machine;

/// Whether `origin` is a loopback address or name, which other machines cannot reach.
pub fn is_of_this_machine(origin: &str) -> bool {
    after_scheme(origin.as_bytes()).is_some_and(|host| is_local(name(host)))
}

/// Returns the part of `origin` after `http://` or `https://`.
pub fn after_scheme(origin: &[u8]) -> Option<&[u8]> {
    origin.strip_prefix(b"http://").or_else(|| origin.strip_prefix(b"https://"))
}

/// Returns a host without its port; empty if more than a port follows it.
pub fn name(host: &[u8]) -> &[u8] {
    let host = host.trim_ascii();
    let end = if host.first() == Some(&b'[') {
        host.iter().position(|byte| *byte == b']').map(|bracket| bracket + 1)
    } else {
        host.iter().position(|byte| *byte == b':')
    };
    match end.map(|end| host.split_at(end)) {
        None => host,
        Some((name, [])) => name,
        Some((name, [b':', port @ ..])) if port.iter().all(u8::is_ascii_digit) => name,
        Some(_) => b"",
    }
}

/// Returns the address that `host`, without a port, is.
pub fn address(host: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(host).ok()?;
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok()
}

/// Whether `host`, without a port, is this machine.
pub fn is_local(host: &[u8]) -> bool {
    str::from_utf8(host).is_ok_and(is_this_machine)
}
