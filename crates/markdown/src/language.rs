//! Words in another language than the text around them: `[anonim şirket](lang:tr)`.
//!
//! Screen readers and hyphenation need to know the language (WCAG 2.2, 3.1.2), but Markdown has no way to state it, and
//! raw HTML is refused. In the form of a link, no syntax of its own is needed, and an editor that does not know the
//! form still shows the words. A page marks them; where there is nothing to mark them with, as in a twin, only the
//! words remain.

use pulldown_cmark::LinkType;

/// The scheme with which the destination of such a link begins.
pub const SCHEME: &str = "lang";

/// Returns the language of the words in a link of this form and destination, if it marks a language.
pub(super) fn of_link(form: LinkType, destination: &str) -> Option<&str> {
    // An automatic link has no words of its own.
    let has_words = !matches!(form, LinkType::Autolink | LinkType::Email);
    of_words(destination).filter(|_| has_words)
}

/// Returns the language that a destination names, judged only by its form.
#[must_use]
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
