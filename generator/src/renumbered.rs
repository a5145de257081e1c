//! Clauses of a text that have another anchor than before, because one was put in, taken out or renumbered.

use std::collections::{HashMap, HashSet};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownClause<'t> {
    pub(crate) anchor: &'t str,
    /// Its words, without its mark.
    pub(crate) words: &'t str,
}

/// Returns the former anchors that have no clause now, or that of another one, in their order, each with the present
/// anchor of its words if they are still there. Of an article and the clauses in it, only the article is named.
pub(crate) fn lost_anchors<'t>(old: &[KnownClause<'t>], new: &[KnownClause<'t>]) -> Vec<(&'t str, Option<&'t str>)> {
    let kept: HashSet<&str> = new.iter().map(|clause| clause.anchor).collect();
    let (before, now) = (anchors_of_words(old), anchors_of_words(new));
    let moved = |clause: &KnownClause<'t>| {
        let words = core_of(clause.words);
        let is_known = before.get(words).is_some_and(|anchor| *anchor == Some(clause.anchor));
        let anchor = is_known.then(|| now.get(words).copied().flatten()).flatten();
        anchor.filter(|anchor| *anchor != clause.anchor)
    };
    let present: HashMap<&str, &str> = new.iter().map(|clause| (clause.anchor, core_of(clause.words))).collect();
    // The words of another clause took the place of those that are gone.
    let is_taken = |clause: &KnownClause<'t>| {
        let words = present.get(clause.anchor).filter(|words| **words != core_of(clause.words));
        let former =
            words.and_then(|words| before.get(words).copied().flatten().zip(now.get(words).copied().flatten()));
        former.is_some_and(|(former, now)| {
            now == clause.anchor && !is_below(former, clause.anchor) && !is_below(clause.anchor, former)
        })
    };
    let lost: Vec<(&str, Option<&str>)> = old
        .iter()
        .map(|clause| (clause, moved(clause)))
        .filter(|(clause, now)| now.is_some() || !kept.contains(clause.anchor) || is_taken(clause))
        .map(|(clause, now)| (clause.anchor, now))
        .collect();
    let names: HashSet<&str> = lost.iter().map(|(anchor, _)| *anchor).collect();
    let is_named_above = |anchor: &str| anchor.match_indices('.').any(|(at, _)| names.contains(&anchor[..at]));
    lost.into_iter().filter(|(anchor, _)| !is_named_above(anchor)).collect()
}

/// Returns the anchor of the only clause with certain words; `None` for words that several have. The first paragraph of
/// an article may stand in the line of the article.
fn anchors_of_words<'t>(clauses: &[KnownClause<'t>]) -> HashMap<&'t str, Option<&'t str>> {
    let mut anchors: HashMap<&str, Option<&str>> = HashMap::new();
    let clauses = clauses.iter().map(|clause| (clause.anchor, core_of(clause.words)));
    for (anchor, words) in clauses.filter(|(_, words)| !words.is_empty()) {
        let forget = |known: &mut Option<&str>| {
            if !known.is_some_and(|above| is_below(anchor, above)) {
                *known = None;
            }
        };
        anchors.entry(words).and_modify(forget).or_insert(Some(anchor));
    }
    anchors
}

/// Returns words without what depends on the place in an enumeration: `iki` for `iki,`, `iki.` and `iki ve`.
fn core_of(words: &str) -> &str {
    let bare = words.trim_end_matches([',', ';', '.', ':', ' ', '\\']);
    let ends = [" ve", " veya", " and", " or"];
    ends.iter().find_map(|end| bare.strip_suffix(end)).map_or(bare, core_of)
}

/// Returns whether an anchor is that of a clause in the article or clause of another one.
fn is_below(anchor: &str, above: &str) -> bool {
    anchor.strip_prefix(above).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads `anchor words` a line.
    fn clauses(text: &str) -> Vec<KnownClause<'_>> {
        text.lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(anchor, words)| KnownClause { anchor, words })
            .collect()
    }

    #[test]
    fn clause_that_was_put_in_taken_out_or_renumbered_is_found() {
        let old = "m.1 Amaç\nm.1.a bir\nm.1.b iki\nm.1.c üç\nm.2 Süre\nm.2.1 Süre\nm.2.a dört";
        for (new, lost) in [
            (old, vec![]),
            // One is put in before the others, taken out, or changed.
            (
                "m.1 Amaç\nm.1.a yeni\nm.1.b bir\nm.1.c iki\nm.1.d üç\nm.2 Süre\nm.2.1 Süre\nm.2.a dört",
                vec![("m.1.a", Some("m.1.b")), ("m.1.b", Some("m.1.c")), ("m.1.c", Some("m.1.d"))],
            ),
            (
                "m.1 Amaç\nm.1.a bir\nm.1.b üç\nm.2 Süre\nm.2.1 Süre\nm.2.a dört",
                vec![("m.1.b", None), ("m.1.c", Some("m.1.b"))],
            ),
            (
                "m.1 Amaç\nm.1.a iki\nm.1.b üç\nm.2 Süre\nm.2.1 Süre\nm.2.a dört",
                vec![("m.1.a", None), ("m.1.b", Some("m.1.a")), ("m.1.c", Some("m.1.b"))],
            ),
            ("m.1 Amaç\nm.1.a bir\nm.1.b (Mülga)\nm.1.c üç\nm.2 Süre\nm.2.1 Süre\nm.2.a dört", vec![]),
            ("m.1 Amaç\nm.1.a bir\nm.1.b iki\nm.2 Süre\nm.2.1 Süre\nm.2.a dört", vec![("m.1.c", None)]),
            // An article is named without its clauses.
            ("m.1 Amaç\nm.1.a bir\nm.1.b iki\nm.1.c üç\nm.3 Süre\nm.3.1 Süre\nm.3.a dört", vec![("m.2", Some("m.3"))]),
            ("m.2 Süre\nm.2.1 Süre\nm.2.a dört", vec![("m.1", None)]),
        ] {
            assert_eq!(lost_anchors(&clauses(old), &clauses(new)), lost, "{new}");
        }
        // What ends an item follows from its place.
        let swapped = "m.a iki,\nm.b bir ve\nm.c üç.";
        assert_eq!(
            lost_anchors(&clauses("m.a bir,\nm.b iki; veya\nm.c üç;"), &clauses(swapped)),
            [("m.a", Some("m.b")), ("m.b", Some("m.a"))]
        );
        let same = "m.a Saklıdır.\nm.b Saklıdır.\nm.c iki";
        assert_eq!(
            lost_anchors(&clauses(same), &clauses("m.a iki\nm.b Saklıdır.\nm.c üç")),
            [("m.a", None), ("m.c", Some("m.a"))]
        );
    }
}
