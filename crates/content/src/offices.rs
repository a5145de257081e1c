//! The offices of the contact entry.

use findings::{Code, messages};

use super::{
    At, OfficeFacts,
    fields::{Fields, Group},
    hours::hours,
    types,
    values::LINE,
};

/// Maximum number of offices: one page shows all of them.
const MAX_OFFICES: usize = 50;
/// The longest postal code, in characters.
const POSTAL_CODE: usize = 20;

/// Reads the list of offices. Only the key is required: the other language's file may contain the other fields.
pub(super) fn offices(fields: &mut Fields) -> Vec<At<OfficeFacts>> {
    let groups = fields.groups("offices", Some(MAX_OFFICES), |office| OfficeFacts {
        key: office.required("key", &types::key()),
        name: office.optional("name", &types::text(LINE)),
        street: office.optional("street", &types::text(LINE)),
        postal_code: office.optional("postal_code", &types::text(POSTAL_CODE)),
        city: office.optional("city", &types::text(LINE)),
        country: office.optional("country", &types::country()),
        telephone: office.optional("telephone", &types::telephone()),
        email: office.optional("email", &types::email_address()),
        hours: hours(office),
        directions: office.optional("directions", &types::uri()),
        lost: Vec::new(),
    });
    if let Some(first) = groups.get(MAX_OFFICES) {
        let message = messages::offices_too_many(groups.len(), MAX_OFFICES);
        let finding = fields.finding(Code::TOO_LONG, first.span, message);
        fields.report(finding);
    }
    let whole = |Group { value, span, failed }| At::new(OfficeFacts { lost: failed, ..value }, span);
    groups.into_iter().map(whole).collect()
}
