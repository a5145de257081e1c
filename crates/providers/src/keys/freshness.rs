//! `Cache-Control`, as far as a key set needs it.

use std::time::Duration;

/// Returns `max-age` (RFC 9111, 5.2.2.1), or `None` if it is missing or the response must not be stored. The caller
/// sets bounds.
pub(super) fn max_age<'a>(fields: impl Iterator<Item = &'a str>) -> Option<Duration> {
    let mut found = None;
    for directive in fields.flat_map(|field| field.split(',')) {
        let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
        let name = name.trim();
        if name.eq_ignore_ascii_case("no-store") || name.eq_ignore_ascii_case("no-cache") {
            return None;
        }
        if name.eq_ignore_ascii_case("max-age") {
            let seconds = value.trim().trim_matches('"').parse().ok().map(Duration::from_secs);
            // Of two, take the shorter.
            found = seconds.min(found.or(seconds));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(fields: &[&str]) -> Option<u64> {
        max_age(fields.iter().copied()).map(|age| age.as_secs())
    }

    #[test]
    fn max_age_is_found_among_other_directives() {
        assert_eq!(seconds(&["public, max-age=3600, must-revalidate"]), Some(3600));
        assert_eq!(seconds(&["public", "Max-Age = \"60\""]), Some(60));
        assert_eq!(seconds(&["max-age=60, max-age=30"]), Some(30));
    }

    #[test]
    fn response_without_max_age_or_with_no_store_has_no_age() {
        for field in
            ["", "public", "no-store, max-age=60", "max-age=60, no-cache", "max-age", "max-age=-1", "max-age=x"]
        {
            assert_eq!(seconds(&[field]), None, "{field}");
        }
    }
}
