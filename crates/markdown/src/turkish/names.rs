//! Names of countries and languages.

use contract::Locale;

/// Source and licence: at the head of the file.
const NAMES: &str = include_str!("data/names.tsv");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeKind {
    /// ISO 3166-1, two capital letters.
    Country,
    /// ISO 639-1, two small letters.
    Language,
}

/// Returns the name of `code`, which is compared byte for byte.
pub(super) fn name(kind: CodeKind, code: &str, locale: Locale) -> Option<&'static str> {
    let kind = match kind {
        CodeKind::Country => "country",
        CodeKind::Language => "language",
    };
    NAMES.lines().find_map(|line| {
        let mut columns =
            line.strip_prefix(kind)?.strip_prefix('\t')?.strip_prefix(code)?.strip_prefix('\t')?.split('\t');
        match locale {
            Locale::En => columns.next(),
            Locale::Tr => columns.nth(1),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_code_and_two_names() {
        let lines: Vec<Vec<&str>> =
            NAMES.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect()).collect();
        assert!(lines.is_sorted());
        assert_eq!(lines.iter().filter(|line| line[0] == "country" && line[1].len() == 2).count(), 249);
        assert_eq!(lines.iter().filter(|line| line[0] == "language" && line[1].len() == 2).count(), 183);
        assert!(lines.iter().all(|line| line.len() == 4 && line.iter().all(|column| !column.trim().is_empty())));
    }
}
