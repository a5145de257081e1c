//! Splits a file into its fields and its text.

use findings::{Code, Finding, Place, Span, clean, messages};

/// The two parts of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split<'a> {
    /// The YAML between the delimiters; it starts on line 2.
    pub fields: &'a str,
    /// The number of bytes before the text.
    pub body_start: usize,
    /// The text.
    pub body: &'a str,
}

/// The longest front matter, in bytes.
const MAX_FRONT_MATTER_BYTES: usize = 64 * 1024;

/// Splits `text` at the two lines of three hyphens.
pub fn split<'a>(text: &'a str, file: &str) -> Result<Split<'a>, Box<Finding>> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if !is_delimiter(first) {
        return Err(Box::new(not_opened(text, file)));
    }
    let fields_start = first.len();
    let mut at = fields_start;
    for line in lines {
        if is_delimiter(line) {
            let body_start = at + line.len();
            if at - fields_start > MAX_FRONT_MATTER_BYTES {
                let message = messages::fields_too_large((at - fields_start) / 1024);
                return Err(Box::new(Finding::new(
                    Code::FRONT_MATTER_TOO_LARGE,
                    Place::new(file, Span::START),
                    message,
                )));
            }
            return Ok(Split { fields: &text[fields_start..at], body_start, body: &text[body_start..] });
        }
        at += line.len();
    }
    Err(Box::new(not_closed(text, file)))
}

fn is_delimiter(line: &str) -> bool {
    line.starts_with("---") && line.trim_end() == "---"
}

fn not_opened(text: &str, file: &str) -> Finding {
    let first = text.lines().next().unwrap_or_default();
    let length = first.chars().count().max(1) as u32;
    let place = Place::new(file, Span { line: 1, column: 1, length });
    let finding = Finding::new(Code::NO_FRONT_MATTER, place, messages::fields_not_opened());
    if text.trim().is_empty() {
        return finding.help(messages::text_file_empty_help());
    }
    let opening = text.lines().position(|line| line.trim() == "---");
    match opening {
        Some(line) if text.lines().take(line).all(|line| line.trim().is_empty()) => {
            finding.help(messages::fields_not_first_help(line + 1))
        }
        _ => finding.help(match first.trim_end() {
            "+++" => messages::fields_of_program_help("Hugo (TOML)"),
            first if first.starts_with('{') => messages::fields_of_program_help("JSON"),
            first if !first.is_empty() && first.chars().all(is_dash) => {
                messages::fields_opened_otherwise_help(clean(first))
            }
            _ => messages::fields_not_opened_help(),
        }),
    }
}

/// Returns whether a letter resembles a hyphen; word processors replace several hyphens with one dash.
const fn is_dash(letter: char) -> bool {
    matches!(letter, '-' | '–' | '—' | '_')
}

fn not_closed(text: &str, file: &str) -> Finding {
    let finding =
        Finding::new(Code::FRONT_MATTER_NOT_CLOSED, Place::new(file, Span::START), messages::fields_not_closed());
    let suspect = text.lines().enumerate().skip(1).find(|(_, line)| {
        let trimmed = line.trim();
        trimmed.len() >= 2 && trimmed.chars().all(is_dash)
    });
    match suspect {
        Some((index, line)) => finding.help(messages::fields_perhaps_closed_help(index + 1, line.trim_end())),
        None => finding.help(messages::fields_not_closed_help()),
    }
}

#[cfg(test)]
mod tests {
    use contract::Locale;
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use super::{
        super::{
            node::{Node, Pair, Value},
            yaml,
        },
        *,
    };

