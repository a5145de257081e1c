//! Syntax errors of TOML in the words of this project: the parser's own are for programmers, and name one line only.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue, Error},
};

use crate::line_of;

/// A key or a table that is in a file twice.
#[derive(Debug, PartialEq, Eq)]
pub struct RepeatedKey {
    /// The whole key, `limits.links`, or the head of a table, `[limits]`.
    pub name: String,
    /// The place where it is first, unless both are in one value.
    pub first: Option<Range<usize>>,
    /// Whether both are heads of a table.
    pub is_table: bool,
}

/// Parses `text`.
///
/// # Errors
/// The line, from 1, and what is wrong there, with the remedy. Security: never a value, which may be a password.
pub fn parse_toml(text: &str) -> Result<Spanned<DeTable<'_>>, (usize, String)> {
    DeTable::parse(text).map_err(|error| {
        let line = line_of(text, error.span().unwrap_or_default());
        (line, explain(text, &error))
    })
}

fn explain(text: &str, error: &Error) -> String {
    let Some(RepeatedKey { name, first, is_table }) = repeated_key(text, error) else {
        return format!("this line, or the one above it, is not TOML: {}", remedy(error.message()));
    };
    let first = first.map(|first| format!("line {}", line_of(text, first)));
    let other = first.as_deref().unwrap_or("the same line");
    if is_table {
        format!(
            "`{name}` is here and on {other}; move the lines below it to those below the other, and remove this one"
        )
    } else {
        format!("`{name}` is set here and on {other}; remove one of the two")
    }
}

/// Returns the remedy for a parser's `message`; the parser distinguishes errors only by these.
fn remedy(message: &str) -> &'static str {
    let has = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if message.starts_with("string values must be quoted") {
        "put a text in straight quotation marks, `key = \"text\"`"
    } else if has(&["comma"]) {
        "write a comma between the values of a list"
    } else if has(&["unicode", "escape"]) {
        "put a text with a backslash in single quotation marks"
    } else if has(&["string", "quote"]) {
        "put a quotation mark at the beginning and at the end of the text, both in one line"
    } else if has(&["unclosed", "opening", "table open"]) {
        "close the bracket: `]` for each `[`"
    } else {
        "write `key = value`, or `[table]`"
    }
}

/// Returns the key that `error` reports as given twice.
#[must_use]
pub fn repeated_key(text: &str, error: &Error) -> Option<RepeatedKey> {
    if error.message() != "duplicate key" {
        return None;
    }
    let key = error.span()?;
    let line = text.get(..key.start)?.rfind('\n').map_or(0, |at| at + 1);
    let begin = text.get(line..key.end)?;
    let ending = match begin.trim_start() {
        head if head.starts_with("[[") => "]]",
        head if head.starts_with('[') => "]",
        _ => "=0",
    };
    let own = path(&format!("{begin}{ending}"));
    let is_head = ending != "=0";
    let name = match own.join(".") {
        // In an inline table.
        name if name.is_empty() => text.get(key)?.to_owned(),
        name if is_head => format!("[{name}]"),
        name => name,
    };
    // Up to this line the text is without this error, and holds the first of the two.
    let before = &text[..line];
    let table = if is_head { Vec::new() } else { last_head(before) };
    let name = if is_head || table.is_empty() { name } else { format!("{}.{name}", table.join(".")) };
    let first = place(DeTable::parse_recoverable(before).0.get_ref(), &[table, own].concat());
    let is_first_head = |first: &Range<usize>| {
        before[..first.start].lines().next_back().is_some_and(|line| line.trim_start().starts_with('['))
    };
    let is_table = is_head && first.as_ref().is_some_and(is_first_head);
    Some(RepeatedKey { name, first, is_table })
}

/// Returns the path of the table to which a line below `text` belongs.
fn last_head(text: &str) -> Vec<String> {
    let heads = text.lines().rev().filter(|line| line.trim_start().starts_with('['));
    heads.map(path).find(|path| !path.is_empty()).unwrap_or_default()
}

/// Returns the path of the only key of a line; empty if the line is none by itself.
fn path(line: &str) -> Vec<String> {
    let Ok(document) = DeTable::parse(line) else { return Vec::new() };
    let (mut table, mut path) = (document.get_ref(), Vec::new());
    while let Some((key, value)) = table.iter().next() {
        path.push(key.get_ref().to_string());
        let Some(inner) = newest_table(value.get_ref()) else { break };
        table = inner;
    }
    path
}

/// Returns the place of the key at `path`.
fn place(table: &DeTable<'_>, path: &[String]) -> Option<Range<usize>> {
    let (name, rest) = path.split_first()?;
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
    if rest.is_empty() { Some(key.span()) } else { place(newest_table(value.get_ref())?, rest) }
}

/// Returns the table that `value` is, or the last one of a list, to which further lines belong.
fn newest_table<'t, 'i>(value: &'t DeValue<'i>) -> Option<&'t DeTable<'i>> {
    match value {
        DeValue::Table(table) => Some(table),
        DeValue::Array(items) => items.iter().last()?.get_ref().as_table(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_key_is_named_with_both_lines() {
        for (text, line, expected) in [
            ("listen = 'a'\n\nlisten = 'b'\n", 3, "`listen` is set here and on line 1; remove one of the two"),
            ("[limits]\nlinks = 1\n[log]\nlinks = 2\nlinks = 3\n", 5, "`log.links` is set here and on line 4;"),
            ("[limits]\nlinks = 1\n[log]\nx = 2\n[limits]\nlinks = 3\n", 5, "`[limits]` is here and on line 1; move"),
            ("links = 1\n[u]\nt = 1\n[t]\nx = 1\n  [t]\n", 6, "`[t]` is here and on line 4; move"),
            ("[[p]]\nname = 1\n[[p]]\nid = 1\n[p.k]\nx = 1\n'x' = 2\n", 7, "`p.k.x` is set here and on line 6;"),
            ("[[p]]\nname = 1\n[[p]]\nname = 1\nid = 1\nname = 2\n", 6, "`p.name` is set here and on line 4;"),
            ("log.level = 1\nlog.level = 2\n", 2, "`log.level` is set here and on line 1;"),
            ("mail = 'x'\n[mail]\n", 2, "`[mail]` is set here and on line 1; remove"),
            ("mail = 'x'\n[[mail]]\nx = 1\n", 2, "`[mail]` is set here and on line 1;"),
            ("jwks = [\n  'x',\n]\njwks = 1", 4, "`jwks` is set here and on line 1;"),
            ("a = { x = 1, x = 2 }", 1, "`x` is set here and on the same line;"),
        ] {
            let (at, problem) = parse_toml(text).unwrap_err();
            assert!(at == line && problem.starts_with(expected), "{text}: {at}: {problem}");
        }
    }

    #[test]
    fn syntax_errors_name_the_remedy_and_no_value() {
        for (text, remedy) in [
            ("mail = hunter2", "straight quotation marks"),
            ("mail = ['hunter2' 'x']", "a comma"),
            ("mail = \"C:\\hunter2\"", "a backslash"),
            ("mail = \"hunter2", "a quotation mark at the beginning"),
            ("[mail\nx = 'hunter2'", "close the bracket"),
            ("hunter2", "`key = value`"),
            ("mail =", "`key = \"text\"`"),
        ] {
            let (line, problem) = parse_toml(text).unwrap_err();
            assert!(line == 1 && problem.contains(remedy) && !problem.contains("hunter2"), "{text}: {problem}");
        }
    }
}
