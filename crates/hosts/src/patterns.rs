//! Regular expressions (PCRE) for hosts that decide by patterns only.

use std::fmt::Write as _;

/// Negotiates `Accept` for a page: case-insensitive patterns, tried in order, with the result `html`, `md`, or `none`
/// for 406; without a match, `html`. A pattern cannot compare numbers, so weights are honoured only if they are equal,
/// absent or zero.
///
/// Three more places parse `Accept`, because the engines differ: the patterns in `Caddyfile.tera` have no lookahead,
/// `formOf` in `edge/cloudfront-request.js` must be short and has few language features, and `edge/negotiate.js` parses
/// it fully. `crates/answers/table.toml` tests all of them with the same requests.
pub(super) const ACCEPT: [(&str, &str); 7] = [
    // Only media types that do not exist here are acceptable.
    (r"^(?!.*(?:text/html|text/(?:x-)?markdown|text/\*|\*/\*))\s*[a-z0-9.+*-]+/[a-z0-9.+*-]+", "none"),
    (r"^\s*\*/\*\s*;\s*q=0(?:\.0*)?\s*$", "none"),
    // Markdown with weight zero or a malformed weight.
    (
        r"^(?!.*text/html\s*;\s*q=0(?:\.0*)?\s*(?:,|$)).*text/(?:x-)?markdown\s*;\s*q=(?:0(?:\.0*)?\s*(?:,|$)|[2-9]|1\.0*[1-9])",
        "html",
    ),
    // HTML with weight zero.
    (r"text/html\s*;\s*q=0(?:\.0*)?\s*(?:,|$)", "md"),
    // Markdown if HTML is not named, or with full weight, or with the same weight.
    (r"^(?!.*text/html)(?:[^\x22]|\x22[^\x22]*\x22)*text/(?:x-)?markdown", "md"),
    (r"^(?:[^\x22]|\x22[^\x22]*\x22)*text/(?:x-)?markdown\s*(?:;\s*charset=utf-8\s*)?(?:,|$)", "md"),
    (r"text/html\s*;\s*q=([0-9.]+)\s*,(?:.*,)?\s*text/(?:x-)?markdown\s*;\s*q=\1\s*(?:,|$)", "md"),
];

/// Escapes a path for a pattern. Checked paths contain no other special character than the dot.
pub(super) fn escape(text: &str) -> String {
    text.replace('.', "\\.")
}

/// Returns a pattern for `text` in a query, in which any character may be percent-encoded.
pub(super) fn percent_encodable(text: &str) -> String {
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
    use super::percent_encodable;

    #[test]
    fn percent_encoding_matches_in_either_case() {
        assert_eq!(percent_encodable("tr"), "(?:t|%74)(?:r|%72)");
        assert_eq!(percent_encodable("l"), "(?:l|%6[cC])");
    }
}
