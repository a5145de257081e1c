//! The field `reviewed`: the state of a text that was compared with the other language.

use contract::text::Date;
use findings::messages;
use serde_json::json;

use super::{
    node::Node,
    problem::Reading,
    times,
    types::{self, Type, ValueForm},
    values::scalar,
};

/// The state of an entry at its last comparison of both languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Review {
    /// The state at the end of this day.
    Day(Date),
    /// The state at the commit whose name begins with these hexadecimal digits.
    Commit(String),
}

/// The beginning of a commit's name. Digits alone are refused: they are probably a day without its hyphens.
const COMMIT: &str = "^(?=[0-9]*[a-f])[0-9a-f]{7,40}$";

/// The type of `reviewed`.
pub(super) fn review() -> impl Type<Review> {
    (read, || ValueForm {
        schema: json!({ "anyOf": [types::date().form().schema, { "type": "string", "pattern": COMMIT }] }),
        words: messages::form_review(),
    })
}

fn read(node: &Node) -> Reading<Review> {
    let (text, _) = scalar(node)?;
    let is_name = (7..=40).contains(&text.len())
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && text.contains(|letter: char| letter.is_ascii_lowercase());
    if is_name { Ok(Review::Commit(text.to_owned())) } else { times::date(node).map(Review::Day) }
}
