//! The types of values in `fields.toml`: each has a reader here and a form in `types.toml`.

use std::{collections::BTreeMap, ops::RangeInclusive, sync::LazyLock};

use contract::{
    Locale, PerLocale,
    agent_auth::{AssertionType, CredentialType, IdentityType, Profile},
    mcp::NetworkRelation,
};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{
    EditorForge, boolean,
    node::Node,
    problem::Reading,
    setting_values, times,
    values::{self, LINE, SENTENCES, is_country, is_language},
    web_addresses,
};

/// The form of a value in a schema.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct ValueForm {
    /// The JSON Schema, without a description.
    pub schema: Json,
    /// The description of the form, part of a sentence.
    #[serde(flatten)]
    pub words: PerLocale<String>,
}

/// The keywords of a schema, in the order in which they are written.
const KEYWORDS: [&str; 9] =
    ["type", "format", "enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "anyOf"];

static FORMS: LazyLock<BTreeMap<String, ValueForm>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct Forms {
        patterns: BTreeMap<String, String>,
        types: BTreeMap<String, ValueForm>,
    }
    #[expect(clippy::expect_used, reason = "the forms are compiled in, and a test reads them")]
    let Forms { patterns, mut types } =
        ::toml::from_str(include_str!("types.toml")).expect("invariant: forms of types");
    for form in types.values_mut() {
        if let Some(Json::String(pattern)) = form.schema.get_mut("pattern") {
            *pattern =
                patterns.iter().fold(pattern.clone(), |all, (name, part)| all.replace(&format!("{{{name}}}"), part));
        }
    }
    types
});

/// A type of values.
#[derive(Clone, Debug)]
pub struct Type {
    /// The name in `fields.toml`.
    pub name: String,
    reader: TypeReader,
}

/// Reads the values of a type.
#[derive(Clone, Debug)]
enum TypeReader {
    /// Text of at most this many characters in one line.
    Text(usize),
    Slug,
    Alias,
    Date,
    OneOf(Vec<&'static str>),
    Other(fn(&Node) -> Reading<String>),
}

impl Type {
    pub(super) fn parse(name: &str) -> Option<Self> {
        let reader = match name {
            "line" => TypeReader::Text(LINE),
            "sentences" => TypeReader::Text(SENTENCES),
            "phrase" => TypeReader::Text(60),
            "postal_code" => TypeReader::Text(20),
            // The limit of the schema of server cards.
            "server_title" => TypeReader::Text(100),
            "slug" => TypeReader::Slug,
            "alias" => TypeReader::Alias,
            // The keys of an entry and of one person.
            "key" => TypeReader::Other(values::key),
            "author" => TypeReader::Other(values::author),
            "date" => TypeReader::Date,
            "moment" => TypeReader::Other(times::moment),
            "time" => TypeReader::Other(times::time),
            "time_zone" => TypeReader::Other(values::time_zone),
            "review" => TypeReader::Other(times::review),
            "integer" => TypeReader::Other(values::integer),
            "months" => TypeReader::Other(setting_values::months),
            "boolean" => TypeReader::Other(boolean::boolean),
            "email" => TypeReader::Other(values::email),
            "telephone" => TypeReader::Other(values::telephone),
            "uri" => TypeReader::Other(web_addresses::uri),
            "assistant_address" => TypeReader::Other(web_addresses::assistant_address),
            "https_uri" => TypeReader::Other(web_addresses::https_uri),
            "origin" => TypeReader::Other(web_addresses::site_url),
            "language" => TypeReader::Other(values::language),
            "country" => TypeReader::Other(values::country),
            "focus" => TypeReader::Other(values::focus),
            // The name of a file in the same folder.
            "file_name" => TypeReader::Other(values::file_name),
            "share_picture" => TypeReader::Other(setting_values::share_picture),
            "icon" => TypeReader::Other(setting_values::icon),
            "font" => TypeReader::Other(setting_values::font),
            "colour" => TypeReader::Other(setting_values::colour),
            "sandbox_key" => TypeReader::Other(setting_values::sandbox_key),
            "security_contact" => TypeReader::Other(setting_values::security_contact),
            "law_number" => TypeReader::Other(values::law_number),
            "article" => TypeReader::Other(values::article),
            "mcp_name" => TypeReader::Other(setting_values::mcp_name),
            "advisory_code" => TypeReader::Other(setting_values::advisory_code),
            "day" => TypeReader::OneOf(vec!["mon", "tue", "wed", "thu", "fri", "sat", "sun"]),
            "locale" => TypeReader::OneOf(Locale::ALL.map(Locale::as_str).into()),
            "relation" => TypeReader::OneOf(NetworkRelation::ALL.map(NetworkRelation::as_str).into()),
            "section" => TypeReader::OneOf(setting_values::SECTIONS.map(|(name, _)| name).into()),
            "forge" => TypeReader::OneOf(EditorForge::ALL.map(EditorForge::as_str).into()),
            "switch" => TypeReader::OneOf(vec!["warn", "off"]),
            "numbering" => TypeReader::OneOf(vec!["legal", "decimal", "letters"]),
            // The third name is one of the identity profile, which these two include.
            "identity_type" => {
                let [anonymous, asserted, _] = IdentityType::ALL.map(IdentityType::as_str);
                TypeReader::OneOf(vec![anonymous, asserted])
            }
            "assertion" => TypeReader::OneOf(AssertionType::ALL.map(AssertionType::as_str).into()),
            "credential_type" => TypeReader::OneOf(CredentialType::ALL.map(CredentialType::as_str).into()),
            "profile" => TypeReader::OneOf(Profile::ALL.map(Profile::as_str).into()),
            _ => return None,
        };
        Some(Self { name: name.to_owned(), reader })
    }

