//! The `Host` field (RFC 9110, 7.2; RFC 9112, 3.2). Pure and total.

use std::net::Ipv6Addr;

/// The bytes of a name: unreserved ones and sub-delimiters (RFC 3986, 3.2.2).
const NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = matches!(
            byte as u8,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~'
                | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'='
        );
        byte += 1;
    }
    table
};

/// Whether `value` is a host, with or without a port. An empty name is valid: clients send it if the target has no
/// host.
pub(crate) fn is_valid(value: &[u8]) -> bool {
    let port = if let [b'[', rest @ ..] = value { after_literal(rest) } else { after_name(value) };
    match port {
        Some([b':', digits @ ..]) => digits.iter().all(u8::is_ascii_digit),
        Some(rest) => rest.is_empty(),
        None => false,
    }
}

/// Returns the rest after a name or a dotted address.
fn after_name(mut value: &[u8]) -> Option<&[u8]> {
    loop {
        let end = value.iter().position(|byte| !NAME[usize::from(*byte)]).unwrap_or(value.len());
        value = match value.get(end..)? {
            [b'%', first, second, rest @ ..] if first.is_ascii_hexdigit() && second.is_ascii_hexdigit() => rest,
            rest => return Some(rest),
        };
    }
}

/// Returns the rest after an address whose bracket was opened.
fn after_literal(value: &[u8]) -> Option<&[u8]> {
    let end = value.iter().position(|byte| *byte == b']')?;
    let address = value.get(..end)?;
    let is_version_6 = str::from_utf8(address).is_ok_and(|text| text.parse::<Ipv6Addr>().is_ok());
    if is_version_6 || is_future(address) { value.get(end + 1..) } else { None }
}

/// Whether this is an address of a later version (`IPvFuture`): `v`, its number, a dot, and further characters.
fn is_future(address: &[u8]) -> bool {
    let mut parts = address.splitn(2, |byte| *byte == b'.');
    let (version, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_number = matches!(version, [b'v' | b'V', _, ..]) && version.iter().skip(1).all(u8::is_ascii_hexdigit);
    is_number && !rest.is_empty() && rest.iter().all(|byte| NAME[usize::from(*byte)] || *byte == b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_is_a_name_or_an_address_and_perhaps_a_port() {
        for host in [
            "",
            "a",
            "firm.example",
            "FIRM.example:443",
            "firm.example:",
            ":80",
            "my_host-1~x",
            "b%C3%BCro.example:80",
            "a!$&'()*+,;=b",
            "127.0.0.1:8080",
            "[::1]",
            "[2001:db8::192.0.2.1]:443",
            "[v1f.a:b]",
        ] {
            assert!(is_valid(host.as_bytes()), "{host}");
        }
        for host in [
            " ",
            "a b",
            "a b/c@d",
            "a/b",
            "a@b",
            "http://a",
            "a?b",
            "a#b",
            "a:8x",
            "a:80:80",
            "::1",
            "a%",
            "a%4",
            "a%zz",
            "a\"b",
            "a\\b",
            "<a>",
            "[",
            "]",
            "[]",
            "[::1",
            "[::1]x",
            "[::1]:x",
            "[fe80::1%25eth0]",
            "[v.a]",
            "[v1.]",
            "[127.0.0.1]",
            "büro.example",
        ] {
            assert!(!is_valid(host.as_bytes()), "{host}");
        }
    }
}
