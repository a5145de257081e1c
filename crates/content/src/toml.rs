//! Parses TOML into [`Node`]s.

use std::{borrow::Cow, ops::Range};

use findings::{
    Code, Finding, Place, clean,
    messages::{self, Text},
};
use settings::repeated_key;
use toml::{
    Spanned,
    de::{DeTable, DeValue, Error},
};

use super::{
    line_mender::inside_other_marks,
    node::{Node, Pair, Value},
    text::Lines,
};

/// Parses a TOML document, and reports all its syntax errors together.
pub(super) fn parse<'a>(text: &'a str, lines: &Lines, file: &str) -> (Option<Vec<Pair<'a>>>, Vec<Finding>) {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut joined = None;
    let findings: Vec<Finding> = errors
        .iter()
        .filter(|error| {
            // All keys of the second group are there twice.
            let Some((head, _)) = joined_group(text, error) else { return true };
            joined.replace(head) != Some(head)
        })
        .map(|error| syntax_error(text, lines, file, error))
        .collect();
    if !findings.is_empty() {
        return (None, findings);
    }
    let at = |range: Range<usize>| lines.span(text, range);
    (Some(table(document.into_inner(), &at)), findings)
}

/// Reports a syntax error of `text`; the parser's message is in English only, and is not shown.
pub fn syntax_error(text: &str, lines: &Lines, file: &str, error: &Error) -> Finding {
    let range = error.span().unwrap_or_default();
    let value = text.get(range.clone()).unwrap_or_default();
    let place = |range| Place::new(file, lines.span(text, range));
    let Some(repeated) = repeated_key(text, error) else {
        let finding = Finding::new(Code::TOML_SYNTAX, place(range), messages::settings_not_toml());
        return finding.help(remedy(error.message(), value));
    };
    let help = match joined_group(text, error) {
        Some((_, head)) => messages::joined_group_help(head, value),
        None if repeated.is_table => messages::table_twice_help(&repeated.name),
        None => messages::setting_twice_help(value),
    };
    let finding = Finding::new(Code::FIELD_TWICE, place(range), messages::setting_twice(value)).help(help);
    match repeated.first {
        Some(first) => finding.related(place(first), messages::field_first_here()),
        None => finding,
    }
}

/// Returns the remedy for a parser's `message`; the parser distinguishes errors only by these.
fn remedy(message: &str, value: &str) -> Text {
    let has = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if message.starts_with("string values must be quoted") {
        messages::setting_in_marks_help(clean(inside_other_marks(value).unwrap_or(value)))
    } else if has(&["comma"]) {
        messages::setting_comma_help()
    } else if has(&["unicode", "escape"]) {
        messages::setting_backslash_help()
    } else if has(&["string", "quote"]) {
        messages::setting_mark_missing_help()
    } else if has(&["unclosed", "opening", "table open"]) {
        messages::setting_bracket_missing_help()
    } else if has(&["with no value", "missing value", "assignment"]) {
        messages::setting_without_value_help()
    } else {
        messages::settings_not_toml_help()
    }
}

/// Returns the head `[[deviation]]` of the group that contains the repeated key of `error`, with its place: a merge of two
/// versions keeps a line that is in both only once, and so joins two groups.
fn joined_group<'a>(text: &'a str, error: &Error) -> Option<(usize, &'a str)> {
    repeated_key(text, error)?;
    let before = text.get(..error.span()?.start)?;
    let at =
        if before.starts_with('[') { before.rfind("\n[").map_or(0, |at| at + 1) } else { before.rfind("\n[")? + 1 };
    let head = text[at..].lines().next()?.trim_end();
    head.starts_with("[[").then_some((at, head))
}

/// Returns the pairs of a table, in the order of the file.
fn table<'a>(table: DeTable<'a>, at: &impl Fn(Range<usize>) -> findings::Span) -> Vec<Pair<'a>> {
    let mut pairs: Vec<Pair> = table
        .into_iter()
        .map(|(key, value)| {
            let place = at(key.span());
            Pair { key: key.into_inner(), at: place, node: node(value, at) }
        })
        .collect();
    pairs.sort_by_key(|pair| pair.at);
    pairs
}

fn node<'a>(value: Spanned<DeValue<'a>>, at: &impl Fn(Range<usize>) -> findings::Span) -> Node<'a> {
    let place = at(value.span());
    let plain = |text: String| Value::Scalar { text: Cow::Owned(text), plain: true };
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Scalar { text, plain: false },
        DeValue::Integer(number) => plain(number.to_string()),
        DeValue::Float(number) => plain(number.to_string()),
        DeValue::Boolean(value) => plain(value.to_string()),
        DeValue::Datetime(moment) => plain(moment.to_string()),
        DeValue::Array(items) => Value::List(items.into_iter().map(|item| node(item, at)).collect()),
        DeValue::Table(inner) => Value::Map(table(inner, at)),
    };
    Node { at: place, value }
}
