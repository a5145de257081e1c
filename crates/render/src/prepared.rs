//! Views that many pages show, converted to the template engine's values once and then shared.

use std::marker::PhantomData;

use serde::{Serialize, Serializer};
use tera::Value;

/// Text ready for an HTML page: the template engine neither escapes nor copies it.
#[derive(Clone, Debug)]
pub struct Markup(Value);

impl Markup {
    #[must_use]
    pub fn new(html: &str) -> Self {
        Self(Value::safe_string(html))
    }
}

impl Serialize for Markup {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// A `T` as a value of the template engine. Templates see no difference from a `T`.
#[derive(Clone, Debug)]
pub struct Prepared<T> {
    value: Value,
    view: PhantomData<fn() -> T>,
}

impl<T: Serialize> Prepared<T> {
    #[must_use]
    pub fn new(view: &T) -> Self {
        // Every view can be converted; a failure would be undefined, and stop the template that uses it.
        let value = Value::try_from_serializable(view).unwrap_or_else(|_| Value::undefined());
        Self { value, view: PhantomData }
    }
}

impl<T> Serialize for Prepared<T> {
    /// Serializes the value: the engine recognizes its own values and does not copy them.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}
