//! A tree of values with their positions, the common form of YAML and TOML.

use std::borrow::Cow;

use findings::{
    Span,
    messages::{self, Text},
};

/// A value with its position.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    pub at: Span,
    pub value: Value<'a>,
}

/// A value without its position.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// A single value.
    Scalar {
        /// The text, without its quotation marks.
        text: Cow<'a, str>,
        /// Whether it had no quotation marks, so that it may be a number or a boolean.
        plain: bool,
    },
    List(Vec<Node<'a>>),
    /// Fields in the order of the file, each name once.
    Map(Vec<Pair<'a>>),
    /// A value with a finding; it gets no further ones.
    Refused,
}

/// A field: its name and its value.
#[derive(Clone, Debug)]
pub struct Pair<'a> {
    pub key: Cow<'a, str>,
    /// The position of the name.
    pub at: Span,
    pub node: Node<'a>,
}

impl Node<'_> {
    /// Returns whether the value is blank or a YAML null.
    pub(super) fn is_empty(&self) -> bool {
        match &self.value {
            Value::Scalar { text, plain } => {
                text.trim().is_empty() || (*plain && matches!(text.as_ref(), "~" | "null" | "Null" | "NULL"))
            }
            Value::List(_) | Value::Map(_) | Value::Refused => false,
        }
    }

    /// Returns the name of the value's shape in a sentence.
    pub(super) fn shape(&self) -> Text {
        match self.value {
            Value::Scalar { .. } => messages::shape_value(),
            Value::List(_) => messages::shape_list(),
            Value::Map(_) => messages::shape_group(),
            Value::Refused => messages::shape_refused(),
        }
    }
}
