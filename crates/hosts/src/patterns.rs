//! Regular expressions (PCRE) for hosts that decide by patterns alone.

use std::fmt::Write as _;

/// What `Accept` asks of a page: patterns in the order in which they are tried, without regard to case, and `html`,
/// `md`, or `none` for 406; where none matches, it is `html`. Weights are compared only where they are equal, absent or
/// zero: a pattern cannot count.
///
/// `Accept` is read in three more places, because no two engines know the same: Caddy's patterns (`FORM`) cannot look
/// ahead as these do, `formOf` of `edge/cloudfront-request.js` must be short and without most of the language, and
/// `edge/negotiate.js` reads all of it. `tests/hosts/table.toml` asks all of them the same.
pub(super) const ACCEPT: [(&str, &str); 7] = [
    // Nothing that is asked for exists, and it is media types that are asked for.
    (r"^(?!.*(?:text/html|text/(?:x-)?markdown|text/\*|\*/\*))\s*[a-z0-9.+*-]+/[a-z0-9.+*-]+", "none"),
    (r"^\s*\*/\*\s*;\s*q=0(?:\.0*)?\s*$", "none"),
    // Markdown with a weight of zero, or with one that is malformed.
    (
        r"^(?!.*text/html\s*;\s*q=0(?:\.0*)?\s*(?:,|$)).*text/(?:x-)?markdown\s*;\s*q=(?:0(?:\.0*)?\s*(?:,|$)|[2-9]|1\.0*[1-9])",
        "html",
    ),
    // HTML with a weight of zero.
    (r"text/html\s*;\s*q=0(?:\.0*)?\s*(?:,|$)", "md"),
    // Markdown where HTML is not named, or with all weight, or with the same weight.
    (r"^(?!.*text/html)(?:[^\x22]|\x22[^\x22]*\x22)*text/(?:x-)?markdown", "md"),
    (r"^(?:[^\x22]|\x22[^\x22]*\x22)*text/(?:x-)?markdown\s*(?:;\s*charset=utf-8\s*)?(?:,|$)", "md"),
    (r"text/html\s*;\s*q=([0-9.]+)\s*,(?:.*,)?\s*text/(?:x-)?markdown\s*;\s*q=\1\s*(?:,|$)", "md"),
];

/// Escapes a path for a pattern. Paths have no other character with a meaning of its own.
pub(super) fn escaped(text: &str) -> String {
    text.replace('.', "\\.")
}

/// Returns a pattern for `text` in a query, where any letter may be percent-encoded.
pub(super) fn encoded(text: &str) -> String {
    let mut pattern = String::new();
    for byte in text.bytes() {
        let (high, low) = (byte >> 4, byte & 15);
        let low = match low {
            0..=9 => low.to_string(),
            _ => format!("[{low:x}{low:X}]"),
        };
        // Writing to a string cannot fail.
        let _ = write!(pattern, "(?:{}|%{high}{low})", char::from(byte));
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn letter_may_be_encoded_in_either_case() {
        assert_eq!(encoded("tr"), "(?:t|%74)(?:r|%72)");
        assert_eq!(encoded("l"), "(?:l|%6[cC])");
    }
}
