//! Results that are the same for everyone: lists of one page, and what the server says of itself.

use super::{call::Call, fault::Fault, json};

pub(super) fn tools(call: &Call<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
    whole(call, &call.catalogue.tools, out)
}

pub(super) fn prompts(call: &Call<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
    whole(call, &call.catalogue.prompts, out)
}

pub(super) fn templates(call: &Call<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
    whole(call, &call.catalogue.templates, out)
}

pub(super) fn discover(call: &Call<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
    out.extend_from_slice(&call.catalogue.discover);
    Ok(())
}

/// A list without further pages, so there is no cursor that could lead to one.
fn whole(call: &Call<'_>, members: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    let [cursor] = call.params(["cursor"])?;
    if json::given(cursor).is_some() {
        return Err(Fault::params("this cursor is not of this list; ask without one"));
    }
    out.extend_from_slice(members);
    Ok(())
}
