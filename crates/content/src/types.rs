//! The types of values: each has a reader and a JSON Schema.

use std::fmt::Write as _;

use contract::{
    Locale,
    text::{Email, Slug, Uri},
};
use findings::messages::{self, Text};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{
    Focus, boolean,
    node::Node,
    problem::Reading,
    times,
    values::{self, is_country, is_language},
    web_addresses,
};

/// Regular expressions (ECMA-262, limited to what validators in other languages support) of an e-mail address, and of a
/// web address after its scheme.
macro_rules! email {
    () => {
        "(?=.{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+([.][A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*\
         @([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?[.])+[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    };
}
macro_rules! address {
    () => {
        "(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?([.][A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*)\
         (:[0-9]{1,5})?([/?]([A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?\
         (#([A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?"
    };
}
pub(super) use {address, email};

/// The pattern of one line without invisible characters and without unmistakable markup.
const LINE_OF_TEXT: &str = "^(?!.*(\\]\\(|\\]\\[|\\[\\^|[*][*]|`|<[A-Za-z/!?].*>))\
                            [^\\u0000-\\u001f\\u007f-\\u009f\\u200b\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]*$";

/// The form of a value in a schema.
#[derive(Clone, Debug)]
pub struct ValueForm {
    /// The JSON Schema, without a description.
    pub schema: Json,
    /// The description of the form, part of a sentence.
    pub words: Text,
}

/// An allowed field, for a schema.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: &'static str,
    pub is_required: bool,
    pub content: FieldContent,
}

/// The content of a field.
#[derive(Clone, Debug)]
pub enum FieldContent {
    Value(ValueForm),
    /// A list of values, with the maximum number of items.
    List(ValueForm, Option<usize>),
    Group(Vec<Field>),
    /// A list of groups, with the maximum number of items.
    Groups(Vec<Field>, Option<usize>),
}

/// A type of values.
pub(super) trait Type<T> {
    fn read(&self, node: &Node) -> Reading<T>;
    fn form(&self) -> ValueForm;
}

/// A pair of functions: one reads a value, the other returns its form.
impl<T, R: Fn(&Node) -> Reading<T>, F: Fn() -> ValueForm> Type<T> for (R, F) {
    fn read(&self, node: &Node) -> Reading<T> {
        self.0(node)
    }

    fn form(&self) -> ValueForm {
        self.1()
    }
}

/// Returns the type of texts that match `pattern`; `read` reads them.
pub(super) fn pattern<T>(
    read: impl Fn(&Node) -> Reading<T>,
    pattern: &'static str,
    words: fn() -> Text,
) -> impl Type<T> {
    (read, move || ValueForm { schema: json!({ "type": "string", "pattern": pattern }), words: words() })
}

/// Text of at most `longest` characters in one line. An unquoted number is accepted too.
pub(super) fn text(longest: usize) -> impl Type<String> {
    (values::text(longest), move || ValueForm {
        schema: json!({
            "type": ["string", "number"],
            "minLength": 1,
            "maxLength": longest,
            "pattern": LINE_OF_TEXT,
        }),
        words: messages::form_text(longest),
    })
}

pub(super) fn slug(locale: Locale) -> impl Type<Slug> {
    (values::slug(locale), slug_form)
}

/// The key of an entry.
pub(super) fn key() -> impl Type<String> {
    (values::key, slug_form)
}

/// The key of one person.
pub(super) fn author() -> impl Type<String> {
    (values::author, slug_form)
}

fn slug_form() -> ValueForm {
    let schema = json!({
        "type": ["string", "integer"],
        "minimum": 0,
        "maxLength": 80,
        "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
    });
    ValueForm { schema, words: messages::form_slug() }
}

pub(super) fn email_address() -> impl Type<Email> {
    pattern(values::email, concat!("^", email!(), "$"), messages::form_email)
}

/// The schema also accepts an integer: YAML reads an unquoted number as one.
pub(super) fn telephone() -> impl Type<String> {
    (values::telephone, || ValueForm {
        schema: json!({
            "type": ["string", "integer"],
            "minimum": 1_000_000,
            "pattern": "^[+](?!900)[1-9][0-9]{6,14}$",
        }),
        words: messages::form_telephone(),
    })
}

pub(super) fn uri() -> impl Type<Uri> {
    pattern(web_addresses::uri, concat!("^https?://", address!(), "$"), messages::form_uri)
}

pub(super) fn integer() -> impl Type<i64> {
    (values::integer, || ValueForm { schema: json!({ "type": "integer" }), words: messages::form_integer() })
}

pub(super) fn boolean() -> impl Type<bool> {
    (boolean::boolean, || ValueForm { schema: json!({ "type": "boolean" }), words: messages::form_boolean() })
}

pub(super) fn date() -> impl Type<contract::text::Date> {
    (times::date, || ValueForm {
        schema: json!({
            "type": "string",
            "format": "date",
            "pattern": "^(19|[2-9][0-9])[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
        }),
        words: messages::form_date(),
    })
}

pub(super) fn moment() -> impl Type<Timestamp> {
    let moment =
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)$";
    pattern(times::moment, moment, messages::form_moment)
}

/// A time of day.
pub(super) fn time() -> impl Type<String> {
    pattern(times::time, "^([01][0-9]|2[0-3]):[0-5][0-9]$", messages::form_time)
}

pub(super) fn time_zone() -> impl Type<String> {
    let zone = "^(?=.{1,64}$)[A-Z][A-Za-z0-9_+-]*(/[A-Z][A-Za-z0-9_+-]*)+$";
    pattern(values::time_zone, zone, messages::form_time_zone)
}

pub(super) fn focus() -> impl Type<Focus> {
    pattern(values::focus, "^(100|[0-9]{1,2})%[ ]+(100|[0-9]{1,2})%$", messages::form_focus)
}

/// The name of a file in the same folder.
pub(super) fn file_name() -> impl Type<String> {
    pattern(values::file_name, "^[^/\\\\]+$", messages::form_file_name)
}

/// One of a few words.
pub(super) fn one_of<T: Copy>(words: &[(&'static str, T)]) -> impl Type<T> {
    let form = move || {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let mut listed = String::new();
        for name in &names {
            let _ = write!(listed, "{}`{name}`", if listed.is_empty() { "" } else { ", " });
        }
        ValueForm { schema: json!({ "enum": names }), words: messages::form_one_of(listed) }
    };
    (values::one_of(words), form)
}

pub(super) fn language() -> impl Type<String> {
    let codes = || letters('a'..='z').into_iter().filter(|code| is_language(code)).collect::<Vec<_>>();
    (values::language, move || ValueForm { schema: json!({ "enum": codes() }), words: messages::form_language() })
}

pub(super) fn country() -> impl Type<String> {
    let codes = || letters('A'..='Z').into_iter().filter(|code| is_country(code)).collect::<Vec<_>>();
    (values::country, move || ValueForm { schema: json!({ "enum": codes() }), words: messages::form_country() })
}

/// Returns all combinations of two letters of `range`.
fn letters(range: std::ops::RangeInclusive<char>) -> Vec<String> {
    range.clone().flat_map(|first| range.clone().map(move |second| format!("{first}{second}"))).collect()
}
