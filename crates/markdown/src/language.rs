//! Words in another language than the text around them: `[anonim şirket](lang:tr)`.
//!
//! Screen readers and hyphenation need the language (WCAG 2.2, 3.1.2), but Markdown has no notation for it and raw HTML
//! is refused. A link needs no new syntax, and other editors still show the words. A page marks the words; a twin
//! keeps only the words.

use pulldown_cmark::LinkType;

/// The scheme of such a link.
pub const SCHEME: &str = "lang";

/// Returns the language that a link of this form and destination marks.
pub(super) fn of_link(form: LinkType, destination: &str) -> Option<&str> {
    // An automatic link has no words of its own.
    let has_words = !matches!(form, LinkType::Autolink | LinkType::Email);
    of_words(destination).filter(|_| has_words)
}

/// Returns the language code in a destination; checks only its form.
pub fn of_words(destination: &str) -> Option<&str> {
    let code = destination.strip_prefix(SCHEME)?.strip_prefix(':')?;
    let is_one = (2..=3).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase());
    is_one.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_is_named_by_its_code() {
        assert_eq!(of_words("lang:tr"), Some("tr"));
        for other in ["lang:", "lang:TR", "lang:turkish", "lang:t\"", "language:tr", "tr", "LANG:tr", "lang"] {
            assert_eq!(of_words(other), None, "{other}");
        }
        assert_eq!(of_link(LinkType::Autolink, "lang:tr"), None);
        assert_eq!(of_link(LinkType::Inline, "lang:tr"), Some("tr"));
    }
}
