//! Readers of web addresses.

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

pub(super) fn uri(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    web_address(text).map(|uri| uri.to_string()).map_err(|wanted| {
        let problem = Problem::new(Code::BAD_URI, expected(wanted, text));
        let lacks_scheme = text.contains('.') && !text.contains(':');
        let whole = if lacks_scheme { format!("https://{text}") } else { text.to_owned() };
        let corrected = if web_address(&whole).is_ok() { Some(whole) } else { encode_address(&whole) };
        Some(match corrected {
            Some(address) => problem.label(messages::words_to_write(address)),
            None => problem,
        })
    })
}

/// Reads an `https` address of another site.
pub(super) fn https_uri(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    if text.starts_with('/') && !text.starts_with("//") {
        let problem = Problem::new(Code::MENU_ENTRY, messages::menu_path_of_site(text));
        return Err(Some(problem.help(messages::menu_address_of_site_help())));
    }
    let uri = uri(node)?;
    if uri.starts_with("https://") {
        return Ok(uri);
    }
    Err(Some(Problem::new(Code::BAD_URI, expected(messages::https_wanted(), &uri))))
}

/// Reads the address of an assistant: `https`, with `{url}` once behind the host.
pub(super) fn assistant_address(node: &Node) -> Reading<String> {
    const ARTICLE: &str = "{url}";

    let (text, _) = scalar(node)?;
    let parts = text.strip_prefix("https://").and_then(|rest| rest.split_once(ARTICLE));
    let is_good = parts.is_some_and(|(before, after)| {
        before.contains('/') && !after.contains(ARTICLE) && web_address(&text.replace(ARTICLE, "x")).is_ok()
    });
    if is_good {
        return Ok(text.to_owned());
    }
    Err(Some(Problem::new(Code::BAD_URI, expected(messages::assistant_address_wanted(), text))))
}

/// Parses a web address. The error describes the expected form. A label with `xn--` must be a valid encoding (RFC
/// 3492).
pub fn web_address(text: &str) -> Result<Uri, Text> {
    let uri = Uri::parse(text).map_err(Text::from)?;
    let host = host_of(text);
    if host.to_ascii_lowercase().contains("xn--") && idna::domain_to_unicode(host).1.is_err() {
        return Err(messages::encoded_name_wanted());
    }
    Ok(uri)
}

/// Encodes what an address that was typed may not have: after its host with per cent signs (`…/wiki/İstanbul`, `100%`), and
/// the host in ASCII. Returns `None` if the result is not a web address.
pub fn encode_address(address: &str) -> Option<String> {
    let host = address.find("://")? + "://".len();
    let behind = address[host..].find(['/', '?', '#']).map_or(address.len(), |end| host + end);
    let name = &address[host..behind];
    let ascii = if name.is_ascii() { name.to_owned() } else { idna::domain_to_ascii(name).ok()? };
    let mut encoded = format!("{}{ascii}", &address[..host]);
    let rest = &address[behind..];
    let is_code =
        |at: usize| rest.as_bytes().get(at + 1..at + 3).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit));
    let first_mark = rest.find('#');
    for (at, byte) in rest.bytes().enumerate() {
        let is_kept = match byte {
            b'[' | b']' => false,
            b'%' => is_code(at),
            b'#' => Some(at) == first_mark,
            byte => byte.is_ascii(),
        };
        if is_kept {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    web_address(&encoded).is_ok().then_some(encoded)
}

/// Parses the origin of a site: only a scheme and a host.
pub fn origin(text: &str) -> Result<Uri, Text> {
    web_address(text)?;
    Uri::parse_origin(text).map_err(Text::from)
}

pub(super) fn site_url(node: &Node) -> Reading<String> {
    let (text, _) = scalar(node)?;
    origin(text).map(|uri| uri.to_string()).map_err(|wanted| {
        let problem = Problem::new(Code::BAD_ORIGIN, expected(wanted, text));
        let host = text.split_once("://").map_or(text, |(_, rest)| rest).split('/').next().unwrap_or_default();
        let corrected = format!("https://{}", host.to_ascii_lowercase());
        let is_one = host.contains('.') && origin(&corrected).is_ok();
        Some(if is_one { problem.label(messages::words_to_write(corrected)) } else { problem })
    })
}

#[cfg(test)]
mod tests {
    use contract::Locale;

    use super::*;
    use crate::values::tests::{label, plain};

    #[test]
    fn refused_address_has_a_suggestion() {
        assert_eq!(label(uri(&plain("firm.example/a"))), "write `https://firm.example/a`");
        for (written, expected) in [
            ("https://tr.wiki.example/wiki/İstanbul", "write `https://tr.wiki.example/wiki/%C4%B0stanbul`"),
            ("social.example/ayşe", "write `https://social.example/ay%C5%9Fe`"),
            ("https://ayşe.example/a", "write `https://xn--aye-tza.example/a`"),
            ("https://firm.example/100%", "write `https://firm.example/100%25`"),
            ("https://firm.example/#a#b", "write `https://firm.example/#a%23b`"),
            ("ayşe", ""),
        ] {
            assert_eq!(label(uri(&plain(written))), expected, "{written}");
        }
    }

    #[test]
    fn host_path_and_query_are_encoded() {
        for (written, expected) in [
            ("https://tr.wiki.example/wiki/İstanbul", Some("https://tr.wiki.example/wiki/%C4%B0stanbul")),
            ("https://a.example/ş?q=ğ%20ü#[ö]", Some("https://a.example/%C5%9F?q=%C4%9F%20%C3%BC#%5B%C3%B6%5D")),
            ("https://a.example?ş", Some("https://a.example?%C5%9F")),
            ("https://türk.example", Some("https://xn--trk-hoa.example")),
            ("https://a.example/ş%", Some("https://a.example/%C5%9F%25")),
            ("https://a.example/#ş#ğ%2", Some("https://a.example/#%C5%9F%23%C4%9F%252")),
            ("https://a.example/a b", None),
        ] {
            assert_eq!(encode_address(written).as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn host_with_an_invalid_ascii_form_is_refused() {
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
