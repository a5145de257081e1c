//! Mailboxes and telephone numbers in the one form in which they are compared.

use contract::text::Email;
use idna::AsciiDenyList;

/// A mailbox with its domain in ASCII and lower case. The local part stays as it is; only its owner knows whether case
/// matters in it. Quoted local parts, comments and addresses of machines in place of a domain are refused.
pub(crate) fn mailbox(text: &str) -> Option<String> {
    let (local, domain) = text.rsplit_once('@')?;
    let domain = idna::domain_to_ascii_cow(domain.as_bytes(), AsciiDenyList::STD3).ok()?;
    let is_address = domain.rsplit('.').next().is_some_and(|label| label.bytes().all(|byte| byte.is_ascii_digit()));
    let mailbox = Email::parse(&format!("{local}@{domain}")).ok()?;
    (!is_address).then(|| mailbox.as_str().to_owned())
}

/// A telephone number in international form (E.164).
pub(crate) fn telephone(text: &str) -> Option<String> {
    let digits = text.strip_prefix('+')?;
    let is_number = (7..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !digits.starts_with('0')).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_of_a_mailbox_is_ascii_and_lower_case() {
        for (text, expected) in [
            ("ayse@firm.example", "ayse@firm.example"),
            ("Ayse.K+x@Firm.EXAMPLE", "Ayse.K+x@firm.example"),
            ("ayse@bücher.example", "ayse@xn--bcher-kva.example"),
            ("ayse@ıstanbul.example", "ayse@xn--stanbul-qfb.example"),
            ("ayse@ＦＩＲＭ.example", "ayse@firm.example"),
        ] {
            assert_eq!(mailbox(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_dotless_letter_is_another_domain() {
        assert_ne!(mailbox("a@fırm.example"), mailbox("a@firm.example"));
        assert_ne!(mailbox("a@FİRM.example"), mailbox("a@firm.example"));
    }

    #[test]
    fn what_is_no_plain_mailbox_is_refused() {
        let long = format!("{}@firm.example", "a".repeat(65));
        for text in [
            "",
            "ayse",
            "@firm.example",
            "ayse@",
            "ayse@firm",
            "ayse@[192.0.2.1]",
            "ayse@192.0.2.1",
            "\"a b\"@firm.example",
            "a(x)@firm.example",
            "a@b@firm.example",
            "ayşe@firm.example",
            "a@firm..example",
            "a@firm.example.",
            "a@-firm.example",
            "a@fi_rm.example",
            "a@fi\u{202e}rm.example",
            "a@firm.example\r\nx",
            "a\u{0}@firm.example",
            " a@firm.example",
            &long,
        ] {
            assert_eq!(mailbox(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_telephone_number_is_international() {
        assert!(telephone("+905321234567").is_some());
        for text in ["905321234567", "+0532123456", "+90 532 1234567", "+123456", "+1234567890123456", "+٩٠٥٣٢١٢٣٤٥٦"]
        {
            assert_eq!(telephone(text), None, "{text}");
        }
    }
}
