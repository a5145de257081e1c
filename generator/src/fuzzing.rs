//! What the targets of `fuzz/` run. No program uses this module.

use content::{Kind, decode, read_facts};
use contract::Locale;
use findings::{Edit, Finding};

use crate::fix;
pub use content::{
    front_matter::{Split, split},
    node::{Node, Pair, Value},
    yaml::parse,
};

/// Returns the bytes of a file as text in its tidy form, if they are text, and what is wrong with them.
pub fn decoded(bytes: &[u8], file: &str) -> (Option<String>, Vec<Finding>) {
    let (text, findings) = decode(bytes, file);
    (text.map(|text| text.text), findings)
}

/// Reads the fields of a file as each kind of entry does, and returns what is wrong with them.
pub fn entry_findings(fields: &str, file: &str) -> Vec<Finding> {
    let entries = Kind::ALL.into_iter().flat_map(|kind| Locale::ALL.map(|locale| (kind, "key", locale)));
    entries.flat_map(|entry| read_facts(entry, fields, file).findings).collect()
}

/// Returns a text after changes of its lines.
pub fn edited(text: &str, edits: &[&Edit]) -> String {
    fix::edited(text, edits)
}

/// Returns a text in the form that `docs/editors.md` shows.
pub fn styled(text: &str, file: &str) -> String {
    fix::styled(text, file)
}
