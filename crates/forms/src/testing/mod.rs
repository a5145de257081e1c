//! Forms for tests.

#![expect(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a broken expectation ends the test that met it")]

use std::collections::HashMap;

use bytes::Bytes;
use contract::forms::{Form, MessageKind, MessagePiece, Slot, WORDS};

use super::Forms;

/// Returns a text with each slot as text, in an attribute and, if allowed, in an address.
fn text(slots: &[Slot], medium: &str) -> String {
    let of = |slot: &Slot| {
        let marker = slot.marker();
        match slot {
            _ if medium == "text" => format!("{}: {marker}\n", slot.as_str()),
            slot if slot.is_list() => format!("<ul>{marker}</ul>\n"),
            slot if slot.is_parameter() => {
                format!("<a href=\"/x?p={marker}&amp;q\">{marker}</a><input value=\"{marker}\">\n")
            }
            _ => format!("<p title=\"{marker}\">{marker}</p>\n"),
        }
    };
    slots.iter().map(of).collect()
}

/// Returns forms that show all their values.
pub fn forms() -> Forms {
    let mut parts = HashMap::new();
    for form in Form::ALL {
        parts.insert(form.part(), Bytes::from(text(form.slots(), "html")));
    }
    for kind in MessageKind::ALL {
        parts.insert(kind.part(MessagePiece::Subject), Bytes::from("Subject"));
        parts.insert(kind.part(MessagePiece::Text), Bytes::from(text(kind.slots(), "text")));
        parts.insert(kind.part(MessagePiece::Html), Bytes::from(text(kind.slots(), "html")));
    }
    let words = r#"{"months":["1","2","3","4","5","6","7","8","9","10","Kasım","12"],
        "moment":"{day} {month} {year} {hour}.{minute}","offset_minutes":180,
        "scopes":{"openid":"o & o","profile":"p","mcp.read":"m","content.read":"c"},
        "no_provider":"nobody","no_match_phrase":"none","sender_name":"A firm","sender_address":"info@firm.example"}"#;
    parts.insert(WORDS.to_owned(), Bytes::from(words));
    Forms::load("https://firm.example", |name, _| parts.get(name)).unwrap()
}
