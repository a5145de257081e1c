//! Absolute web addresses.

use super::{Invalid, text_type};

/// An absolute `http` or `https` URI (RFC 3986) of printable ASCII, with a host and without user information.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uri(String);

impl Uri {
    const EXPECTED: Invalid = Invalid { expected: "an absolute web address, such as `https://firm.example/page`" };

    /// Checks `text` as it stands; nothing is corrected.
    ///
    /// # Errors
    /// When the scheme is another, the host is missing or malformed, or a character needs percent-encoding.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).ok_or(Self::EXPECTED)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if host_is_plausible(authority) && rest.bytes().all(is_uri_byte) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Self::EXPECTED)
        }
    }
}

fn host_is_plausible(authority: &str) -> bool {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !host.ends_with(':') && !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let port_is_fine = port.is_none_or(|port| port.parse::<u16>().is_ok());
    let name_is_fine = match host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => host.split('.').all(|label| {
            !label.is_empty()
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        }),
    };
    port_is_fine && name_is_fine
}

fn is_uri_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
}

text_type!(Uri, Some("uri"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_absolute_and_printable() {
        for good in
            ["https://firm.example", "http://127.0.0.1:8080/en", "https://a.example/x?y=1#z", "http://[::1]:80/"]
        {
            assert!(Uri::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "firm.example",
            "/en",
            "ftp://a.example",
            "https://",
            "https:///x",
            "https://a b.example",
            "https://user@a.example",
            "https://a.example/ş",
            "javascript:alert(1)",
            "https://a.example:99999/",
        ] {
            assert!(Uri::parse(bad).is_err(), "{bad}");
        }
    }
}
