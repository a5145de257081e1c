//! Absolute web addresses.

use super::{Invalid, text_type};

/// An absolute `http` or `https` URI (RFC 3986) of printable ASCII, with a host and without user information.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uri(String);

impl Uri {
    /// Parses `text` without correcting it.
    ///
    /// # Errors
    /// If the scheme is different, the host is missing, malformed or not in its ASCII form, a character needs
    /// percent-encoding, a `%` does not begin one, or the text contains a second `#`.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).ok_or(Invalid::Uri)?;
        let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if !host_is_plausible(authority) {
            let is_encoded = !authority.is_ascii() || authority.contains('%');
            return Err(if is_encoded { Invalid::AsciiHost } else { Invalid::Uri });
        }
        if !rest.bytes().all(may_follow_a_host) {
            return Err(Invalid::EncodedUri);
        }
        if rest.bytes().filter(|byte| *byte == b'#').count() > 1 {
            return Err(Invalid::OneFragment);
        }
        if rest.split('%').skip(1).any(|part| !begins_with_two_hex_digits(part.as_bytes())) {
            return Err(Invalid::PercentEncoding);
        }
        Ok(Self(text.to_owned()))
    }

    /// Parses the origin of a site: a scheme and a host, with a port unless it is the default one (RFC 6454, 6.2).
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and if the text has a path, a query, a fragment, a capital letter or the default
    /// port.
    pub fn parse_origin(text: &str) -> Result<Self, Invalid> {
        let uri = Self::parse(text)?;
        let (scheme, authority) = text.split_once("://").ok_or(Invalid::Uri)?;
        let has_default_port = authority.ends_with(if scheme == "https" { ":443" } else { ":80" });
        let has_more = authority.contains(['/', '?', '#']) || authority.bytes().any(|byte| byte.is_ascii_uppercase());
        if has_default_port || has_more { Err(Invalid::Origin) } else { Ok(uri) }
    }
}

fn host_is_plausible(authority: &str) -> bool {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !host.ends_with(':') && !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    let port_is_fine = port.is_none_or(is_port);
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

/// Returns whether `byte` may occur in a path, a query or a fragment, or begin one (RFC 3986, appendix A). Brackets may
/// only enclose a host.
fn may_follow_a_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=%".contains(&byte)
}

fn begins_with_two_hex_digits(text: &[u8]) -> bool {
    text.get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

text_type!(Uri, Some("uri"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_is_a_scheme_and_a_host() {
        for good in ["https://firm.example", "http://127.0.0.1:8080", "http://localhost:8080", "http://a.example:443"] {
            assert!(Uri::parse_origin(good).is_ok(), "{good}");
        }
        for bad in [
            "https://firm.example/",
            "https://Firm.example",
            "https://firm.example:443",
            "http://firm.example:80",
            "https://firm.example?x",
            "https://firm.example#x",
        ] {
            assert_eq!(Uri::parse_origin(bad), Err(Invalid::Origin), "{bad}");
        }
        assert_eq!(Uri::parse_origin("firm.example"), Err(Invalid::Uri));
    }

    #[test]
    fn uri_is_absolute_and_printable() {
        for good in [
            "https://firm.example",
            "http://127.0.0.1:8080/en",
            "https://a.example/x?y=1#z",
            "http://[::1]:80/",
            "https://a.example?q=/?#/?",
            "https://a.example/a%C5%9f/%25;v=1,2/(b)!$&'*+@:~#%5B",
        ] {
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
            "https://a.example:+80/",
            "https://:80/",
            "https://?x",
            "https://#x",
            "https://[x]/",
            "https://[::1/",
            "https://::1/",
            "https://a%20b.example/",
            "https://a.example]/",
        ] {
            assert!(Uri::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn non_ascii_host_has_its_own_error() {
        for bad in ["https://türkpatent.gov.tr", "http://t%C3%BCrk.example:80/a", "https://ş"] {
            assert_eq!(Uri::parse(bad), Err(Invalid::AsciiHost), "{bad}");
        }
        assert!(Uri::parse("https://xn--trkpatent-q9a.gov.tr").is_ok());
        assert_eq!(Uri::parse("https://a b.example"), Err(Invalid::Uri));
    }

    #[test]
    fn errors_after_the_host_are_distinguished() {
        for bad in ["100%", "%zz", "%2", "%%41", "?q=%", "#%g0", "%+1"] {
            assert_eq!(Uri::parse(&format!("https://a.example/{bad}")), Err(Invalid::PercentEncoding), "{bad}");
        }
        for bad in ["https://a.example/#a#b", "https://a.example##"] {
            assert_eq!(Uri::parse(bad), Err(Invalid::OneFragment), "{bad}");
        }
        for sign in " \"<>[]\\^`{|}\t\n\u{7f}\0ş".chars() {
            for place in ["/", "/?q=", "/#a"] {
                let address = format!("https://a.example{place}{sign}x");
                assert_eq!(Uri::parse(&address), Err(Invalid::EncodedUri), "{address:?}");
            }
        }
    }
}
