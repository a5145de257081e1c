//! Escapes plain values in generated Markdown.

use std::{borrow::Cow, fmt::Write as _};

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::OPTIONS;

/// Escapes `text` as the words of a link: brackets would end the words, and a backslash would escape their end.
pub fn link_words(text: &str) -> Cow<'_, str> {
    let is_mark = |letter: char| matches!(letter, '\\' | '[' | ']');
    if !text.contains(is_mark) {
        return Cow::Borrowed(text);
    }
    let mut words = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if is_mark(letter) {
            words.push('\\');
        }
        words.push(letter);
    }
    Cow::Owned(words)
}

/// Escapes `text` as the words of a heading: number signs at its end would be read as closing marks, braces there as
/// attributes, and brackets without their pair as a link that ends further down.
pub fn heading_words(text: &str) -> Cow<'_, str> {
    let text = if has_pairs(text) { Cow::Borrowed(text) } else { link_words(text) };
    let words = text.trim_end_matches('#');
    if words.len() < text.len() && (words.is_empty() || words.ends_with(' ')) {
        return Cow::Owned(format!("{words}\\{}", &text[words.len()..]));
    }
    match text.rfind('{').filter(|_| text.ends_with('}')) {
        // Readers of attributes look for them before they read a backslash.
        Some(at) => Cow::Owned([&text[..at], "&#123;", &text[at + 1..]].concat()),
        None => text,
    }
}

/// Returns whether each bracket has its pair.
fn has_pairs(text: &str) -> bool {
    let mut open = 0_i32;
    let is_closed_in_order = text.bytes().all(|byte| {
        open += i32::from(byte == b'[') - i32::from(byte == b']');
        open >= 0
    });
    is_closed_in_order && open == 0
}

/// Escapes `text` for the start of a line, where an ordinal, a hyphen or `>` would begin another block.
pub fn line_words(text: &str) -> Cow<'_, str> {
    match begins_block(text) {
        Some(at) => Cow::Owned([&text[..at], "\\", &text[at..]].concat()),
        None => Cow::Borrowed(text),
    }
}

/// Returns the position of the mark with which a line begins a block other than a paragraph.
fn begins_block(line: &str) -> Option<usize> {
    let first = *line.as_bytes().first()?;
    let behind = |at: usize| line[at..].is_empty() || line[at..].starts_with(' ');
    let is_mark = match first {
        b'0'..=b'9' => {
            let at = line.bytes().take_while(u8::is_ascii_digit).count();
            return (line[at..].starts_with(['.', ')']) && behind(at + 1)).then_some(at);
        }
        b'>' | b'<' => true,
        b'#' => behind(line.bytes().take_while(|byte| *byte == b'#').count()),
        b'+' => behind(1),
        b'-' | b'*' | b'_' => behind(1) && first != b'_' || line.bytes().all(|byte| byte == first || byte == b' '),
        b'~' => line.starts_with("~~~"),
        b'[' => line.contains("]:"),
        _ => false,
    };
    is_mark.then_some(0)
}

/// Returns the markup that Markdown would interpret in a plain value in the middle of a line.
pub fn find_markup(text: &str) -> Option<&'static str> {
    // After a word, the value cannot begin another block.
    let line = ["a ", text].concat();
    let mut words = String::with_capacity(line.len());
    for event in Parser::new_ext(&line, OPTIONS) {
        match event {
            Event::Text(text) => words.push_str(&text),
            Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
            Event::Start(Tag::Strikethrough) => return Some("~"),
            Event::Start(Tag::Emphasis | Tag::Strong) => {
                return Some(if text.contains('*') { "*" } else { "_" });
            }
            _ => return Some("…"),
        }
    }
    (words != line).then_some(if text.contains('\\') { "\\" } else { "&…;" })
}

/// Returns `mailto:` with an address (RFC 6068, 2).
///
/// Security: `?` and `&` are percent-encoded, so that an address cannot add header fields such as `?bcc=`.
pub fn mailto(address: &str) -> String {
    let mut link = "mailto:".to_owned();
    for byte in address.bytes() {
        if byte.is_ascii_alphanumeric() || b"@-._~+!$'*".contains(&byte) {
            link.push(char::from(byte));
        } else {
            let _ = write!(link, "%{byte:02X}");
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_link_are_escaped() {
        assert_eq!(link_words("Tahkim"), "Tahkim");
        for title in ["Karar [2025]", "a ] b", "[", "ends with \\", "](https://elsewhere.example)"] {
            let html = crate::plain(&format!("[{}](https://here.example)", link_words(title)));
            assert_eq!(html.text.trim_end(), title);
        }
    }

    #[test]
    fn value_at_the_start_of_a_line_begins_a_paragraph() {
        for value in [
            "5. maddeye göre",
            "12) bent",
            "3.",
            "- a",
            "+ b",
            "* c",
            "---",
            "* * *",
            "___",
            "~~~ d",
            "> e",
            "# f",
            "###",
            "[g]: h",
            "<div",
        ] {
            let line = line_words(value);
            assert_eq!(line.len(), value.len() + 1, "{value}");
            assert_eq!(Parser::new_ext(&line, OPTIONS).next(), Some(Event::Start(Tag::Paragraph)), "{line}");
            assert_eq!(crate::plain(&line).text, value);
        }
        for value in ["2024 yılında", "5.5 per cent", "-5 °C", "#12", "[2024] EWCA Civ 12", "*a", "Tahkim", ""] {
            assert_eq!(line_words(value), value);
        }
    }

    #[test]
    fn heading_keeps_its_last_mark() {
        for value in ["A #", "A ##", "#", "C#", "5. madde", "A", "A {#b}", "{b} c", "] and [", "[a] {b} #"] {
            let plain = crate::plain(&format!("# {}", heading_words(value)));
            assert_eq!(plain.text, value);
        }
    }

    #[test]
    fn mailto_address_adds_no_header_fields() {
        assert_eq!(mailto("info@firm.example"), "mailto:info@firm.example");
        assert_eq!(mailto("a?bcc=b&x%y@firm.example"), "mailto:a%3Fbcc%3Db%26x%25y@firm.example");
    }
}
