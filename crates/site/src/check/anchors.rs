//! Suggestions for anchors that do not exist.
//!
//! The anchor of a clause is a citation, so the most similar one may be a clause of another article. Another anchor of a
//! clause is therefore suggested only if it is the same citation in another notation; otherwise those around are listed.

use std::cmp::Reverse;

use findings::{Finding, messages, nearest};
use markdown::anchor_label;

/// Anchors in a list.
const MAX_LISTED: usize = 8;
/// Names in citations, and their names in anchors.
const ABBREVIATIONS: [(&str, &str); 6] =
    [("m", "madde"), ("md", "madde"), ("art", "article"), ("s", "section"), ("sec", "section"), ("cl", "clause")];

/// Adds the intended anchor as a suggestion, or lists those that exist.
pub(super) fn with_anchors<'a>(finding: Finding, anchor: &str, ids: impl Iterator<Item = &'a str>) -> Finding {
    let (clauses, headings): (Vec<&str>, Vec<&str>) = ids.partition(|id| id.contains('.'));
    let cited = parts(anchor);
    let mut same = clauses.iter().filter(|id| parts(id) == cited);
    if let (Some(id), None) = (same.next(), same.next()) {
        return finding.did_you_mean(Some(&format!("#{id}")));
    }
    if let Some(number) = item_of_list(anchor, &clauses, &headings) {
        return finding.help(messages::items_of_lists_have_no_anchors(number));
    }
    let is_citation =
        anchor.contains('.') || cited.get(1).is_some_and(|part| part.starts_with(|digit: char| digit.is_ascii_digit()));
    if is_citation && !clauses.is_empty() {
        // The heading above the clause may be misspelt: `fesh.2.b` for `fesih.2.b`.
        let behind = |id: &str| id.split_once('.').map(|(_, behind)| behind.to_owned());
        let misspelt = clauses.iter().copied().filter(|id| anchor.contains('.') && behind(id) == behind(anchor));
        if let Some(id) = nearest(anchor, misspelt) {
            return finding.did_you_mean(Some(&format!("#{id}")));
        }
        return finding.help(messages::clauses_there(listed(&around(&cited, clauses))));
    }
    match nearest(anchor, headings.iter().copied()) {
        Some(id) => finding.did_you_mean(Some(&format!("#{id}"))),
        None if headings.is_empty() && clauses.is_empty() => finding.help(messages::no_headings()),
        None if headings.is_empty() => finding.help(messages::clauses_there(listed(&clauses))),
        None => finding.help(messages::headings_there(listed(&headings))),
    }
}

/// Returns the number of what may be an item of a plain list: 2 in `article.1.2`, if article 1 has no numbered clauses.
fn item_of_list<'a>(anchor: &'a str, clauses: &[&str], headings: &[&str]) -> Option<&'a str> {
    let (above, number) = anchor.rsplit_once('.')?;
    let is_number = |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
    let is_there = clauses.contains(&above) || headings.contains(&above);
    let is_numbered = |id: &&str| id.strip_prefix(above).and_then(|rest| rest.strip_prefix('.')).is_some_and(is_number);
    (is_number(number) && is_there && !clauses.iter().any(is_numbered)).then_some(number)
}

/// Returns the anchors that share the most parts with a citation; of other articles only the articles.
fn around<'a>(cited: &[String], clauses: Vec<&'a str>) -> Vec<&'a str> {
    let shared = |id: &str| parts(id).iter().zip(cited).take_while(|(one, other)| one == other).count();
    let mut sorted: Vec<(usize, usize, &str)> =
        clauses.into_iter().map(|id| (shared(id), id.matches('.').count(), id)).collect();
    sorted.sort_by_key(|(shared, points, _)| (Reverse(*shared), *points));
    let most = sorted.first().map_or(0, |(shared, ..)| *shared);
    let is_around = |(shared, points, _): &(usize, usize, &str)| *shared == most && (most > 1 || *points == 1);
    sorted.into_iter().filter(is_around).map(|(.., id)| id).collect()
}

