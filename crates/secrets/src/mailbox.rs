//! E-mail addresses of people, as stored and compared.

use contract::text::Email;
use idna::{
    AsciiDenyList,
    uts46::{DnsLength, Hyphens, Uts46},
};

use super::Digest;

/// A normalised address: the local part in lower-case ASCII, the domain as A-labels. Equal text means the same mailbox.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Mailbox(String);

impl Mailbox {
    /// Parses and normalises an address. Rejects quoted local parts, comments, routes, addresses of machines, and
    /// look-alikes of ASCII outside the domain, where they become A-labels.
    ///
    /// Security: the only way from a text to a mailbox. Two ways that normalise differently would split a person in
    /// two, and hide the registrations of one from the other.
    pub fn parse(text: &str) -> Option<Self> {
        let (local, domain) = text.rsplit_once('@')?;
        // `%` and `!` are old routes: the mail would go to a person outside the domain.
        if !local.is_ascii() || local.contains(['%', '!']) || text.len() > 254 {
            return None;
        }
        let (deny, hyphens) = (AsciiDenyList::STD3, Hyphens::CheckFirstLast);
        let domain = Uts46::new().to_ascii(domain.as_bytes(), deny, hyphens, DnsLength::Verify).ok()?;
        if domain.rsplit('.').next().is_none_or(is_number) {
            return None;
        }
        let folded = format!("{}@{domain}", local.to_ascii_lowercase());
        Email::parse(&folded).ok().map(|_| Self(folded))
    }

    /// Wraps an address that was parsed before.
    pub fn from_stored(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the key of an opt-out. It depends on no pepper, so that opt-outs survive a change of keys; an attacker
    /// can therefore check guesses. Elsewhere use [`super::Pepper::mask`].
    pub fn digest(&self) -> Digest {
        Digest::of(format!("mailbox {}", self.0).as_bytes())
    }

    /// Returns the address without a suffix such as `name+anything@`. Limits count this form.
    pub fn folded(&self) -> String {
        match self.0.split_once('+') {
            Some((name, _)) if !name.is_empty() => format!("{name}@{}", self.domain()),
            _ => self.0.clone(),
        }
    }

    pub fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a domain that ends in `label` is an IPv4 address (WHATWG URL, "ends in a number").
fn is_number(label: &str) -> bool {
    let hexadecimal = label.strip_prefix("0x").map(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    hexadecimal.unwrap_or_else(|| label.bytes().all(|byte| byte.is_ascii_digit()))
}

impl std::fmt::Debug for Mailbox {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("[mailbox]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<String> {
        Mailbox::parse(text).map(|mailbox| mailbox.0)
    }

    #[test]
    fn case_and_script_of_the_domain_do_not_make_another_mailbox() {
        assert_eq!(parsed("Ayse@Firm.Example").as_deref(), Some("ayse@firm.example"));
        assert_eq!(parsed("ayse@büro.example").as_deref(), Some("ayse@xn--bro-hoa.example"));
        assert_eq!(parsed("AYSE@XN--BRO-HOA.EXAMPLE").as_deref(), Some("ayse@xn--bro-hoa.example"));
        assert_eq!(parsed("Ayse.K+x@ＦＩＲＭ.example").as_deref(), Some("ayse.k+x@firm.example"));
        assert_eq!(parsed("a@ab--cd.example").as_deref(), Some("a@ab--cd.example"));
    }

    #[test]
    fn dotless_i_makes_another_domain() {
        assert_ne!(parsed("a@fırm.example"), parsed("a@firm.example"));
        assert_ne!(parsed("a@FİRM.example"), parsed("a@firm.example"));
    }

    #[test]
    fn address_with_a_suffix_is_folded_to_its_mailbox() {
        let folded = |text| Mailbox::parse(text).unwrap().folded();
        assert_eq!(folded("ayse+1@firm.example"), "ayse@firm.example");
        assert_eq!(folded("ayse+a+b@firm.example"), "ayse@firm.example");
        assert_eq!(folded("+1@firm.example"), "+1@firm.example");
        assert_eq!(folded("ayse@firm.example"), "ayse@firm.example");
    }

    #[test]
    fn malformed_address_is_rejected() {
        let long = format!("{}@firm.example", "a".repeat(65));
        for text in [
            "",
            "ayse",
            "@firm.example",
            "ayse@",
            "a@b",
            "a@@firm.example",
            "a b@firm.example",
            "ayşe@firm.example",
            "ays\u{131}@firm.example",
            "\"a b\"@firm.example",
            "a(c)@firm.example",
            "a@[192.0.2.1]",
            "a@192.0.2.1",
            "a@firm.example\r\nBcc: b@firm.example",
            "a\u{202e}@firm.example",
            "a@firm.example,b@firm.example",
            "a@-firm.example",
            "a@firm_x.example",
            "a@0x7f.0x1",
            "a@firm.0x",
            "firm.example!a@relay.example",
            "a%firm.example@relay.example",
            "a\u{0}@firm.example",
            " a@firm.example",
            "a@firm..example",
            "a@firm.example.",
            &long,
        ] {
            assert_eq!(parsed(text), None, "{text:?}");
        }
    }
}
