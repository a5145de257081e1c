//! Strings that are checked once and trusted from then on, and the characters that none may contain.

mod date;
mod email;
mod host;
mod invisible;
mod slug;
mod uri;

pub use date::Date;
pub use email::Email;
pub use host::{is_surely_this_machine, is_this_machine};
pub use invisible::is_invisible;
pub use slug::Slug;
pub use uri::Uri;

/// Why a text was refused. `expected` completes the sentence "expected …" for the person who wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// What would have been accepted, with an example.
    pub expected: &'static str,
}

/// Gives a checked text type its serialized form, display and JSON Schema with a `format`.
macro_rules! text_type {
    ($name:ident, $format:expr) => {
        impl $name {
            /// The text as it appears on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = super::Invalid;

            fn from_str(text: &str) -> Result<Self, super::Invalid> {
                Self::parse(text)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::parse(&text).map_err(|invalid| {
                    serde::de::Error::custom(format_args!("expected {}, found `{text}`", invalid.expected))
                })
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let format: Option<&str> = $format;
                match format {
                    Some(format) => schemars::json_schema!({ "type": "string", "format": format }),
                    None => schemars::json_schema!({ "type": "string" }),
                }
            }
        }
    };
}
use text_type;
