//! Requirements on the paths of a manifest.

/// Whether `path` may be a route: absolute, decoded, without dot segments, controls, backslashes, query or fragment.
pub(super) fn is_route_path(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    // Security: in `Location`, `//host/` is another site.
    !rest.starts_with('/')
        && rest.split('/').all(|segment| segment != "." && segment != "..")
        && !path.chars().any(|letter| letter.is_control() || matches!(letter, '\\' | '?' | '#'))
}

/// Whether `items` ascend and no two are equal.
pub(super) fn is_sorted<'a>(items: impl Iterator<Item = &'a str>) -> bool {
    items.is_sorted_by(|one, next| one < next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn route_path_is_absolute_and_plain() {
        for path in ["/", "/en", "/en/", "/tr/yayınlar", "/.well-known/x"] {
            assert!(is_route_path(path), "{path}");
        }
        for path in ["", "en", "//evil.example", "/a/../b", "/.", "/a?b", "/a#b", "/a\nb", "/a\\b"] {
            assert!(!is_route_path(path), "{path:?}");
        }
    }
}
