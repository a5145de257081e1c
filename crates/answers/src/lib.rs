//! What a site must answer: one table of requests and responses (`table.toml`), and how a response is compared with it.
//!
//! The sidecar's tests, the hosts' tests, `generator doctor` and the tables of `docs/hosts.md` are driven by it. The crate
//! sends nothing.

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use regex_lite::Regex;
use serde::{Deserialize, de::IgnoredAny};

/// The table, whose head explains its rows.
pub static TABLE: LazyLock<Table> = LazyLock::new(Table::load);

/// The value of a field that must be absent.
const ABSENT: &str = "null";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Values of placeholders at the firm of the tests.
    pub names: BTreeMap<String, String>,
    /// Fields that several rows have in common.
    sets: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(rename = "group")]
    pub groups: Vec<Group>,
    #[serde(rename = "host")]
    pub hosts: Vec<HostExceptions>,
    #[serde(rename = "point")]
    pub points: Vec<ScannerPoint>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub name: String,
    pub title: String,
    /// Whether tests ask every host.
    #[serde(default = "yes")]
    pub hosts: bool,
    /// Checks and sets of every row.
    #[serde(default)]
    checks: Vec<String>,
    #[serde(default)]
    sets: Vec<String>,
    pub rows: Vec<Row>,
}

/// A request and its response.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub id: String,
    pub shows: String,
    #[serde(default = "get")]
    pub method: String,
    pub path: String,
    /// Header fields of the request.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    #[serde(default)]
    pub body: String,
    pub status: u16,
    /// `Content-Type` of the response; part of [`Row::has`] once loaded.
    #[serde(rename = "type")]
    media_type: Option<String>,
    /// Header fields of the response.
    #[serde(default)]
    pub has: BTreeMap<String, String>,
    /// Sets whose fields the response has too.
    #[serde(default)]
    sets: Vec<String>,
    /// The file of the build that is the body.
    pub file: Option<String>,
    pub text: Option<String>,
    /// What the body contains.
    pub says: Option<String>,
    /// The code of an error.
    pub error: Option<String>,
    #[serde(default)]
    pub empty: bool,
    /// The responses of a host without a sidecar, and of one whose sidecar does not answer.
    #[serde(rename = "alone")]
    _alone: Option<IgnoredAny>,
    #[serde(rename = "gone")]
    _gone: Option<IgnoredAny>,
    /// Checks of the doctor that send this request.
    #[serde(default)]
    pub checks: Vec<String>,
    /// What the site must offer for this row: `mcp`, `registration` or `access`.
    pub offer: Option<String>,
    /// The message about another status, if the row has one of its own.
    pub fault: Option<String>,
    /// The fields of the request that the message names.
    pub lost: Option<String>,
    /// The message with the remedy for that.
    pub remedy: Option<String>,
}

/// Rows that a host cannot satisfy.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostExceptions {
    pub name: String,
    pub except: Vec<Exception>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    pub why: String,
    pub rows: Vec<String>,
    /// The beginnings of the doctor's findings that follow from it.
    #[serde(default)]
    pub faults: Vec<String>,
}

/// A point of a public scanner of sites for agents.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScannerPoint {
    pub scanner: String,
    pub name: String,
    /// The message that says what to change.
    pub remedy: String,
    /// What the site must offer for this point: `mcp` or `registration`.
    pub offer: Option<String>,
    pub all: Vec<Condition>,
}

/// What a scanner expects of the answer to a row.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Condition {
    /// The `id` of the row.
    pub of: String,
    #[serde(rename = "type")]
    pub media_type: Option<String>,
    pub says: Vec<String>,
    pub begins: Option<String>,
    pub lacks: Option<String>,
    /// Minimum and maximum length of the body.
    pub bytes: Option<[usize; 2]>,
    pub has: Vec<String>,
    pub links: Vec<String>,
    pub json: BTreeMap<String, String>,
}

const fn yes() -> bool {
    true
}

fn get() -> String {
    "GET".to_owned()
}

impl Table {
    fn load() -> Self {
        #[expect(clippy::expect_used, reason = "the table is part of the program")]
        let mut table: Self = toml::from_str(include_str!("../table.toml")).expect("invariant: the table is valid");
        for Group { checks, sets, rows, .. } in &mut table.groups {
            for row in rows {
                row.checks.extend_from_slice(checks);
                row.sets.extend_from_slice(sets);
                let of_sets = row.sets.iter().flat_map(|name| &table.sets[name]);
                let media_type = row.media_type.iter().map(|it| ("content-type".to_owned(), it.clone()));
                for (name, value) in of_sets.map(|(name, value)| (name.clone(), value.clone())).chain(media_type) {
                    row.has.entry(name).or_insert(value);
                }
            }
        }
        table
    }

