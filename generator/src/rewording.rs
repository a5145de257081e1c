//! Distinguishes corrections of a text (spelling, links, punctuation) from changes of its meaning. In case of doubt the
//! meaning has changed.

use std::{collections::HashSet, sync::LazyLock};

use content::{Kind, Sharing};
use regex_lite::Regex;

/// Fields of one language that readers do not see.
const UNREAD: [&str; 3] = ["reviewed", "slug", "aliases"];
/// Fields that both languages share: stated in one file or in the other, they are no translation.
static SHARED: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let fields = Kind::ALL.into_iter().flat_map(|kind| content::fields_of(kind.folder()));
    fields.filter(|field| field.sharing == Sharing::Shared).map(|field| field.name.as_str()).collect()
});
/// In shorter words, one letter easily makes another word.
const SHORTEST: usize = 5;

/// Returns whether the file `after` has the meaning of `before`.
pub(crate) fn keeps_meaning(before: &str, after: &str) -> bool {
    let (before, after) = (words(before), words(after));
    before.len() == after.len() && before.iter().zip(&after).all(|(one, other)| one == other || is_spelling(one, other))
}

/// Returns the words that readers see, in lower case.
fn words(text: &str) -> Vec<String> {
    /// Targets of links: inline, in a definition, and bare.
    static TARGETS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\]\([^()\s]*|(?m:^\[[^\]^][^\]]*\]:.*$)|https?://[^\s)>]+").ok());
    let tidy = content::tidy(text);
    let (fields, body) = match content::split(&tidy, "") {
        Ok(split) => (split.fields, split.body),
        Err(_) => ("", &*tidy),
    };
    let mut read: Vec<String> = Vec::new();
    let mut is_read = true;
    for line in fields.lines() {
        // What is indented, or an item of a list, belongs to the field above.
        if line.starts_with([' ', '-']) {
            if let Some(field) = read.last_mut().filter(|_| is_read) {
                field.extend(["\n", line]);
            }
            continue;
        }
        let name = line.split(':').next().unwrap_or_default();
        is_read = !UNREAD.contains(&name) && !SHARED.contains(name);
        read.extend(is_read.then(|| line.to_owned()));
    }
    // The order of the fields has no meaning.
    read.sort();
    let seen = read.join("\n") + "\n" + body;
    let seen = TARGETS.as_ref().map_or_else(|| seen.clone().into(), |targets| targets.replace_all(&seen, " "));
    let words = seen.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Returns whether two words differ only by a slip: a missing accent, one letter too many inside, or two swapped
/// letters. A different letter makes another word (`yapmadı`, `yapmalı`), and so may a letter at either end.
fn is_spelling(one: &str, other: &str) -> bool {
    let [first, second] = [one, other].map(|word| word.chars().map(plain).collect::<Vec<char>>());
    if first.len().min(second.len()) < SHORTEST || one.contains(|letter: char| letter.is_ascii_digit()) {
        return false;
    }
    let sorted = |letters: &[char]| {
        let mut letters = letters.to_vec();
        letters.sort_unstable();
        letters
    };
    let is_slip = first.len() != second.len() || sorted(&first) == sorted(&second);
    first == second
        || first.first() == second.first()
            && first.last() == second.last()
            && is_slip
            && strsim::osa_distance(one, other) == 1
}

fn plain(letter: char) -> char {
    match letter {
        'ç' => 'c',
        'ğ' => 'g',
        'ı' | 'î' => 'i',
        'ö' => 'o',
        'ş' => 's',
        'ü' | 'û' => 'u',
        'â' => 'a',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "---\ntitle: Kira artışı\nslug: kira\n---\n\nKiraya veren [bildirim](/tr/a) yapmadı; süre 30 gündür.\n";

    #[track_caller]
    fn keeps_meaning_of(from: &str, to: &str) -> bool {
        let changed = TEXT.replacen(from, to, 1);
        assert_ne!(changed, TEXT);
        assert_eq!(keeps_meaning(&changed, TEXT), keeps_meaning(TEXT, &changed));
        keeps_meaning(TEXT, &changed)
    }

    #[test]
    fn corrections_keep_the_meaning() {
        assert!(keeps_meaning_of("bildirim", "bildirrim"));
        assert!(keeps_meaning_of("bildirim", "bildiirm"));
        assert!(keeps_meaning_of("artışı", "artisi"));
        assert!(keeps_meaning_of("(/tr/a)", "(/tr/b)"));
        assert!(keeps_meaning_of("yapmadı; süre", "yapmadı. Süre"));
        assert!(keeps_meaning_of("[bildirim](/tr/a)", "**bildirim**"));
        assert!(keeps_meaning_of("slug: kira\n", "slug: kira-artisi\naliases:\n  - kira\nreviewed: 2026-11-27\n"));
        assert!(keeps_meaning_of("title: Kira artışı\nslug: kira\n", "slug: kira\nauthors: [a]\ntitle: Kira artışı\n"));
        assert!(keeps_meaning_of("\n", "\r\n"));
    }

    #[test]
    fn other_words_numbers_and_negations_do_not() {
        for (from, to) in [
            ("yapmadı", "yapmalı"),
            ("30 gündür", "60 gündür"),
            ("bildirim", "yazılı bildirim"),
            ("Kiraya veren", "Kiracı"),
            ("bildirim", "bildirimi"),
            ("Kira artışı", "Kira"),
            ("veren", "eren"),
        ] {
            assert!(!keeps_meaning_of(from, to), "{from} → {to}");
        }
    }
}
