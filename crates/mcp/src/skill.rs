//! A skill (SEP-2640): instructions for agents, which are a resource too.

use bytes::Bytes;
use contract::mcp::{self as words, RESOURCE_TYPE};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::json;

/// A skill of one file.
pub(super) struct PreparedSkill {
    uri: Box<str>,
    /// Its entry in the list of skills.
    entry: Box<[u8]>,
    /// Its entry in the list of resources.
    resource: Box<[u8]>,
    text: Bytes,
}

/// The front matter of a skill, as far as its resource has it.
#[derive(Deserialize)]
struct FrontMatter {
    name: String,
    description: String,
}

impl PreparedSkill {
    /// Prepares a skill with its text and the SHA-256 of the text; `None` if the text is not UTF-8 or the front matter has
    /// no name and description.
    pub(super) fn new(skill: &words::Skill<&RawValue>, text: Bytes, digest: &str) -> Option<Self> {
        std::str::from_utf8(&text).ok()?;
        let uri = json::to_json_string(&skill.uri);
        let entry = format!(
            "{{\"uri\":{uri},\"frontmatter\":{},\"resources\":[{{\"uri\":{uri},\"digest\":\"sha256:{}\",\"size\":{}}}]}}",
            skill.frontmatter.get(),
            digest,
            text.len()
        );
        let FrontMatter { name, description } = serde_json::from_str(skill.frontmatter.get()).ok()?;
        let resource = format!(
            "{{\"uri\":{uri},\"name\":{},\"description\":{},\"mimeType\":\"{RESOURCE_TYPE}\",\"size\":{}}}",
            json::to_json_string(&name),
            json::to_json_string(&description),
            text.len()
        );
        let (entry, resource) = (entry.into_bytes().into(), resource.into_bytes().into());
        Some(Self { uri: skill.uri.as_str().into(), entry, resource, text })
    }

    /// Returns its entry in the list of skills.
    pub(super) fn entry(&self) -> &[u8] {
        &self.entry
    }

    /// Returns its entry in the list of resources.
    pub(super) fn resource(&self) -> &[u8] {
        &self.resource
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
