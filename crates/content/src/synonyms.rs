//! Synonyms in searches: `synonyms.toml` beside `site.toml`.

use findings::{Code, Finding, Span, messages};

use super::{fields::Fields, text::Lines, toml, types};

/// The most groups: every query is compared with each.
const MAX_GROUPS: usize = 400;
/// The most words and phrases of a group in one language.
const MAX_PHRASES: usize = 12;
/// Maximum number of characters of a phrase.
const PHRASE: usize = 60;

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
    let mut fields = Fields::new(file, Span { line: 1, column: 1, length: 1 }, &pairs);
    let groups = fields.groups("group", None, group);
    if let Some(first) = groups.get(MAX_GROUPS) {
        let message = messages::too_many_synonyms(groups.len(), MAX_GROUPS);
        let finding = fields.finding(Code::TOO_LONG, first.span, message);
        fields.report(finding.help(messages::too_many_synonyms_help()));
    }
    for group in &groups {
        if group.failed.is_empty() && group.value.en.len() + group.value.tr.len() < 2 {
            let finding = fields.finding(Code::SYNONYM_ALONE, group.span, messages::synonym_alone());
            fields.report(finding.help(messages::synonym_alone_help()));
        }
    }
    let groups = groups.into_iter().take(MAX_GROUPS).map(|group| group.value).collect();
    findings.extend(fields.finish().0);
    (groups, findings)
}

fn group(fields: &mut Fields) -> SynonymGroup {
    let mut phrases = |name| {
        let list = fields.short_list(name, MAX_PHRASES, &types::text(PHRASE));
        list.map(|list| list.value.into_iter().map(|phrase| phrase.value).collect()).unwrap_or_default()
    };
    SynonymGroup { en: phrases("en"), tr: phrases("tr") }
}
