//! Path and query of the request target. Pure and total.

use std::borrow::Cow;

use contract::Locale;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// Returns the decoded form of `path`, or `None` if it cannot be a route.
///
/// Security: an encoded slash, backslash or control character is never decoded, so that a proxy and this service see
/// the same path.
pub(crate) fn decode(path: &str) -> Option<Cow<'_, str>> {
    if !path.as_bytes().contains(&b'%') {
        return Some(Cow::Borrowed(path));
    }
    let decoded = percent_decode_str(path).decode_utf8().ok()?;
    let slashes = |text: &str| text.bytes().filter(|byte| *byte == b'/').count();
    let smuggled = slashes(&decoded) != slashes(path)
        || decoded.chars().any(|letter| letter.is_control() || letter == '\\' || letter == '%');
    (!smuggled).then_some(decoded)
}

/// Encodes `path` for a header field.
pub(crate) fn encode(path: &str) -> String {
    /// ASCII characters that a path must not contain (RFC 3986, 3.3); others are always encoded.
    const UNSAFE: &AsciiSet = &CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'#')
        .add(b'%')
        .add(b'<')
        .add(b'>')
        .add(b'?')
        .add(b'[')
        .add(b'\\')
        .add(b']')
        .add(b'^')
        .add(b'`')
        .add(b'{')
        .add(b'|')
        .add(b'}');
    utf8_percent_encode(path, UNSAFE).to_string()
}

/// The `locale` is empty, repeated or unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidLocale;

/// Returns the `locale` of `query`, or the default. Other parameters are ignored.
pub(crate) fn locale(query: Option<&str>) -> Result<Locale, InvalidLocale> {
    let Some(query) = query else { return Ok(Locale::DEFAULT) };
    let mut found = None;
    for parameter in query.split('&') {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        if !percent_decode_str(name).eq("locale".bytes()) {
            continue;
        }
        if found.is_some() {
            return Err(InvalidLocale);
        }
        let known = Locale::ALL.into_iter().find(|locale| percent_decode_str(value).eq(locale.as_str().bytes()));
        found = Some(known.ok_or(InvalidLocale)?);
    }
    Ok(found.unwrap_or(Locale::DEFAULT))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_path_is_itself_and_an_encoded_one_is_decoded() {
        assert_eq!(decode("/en/about").as_deref(), Some("/en/about"));
        assert_eq!(decode("/%65n/yay%C4%B1nlar").as_deref(), Some("/en/yayınlar"));
    }

    #[test]
    fn encoded_separators_and_controls_are_rejected() {
        for path in ["/a%2Fb", "/a%2fb", "/a%5cb", "/a%00", "/a%0d%0a", "/%ff", "/%c3%28", "/a%252fb", "/100%"] {
            assert_eq!(decode(path), None, "{path}");
        }
        assert_eq!(decode("/%2e%2e/x").as_deref(), Some("/../x"), "a dot segment is no route anyway");
    }

    #[test]
    fn location_is_legal_whatever_the_path() {
        assert_eq!(encode("/tr/yayınlar"), "/tr/yay%C4%B1nlar");
        assert_eq!(encode("/a b\"c"), "/a%20b%22c");
    }

    #[test]
    fn locale_is_one_of_two_words_once() {
        assert_eq!(locale(None), Ok(Locale::En));
        assert_eq!(locale(Some("")), Ok(Locale::En));
        assert_eq!(locale(Some("locale=tr")), Ok(Locale::Tr));
        assert_eq!(locale(Some("x=1&locale=%74r&y")), Ok(Locale::Tr));
        assert_eq!(locale(Some("loc%61le=tr")), Ok(Locale::Tr));
        assert_eq!(locale(Some("Locale=tr&locales=xx")), Ok(Locale::En));
        for query in [
            "locale",
            "locale=",
            "locale=EN",
            "locale=de",
            "locale=en-US",
            "locale=en&locale=en",
            "locale= en",
            "locale=en&locale=de",
            "locale=%",
            "locale=en%00",
            "locale=e+n",
        ] {
            assert_eq!(locale(Some(query)), Err(InvalidLocale), "{query}");
        }
    }

    proptest! {
        #[test]
        fn targets_are_read_without_a_panic(path: String, query: String) {
            let _ = (decode(&path), locale(Some(&query)));
        }

        #[test]
        fn encoding_is_undone_by_decoding(path in "/[a-zçğıöşü0-9 _.~-]{0,20}") {
            let encoded = encode(&path);
            prop_assert_eq!(decode(&encoded), Some(Cow::Borrowed(path.as_str())));
        }
    }
}
