//! Articles, sections and annexes: `Madde 5/A –`, `MADDE 5 (1)`, `m. 5 –`, `Article 5.`, `Section 2.`, `Ek-1:`.

use super::letters::{self, ROMAN};

/// The names of articles in lower case, each with the first part of its anchors. Longer names stand first.
const NAMES: [(&str, &str); 20] = [
    ("ek geçici madde", "ek-gecici-madde"),
    ("geçici madde", "gecici-madde"),
    ("mükerrer madde", "mukerrer-madde"),
    ("ek madde", "ek-madde"),
    ("madde", "madde"),
    ("md.", "madde"),
    ("m.", "madde"),
    ("ek", EK),
    ("article", "article"),
    ("art.", "article"),
    ("section", "section"),
    ("sect.", "section"),
    ("sec.", "section"),
    ("§", "section"),
    ("clause", "clause"),
    ("rule", "rule"),
    ("schedule", "schedule"),
    ("annex", "annex"),
    ("appendix", "appendix"),
    ("recital", "recital"),
];
/// The name of Turkish annexes.
const EK: &str = "ek";
/// Parts of a document that letters also count: `Annex A`.
const LETTERED: [&str; 4] = [EK, "schedule", "annex", "appendix"];
/// What Latin adds to the number of an inserted article: `Article 5 bis`.
const INSERTED: [&str; 3] = ["bis", "ter", "quater"];
/// With what the note of an amendment begins: `(Değişik: 2/3/2024-7499/33 md.)`, `[Amended by Act 5 of 2024]`.
const NOTES: [&str; 11] = [
    "değişik",
    "ek",
    "mülga",
    "iptal",
    "yeniden düzenleme",
    "başlığı ile birlikte değişik",
    "amended",
    "added",
    "inserted",
    "substituted",
    "repealed",
];
/// Longest number of an article, in digits.
const MAX_DIGITS: usize = 4;

/// An article that a line or a heading names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedArticle {
    /// `madde.5-a` for `Madde 5/A`.
    pub(super) anchor: String,
    /// The numeric part of its number; 0 if there is none.
    pub(super) number: u32,
    /// The line cannot be the middle of a sentence.
    pub(super) is_certain: bool,
    /// It is called *madde* or *article*.
    pub(super) is_of_statute: bool,
}

/// A name and a number, with what is written around them.
struct NamedNumber<'w> {
    name: &'static str,
    anchor: &'static str,
    number: u32,
    label: String,
    is_upper: bool,
    /// The words behind the number and the emphasis that ends there.
    behind: &'w str,
    /// Emphasis ends behind the number.
    ends_emphasis: bool,
}

impl NamedNumber<'_> {
    fn is_madde(&self) -> bool {
        self.anchor.ends_with("madde")
    }

    fn article(&self, is_certain: bool) -> NamedArticle {
        let anchor = format!("{}.{}", self.anchor, self.label);
        NamedArticle {
            anchor,
            number: self.number,
            is_certain,
            is_of_statute: self.is_madde() || self.anchor == "article",
        }
    }
}

/// Returns the article that a line begins, and the words behind its number.
pub(super) fn of_line(words: &str, is_emphasized: bool) -> Option<(NamedArticle, &str)> {
    let named = named(words)?;
    let is_short = named.name.ends_with('.') || named.name == "§";
    let behind = named.behind.trim_start_matches([' ', '\u{a0}']);
    let first = behind.chars().next();
    let inside = first.map_or(behind, |first| &behind[first.len_utf8()..]);
    let begins_word = inside.starts_with(char::is_alphabetic);
    let is_dash = matches!(first, Some('-' | '–' | '—'));
    let is_separator = match first {
        // `m. 5-a` cites a clause, `Madde 5-10` several articles.
        Some('-' | '–' | '—') => {
            let is_letter = begins_word && !inside.chars().nth(1).is_some_and(char::is_alphabetic);
            !is_letter && !inside.starts_with(|digit: char| digit.is_ascii_digit())
        }
        Some('.' | ':') => !begins_word && !inside.starts_with(|digit: char| digit.is_ascii_digit()),
        _ => false,
    };
    let is_alone = behind.trim_start_matches(['*', '_', ' ', '\\']).is_empty() && !is_short;
    let begins_paragraph = behind_notes(behind).starts_with("(1)");
    let begins_sentence = behind.starts_with(['(', '“', '"', '‘']) || first.is_some_and(char::is_uppercase);
    let is_set_off = named.is_upper || is_emphasized && named.ends_emphasis;
    let is_title = (is_set_off && !is_short || named.name == "§") && begins_sentence;
    if !(is_separator || is_alone || is_title || named.is_madde() && begins_paragraph && !is_short) {
        return None;
    }
    let is_certain = named.is_upper || is_emphasized || is_dash && !is_short;
    let rest = if is_separator { inside } else { behind };
    Some((named.article(is_certain), rest.trim_start_matches(['*', '_', ' ', '\u{a0}'])))
}

