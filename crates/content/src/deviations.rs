//! The register of accepted deviations: `deviations.toml` beside `site.toml`.

use contract::text::Date;
use findings::{Code, Finding};

use super::{
    At, Values,
    fields::{DEVIATIONS, fields_of},
    reader::{FieldSource, read},
    text::Lines,
    toml,
};

/// A passage that counsel accepts despite an advisory check.
#[derive(Clone, Debug)]
pub struct Deviation {
    pub code: Code,
    /// Path below the content folder.
    pub file: At<String>,
    /// The words of the passage, exactly as in the text.
    pub words: At<String>,
    pub reason: String,
    /// The person who accepts it.
    pub name: String,
    /// The day of acceptance.
    pub date: At<Date>,
    /// The last day of its validity.
    pub until: At<Date>,
}

/// Reads the register. Leaves out entries with an unreadable field.
pub fn read_deviations(text: &str, file: &str) -> (Vec<Deviation>, Vec<Finding>) {
    let (pairs, mut findings) = toml::parse(text, &Lines::of(text), file);
    let Some(pairs) = pairs else { return (Vec::new(), findings) };
    let (values, more) = read(FieldSource::toml(file), fields_of(DEVIATIONS), &pairs);
    findings.extend(more);
    let entries = values.groups("deviation").iter();
    (entries.filter_map(|entry| deviation(&entry.value)).collect(), findings)
}

fn deviation(values: &Values) -> Option<Deviation> {
    let [reason, name] = ["reason", "name"].map(|name| values.get(name).map(|text| text.value));
    Some(Deviation {
        code: values.parse("code", Code::find)?.value,
        file: values.get("file")?,
        words: values.get("words")?,
        reason: reason?,
        name: name?,
        date: values.get("date")?,
        until: values.get("until")?,
    })
}
