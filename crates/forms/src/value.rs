//! Values of slots, escaped so that none leaves its slot.

use std::fmt;

use clock::{Time, civil};
use contract::{
    forms::{Slot, Words},
    scopes::Scope,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlotValue<'a> {
    /// A name, an address, an identifier, a code.
    Text(&'a str),
    /// The provider of an agent, if there is one.
    Provider(Option<&'a str>),
    /// The two words of an agent, if it has any.
    MatchPhrase(Option<&'a str>),
    Moment(Time),
    Scopes(&'a [Scope]),
    Number(usize),
    Items(Vec<SlotValues<'a>>),
}

/// The values of a form or message by slot. Security: `Debug` prints the slots and no value.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SlotValues<'a>(Vec<(Slot, SlotValue<'a>)>);

impl<'a> SlotValues<'a> {
    /// Creates an empty set of values.
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn of<const N: usize>(values: [(Slot, SlotValue<'a>); N]) -> Self {
        Self(values.into())
    }

    pub(super) fn find(&self, slot: Slot) -> Option<&SlotValue<'a>> {
        self.0.iter().find(|(known, _)| *known == slot).map(|(_, value)| value)
    }
}

impl fmt::Debug for SlotValues<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.0.iter().map(|(slot, _)| slot)).finish()
    }
}

/// The characters that stay unchanged in a query and in a path (RFC 3986, 2.3).
pub(super) const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns the text of a value that is not a list, with the words of a locale.
pub(super) fn plain_text(slot: Slot, value: &SlotValue, words: &Words) -> String {
    let text = match value {
        SlotValue::Text(text) | SlotValue::Provider(Some(text)) | SlotValue::MatchPhrase(Some(text)) => *text,
        SlotValue::Provider(None) => &words.no_provider,
        SlotValue::MatchPhrase(None) => &words.no_match_phrase,
        SlotValue::Moment(moment) => return format_moment(*moment, words),
        SlotValue::Number(number) => return number.to_string(),
        SlotValue::Scopes(_) | SlotValue::Items(_) => return String::new(),
    };
    if slot.is_parameter() {
        // Security: these values are in addresses; encoded, each stays one parameter.
        return utf8_percent_encode(text, UNRESERVED).to_string();
    }
    text.chars().map(|letter| if is_unsafe(letter) { char::REPLACEMENT_CHARACTER } else { letter }).collect()
}

/// Returns `text` without characters that move or hide others; line ends and tabs become spaces.
pub(super) fn visible(text: &str) -> String {
    let spaced = text.chars().map(|letter| if letter.is_whitespace() { ' ' } else { letter });
    spaced.filter(|letter| !is_unsafe(*letter)).collect()
}

/// Whether a character moves or hides others: controls, line ends, and changes of direction.
fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}')
        || matches!(letter, '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// Appends `text`, escaped for HTML text and quoted attribute values.
pub(super) fn escape_into(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
}

const MINUTE: i64 = 60_000;

/// Formats `moment` in the firm's offset, for example `21 November 2026, 16:45 (UTC+3)`. The words and the offset come
/// from the build, so that no database of time zones is needed.
fn format_moment(moment: Time, words: &Words) -> String {
    let local = civil(moment.millis().saturating_add(i64::from(words.offset_minutes) * MINUTE));
    let month = usize::from(local.month().unsigned_abs());
    let month = words.months.get(month.wrapping_sub(1)).map_or("", String::as_str);
    words
        .moment
        .replace("{day}", &local.day().to_string())
        .replace("{month}", month)
        .replace("{year}", &local.year().to_string())
        .replace("{hour}", &format!("{:02}", local.hour()))
        .replace("{minute}", &format!("{:02}", local.minute()))
}