/// Returns what stands behind the notes of amendments with which `words` begin.
pub(super) fn behind_notes(words: &str) -> &str {
    let words = words.trim_start_matches([' ', '\u{a0}', '*', '_']);
    let Some(inside) = words.strip_prefix(['(', '[']) else { return words };
    let inside = inside.trim_start_matches(['*', '_']);
    let is_end = |rest: &str| !rest.starts_with(char::is_alphanumeric);
    let is_note = NOTES.iter().any(|name| strip_name(inside, name).is_some_and(is_end));
    // The mark of a footnote may follow.
    if !is_note && !inside.starts_with('^') {
        return words;
    }
    let mut depth = 0_usize;
    let end = words.find(|letter| {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    end.map_or(words, |end| behind_notes(&words[end + 1..]))
}

/// Returns the article of a heading: that of `Madde 5/A – Amaç`.
pub(super) fn of_heading(words: &str) -> Option<NamedArticle> {
    let named = named(words)?;
    let behind = named.behind.trim_start_matches([' ', '\u{a0}']);
    let first = behind.chars().next();
    let is_cited = behind.starts_with('.') && behind[1..].starts_with(|digit: char| digit.is_ascii_digit());
    let is_end = first.is_none_or(|first| matches!(first, '-' | '–' | '—' | '.' | ':' | '(') || first.is_uppercase());
    (is_end && !is_cited && !named.name.ends_with('.')).then(|| named.article(true))
}

fn named(words: &str) -> Option<NamedNumber<'_>> {
    let first = words.chars().next()?;
    // Most lines begin with none of these.
    if !matches!(first, 'M' | 'm' | 'E' | 'G' | 'A' | 'a' | 'S' | 's' | 'C' | 'R' | '§') {
        return None;
    }
    let (name, anchor, rest) = NAMES.iter().find_map(|(name, anchor)| {
        let rest = strip_name(words, name)?;
        let number = rest.trim_start_matches([' ', '\u{a0}', '-', '‑', '–']);
        let is_joined = number.len() == rest.len();
        let is_dashed = rest.starts_with(['-', '‑', '–']);
        let may_join = name.ends_with('.') || *name == "§";
        let is_apart = !is_joined && (!is_dashed || LETTERED.contains(anchor));
        (is_apart || is_joined && may_join).then_some((*name, *anchor, number))
    })?;
    let written = &words[..words.len() - rest.len()];
    let is_short = name.ends_with('.') || name == "§";
    let is_capital = written.starts_with(char::is_uppercase);
    if !is_capital && !is_short {
        return None;
    }
    let (number, label, length) = number(rest, !name.contains("madde") && !is_short, LETTERED.contains(&anchor))?;
    let behind = &rest[length..];
    if behind.starts_with(|letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '’' | '/' | '%')) {
        return None;
    }
    let bare = behind.trim_start_matches(['*', '_']);
    let letters = written.chars().filter(|letter| letter.is_alphabetic());
    let is_upper = letters.clone().count() > 1 && letters.clone().all(char::is_uppercase);
    Some(NamedNumber { name, anchor, number, label, is_upper, behind: bare, ends_emphasis: bare.len() < behind.len() })
}

/// Returns what follows `name`, which is in lower case.
fn strip_name<'w>(words: &'w str, name: &str) -> Option<&'w str> {
    let mut letters = words.chars();
    let is_name =
        name.chars().all(|wanted| letters.next().is_some_and(|letter| letters::lower_letter(letter) == wanted));
    is_name.then_some(letters.as_str())
}