fn listed(ids: &[&str]) -> String {
    ids.iter().take(MAX_LISTED).map(|id| format!("`#{id}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the parts of an anchor, however they are separated: `madde`, `5`, `2`, `b` for `m.5/2-b`.
fn parts(anchor: &str) -> Vec<String> {
    let written = anchor.replace("%20", " ");
    let parts = written.split(['.', '-', '/', '(', ')', ' ', '_']).filter(|part| !part.is_empty());
    // A word keeps its Turkish letters' plain forms, a letter that counts has a number behind it.
    let part = |part: &str| if part.chars().count() == 1 { anchor_label(part) } else { markdown::turkish::fold(part) };
    let mut parts: Vec<String> = parts.map(part).collect();
    if let Some(name) = parts.first_mut()
        && let Some((_, long)) = ABBREVIATIONS.iter().find(|(short, _)| *short == name.as_str())
    {
        *name = (*long).to_owned();
    }
    parts
}

#[cfg(test)]
mod tests {
    use contract::Locale;
    use findings::{Code, Place};

    use super::*;

    const IDS: [&str; 12] = [
        "fesih",
        "madde-5-sure",
        "madde.5",
        "madde.5.1",
        "madde.5.2",
        "madde.5.2.b",
        "madde.5.2.c2",
        "madde.6",
        "madde.6.3",
        "madde.6.3.a",
        "fesih.1",
        "fesih.1.a",
    ];

    /// Returns what an editor reads about an anchor.
    fn advice(anchor: &str, ids: &[&str]) -> String {
        let finding = Finding::new(Code::LINK_ANCHOR, Place::file("a.md"), messages::no_headings());
        let found = with_anchors(finding, anchor, ids.iter().copied());
        let words = found.label.iter().chain(&found.help).map(|text| text[Locale::En].to_string());
        words.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn clause_is_suggested_only_for_the_same_citation() {
        for (anchor, meant) in [
            ("madde.5.2.B", "madde.5.2.b"),
            ("madde-5-2-b", "madde.5.2.b"),
            ("m.5/2-b", "madde.5.2.b"),
            ("madde.5.2.ç", "madde.5.2.c2"),
            ("madde-5", "madde.5"),
            ("Madde.5.1", "madde.5.1"),
            ("fesh.1.a", "fesih.1.a"),
            ("fesıh", "fesih"),
        ] {
            assert_eq!(advice(anchor, &IDS), format!("did you mean `#{meant}`?"), "{anchor}");
        }
        for (anchor, listed) in [
            ("madde.5.3", "`#madde.5`, `#madde.5.1`, `#madde.5.2`, `#madde.5.2.b`, `#madde.5.2.c2`"),
            ("madde.5.3.a", "`#madde.5`, `#madde.5.1`, `#madde.5.2`, `#madde.5.2.b`, `#madde.5.2.c2`"),
            ("madde.5.2.d", "`#madde.5.2`, `#madde.5.2.b`, `#madde.5.2.c2`"),
            ("madde.7.3.a", "`#madde.5`, `#madde.6`"),
            ("madde-7", "`#madde.5`, `#madde.6`"),
            ("fesih.2.a", "`#fesih.1`"),
        ] {
            assert_eq!(advice(anchor, &IDS), format!("anchors there: {listed}"), "{anchor}");
        }
    }

    #[test]
    fn number_of_a_plain_list_is_to_be_typed() {
        for anchor in ["madde.5.2.b.1", "madde.5.1.1", "sureler.1"] {
            let advice = advice(anchor, &[&IDS[..], &["sureler"]].concat());
            assert!(advice.ends_with("as `1\\.` or `1\\)`, and those beside it alike"), "{anchor}: {advice}");
        }
    }

    #[test]
    fn heading_is_never_mistaken_for_a_clause() {
        assert_eq!(advice("sure", &["madde.5", "madde.5.1"]), "anchors there: `#madde.5`, `#madde.5.1`");
        assert_eq!(advice("usul", &["sureler", "madde.5"]), "headings there: `#sureler`");
        assert_eq!(advice("a", &[]), "the text has no headings");
    }
}
