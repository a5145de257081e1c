//! Strings that are checked when they are parsed, and the characters that none may contain.

mod date;
mod email;
mod host;
mod invisible;
pub mod origin;
mod slug;
pub mod telephone;
mod uri;

pub use date::Date;
pub use email::Email;
pub use host::{host_of, is_surely_this_machine, is_this_machine};
pub use invisible::is_invisible;
pub use slug::Slug;
pub use uri::Uri;

/// Why a text was rejected: the variant names the expected form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// A calendar date that exists, `YYYY-MM-DD`.
    Date,
    /// An e-mail address.
    Email,
    /// Lower-case letters a-z, digits and single hyphens, 80 characters at most.
    Slug,
    /// An absolute web address.
    Uri,
    /// A scheme and a host in lower case, with a port unless it is the default one.
    Origin,
    /// A host in its ASCII form.
    AsciiHost,
    /// An address whose reserved characters are percent-encoded.
    EncodedUri,
    /// An address with two hex digits after each `%`.
    PercentEncoding,
    /// An address with one `#` at most.
    OneFragment,
}

/// Implements serialization, `Display`, `FromStr` and a JSON Schema with a `format` for a checked text type.
macro_rules! text_type {
    ($name:ident, $format:expr) => {
        impl $name {
            /// Returns the text as it appears on the wire.
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
                    serde::de::Error::custom(format_args!("`{text}` is not valid ({invalid:?})"))
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