/// Returns the number of an article, its part of the anchor, and its length in bytes: `5`, `5/A`, `5A`, `IV`, `A`.
fn number(words: &str, may_be_roman: bool, may_be_letter: bool) -> Option<(u32, String, usize)> {
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        let length = words.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(words.len());
        let word = &words[..length];
        let is_roman = may_be_roman && word.chars().all(char::is_uppercase) && {
            let word = letters::lower(word);
            ROMAN.contains(&word.as_str())
        };
        let is_letter = may_be_letter && word.chars().count() == 1 && word.chars().all(char::is_uppercase);
        return (is_roman || is_letter).then(|| (0, letters::label(word), length));
    }
    if digits > MAX_DIGITS {
        return None;
    }
    let number = words[..digits].parse().ok()?;
    let rest = &words[digits..];
    let first_word = |words: &str| words.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(words.len());
    let is_inserted = |words: &&str| INSERTED.contains(&&words[..first_word(words)]);
    let (separator, letters) = match rest.strip_prefix('/') {
        Some(letters) => ("-", letters),
        None => ("", rest.strip_prefix(' ').filter(is_inserted).unwrap_or(rest)),
    };
    let suffix = &letters[..first_word(letters)];
    let is_letter = suffix.chars().count() == 1 && suffix.chars().all(char::is_alphabetic);
    if !is_letter && !INSERTED.contains(&suffix) {
        return Some((number, words[..digits].to_owned(), digits));
    }
    let label = format!("{}{separator}{}", &words[..digits], letters::label(suffix));
    Some((number, label, words.len() - letters.len() + suffix.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn article_is_distinguished_from_a_citation() {
        for (line, anchor) in [
            ("Madde 1- (1) Bir", "madde.1"),
            ("Madde 5 – (1) Bir", "madde.5"),
            ("MADDE 3-", "madde.3"),
            ("MADDE 3-Taraflar", "madde.3"),
            ("MADDE 3 Taraflar", "madde.3"),
            ("Madde 3", "madde.3"),
            ("Madde 3 (1) Bir", "madde.3"),
            ("m. 5 – (1) Bir", "madde.5"),
            ("m.5: Bir", "madde.5"),
            ("Md. 7- Bir", "madde.7"),
            ("Madde 5/A – Bir", "madde.5-a"),
            ("Mükerrer Madde 257 – Bir", "mukerrer-madde.257"),
            ("MÜKERRER MADDE 35- Bir", "mukerrer-madde.35"),
            ("GEÇİCİ MADDE 1 – Bir", "gecici-madde.1"),
            ("EK GEÇİCİ MADDE 2 – Bir", "ek-gecici-madde.2"),
            ("Ek Madde 3/Ç – Bir", "ek-madde.3-c2"),
            ("EK-1: Vekâletname", "ek.1"),
            ("Ek A – Ücretler", "ek.a"),
            ("Article 5A – Name", "article.5a"),
            ("Article 5 bis – Name", "article.5bis"),
            ("ARTICLE IV. Shares", "article.iv"),
            ("ARTICLE IV SHARES", "article.iv"),
            ("Art. 12. Name", "article.12"),
            ("Section 2. Name", "section.2"),
            ("§ 5. Name", "section.5"),
            ("§ 5 Name", "section.5"),
            ("Clause 7: Name", "clause.7"),
            ("Rule 3 – Service", "rule.3"),
            ("Schedule 1 – Fees", "schedule.1"),
            ("Annex II: Fees", "annex.ii"),
            ("Recital 5 – Aim", "recital.5"),
        ] {
            let article = of_line(line, false).map(|(article, _)| article.anchor);
            assert_eq!(article.as_deref(), Some(anchor), "{line}");
        }
        for line in [
            "Madde 5-10 arasında",
            "Madde 5’e göre",
            "Madde 5'in",
            "m. 5/1-a hükümleri",
            "m. 5-a bendi",
            "m. 5",
            "m. 285/3",
            "§ 5 ve § 6",
            "Article 5 provides",
            "Article 5(2) provides",
            "Article 5.2 provides",
            "Section 2 of the Act",
            "Section 2.1 Name",
            "Article 39 of the Agreement",
            "Madde imleri",
            "Ek bilgi",
            "Ekler: 1",
            "Rule of law.",
            "Ek 3 puan",
            "Article 10 (1) provides",
            "madde 5 – küçük",
            "Maddeler 5 – 7",
            "A 5 – B",
            "EK 12345 – x",
        ] {
            assert_eq!(of_line(line, false), None, "{line}");
        }
    }

    #[test]
    fn heading_of_an_article_has_its_whole_number() {
        for (heading, anchor) in [
            ("Madde 5", Some("madde.5")),
            ("Madde 5 Amaç", Some("madde.5")),
            ("Madde 5/A – Amaç", Some("madde.5-a")),
            ("Article 5A. Scope", Some("article.5a")),
            ("Article 5 Scope", Some("article.5")),
            ("Section 2. Term", Some("section.2")),
            ("Ek-1", Some("ek.1")),
            ("Schedule 2 – Fees", Some("schedule.2")),
            ("Madde 5’in gerekçesi", None),
            ("Section 5 of the Act", None),
            ("Ek 3 puanlık indirim", None),
            ("Article 5.2 in practice", None),
            ("Articles 5 and 6", None),
            ("Article 5 and Article 6", None),
        ] {
            assert_eq!(of_heading(heading).map(|article| article.anchor).as_deref(), anchor, "{heading}");
        }
    }
}
