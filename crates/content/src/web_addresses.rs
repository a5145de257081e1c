//! Addresses of the web: how they are written, and what to report when they are not.

use std::fmt::Write as _;

use contract::text::{Uri, host_of};
use findings::{
    Code,
    messages::{self, Text},
};

use super::{
    node::Node,
    problem::{Problem, Reading},
    values::{expected, scalar},
};

pub(super) fn uri(node: &Node) -> Reading<Uri> {
    let (text, _) = scalar(node)?;
    web_address(text).map_err(|wanted| {
        let problem = Problem::new(Code::BAD_URI, expected(wanted, text));
        let lacks_scheme = text.contains('.') && !text.contains(':');
        let whole = if lacks_scheme { format!("https://{text}") } else { text.to_owned() };
        let meant = if web_address(&whole).is_ok() { Some(whole) } else { encoded(&whole) };
        Some(match meant {
            Some(address) => problem.label(messages::words_to_write(address)),
            None => problem,
        })
    })
}

/// Reads an address of the web, or says what is expected. A host in ASCII form must be that of a name: `xn--` is
/// followed by an encoding (RFC 3492), and not everything is one.
pub fn web_address(text: &str) -> Result<Uri, Text> {
    let uri = Uri::parse(text).map_err(Text::from)?;
    let host = host_of(text);
    if host.to_ascii_lowercase().contains("xn--") && idna::domain_to_unicode(host).1.is_err() {
        return Err(messages::encoded_name_wanted());
    }
    Ok(uri)
}

/// Returns an address of the web with everything after its host percent-encoded where necessary, for one that was
/// copied from a browser as it is shown there: `…/wiki/İstanbul`. `None` if that does not make it an address.
pub fn encoded(address: &str) -> Option<String> {
    let host = address.find("://")? + "://".len();
    let behind = host + address[host..].find(['/', '?', '#'])?;
    let mut encoded = address[..behind].to_owned();
    for byte in address.bytes().skip(behind) {
        if byte.is_ascii() && !matches!(byte, b'[' | b']') {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    web_address(&encoded).is_ok().then_some(encoded)
}

/// Reads the origin of a site: a scheme and a host, nothing else.
pub fn origin(text: &str) -> Result<Uri, Text> {
    web_address(text)?;
    Uri::parse_origin(text).map_err(Text::from)
}

pub(super) fn site_url(node: &Node) -> Reading<Uri> {
    let (text, _) = scalar(node)?;
    origin(text).map_err(|wanted| {
        let problem = Problem::new(Code::BAD_ORIGIN, expected(wanted, text));
        let host = text.split_once("://").map_or(text, |(_, rest)| rest).split('/').next().unwrap_or_default();
        let meant = format!("https://{}", host.to_ascii_lowercase());
        let is_one = host.contains('.') && origin(&meant).is_ok();
        Some(if is_one { problem.label(messages::words_to_write(meant)) } else { problem })
    })
}

#[cfg(test)]
mod tests {
    use contract::Locale;

    use super::*;
    use crate::values::tests::{label, plain};

    #[test]
    fn refused_address_comes_with_the_one_that_was_meant() {
        assert_eq!(label(uri(&plain("firm.example/a"))), "write `https://firm.example/a`");
        for (written, expected) in [
            ("https://tr.wiki.example/wiki/İstanbul", "write `https://tr.wiki.example/wiki/%C4%B0stanbul`"),
            ("social.example/ayşe", "write `https://social.example/ay%C5%9Fe`"),
            ("https://ayşe.example/a", ""),
            ("ayşe", ""),
        ] {
            assert_eq!(label(uri(&plain(written))), expected, "{written}");
        }
    }

    #[test]
    fn address_is_offered_with_its_path_and_query_encoded() {
        for (written, expected) in [
            ("https://tr.wiki.example/wiki/İstanbul", Some("https://tr.wiki.example/wiki/%C4%B0stanbul")),
            ("https://a.example/ş?q=ğ%20ü#[ö]", Some("https://a.example/%C5%9F?q=%C4%9F%20%C3%BC#%5B%C3%B6%5D")),
            ("https://a.example?ş", Some("https://a.example?%C5%9F")),
            ("https://türk.example/ş", None),
            ("https://a.example/ş%", None),
            ("https://a.example/#ş#ğ", None),
        ] {
            assert_eq!(encoded(written).as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn host_in_ascii_form_is_that_of_a_name() {
        for good in ["https://xn--trkpatent-q9a.gov.tr/a", "https://XN--TRKPATENT-Q9A.gov.tr", "https://axn--b.example"]
        {
            assert!(web_address(good).is_ok(), "{good}");
        }
        for bad in ["https://xn--a.example/b", "http://www.xn--99999999.example:80"] {
            assert!(web_address(bad).unwrap_err()[Locale::En].contains("xn--"), "{bad}");
            assert!(uri(&plain(bad)).unwrap_err().unwrap().label.is_none(), "{bad}");
        }
        assert!(origin("https://xn--a.example").is_err());
    }
}