    /// Nested values as editors write them.
    fn value() -> impl Strategy<Value = Json> {
        let word = "[a-zığüşöç][a-z0-9 ]{0,8}[a-z0-9]";
        let leaf = prop_oneof![word, r"[^\p{C}]{0,12}", r#"["\\':#\[{,&*!|>%@` \n\t-]{1,6}"#].prop_map(Json::from);
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::btree_map("[a-z_]{1,8}", inner, 0..4).prop_map(|map| json!(map)),
            ]
        })
    }

    /// Writes a value as YAML, for the place after a name or after the hyphen of an item.
    fn write(value: &Json, indent: usize) -> String {
        let room = " ".repeat(indent);
        match value {
            Json::Array(items) if !items.is_empty() => {
                let items = items.iter().map(|item| [&room, "-", &write(item, indent + 2)].concat());
                ["\n".to_owned()].into_iter().chain(items).collect()
            }
            Json::Object(fields) if !fields.is_empty() => {
                let fields = fields.iter().map(|(name, value)| [&room, name, ":", &write(value, indent + 2)].concat());
                ["\n".to_owned()].into_iter().chain(fields).collect()
            }
            Json::String(text) if text.starts_with(char::is_alphabetic) && text.chars().all(is_plain) => {
                format!(" {text}\n")
            }
            // Quoted texts, and empty lists and groups, are written as in JSON.
            other => format!(" {other}\n"),
        }
    }

    fn is_plain(letter: char) -> bool {
        letter.is_alphanumeric()
    }

    fn read(node: &Node<'_>) -> Json {
        match &node.value {
            Value::Scalar { text, .. } => Json::from(text.as_ref()),
            Value::List(items) => items.iter().map(read).collect(),
            Value::Map(pairs) => fields(pairs),
            Value::Refused => Json::Null,
        }
    }

    fn fields(pairs: &[Pair<'_>]) -> Json {
        Json::Object(pairs.iter().map(|pair| (pair.key.to_string(), read(&pair.node))).collect())
    }

    proptest! {
        #[test]
        fn written_fields_are_read(
            written in prop::collection::btree_map("[a-z_]{1,8}", value(), 1..6),
            body in r"(?:[a-z]{0,4}\n){0,3}",
        ) {
            let written = json!(written);
            let text = format!("---{}---\n{body}", write(&written, 0));
            let parts = split(&text, "x").unwrap();
            let (pairs, findings) = yaml::parse(parts.fields, "x", 2);
            prop_assert!(findings.is_empty(), "{text}\n{findings:?}");
            prop_assert_eq!(fields(&pairs.unwrap()), written, "{}", text);
            prop_assert_eq!(parts.body, body);
        }
    }

    #[test]
    fn file_is_split_into_fields_and_text() {
        let parts = split("---\ntitle: A\n---\n\nText.\n", "x").unwrap();
        assert_eq!((parts.fields, parts.body_start, parts.body), ("title: A\n", 17, "\nText.\n"));
        let parts = split("---\n---", "x").unwrap();
        assert_eq!((parts.fields, parts.body), ("", ""));
    }

    #[test]
    fn missing_delimiter_is_explained() {
        for (text, code, words) in [
            ("", Code::NO_FRONT_MATTER, "empty"),
            ("title: A\n", Code::NO_FRONT_MATTER, "as the first line"),
            ("+++\ntitle = \"A\"\n+++\n", Code::NO_FRONT_MATTER, "Hugo (TOML)"),
            ("{\"title\": \"A\"}\n", Code::NO_FRONT_MATTER, "JSON"),
            ("—\ntitle: A\n—\n", Code::NO_FRONT_MATTER, "in place of `—`"),
            ("\n---\ntitle: A\n---\n", Code::NO_FRONT_MATTER, "line 2"),
            ("---\ntitle: A\n", Code::FRONT_MATTER_NOT_CLOSED, "after the last field"),
            ("---\ntitle: A\n----\n", Code::FRONT_MATTER_NOT_CLOSED, "line 3"),
            ("---\ntitle: A\n ---\n", Code::FRONT_MATTER_NOT_CLOSED, "line 3"),
        ] {
            let finding = split(text, "x").unwrap_err();
            assert_eq!(finding.code, code, "{text}");
            assert!(finding.help[0][Locale::En].contains(words), "{:?}", finding.help);
        }
    }

    #[test]
    fn very_long_front_matter_is_refused() {
        let text = format!("---\n{}---\n", "# a line\n".repeat(8 * 1024));
        assert_eq!(split(&text, "x").unwrap_err().code, Code::FRONT_MATTER_TOO_LARGE);
    }
}
