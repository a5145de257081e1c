//! A text with slots, split into pieces.

use contract::forms::{MARKER_CLOSE, MARKER_OPEN, Slot};

use super::html_context::{HtmlContext, HtmlReader};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SheetFormat {
    Html,
    Text,
}

/// A text and its slots, in order.
#[derive(Debug)]
pub(super) struct SlotSheet {
    pub(super) medium: SheetFormat,
    pieces: Box<[SheetPiece]>,
    /// Bytes of the text without values.
    size: usize,
}

#[derive(Debug)]
enum SheetPiece {
    Text(Box<str>),
    Slot(Slot),
}

/// Why a text with slots is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SheetError {
    #[error("lacks the slot `{}`", .0.as_str())]
    Lacks(Slot),
    /// An unexpected slot, or an invalid marker.
    #[error("has a slot {0:?} that nothing fills")]
    Unknown(String),
    #[error("has the slot `{}` where no value is safe", .0.as_str())]
    Misplaced(Slot),
}

impl SlotSheet {
    /// Splits `text` into pieces; it must have exactly `slots`.
    pub(super) fn parse(medium: SheetFormat, text: &str, slots: &[Slot]) -> Result<Self, SheetError> {
        let mut pieces = Vec::new();
        let mut reader = HtmlReader::default();
        let (mut size, mut rest) = (0, text);
        while let Some((before, after)) = rest.split_once(MARKER_OPEN) {
            let (name, after) = after.split_once(MARKER_CLOSE).unwrap_or((after, ""));
            let unknown = || SheetError::Unknown(name.chars().take(40).collect());
            let slot = Slot::parse(name).filter(|slot| slots.contains(slot)).ok_or_else(unknown)?;
            if medium == SheetFormat::Html {
                reader.read(before.as_bytes());
                match reader.context() {
                    HtmlContext::Text => {}
                    HtmlContext::Attribute if !slot.is_list() => {}
                    HtmlContext::Address if slot.is_parameter() => {}
                    _ => return Err(SheetError::Misplaced(slot)),
                }
            }
            size += before.len();
            pieces.extend([SheetPiece::Text(before.into()), SheetPiece::Slot(slot)]);
            rest = after;
        }
        size += rest.len();
        pieces.push(SheetPiece::Text(rest.into()));
        let sheet = Self { medium, pieces: pieces.into_boxed_slice(), size };
        match slots.iter().find(|slot| !sheet.has(**slot)) {
            Some(slot) => Err(SheetError::Lacks(*slot)),
            None => Ok(sheet),
        }
    }

    fn has(&self, slot: Slot) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, SheetPiece::Slot(known) if *known == slot))
    }

    /// Returns the text with every slot filled by `write`.
    pub(super) fn fill(&self, mut write: impl FnMut(Slot, &mut String)) -> String {
        let mut out = String::with_capacity(self.size + 512);
        for piece in &self.pieces {
            match piece {
                SheetPiece::Text(text) => out.push_str(text),
                SheetPiece::Slot(slot) => write(*slot, &mut out),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, slots: &[Slot]) -> Result<SlotSheet, SheetError> {
        SlotSheet::parse(SheetFormat::Html, text, slots)
    }

    #[test]
    fn slots_are_filled_at_every_occurrence() {
        let sheet = parse("<p title=\"{{=email}}\">{{=code}}, {{=email}}.", &[Slot::Code, Slot::Email]).unwrap();
        let filled = sheet.fill(|slot, out| out.push_str(slot.as_str()));
        assert_eq!(filled, "<p title=\"email\">code, email.");
    }

    #[test]
    fn exactly_the_agreed_slots_are_accepted() {
        assert_eq!(parse("{{=code}}", &[Slot::Code, Slot::Email]).unwrap_err(), SheetError::Lacks(Slot::Email));
        for (text, name) in [("{{=email}}", "email"), ("{{=bill}}", "bill"), ("{{=}}", ""), ("{{=code", "code")] {
            let expected = if name == "code" { &[][..] } else { &[Slot::Code][..] };
            assert_eq!(parse(text, expected).unwrap_err(), SheetError::Unknown(name.to_owned()), "{text}");
        }
    }

    #[test]
    fn slot_is_accepted_only_where_escaping_is_safe() {
        let address = parse("<a href=\"/{{=email}}\">", &[Slot::Email]);
        assert_eq!(address.unwrap_err(), SheetError::Misplaced(Slot::Email), "`//evil.example` would be another site");
        for text in
            ["<a href=\"{{=token}}\">", "<p {{=token}}>", "<script>{{=token}}</script>", "<a href=/?t={{=token}}>"]
        {
            assert_eq!(parse(text, &[Slot::Token]).unwrap_err(), SheetError::Misplaced(Slot::Token), "{text}");
        }
        assert!(parse("<a href=\"/x?token={{=token}}\">", &[Slot::Token]).is_ok());
        assert_eq!(parse("<p title=\"{{=items}}\">", &[Slot::Items]).unwrap_err(), SheetError::Misplaced(Slot::Items));
        assert!(
            SlotSheet::parse(SheetFormat::Text, "<a href={{=token}}", &[Slot::Token]).is_ok(),
            "plain text has no tags"
        );
    }
}
