//! Conditional requests (RFC 9110, 13.1.2). Pure and total.
//!
//! `If-Match` is not evaluated: it protects writes (RFC 9110, 13.1.1), and content is read-only.

/// Whether `If-None-Match` names `etag`, a strong entity tag with its quotes. The comparison is weak, as the field
/// requires. A malformed field names no tag: sending the content again is always correct.
pub(crate) fn names<'a>(mut if_none_match: impl Iterator<Item = &'a [u8]>, etag: &[u8]) -> bool {
    if_none_match.any(|field| field == etag || list_names(field, etag))
}

fn list_names(field: &[u8], etag: &[u8]) -> bool {
    let mut rest = field.trim_ascii();
    if rest == b"*" {
        return true;
    }
    loop {
        rest = skip_separators(rest);
        rest = rest.strip_prefix(b"W/").unwrap_or(rest);
        let Some(end) = opaque_end(rest) else { return false };
        let (tag, after) = rest.split_at(end);
        if tag == etag {
            return true;
        }
        rest = after;
    }
}

fn skip_separators(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b','));
    &text[start.unwrap_or(text.len())..]
}

/// Returns the length of the quoted tag at the start of `text`.
fn opaque_end(text: &[u8]) -> Option<usize> {
    let inside = text.strip_prefix(b"\"")?;
    inside.iter().position(|byte| *byte == b'"').map(|end| end + 2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(field: &str) -> bool {
        names([field.as_bytes()].into_iter(), b"\"abc\"")
    }

    #[test]
    fn single_listed_and_weak_tags_match() {
        for field in ["\"abc\"", "W/\"abc\"", "\"x\", \"abc\"", "\"x\",W/\"abc\" , \"y\"", "*", " * ", ", \"abc\""] {
            assert!(matches(field), "{field}");
        }
    }

    #[test]
    fn other_tags_and_malformed_fields_do_not_match() {
        for field in ["", "abc", "\"ab\"", "\"abcd\"", "w/\"abc\"", "\"abc", "x \"abc\"", "\"a,b\", \"c\"", "**"] {
            assert!(!matches(field), "{field}");
        }
    }

    #[test]
    fn every_field_line_counts() {
        assert!(names([&b"\"x\""[..], b"\"abc\""].into_iter(), b"\"abc\""));
        assert!(!names([].into_iter(), b"\"abc\""));
    }

    proptest! {
        #[test]
        fn arbitrary_if_none_match_has_an_answer(field: Vec<u8>) {
            let _ = names([field.as_slice()].into_iter(), b"\"abc\"");
        }

        #[test]
        fn listed_tag_is_always_found(before in "[a-z]{0,5}", after in "[a-z]{0,5}") {
            let field = format!("\"{before}\", W/\"abc\",\"{after}\"");
            prop_assert!(matches(&field));
        }
    }
}
