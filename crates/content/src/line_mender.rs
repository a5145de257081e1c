//! A line of front matter that is not YAML, as it was meant.

use findings::messages::{self, Text};
use saphyr_parser::Parser;

/// Quotation marks that YAML takes for letters.
const OTHER_MARKS: [(char, &[char]); 6] =
    [('“', &['”', '“']), ('”', &['”']), ('„', &['“', '”']), ('‘', &['’', '‘']), ('’', &['’']), ('«', &['»'])];

/// A line as it was meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mended {
    pub(super) line: String,
    /// What is wrong with the line.
    pub(super) why: Text,
}

/// Returns what was meant by a line of the form `name: value` that cannot be read, if quotation marks around its whole
/// value make it right and it has no comment, whose beginning would be a guess.
pub(super) fn mended(line: &str) -> Option<Mended> {
    let (name, rest) = line.split_once(':')?;
    let value = rest.strip_prefix(' ')?.trim();
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let bare = name.trim_start_matches([' ', '-']);
    if !is_name(bare) || value.contains(" #") {
        return None;
    }
    let (inside, why) = meant(value)?;
    // A value is shown as it is written, so marks of emphasis would be seen.
    let plain = if inside.starts_with(['*', '`']) { inside.replace(['*', '`'], "") } else { inside.to_owned() };
    let line = format!("{name}: {}", quoted(&plain));
    let is_right = Parser::new_from_str(line.trim_start_matches([' ', '-'])).all(|event| event.is_ok());
    is_right.then_some(Mended { line, why })
}

/// Returns the text that was meant by a value, and what is wrong with it.
fn meant(value: &str) -> Option<(&str, Text)> {
    if let Some(inside) = inside_other_marks(value) {
        let marks: String = value.chars().take(1).chain(value.chars().last()).collect();
        return Some((inside, messages::marks_unknown(marks)));
    }
    let goes_on = || (value, messages::value_going_on());
    if let Some(inside) = value.strip_prefix('\'') {
        return match inside.strip_suffix('\'') {
            Some(inside) if is_apostrophe(inside) => {
                let word = inside.split_whitespace().find(|word| is_apostrophe(word)).unwrap_or(inside);
                Some((inside, messages::value_ended_by_apostrophe(word)))
            }
            _ => goes_on_behind(value, '\'').then(goes_on),
        };
    }
    if value.starts_with('"') {
        return goes_on_behind(value, '"').then(goes_on);
    }
    let first = value.chars().next()?;
    // A line that cannot be read has none of these for what they mean to YAML.
    let is_special = matches!(first, '@' | '`' | '%' | '*' | '&' | '!' | '|' | '>' | '-' | '?');
    if is_special || goes_on_behind_brackets(value) {
        return Some((value, messages::value_start_special(first)));
    }
    let is_plain = !value.starts_with(['[', '{', '#']);
    let has_colon = is_plain && value.contains(": ");
    has_colon.then(|| (value, messages::value_with_colon()))
}

/// Returns whether an apostrophe stands in a word: `Türkiye'de`, not `''`.
fn is_apostrophe(text: &str) -> bool {
    text.match_indices('\'').any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + 1..].chars().next();
        before.is_some_and(char::is_alphanumeric) && behind.is_some_and(char::is_alphanumeric)
    })
}

/// Returns what is between two quotation marks that YAML does not know, if nothing is outside of them.
pub(super) fn inside_other_marks(text: &str) -> Option<&str> {
    let (opening, closing) = OTHER_MARKS.into_iter().find(|(opening, _)| text.starts_with(*opening))?;
    let inside = text.strip_prefix(opening)?.strip_suffix(closing)?;
    let is_one = !inside.contains(opening) && !inside.contains(closing) || (opening == '‘' && is_one_word_mark(inside));
    is_one.then_some(inside.trim())
}

/// Returns whether every `’` in `text` is an apostrophe.
fn is_one_word_mark(text: &str) -> bool {
    !text.contains('‘') && text.split('’').skip(1).all(|behind| behind.starts_with(char::is_alphanumeric))
}

/// Returns `text` between quotation marks of YAML.
pub(super) fn quoted(text: &str) -> String {
    if text.contains(['"', '\\']) { format!("'{}'", text.replace('\'', "''")) } else { format!("\"{text}\"") }
}

/// Returns whether more than a comment follows the quotation mark that closes the first one: `"Kira": yeni`.
fn goes_on_behind(value: &str, mark: char) -> bool {
    let behind = value[mark.len_utf8()..].split_once(mark).map_or("", |(_, behind)| behind.trim_start());
    !(behind.is_empty() || behind.starts_with('#'))
}

/// Returns whether words follow the bracket that closes the first one: `[2024] karar`.
pub(super) fn goes_on_behind_brackets(value: &str) -> bool {
    let closing = if value.starts_with('[') { ']' } else { '}' };
    let behind = value.starts_with(['[', '{']).then(|| value.split_once(closing)).flatten();
    behind.is_some_and(|(_, words)| words.trim_start().starts_with(|c: char| c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_mended_where_only_one_thing_can_be_meant() {
        for (line, expected) in [
            ("title: “Kamu ihalelerinde: süreler”", "title: \"Kamu ihalelerinde: süreler\""),
            ("title: „Kira: yeni“", "title: \"Kira: yeni\""),
            ("title: «Kira: yeni»", "title: \"Kira: yeni\""),
            ("title: 'Türkiye'de süreler'", "title: \"Türkiye'de süreler\""),
            ("title: 'Türkiye'de \"yeni\" süreler'", "title: 'Türkiye''de \"yeni\" süreler'"),
            ("title: Work: a guide", "title: \"Work: a guide\""),
            ("title: \"Kira\" ve \"satış\"", "title: '\"Kira\" ve \"satış\"'"),
            ("title: 'Kira': yeni", "title: \"'Kira': yeni\""),
            ("title: [2024] karar", "title: \"[2024] karar\""),
            ("title: @kurum: karar", "title: \"@kurum: karar\""),
            ("title: *Kira*", "title: \"Kira\""),
            ("title: **Kanun** yürürlükte", "title: \"Kanun yürürlükte\""),
            ("title: - Kira", "title: \"- Kira\""),
            ("title: > Kira", "title: \"> Kira\""),
            ("  - name: A: b", "  - name: \"A: b\""),
        ] {
            assert_eq!(mended(line).map(|mended| mended.line).as_deref(), Some(expected), "{line}");
        }
        for line in ["title: \"Kira", "title: Kira: yeni # not", "title: [a, b", "no field", "title:", "Title: a: b"] {
            assert_eq!(mended(line), None, "{line}");
        }
    }

    #[test]
    fn quotation_marks_of_word_processors_are_known() {
        for (text, inside) in
            [("“Süreler”", Some("Süreler")), ("‘Firm’s duties’", Some("Firm’s duties")), ("«A»", Some("A"))]
        {
            assert_eq!(inside_other_marks(text), inside, "{text}");
        }
        for text in ["“A” ve “B”", "“A” kararı", "Süreler", "“", "‘A’ and ‘B’"] {
            assert_eq!(inside_other_marks(text), None, "{text}");
        }
    }
}
