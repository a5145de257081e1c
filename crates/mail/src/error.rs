//! Errors of sending a message.

use std::io;

/// A message that was not sent. Security: holds the address in masked form only, and nothing that a server wrote.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// No message can be sent until an operator corrects this: the server rejects this service or is unreachable, or
    /// the folder cannot be written to. The message may be sent later.
    #[error("no message can be sent: {reason}")]
    Down { reason: Reason },
    /// The server defers this message; it may be sent later.
    #[error("message to {to} deferred: {reason}")]
    Transient {
        /// The recipient, masked.
        to: String,
        reason: Reason,
    },
    /// The server did not answer the text of the message, which may have arrived. A connection that ends within the
    /// text counts too, because the library does not distinguish the two.
    #[error("message to {to} sent, but not confirmed by the mail server")]
    Unanswered {
        /// The recipient, masked.
        to: String,
    },
    /// The address or the message is rejected; it must not be sent again.
    #[error("message to {to} refused for good: {reason}")]
    Permanent {
        /// The recipient, masked.
        to: String,
        reason: Reason,
    },
}

/// Why a message was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    #[error("the address is not a plain mailbox")]
    Address,
    #[error("the message cannot be composed")]
    Message,
    #[error("the mail server cannot be reached, or closed the connection")]
    Connection,
    #[error("the mail server does not offer encryption, or its certificate is not trusted")]
    Tls,
    #[error("the mail server did not answer in time")]
    Timeout,
    #[error(
        "the mail server {answer} {0}",
        answer = if is_about_login(*.0) { "does not accept the user and password of `mail` (MECELLE_MAIL):" } else { "answered" }
    )]
    Answer(u16),
    #[error("the folder of `mail` (MECELLE_MAIL) cannot be written to ({0})")]
    Disk(io::ErrorKind),
    #[error("`mail` (MECELLE_MAIL) is `none`")]
    SwitchedOff,
}

impl MailError {
    /// Returns the error of a server that failed: about this message only if the server had received the recipient.
    pub(super) fn unsent(to: &str, reason: Reason, has_recipient: bool) -> Self {
        if has_recipient { Self::transient(to, reason) } else { Self::Down { reason } }
    }

    pub(super) fn transient(to: &str, reason: Reason) -> Self {
        Self::Transient { to: masked(to), reason }
    }

    pub(super) fn permanent(to: &str, reason: Reason) -> Self {
        Self::Permanent { to: masked(to), reason }
    }

    pub(super) fn unanswered(to: &str) -> Self {
        Self::Unanswered { to: masked(to) }
    }

    pub(super) fn switched_off(to: &str) -> Self {
        Self::transient(to, Reason::SwitchedOff)
    }
}

/// Whether `code` rejects the user or the password, at any point of the conversation.
pub(super) const fn is_about_login(code: u16) -> bool {
    matches!(code, 530 | 534 | 535 | 538)
}

/// Masks an address so that its owner recognises it and others do not: `a***@f***.example`.
pub fn masked(address: &str) -> String {
    let first = |text: &str| text.chars().next().filter(char::is_ascii_alphanumeric).map(String::from);
    let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    let (name, rest) = domain.rsplit_once('.').unwrap_or((domain, ""));
    let is_plain = rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let rest = if is_plain { rest } else { "" };
    format!("{}***@{}***.{rest}", first(local).unwrap_or_default(), first(name).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_address_is_unreadable_to_strangers() {
        assert_eq!(masked("ayse@firm.example"), "a***@f***.example");
        assert_eq!(masked("a@b.c.example"), "a***@b***.example");
        for odd in ["", "@", "x", "\r\nBcc: y@z", "a@b.\nc", "\"a b\"@x.y"] {
            let masked = masked(odd);
            assert!(masked.len() < 12 && !masked.contains(char::is_control), "{odd:?} {masked:?}");
        }
    }

    #[test]
    fn login_error_names_the_setting() {
        let error = MailError::transient("ayse@firm.example", Reason::Answer(535));
        let text = error.to_string();
        assert!(text.contains("MECELLE_MAIL") && text.contains("535") && !text.contains("ayse"), "{text}");
    }
}
