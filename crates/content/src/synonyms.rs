//! Synonyms in searches: `synonyms.toml` beside `site.toml`.

use findings::{Code, Finding, messages};

use super::{
    At, Values,
    fields::{SYNONYMS, fields_of},
    reader::{FieldSource, read},
    text::Lines,
    toml,
};

/// Words and phrases of both languages that a search treats alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SynonymGroup {
    /// In English.
    pub en: Vec<String>,
    /// In Turkish.
    pub tr: Vec<String>,
}

/// Reads `synonyms.toml`. Leaves out unreadable groups.
pub fn read_synonyms(text: &str, file: &str) -> (Vec<SynonymGroup>, Vec<Finding>) {
    let (pairs, mut findings) = toml::parse(text, &Lines::of(text), file);
    let Some(pairs) = pairs else { return (Vec::new(), findings) };
    let source = FieldSource::toml(file);
    let (values, more) = read(source, fields_of(SYNONYMS), &pairs);
    findings.extend(more);
    let mut groups = Vec::new();
    for At { value: values, span, .. } in values.groups("group") {
        let group = group(values);
        if values.failed.is_empty() && group.en.len() + group.tr.len() < 2 {
            let finding = source.finding(Code::SYNONYM_ALONE, *span, messages::synonym_alone());
            findings.push(finding.help(messages::synonym_alone_help()));
        }
        groups.push(group);
    }
    (groups, findings)
}

fn group(values: &Values) -> SynonymGroup {
    let phrases = |name| {
        let list = values.list(name).map(|list| list.value.into_iter().map(|phrase| phrase.value).collect());
        list.unwrap_or_default()
    };
    SynonymGroup { en: phrases("en"), tr: phrases("tr") }
}