    /// Returns every row, in order.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.groups.iter().flat_map(|group| &group.rows)
    }
}

/// Values of placeholders. One that begins with `~` is a pattern: any text that matches is right.
#[derive(Clone, Debug, Default)]
pub struct Names(pub HashMap<String, String>);

impl Names {
    /// Replaces the placeholders of `text`; `None` if one has no value.
    pub fn fill(&self, text: &str) -> Option<String> {
        self.replace(text, str::to_owned, str::to_owned)
    }

    /// Returns the pattern that a value of a field must match.
    fn pattern(&self, value: &str) -> Option<Regex> {
        let of_value = |value: &str| value.strip_prefix('~').map_or_else(|| regex_lite::escape(value), str::to_owned);
        let pattern = match value.strip_prefix('~') {
            Some(pattern) => self.replace(pattern, str::to_owned, of_value)?,
            None => format!("^{}$", self.replace(value, regex_lite::escape, of_value)?),
        };
        Regex::new(&pattern).ok()
    }

    /// Replaces placeholders; `change` and `change_value` are applied to the text between them and to their values.
    fn replace(
        &self,
        text: &str,
        change: impl Fn(&str) -> String,
        change_value: impl Fn(&str) -> String,
    ) -> Option<String> {
        let (mut rest, mut replaced) = (text, String::new());
        while let Some((before, name, after)) = placeholder(rest) {
            replaced.extend([change(before), change_value(self.0.get(name)?)]);
            rest = after;
        }
        Some(replaced + &change(rest))
    }
}

/// Splits a text at its first placeholder, such as `{page_tr}`.
fn placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
    text.match_indices('{').find_map(|(at, _)| {
        let (name, after) = text[at + 1..].split_once('}')?;
        is_name(name).then_some((&text[..at], name, after))
    })
}

impl Row {
    /// Returns the names and values of the fields that a response lacks or has with other values; the value of a lacking
    /// one is empty. `lines` returns the lines of a field.
    pub fn differing_fields<'a>(
        &'a self,
        names: &Names,
        lines: impl Fn(&str) -> Vec<&'a str>,
    ) -> Vec<(&'a str, String)> {
        let mut differing = Vec::new();
        for (name, value) in &self.has {
            let given = lines(name);
            if holds(name, value, &given, names) {
                continue;
            }
            // Of several lines, name those that do not match.
            let wrong: Vec<_> = given.iter().copied().filter(|line| !holds(name, value, &[line], names)).collect();
            differing.push((name.as_str(), if wrong.is_empty() { given } else { wrong }.join(", ")));
        }
        differing
    }

    /// Returns whether a body contains what the row names.
    pub fn is_said_by(&self, body: &[u8]) -> bool {
        let text = String::from_utf8_lossy(body);
        self.says.as_deref().is_none_or(|says| says.split('|').any(|word| text.contains(word)))
    }
}

/// Returns whether the lines of a field have the value of a row: equal, a pattern behind `~`, or a list with at least the
/// members behind `+`. The list of `Vary` is compared without order and without `Accept-Encoding`, addresses with or without
/// the site.
fn holds(name: &str, value: &str, lines: &[&str], names: &Names) -> bool {
    let members = || lines.iter().flat_map(|line| line.split(',')).map(|it| it.trim().to_ascii_lowercase());
    if let Some(wanted) = value.strip_prefix('+') {
        return wanted.split(", ").all(|word| members().any(|it| it.eq_ignore_ascii_case(word)));
    }
    if name == "vary" {
        let sorted = |list: &mut dyn Iterator<Item = String>| {
            let mut list: Vec<_> = list.filter(|it| !it.is_empty() && it != "accept-encoding").collect();
            list.sort();
            list
        };
        return sorted(&mut members()) == sorted(&mut value.split(',').map(|it| it.trim().to_ascii_lowercase()));
    }
    if value == ABSENT || lines.is_empty() {
        return lines.is_empty() == (value == ABSENT);
    }
    let site = names.0.get("site").map(String::as_str).unwrap_or_default();
    let Some(pattern) = names.pattern(value) else { return false };
    let matches = |line: &&str| match name {
        "location" | "content-location" => pattern.is_match(line.strip_prefix(site).unwrap_or(line)),
        "content-type" => pattern.is_match(&line.to_ascii_lowercase().replace(";charset", "; charset")),
        _ => pattern.is_match(line),
    };
    // Browsers reject two lines of `Access-Control-Allow-Origin`.
    lines.iter().all(matches) && (lines.len() == 1 || name != "access-control-allow-origin")
}