    pub(super) fn is_date(&self) -> bool {
        matches!(self.reader, TypeReader::Date)
    }

    /// Reads a value, and returns its text in the canonical form. `locale` is the language of a slug.
    pub(super) fn read(&self, node: &Node, locale: Locale) -> Reading<String> {
        match &self.reader {
            TypeReader::Text(longest) => values::text(node, *longest),
            TypeReader::Slug => values::slug(node, locale),
            TypeReader::Alias => values::alias(node, locale),
            TypeReader::Date => times::date(node),
            TypeReader::OneOf(words) => values::one_of(node, words),
            TypeReader::Other(read) => read(node),
        }
    }

    pub fn form(&self) -> ValueForm {
        let name = match (&self.reader, self.name.as_str()) {
            (TypeReader::Text(_), _) => "text",
            (TypeReader::OneOf(_), _) => "choice",
            (_, "key" | "author") => "slug",
            (_, name) => name,
        };
        let ValueForm { mut schema, words } = FORMS.get(name).cloned().unwrap_or_default();
        let mut parameter = ("{}", String::new());
        match &self.reader {
            TypeReader::Text(longest) => {
                schema["maxLength"] = json!(longest);
                parameter = ("{longest}", longest.to_string());
            }
            TypeReader::OneOf(words) => {
                schema["enum"] = json!(words);
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                parameter = ("{words}", words.join(", "));
            }
            _ if name == "months" => schema["maximum"] = json!(setting_values::MAX_REVIEW_AFTER),
            _ if name == "language" => schema["enum"] = codes('a'..='z', is_language),
            _ if name == "country" => schema["enum"] = codes('A'..='Z', is_country),
            _ => {}
        }
        let words = PerLocale::build(|locale| words[locale].replace(parameter.0, &parameter.1));
        ValueForm { schema: in_order(schema), words }
    }
}

fn in_order(schema: Json) -> Json {
    match schema {
        Json::Object(mut schema) => {
            let keywords =
                KEYWORDS.iter().filter_map(|name| Some(((*name).to_owned(), in_order(schema.remove(*name)?))));
            Json::Object(keywords.collect())
        }
        Json::Array(schemas) => schemas.into_iter().map(in_order).collect(),
        value => value,
    }
}

/// Returns all known codes of two letters.
fn codes(letters: RangeInclusive<char>, is_known: fn(&str) -> bool) -> Json {
    let codes = letters.clone().flat_map(|first| letters.clone().map(move |second| format!("{first}{second}")));
    codes.filter(|code| is_known(code)).collect::<Vec<_>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Field, FieldContent, Kind, fields_of};

    fn assert_forms(fields: &[Field]) {
        for Field { name, content, .. } in fields {
            match content {
                FieldContent::Value(of) | FieldContent::List(of, _) => {
                    let ValueForm { schema, words } = of.form();
                    assert!(schema.as_object().is_some_and(|schema| !schema.is_empty()), "{name}: {}", of.name);
                    // Editors write `{url}` themselves; nothing else in braces is left unfilled.
                    let is_filled = |words: &str| words.ends_with('.') && !words.replace("{url}", "").contains('{');
                    assert!(words.iter().all(|(_, words)| is_filled(words)), "{name}");
                }
                FieldContent::Group(fields) | FieldContent::Groups(fields, _) => assert_forms(fields),
            }
        }
    }

    #[test]
    fn type_of_each_field_has_a_form() {
        for name in
            Kind::ALL.map(Kind::folder).into_iter().chain(["site", "deviations", "synonyms", "laws", "law-changes"])
        {
            assert_forms(fields_of(name));
        }
    }
}
