//! A credential.

use std::fmt;

/// A credential. Security: its `Debug` form does not contain it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    /// Wraps text that [can be sent](Self::is_sendable).
    pub(crate) const fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns whether `text` can be sent in a header field.
    pub(crate) fn is_sendable(text: &str) -> bool {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
    }

    /// Returns the plain text, for the header field and the digest only.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_not_in_its_debug_form() {
        assert!(!format!("{:?}", Key("at_secret".to_owned())).contains("secret"));
    }
}
