//! Corrections of invalid destinations of links.

use std::borrow::Cow;

use content::scheme;
use contract::text::{Email, Uri};
use findings::messages::{self, Text};
use markdown::published_ending;

/// Endings that distinguish a bare host from the name of a file.
const DOMAINS: [&str; 8] = ["com", "net", "org", "gov", "edu", "tr", "eu", "example"];

/// Returns the whole address for a web address or a mailbox without its scheme, or with a scheme in capitals.
pub(super) fn with_scheme(destination: &str) -> Option<String> {
    if let Some(scheme) = scheme(destination) {
        let lower = scheme.to_ascii_lowercase();
        let is_known = matches!(lower.as_str(), "https" | "http" | "mailto" | "tel");
        return (is_known && lower != scheme).then(|| lower + &destination[scheme.len()..]);
    }
    if destination.starts_with(['/', '@', '#', '.']) {
        return None;
    }
    if Email::parse(destination).is_ok() {
        return Some(format!("mailto:{destination}"));
    }
    let address = format!("https://{destination}");
    let host = destination.split(['/', '?', '#']).next().unwrap_or_default();
    let has_path = destination[host.len()..].starts_with('/');
    let last = host.rsplit_once('.').map(|(_, last)| last.to_ascii_lowercase())?;
    let is_host = host.starts_with("www.") || has_path || DOMAINS.contains(&last.as_str());
    (is_host && published_ending(host).is_none() && Uri::parse(&address).is_ok()).then_some(address)
}

/// Returns whether a destination is an address rather than the name of a file.
pub(super) fn is_address(destination: &str) -> bool {
    scheme(destination).is_some() || destination.starts_with(['/', '@', '#'])
}

/// Returns the corrected form of a destination with spaces, or the remedy if that form is unclear.
pub(super) fn without_spaces(destination: &str) -> Result<String, Text> {
    let (corrected, help) = match scheme(destination) {
        Some("tel") => (destination.replace(' ', ""), messages::number_with_spaces_help()),
        Some("mailto") => {
            let (mailboxes, fields) = destination.split_at(destination.find('?').unwrap_or(destination.len()));
            (mailboxes.replace(' ', "") + &fields.replace(' ', "%20"), messages::mailbox_with_spaces_help())
        }
        Some(_) => (destination.replace(' ', "%20"), messages::address_with_spaces_help()),
        None if destination.starts_with('@') => {
            return Err(messages::key_with_spaces_help());
        }
        None if destination.starts_with('/') => {
            return Err(messages::site_address_with_spaces_help());
        }
        None => return Ok(destination.replace(' ', "%20")),
    };
    let is_one = match scheme(destination) {
        Some("https" | "http") => Uri::parse(&corrected).is_ok(),
        _ => behind_its_scheme(&corrected).is_none(),
    };
    if is_one { Ok(corrected) } else { Err(help) }
}

/// Returns the name of a file as a destination, in which a space or a `#` would end the name.
pub(super) fn as_destination(name: &str) -> Cow<'_, str> {
    if name.contains([' ', '%', '#']) {
        Cow::Owned(name.replace('%', "%25").replace(' ', "%20").replace('#', "%23"))
    } else {
        Cow::Borrowed(name)
    }
}

/// Returns the problem of a destination after `mailto:` or `tel:`.
pub(super) fn behind_its_scheme(destination: &str) -> Option<Text> {
    let (scheme, rest) = destination.split_once(':')?;
    match scheme {
        "mailto" => {
            let mailboxes = rest.split('?').next().unwrap_or_default().replace("%40", "@");
            // The addressee may be missing (RFC 6068, 2).
            let is_one = (mailboxes.is_empty() && rest.starts_with('?'))
                || mailboxes.split(',').all(|mailbox| Email::parse(mailbox).is_ok());
            (!is_one).then(messages::mailbox_of_link_invalid)
        }
        "tel" => {
            let number = rest.split(';').next().unwrap_or_default();
            let marks = |c: char| matches!(c, '-' | '.' | '(' | ')');
            let digits = number.strip_prefix('+').unwrap_or(number).replace(marks, "");
            let is_one = (3..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
            (!is_one).then(messages::number_of_link_invalid)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_without_its_scheme_differs_from_a_file() {
        for (written, expected) in [
            ("www.law.example", "https://www.law.example"),
            ("law.example/a?b=c", "https://law.example/a?b=c"),
            ("mevzuat.gov.tr", "https://mevzuat.gov.tr"),
            ("elif@firm.example", "mailto:elif@firm.example"),
            ("Https://law.example", "https://law.example"),
            ("MAILTO:elif@firm.example", "mailto:elif@firm.example"),
        ] {
            assert_eq!(with_scheme(written).as_deref(), Some(expected), "{written}");
        }
        for written in [
            "report.pdf",
            "report.pdf#page=2",
            "tr.md#deadlines",
            "index.html?x",
            "portrait.svg",
            "pictures/portrait.svg",
            "../portrait.svg",
            "/en/about",
            "#work",
            "@/team/elif",
            "https://law.example",
            "ftp://law.example",
            "Sayfa",
            "",
            "elif@@firm",
        ] {
            assert_eq!(with_scheme(written), None, "{written}");
        }
    }

    #[test]
    fn mailboxes_and_numbers_are_checked() {
        for fine in [
            "mailto:elif@firm.example",
            "mailto:elif@firm.example,can@firm.example?subject=A%20b",
            "mailto:elif%40firm.example",
            "mailto:?subject=Read%20this",
            "tel:+902125550101",
            "tel:+90-212-555-01-01;ext=5",
            "tel:112",
            "https://law.example",
        ] {
            assert_eq!(behind_its_scheme(fine), None, "{fine}");
        }
        for wrong in
            ["mailto:", "mailto:elif@@firm", "mailto:elif", "tel:", "tel:abc", "tel:+", "tel:+9021255501010203"]
        {
            assert!(behind_its_scheme(wrong).is_some(), "{wrong}");
        }
    }
}
