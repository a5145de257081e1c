//! A person's address as it is kept and compared.

use contract::text::Email;

use super::secret::Digest;

/// An address: the part before the `@` in ASCII and lower case, the domain as A-labels. Equal text is the same mailbox.
///
/// Security: never printed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Mailbox(String);

impl Mailbox {
    /// Understands `text`. Quoted local parts, comments and addresses of machines are refused, and so is anything
    /// that looks like ASCII to a reader but is not, except in the domain, where it becomes an A-label.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (local, domain) = text.rsplit_once('@')?;
        if !local.is_ascii() || text.len() > 254 {
            return None;
        }
        let domain = idna::domain_to_ascii_strict(domain).ok()?;
        let folded = format!("{}@{domain}", local.to_ascii_lowercase());
        // A domain whose last label is a number is an address of a machine.
        let last = domain.rsplit('.').next()?;
        if last.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Email::parse(&folded).ok().map(|_| Self(folded))
    }

    /// Takes over an address that was understood before.
    pub(crate) fn known(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// What stands for the address where nobody needs to read it. Who guesses an address can check the guess.
    pub(crate) fn digest(&self) -> Digest {
        Digest::of(format!("mailbox {}", self.0).as_bytes())
    }

    /// The domain, as A-labels.
    pub(crate) fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }

    /// The address.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
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
    }

    #[test]
    fn what_only_looks_like_an_address_is_refused() {
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
        ] {
            assert_eq!(parsed(text), None, "{text:?}");
        }
    }
}
