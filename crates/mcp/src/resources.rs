//! Resources: every page, by the address of its Markdown, and every skill by its own.

use contract::mcp::{INVALID_PARAMS, RESOURCE_TYPE, limits};

use super::{
    call::MethodCall,
    json,
    json_rpc_error::JsonRpcError,
    pages::PreparedPage,
    skill::{self, PreparedSkill},
};

/// Writes one part of the list: pages, then skills.
pub(super) fn list(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    let [cursor] = call.params(["cursor"])?;
    let (pages, skills) = (&call.catalogue.pages, &call.catalogue.skills);
    let count = pages.count() + skills.len();
    let start = match json::non_null(cursor) {
        None => 0,
        Some(cursor) => json::string(cursor)
            .and_then(|cursor| cursor_position(&cursor, &call.catalogue.build))
            .filter(|start| *start < count)
            .ok_or_else(|| {
                JsonRpcError::params("this cursor is not of this list, or of an earlier one; begin without one")
            })?,
    };
    let end = count.min(start + limits::RESOURCES);
    out.extend_from_slice(b"\"resources\":[");
    let mut is_first = true;
    let mut separate = |out: &mut Vec<u8>| {
        if !std::mem::take(&mut is_first) {
            out.push(b',');
        }
    };
    for page in pages.range(start.min(pages.count()), end.min(pages.count())) {
        separate(out);
        out.extend_from_slice(page.resource());
        out.extend_from_slice(b",\"size\":");
        out.extend_from_slice(page.size().to_string().as_bytes());
        out.push(b'}');
    }
    let skills_before = |end: usize| end.saturating_sub(pages.count());
    for skill in &skills[skills_before(start)..skills_before(end)] {
        separate(out);
        out.extend_from_slice(skill.resource());
    }
    out.push(b']');
    if end < count {
        out.extend_from_slice(format!(",\"nextCursor\":\"{}-{end}\"", call.catalogue.build).as_bytes());
    }
    Ok(())
}

/// Returns the position of a cursor. Only cursors of this build and list are accepted.
fn cursor_position(cursor: &str, build: &str) -> Option<usize> {
    let number = cursor.strip_prefix(build)?.strip_prefix('-')?;
    let place: usize = number.parse().ok()?;
    (place.to_string() == number && place.is_multiple_of(limits::RESOURCES) && place > 0).then_some(place)
}

/// Writes the text of one resource: exactly the bytes of the response at its address.
pub(super) fn read(call: &MethodCall<'_>, out: &mut Vec<u8>) -> Result<(), JsonRpcError> {
    let [uri] = call.params(["uri"])?;
    let uri = uri.and_then(json::string).ok_or_else(|| JsonRpcError::params("`uri` must be a string"))?;
    let page = call.catalogue.pages.with_text_at(&uri).map(PreparedPage::bytes);
    let skill = || skill::find(&call.catalogue.skills, &uri).map(PreparedSkill::bytes);
    let Some(text) = page.or_else(skill) else {
        let code = call.revision.unknown_resource;
        debug_assert!(code == INVALID_PARAMS || code == contract::mcp::RESOURCE_NOT_FOUND);
        let data = format!("{{\"uri\":{}}}", json::to_json_string(&uri));
        return Err(
            JsonRpcError::new(code, "there is no resource with this address; `resources/list` names all").with(data)
        );
    };
    out.reserve(text.len() + text.len() / 16 + uri.len() + 128);
    out.extend_from_slice(b"\"contents\":[{\"uri\":");
    json::quote(&uri, out);
    out.extend_from_slice(format!(",\"mimeType\":\"{RESOURCE_TYPE}\",\"text\":\"").as_bytes());
    json::escape(text, out);
    out.extend_from_slice(b"\"}]");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_is_valid_only_in_its_own_build() {
        assert_eq!(cursor_position("b1-100", "b1"), Some(100));
        for cursor in ["b2-100", "b1-0", "b1-50", "b1--100", "b1-+100", "b1-0100", "b1", "", "b1-99999999999999999999"]
        {
            assert_eq!(cursor_position(cursor, "b1"), None, "{cursor}");
        }
    }
}
