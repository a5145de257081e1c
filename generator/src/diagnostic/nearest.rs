//! The word that was probably meant.

/// The candidate nearest to `word`, if one is near enough to be worth a question.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = word.trim().to_lowercase().replace(['_', ' '], "-");
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        if candidate.len() > plain.len() * 2 + 8 {
            continue;
        }
        let likeness = strsim::jaro_winkler(&plain, &candidate.to_lowercase().replace(['_', ' '], "-"));
        let best_so_far = best.map_or(0.0, |(likeness, _)| likeness);
        if candidate != word && likeness > best_so_far {
            best = Some((likeness, candidate));
        }
    }
    best.filter(|(likeness, _)| *likeness >= 0.84).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_recognised() {
        let fields = ["title", "slug", "excerpt", "date", "author", "category"];
        assert_eq!(nearest("catgory", fields), Some("category"));
        assert_eq!(nearest("Title", fields), Some("title"));
        assert_eq!(nearest("practice_areas", ["practice-areas", "team"]), Some("practice-areas"));
        assert_eq!(nearest("colour", fields), None);
        assert_eq!(nearest("", fields), None);
    }
}
