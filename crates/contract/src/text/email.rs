//! Mailbox addresses.

use super::{Invalid, text_type};

/// An e-mail address of plain form: `local@domain`, ASCII, no quoting, no comments (a strict part of RFC 5321).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Email(String);

impl Email {
    /// Parses `text` without correcting it.
    ///
    /// # Errors
    /// If there is not exactly one `@`, a part is empty or too long (64 and 254 bytes), the domain has no dot, or a
    /// character is outside the dot-atom set.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let (local, domain) = text.split_once('@').ok_or(Invalid::Email)?;
        let local_is_fine =
            local.len() <= 64 && local.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(is_atom_byte));
        let domain_is_fine = domain.contains('.')
            && domain.split('.').all(|label| {
                !label.is_empty()
                    && label.len() <= 63
                    && !label.starts_with('-')
                    && !label.ends_with('-')
                    && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            });
        if local_is_fine && domain_is_fine && text.len() <= 254 {
            Ok(Self(text.to_owned()))
        } else {
            Err(Invalid::Email)
        }
    }
}

fn is_atom_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

text_type!(Email, Some("email"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_is_a_plain_mailbox() {
        for good in ["ayse@firm.example", "a.b+c@x-y.example"] {
            assert!(Email::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "ayse",
            "@firm.example",
            "a@b",
            "a@@b.example",
            "a b@c.example",
            "ayşe@firm.example",
            ".a@b.example",
            "a@-b.example",
        ] {
            assert!(Email::parse(bad).is_err(), "{bad}");
        }
    }
}
