//! A small tree of values with their positions, the common form of YAML and TOML here.

use std::borrow::Cow;

use findings::{
    Span,
    messages::{self, Text},
};

/// A value with its position.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// Where it starts.
    pub at: Span,
    /// What is there.
    pub value: Value<'a>,
}

/// A value without its position.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// A text, exactly as it reads once quotation marks are resolved.
    Scalar {
        /// The text.
        text: Cow<'a, str>,
        /// Whether it is written without quotation marks, so that it may be a number or a boolean.
        plain: bool,
    },
    /// Values in their order.
    List(Vec<Node<'a>>),
    /// Fields in their order, each name once.
    Map(Vec<Pair<'a>>),
    /// Something that has already been refused; nothing more is reported about it.
    Refused,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Pair<'a> {
    /// The name of the field.
    pub key: Cow<'a, str>,
    /// Where the name starts.
    pub at: Span,
    /// Its value.
    pub node: Node<'a>,
}

impl Node<'_> {
    /// Returns whether nothing was written, or only YAML's word for nothing.
    pub(super) fn is_empty(&self) -> bool {
        match &self.value {
            Value::Scalar { text, plain } => {
                text.trim().is_empty() || (*plain && matches!(text.as_ref(), "~" | "null" | "Null" | "NULL"))
            }
            Value::List(_) | Value::Map(_) | Value::Refused => false,
        }
    }

    /// Returns what the value is called in a sentence.
    pub(super) fn shape(&self) -> Text {
        match self.value {
            Value::Scalar { .. } => messages::shape_value(),
            Value::List(_) => messages::shape_list(),
            Value::Map(_) => messages::shape_group(),
            Value::Refused => messages::shape_refused(),
        }
    }
}
