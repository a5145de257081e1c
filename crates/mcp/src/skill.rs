//! A skill (SEP-2640): instructions for agents, which are a resource too.

use bytes::Bytes;
use contract::mcp as words;
use serde_json::value::RawValue;

use super::json;

/// A skill of one file.
pub(super) struct PreparedSkill {
    uri: Box<str>,
    /// Its entry in the list.
    entry: Box<[u8]>,
    text: Bytes,
}

impl PreparedSkill {
    /// Prepares a skill with its text and the SHA-256 of the text; `None` if the text is not UTF-8.
    pub(super) fn new(skill: &words::Skill<&RawValue>, text: Bytes, digest: &str) -> Option<Self> {
        std::str::from_utf8(&text).ok()?;
        let uri = json::to_json_string(&skill.uri);
        let entry = format!(
            "{{\"uri\":{uri},\"frontmatter\":{},\"resources\":[{{\"uri\":{uri},\"digest\":\"sha256:{}\",\"size\":{}}}]}}",
            skill.frontmatter.get(),
            digest,
            text.len()
        );
        Some(Self { uri: skill.uri.as_str().into(), entry: entry.into_bytes().into(), text })
    }

    /// Returns its entry in the list.
    pub(super) fn entry(&self) -> &[u8] {
        &self.entry
    }

    /// Returns its Markdown.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.text
    }
}

/// Returns the skill with the address `uri`.
pub(super) fn find<'a>(skills: &'a [PreparedSkill], uri: &str) -> Option<&'a PreparedSkill> {
    skills.iter().find(|skill| *skill.uri == *uri)
}
