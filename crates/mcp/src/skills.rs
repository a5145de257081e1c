//! Skills (SEP-2640): instructions for agents, which are resources too.

use bytes::Bytes;
use contract::mcp as words;
use serde_json::value::RawValue;

use super::{call::MethodCall, catalogue::BuildParts, json, json_rpc_error::JsonRpcError};

/// A skill of one file.
pub(super) struct PreparedSkill {
    uri: Box<str>,
    /// Its entry in the list.
    entry: Box<[u8]>,
    text: Bytes,
}

impl PreparedSkill {
    /// Prepares a skill of the build; `None` if the build, as this service narrows it, does not have its text.
    pub(super) fn new(skill: &words::Skill<&RawValue>, build: &BuildParts<'_>) -> Option<Self> {
        let text = (build.body)(&skill.path, None).filter(|text| std::str::from_utf8(text).is_ok())?;
        let uri = json::to_json_string(&skill.uri);
        let entry = format!(
            "{{\"uri\":{uri},\"frontmatter\":{},\"resources\":[{{\"uri\":{uri},\"digest\":\"sha256:{}\",\"size\":{}}}]}}",
            skill.frontmatter.get(),
            (build.sha256)(&text),
            text.len()
        );
        Some(Self { uri: skill.uri.as_str().into(), entry: entry.into_bytes().into(), text })
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

/// Writes the list, which has one page.
pub(super) fn list(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    let [cursor] = call.params(["cursor"])?;
    if json::non_null(cursor).is_some() {
        return Err(JsonRpcError::params("this cursor is not of this list; ask without one"));
    }
    out.extend_from_slice(b"\"skills\":[");
    for (at, skill) in call.catalogue.skills.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(&skill.entry);
    }
    out.push(b']');
    Ok(())
}

/// Writes the entry of one skill.
pub(super) fn get(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    let [uri] = call.params(["uri"])?;
    let uri = uri.and_then(json::string).ok_or_else(|| JsonRpcError::params("`uri` must be a string"))?;
    let skill = find(&call.catalogue.skills, &uri)
        .ok_or_else(|| JsonRpcError::params("there is no skill with this address; `skills/list` names all"))?;
    out.extend_from_slice(b"\"skill\":");
    out.extend_from_slice(&skill.entry);
    Ok(())
}
