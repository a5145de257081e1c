//! Entry points of the fuzz targets in `fuzz/`. No program uses this module.

use content::{Kind, decode, read_entry};
use contract::Locale;
use findings::{Edit, Finding};

use crate::fix;
pub use content::{
    front_matter::{Split, split},
    node::{Node, Pair, Value},
    yaml::parse,
};

/// Decodes the bytes of a file to text in its tidy form, and returns the findings.
pub fn decoded(bytes: &[u8], file: &str) -> (Option<String>, Vec<Finding>) {
    let (text, findings) = decode(bytes, file);
    (text.map(|text| text.text), findings)
}

/// Reads the fields of a file as those of each kind of entry, and returns the findings.
pub fn entry_findings(fields: &str, file: &str) -> Vec<Finding> {
    let entries = Kind::ALL.into_iter().flat_map(|kind| Locale::ALL.map(|locale| (kind, "key", locale)));
    entries.flat_map(|entry| read_entry(entry, fields, file).findings).collect()
}

pub fn edited(text: &str, edits: &[&Edit]) -> String {
    fix::apply_edits(text, edits)
}

pub fn styled(text: &str, file: &str) -> String {
    fix::restyle(text, file)
}
