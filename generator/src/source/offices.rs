//! The offices of the contact entry.

use super::{
    At, Office,
    fields::{Fields, Group},
    kinds::hours,
    values::{self, LINE},
    web_addresses,
};
use crate::{diagnostic::Code, messages};

/// Maximum number of offices: one page shows all of them.
const MAX_OFFICES: usize = 50;
/// The longest postal code, in characters.
const POSTAL_CODE: usize = 20;

/// Reads the list. What one file leaves out may stand in the other, so that only the key is required here.
pub(super) fn offices(fields: &mut Fields) -> Vec<At<Office>> {
    let groups = fields.groups("offices", |office| Office {
        key: office.required("key", values::key),
        name: office.optional("name", values::text(LINE)),
        street: office.optional("street", values::text(LINE)),
        postal_code: office.optional("postal_code", values::text(POSTAL_CODE)),
        city: office.optional("city", values::text(LINE)),
        country: office.optional("country", values::country),
        telephone: office.optional("telephone", values::telephone),
        email: office.optional("email", values::email),
        hours: hours(office),
        directions: office.optional("directions", web_addresses::uri),
        lost: Vec::new(),
    });
    if let Some(first) = groups.get(MAX_OFFICES) {
        let message = messages::offices_too_many(groups.len(), MAX_OFFICES);
        let finding = fields.finding(Code::TOO_LONG, first.span, message);
        fields.find(finding);
    }
    let whole = |Group { value, span, failed }| At::new(Office { lost: failed, ..value }, span);
    groups.into_iter().map(whole).collect()
}
