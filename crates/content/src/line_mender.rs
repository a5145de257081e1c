//! Corrects lines of front matter that are not YAML.

use findings::messages::{self, Text};
use saphyr_parser::Parser;

/// Quotation marks that YAML reads as letters.
const OTHER_MARKS: [(char, &[char]); 6] =
    [('“', &['”', '“']), ('”', &['”']), ('„', &['“', '”']), ('‘', &['’', '‘']), ('’', &['’']), ('«', &['»'])];

/// A corrected line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MendedLine {
    pub(super) line: String,
    /// The fault of the original line.
    pub(super) why: Text,
}

/// Corrects an unreadable line of the form `name: value` by putting its whole value in quotation marks. Returns `None`
/// if the result is not YAML, or if the line contains ` #`, which may or may not begin a comment.
pub(super) fn mend_line(line: &str) -> Option<MendedLine> {
    let (name, rest) = line.split_once(':')?;
    let value = rest.strip_prefix(' ')?.trim();
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let bare = name.trim_start_matches([' ', '-']);
    if !is_name(bare) || value.contains(" #") {
        return None;
    }
    let (inside, why) = find_intended_value(value)?;
    // Values are plain text: marks of emphasis would be visible.
    let plain = if inside.starts_with(['*', '`']) { inside.replace(['*', '`'], "") } else { inside.to_owned() };
    let line = format!("{name}: {}", quote(&plain));
    let is_right = Parser::new_from_str(line.trim_start_matches([' ', '-'])).all(|event| event.is_ok());
    is_right.then_some(MendedLine { line, why })
}

/// Returns the intended text of a value, with the fault of the value.
fn find_intended_value(value: &str) -> Option<(&str, Text)> {
    if let Some(inside) = inside_other_marks(value) {
        let marks: String = value.chars().take(1).chain(value.chars().last()).collect();
        return Some((inside, messages::marks_unknown(marks)));
    }
    let continued = || (value, messages::value_going_on());
    if let Some(inside) = value.strip_prefix('\'') {
        return match inside.strip_suffix('\'') {
            Some(inside) if is_apostrophe(inside) => {
                let word = inside.split_whitespace().find(|word| is_apostrophe(word)).unwrap_or(inside);
                Some((inside, messages::value_ended_by_apostrophe(word)))
            }
            _ => continues_after_quotation(value, '\'').then(continued),
        };
    }
    if value.starts_with('"') {
        return continues_after_quotation(value, '"').then(continued);
    }
    let first = value.chars().next()?;
    // In an unreadable line these characters are text, not YAML syntax.
    let is_special = matches!(first, '@' | '`' | '%' | '*' | '&' | '!' | '|' | '>' | '-' | '?');
    if is_special || continues_after_brackets(value) {
        return Some((value, messages::value_start_special(first)));
    }
    let is_plain = !value.starts_with(['[', '{', '#']);
    let has_colon = is_plain && value.contains(": ");
    has_colon.then(|| (value, messages::value_with_colon()))
}

/// Returns whether `text` contains an apostrophe within a word: `Türkiye'de`, not `''`.
fn is_apostrophe(text: &str) -> bool {
    text.match_indices('\'').any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + 1..].chars().next();
        before.is_some_and(char::is_alphanumeric) && behind.is_some_and(char::is_alphanumeric)
    })
}

/// Returns the text between two of [`OTHER_MARKS`] that enclose all of `text`.
pub(super) fn inside_other_marks(text: &str) -> Option<&str> {
    let (opening, closing) = OTHER_MARKS.into_iter().find(|(opening, _)| text.starts_with(*opening))?;
    let inside = text.strip_prefix(opening)?.strip_suffix(closing)?;
    let is_one =
        !inside.contains(opening) && !inside.contains(closing) || (opening == '‘' && has_only_apostrophes(inside));
    is_one.then_some(inside.trim())
}

/// Returns whether every `’` in `text` is an apostrophe.
fn has_only_apostrophes(text: &str) -> bool {
    !text.contains('‘') && text.split('’').skip(1).all(|behind| behind.starts_with(char::is_alphanumeric))
}

/// Puts `text` in quotation marks of YAML.
pub(super) fn quote(text: &str) -> String {
    if text.contains(['"', '\\']) { format!("'{}'", text.replace('\'', "''")) } else { format!("\"{text}\"") }
}

/// Returns whether more than a comment follows the closing quotation mark: `"Kira": yeni`.
fn continues_after_quotation(value: &str, mark: char) -> bool {
    let behind = value[mark.len_utf8()..].split_once(mark).map_or("", |(_, behind)| behind.trim_start());
    !(behind.is_empty() || behind.starts_with('#'))
}

/// Returns whether words follow the closing bracket: `[2024] karar`.
pub(super) fn continues_after_brackets(value: &str) -> bool {
    let closing = if value.starts_with('[') { ']' } else { '}' };
    let behind = value.starts_with(['[', '{']).then(|| value.split_once(closing)).flatten();
    behind.is_some_and(|(_, words)| words.trim_start().starts_with(|c: char| c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_mended_if_the_intention_is_unambiguous() {
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
            assert_eq!(mend_line(line).map(|mended| mended.line).as_deref(), Some(expected), "{line}");
        }
        for line in ["title: \"Kira", "title: Kira: yeni # not", "title: [a, b", "no field", "title:", "Title: a: b"] {
            assert_eq!(mend_line(line), None, "{line}");
        }
    }

    #[test]
    fn text_inside_quotation_marks_of_word_processors_is_found() {
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
