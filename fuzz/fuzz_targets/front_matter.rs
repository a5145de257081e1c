//! Front matter of entries: places lie inside the text, values are at their places, values written as JSON read back
//! the same, and neither the canonical form of the manual nor an automatic correction loses a value.

#![no_main]

use findings::{Finding, Severity, Span};
use generator::fuzzing::{Node, Pair, Value, decoded, edited, entry_findings, parse, split, styled};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value as Json};

const FILE: &str = "en.md";

fuzz_target!(|bytes: &[u8]| {
    let (text, mut findings) = decoded(bytes, FILE);
    let Some(text) = text else { return };
    match split(&text, FILE) {
        Err(finding) => findings.push(*finding),
        Ok(parts) => {
            assert_eq!([&text[..parts.body_start], parts.body].concat(), text);
            findings.extend(entry_findings(parts.fields, FILE));
            check_fields(&text, parts.fields);
        }
    }
    for finding in &findings {
        check_places(&text, finding);
    }
});

fn check_fields(text: &str, fields: &str) {
    let (pairs, findings) = parse(fields, FILE, 2);
    for finding in findings.iter().filter(|finding| !finding.edits.is_empty()) {
        check_edit(text, finding);
    }
    let is_read = findings.iter().all(|finding| finding.severity() == Severity::Warning);
    let Some(pairs) = pairs.filter(|_| is_read) else { return };
    check_pairs(text, &pairs);
    let Some(values) = values(&pairs) else { return };
    // A line of a value that begins with a hyphen is parsed as a list item that is indented too far.
    if !fields.lines().any(|line| line.starts_with(' ') && line.trim_start().starts_with('-'))
        || !is_any_text(&values, " - ")
    {
        let styled = styled(text, FILE);
        assert_eq!(read(&styled), Some(values.clone()), "in the form that the manual shows: {styled:?}");
    }
    // YAML limits the names of fields on one line to 1024 characters.
    if longest_name(&values) < 1000 {
        let written = format!("---\n{values}\n---\n");
        assert_eq!(read(&written), Some(values), "{written:?}");
    }
}

/// Returns the values of a file; `None` if its fields have errors.
fn read(text: &str) -> Option<Json> {
    let (pairs, findings) = parse(split(text, FILE).ok()?.fields, FILE, 2);
    let is_read = findings.iter().all(|finding| finding.severity() == Severity::Warning);
    values(&pairs.filter(|_| is_read)?)
}

fn values(pairs: &[Pair]) -> Option<Json> {
    let members = pairs.iter().map(|pair| Some((pair.key.to_string(), value(&pair.node)?)));
    Some(Json::Object(members.collect::<Option<Map<_, _>>>()?))
}

fn value(node: &Node) -> Option<Json> {
    match &node.value {
        Value::Scalar { text, .. } => Some(Json::from(text.as_ref())),
        Value::List(items) => items.iter().map(value).collect(),
        Value::Map(pairs) => values(pairs),
        Value::Refused => None,
    }
}

/// Whether any text of a value contains `words`.
fn is_any_text(value: &Json, words: &str) -> bool {
    match value {
        Json::Object(members) => members.iter().any(|(_, value)| is_any_text(value, words)),
        Json::Array(items) => items.iter().any(|item| is_any_text(item, words)),
        Json::String(text) => text.contains(words),
        _ => false,
    }
}

fn longest_name(value: &Json) -> usize {
    match value {
        Json::Object(members) => members
            .iter()
            .map(|(name, value)| longest_name(value).max(Json::from(name.as_str()).to_string().len()))
            .max(),
        Json::Array(items) => items.iter().map(longest_name).max(),
        _ => None,
    }
    .unwrap_or(0)
}

/// Checks that names and values are at their places.
fn check_pairs(text: &str, pairs: &[Pair]) {
    for pair in pairs {
        check_place(text, pair.at);
        check_node(text, &pair.node);
    }
}

fn check_node(text: &str, node: &Node) {
    check_place(text, node.at);
    match &node.value {
        Value::Scalar { text: value, plain: true } => {
            let word = value.split_whitespace().next().unwrap_or_default();
            let line: String = line(text, node.at).chars().skip(node.at.column as usize - 1).collect();
            assert!(line.starts_with(word), "{word:?} is not at {:?}, but {line:?}", node.at);
        }
        Value::Scalar { .. } | Value::Refused => {}
        Value::List(items) => items.iter().for_each(|item| check_node(text, item)),
        Value::Map(pairs) => check_pairs(text, pairs),
    }
}

fn check_places(text: &str, finding: &Finding) {
    let others = finding.related.iter().map(|(place, _)| place.span);
    for span in [finding.place.span].into_iter().chain(others).filter(|span| *span != Span::FILE) {
        check_place(text, span);
    }
    for edit in &finding.edits {
        check_place(text, edit.span);
        let end = (edit.span.column + edit.span.length) as usize - 1;
        assert!(end <= line(text, edit.span).chars().count(), "{finding:?} changes more than a line");
    }
}

/// Checks that a place is on a line or directly after its end.
fn check_place(text: &str, span: Span) {
    assert!(span.line > 0 && span.column > 0, "{span:?}");
    assert!(span.line as usize <= text.lines().count().max(1), "{span:?} is below the text");
    assert!(span.column as usize <= line(text, span).chars().count() + 1, "{span:?} is beyond its line");
}

/// Checks that a corrected finding does not occur again.
fn check_edit(text: &str, finding: &Finding) {
    let edits: Vec<_> = finding.edits.iter().collect();
    let after = edited(text, &edits);
    assert_ne!(after, text, "{finding:?} changes nothing");
    let Ok(parts) = split(&after, FILE) else { panic!("{finding:?} destroys the file: {after:?}") };
    let again = parse(parts.fields, FILE, 2).1;
    let is_same =
        |other: &&Finding| (other.code, &other.place, &other.edits) == (finding.code, &finding.place, &finding.edits);
    assert!(!again.iter().any(|other| is_same(&other)), "{finding:?} mends nothing: {after:?}");
}

fn line(text: &str, span: Span) -> &str {
    text.lines().nth(span.line as usize - 1).unwrap_or_default()
}
