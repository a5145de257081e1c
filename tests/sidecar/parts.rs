//! The forms, messages and words of a small build: each states its name, its locale and its slots, and nothing else.

use contract::{
    Locale,
    forms::{Form, MessageKind, MessagePiece, Slot, WORDS},
    manifest::{Part, Variant},
    media,
};

use crate::fixture::Build;

/// Writes every part, in the manifest's order.
pub(crate) fn all(build: &Build) -> Vec<Part> {
    let mut parts = Vec::new();
    for locale in Locale::ALL {
        let mut add = |name: String, text: &str, media_type| {
            let file = build.file(&format!(".parts/{name}.{locale}"), text, media_type);
            parts.push(Part { name, variant: Variant { locale: Some(locale), ..file } });
        };
        for form in Form::ALL {
            add(form.part(), &form_text(form, locale), media::HTML);
        }
        for kind in MessageKind::ALL {
            for piece in MessagePiece::ALL {
                let slots = if piece == MessagePiece::Subject { &[][..] } else { kind.slots() };
                let text = format!("{} {} {locale}{}\n", kind.as_str(), piece.as_str(), slot_text(slots));
                add(kind.part(piece), &text.replace('\n', if slots.is_empty() { "" } else { "\n" }), media::TEXT);
            }
        }
        add(WORDS.to_owned(), &words(locale), media::JSON);
    }
    parts.sort_by(|one, other| (&one.name, one.variant.locale).cmp(&(&other.name, other.variant.locale)));
    parts
}

/// `<p>claim en agent=[…] …</p>`
fn form_text(form: Form, locale: Locale) -> String {
    format!("<p>{} {locale}{}</p>\n", form.as_str(), slot_text(form.slots()))
}

fn slot_text(slots: &[Slot]) -> String {
    slots.iter().map(|slot| format!(" {}=[{}]", slot.as_str(), slot.marker())).collect::<Vec<_>>().concat()
}

fn words(locale: Locale) -> String {
    let months: Vec<_> = (1..=12).map(|month| format!("{locale}-{month}")).collect();
    serde_json::json!({
        "months": months,
        "moment": "{day} {month} {year} {hour}:{minute}",
        "offset_minutes": 180,
        "scopes": {"openid": "o", "profile": "p", "mcp.read": "m", "content.read": "c"},
        "no_provider": "nobody",
        "sender_name": "A firm",
        "sender_address": "info@firm.example",
    })
    .to_string()
}
