//! Suggestions for misspelt words.

use std::borrow::Cow;

use markdown::turkish::fold;

/// Returns the candidate nearest to `word`, if it is near enough to suggest; of two equally near, the first.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = plain(word.trim());
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        if candidate == word || candidate.len().abs_diff(plain.len()) > 3 + plain.len() / 2 {
            continue;
        }
        let likeness = strsim::jaro_winkler(&plain, &self::plain(candidate));
        if likeness > best.map_or(0.84, |(likeness, _)| likeness) {
            best = Some((likeness, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns whether `word` is a misspelling of `meant`: one letter, or two in words of eight or more, left out, added,
/// changed or swapped.
pub fn is_slip(word: &str, candidate: &str) -> bool {
    let most = if candidate.len() < 8 { 1 } else { 2 };
    word != candidate && word.len() >= 4 && strsim::damerau_levenshtein(&plain(word), candidate) <= most
}

/// Returns `word` in lower case, without marks, with hyphens for spaces and underscores: `İŞ_HUKUKU` becomes
/// `is-hukuku`.
fn plain(word: &str) -> Cow<'_, str> {
    if word.bytes().any(|byte| !byte.is_ascii() || byte.is_ascii_uppercase() || matches!(byte, b'_' | b' ')) {
        Cow::Owned(fold(word).replace(['_', ' '], "-"))
    } else {
        Cow::Borrowed(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slip_is_distinguished_from_another_word() {
        for (word, candidate) in [("abuot", "about"), ("hmoe", "home"), ("developer", "developers")] {
            assert!(is_slip(word, candidate), "{word}");
        }
        for (word, candidate) in [("about", "about"), ("fees", "team"), ("faq", "home"), ("forms", "home")] {
            assert!(!is_slip(word, candidate), "{word}");
        }
    }

    #[test]
    fn typing_error_is_recognised() {
        let fields = ["title", "slug", "excerpt", "date", "author", "category"];
        assert_eq!(nearest("catgory", fields), Some("category"));
        assert_eq!(nearest("Title", fields), Some("title"));
        assert_eq!(nearest("practice_areas", ["practice-areas", "team"]), Some("practice-areas"));
        assert_eq!(nearest("İÇİŞLERİ", ["dis-isleri", "icisleri"]), Some("icisleri"));
        assert_eq!(nearest("colour", fields), None);
        assert_eq!(nearest("", fields), None);
    }
}
