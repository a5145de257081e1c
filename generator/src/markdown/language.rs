//! Words in another language than the text around them: `[anonim şirket](lang:tr)`.
//!
//! Screen readers and hyphenation need to know (WCAG 2.2, 3.1.2), and Markdown has no words for it. In the form of a link
//! it needs no syntax of its own. A page marks the words; where there is nothing to mark them with, the words remain.

use pulldown_cmark::LinkType;

/// What the destination of such a link begins with.
pub(crate) const SCHEME: &str = "lang";

/// The language of the words in a link of this form and destination, if it is one of these.
pub(super) fn of_link(form: LinkType, destination: &str) -> Option<&str> {
    // An automatic link has no words.
    let has_words = !matches!(form, LinkType::Autolink | LinkType::Email);
    of_words(destination).filter(|_| has_words)
}

/// The language that a destination names, as far as its form tells.
pub(crate) fn of_words(destination: &str) -> Option<&str> {
    let code = destination.strip_prefix(SCHEME)?.strip_prefix(':')?;
    let is_one = (2..=3).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase());
    is_one.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_named_by_its_code() {
        assert_eq!(of_words("lang:tr"), Some("tr"));
        for other in ["lang:", "lang:TR", "lang:turkish", "lang:t\"", "language:tr", "tr", "LANG:tr", "lang"] {
            assert_eq!(of_words(other), None, "{other}");
        }
        assert_eq!(of_link(LinkType::Autolink, "lang:tr"), None);
        assert_eq!(of_link(LinkType::Inline, "lang:tr"), Some("tr"));
    }
}
