//! The list grammar that `Accept` and `Accept-Encoding` share.

/// A weight in thousandths, 0 to 1000.
pub(super) type Quality = u16;

#[derive(Clone, Copy, Debug)]
pub(super) struct ListElement<'a> {
    /// The text before the first semicolon.
    pub(super) name: &'a [u8],
    /// Whether there are parameters other than the weight and `charset=utf-8`.
    pub(super) narrowed: bool,
    /// The weight; 1000 if none is given.
    pub(super) quality: Quality,
}

/// Returns the elements of all `fields`; those with a malformed weight are skipped.
pub(super) fn elements<'a>(fields: impl Iterator<Item = &'a [u8]>) -> impl Iterator<Item = ListElement<'a>> {
    fields.flat_map(|field| split(field, b',')).filter_map(element)
}

fn element(text: &[u8]) -> Option<ListElement<'_>> {
    let mut parts = split(text, b';').map(<[u8]>::trim_ascii);
    let name = parts.next().filter(|name| !name.is_empty())?;
    let mut element = ListElement { name, narrowed: false, quality: 1000 };
    for parameter in parts.filter(|parameter| !parameter.is_empty()) {
        match parameter {
            [b'q' | b'Q', b'=', weight @ ..] => element.quality = quality(weight)?,
            other if other.eq_ignore_ascii_case(b"charset=utf-8") => {}
            _ => element.narrowed = true,
        }
    }
    Some(element)
}

/// Parses a weight (RFC 9110, 12.4.2): `0`, `1`, or up to three decimals between them.
fn quality(text: &[u8]) -> Option<Quality> {
    let (whole, decimals) = match text {
        [whole] => (whole, &[][..]),
        [whole, b'.', decimals @ ..] if decimals.len() <= 3 => (whole, decimals),
        _ => return None,
    };
    let mut value = match whole {
        b'0' => 0,
        b'1' => 1000,
        _ => return None,
    };
    for (decimal, place) in decimals.iter().zip([100, 10, 1]) {
        if !decimal.is_ascii_digit() {
            return None;
        }
        value += Quality::from(decimal - b'0') * place;
    }
    (value <= 1000).then_some(value)
}

/// Splits at every `separator` that is not inside a quoted string.
fn split(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |&byte| {
        if escaped {
            escaped = false;
        } else if quoted && byte == b'\\' {
            escaped = true;
        } else if byte == b'"' {
            quoted = !quoted;
        } else {
            return byte == separator && !quoted;
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_follow_the_grammar() {
        for (text, expected) in [("0", 0), ("1", 1000), ("0.5", 500), ("0.123", 123), ("1.000", 1000), ("0.", 0)] {
            assert_eq!(quality(text.as_bytes()), Some(expected), "{text}");
        }
        for text in ["", ".5", "2", "1.001", "0.1234", "-1", "0,5", "1e0", "0.x"] {
            assert_eq!(quality(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn comma_in_quotes_is_no_separator() {
        let field: &[u8] = br#"a;t="x,\",y", b"#;
        let names: Vec<_> = elements([field].into_iter()).map(|element| element.name).collect();
        assert_eq!(names, [b"a", b"b"]);
    }
}
