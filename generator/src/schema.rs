//! JSON Schema (2020-12) of front matter and of `site.toml`, for completion and checks in text editors.
//!
//! The fields and their forms come from [`content`], their meanings from `schema.toml`. Every schema has both
//! languages, because all authors of a firm share its files.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use content::{Field, FieldContent, Kind, ValueForm, fields_of, settings_fields};
use contract::{Locale, PerLocale};
use findings::messages::{self, Text};
use serde_json::{Map, Value as Json, json};

/// The name of the schema of `site.toml`.
const SITE: &str = "site";
/// Tables of `schema.toml`: for fields of every kind, and for the titles of the schemas.
const ANY: &str = "any";
const KINDS: &str = "kinds";

/// The meanings of fields, by kind or group.
static WORDS: LazyLock<BTreeMap<String, BTreeMap<String, PerLocale<String>>>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the table is compiled in, and a test reads all of it")]
    toml::from_str(include_str!("schema.toml")).expect("invariant: the table of words is TOML")
});

/// Returns the names of the schemas: the folders of all kinds, and `site`.
pub fn names() -> impl Iterator<Item = &'static str> {
    Kind::ALL.map(Kind::folder).into_iter().chain([SITE])
}

/// Returns the schema of this name, if there is one.
#[must_use]
pub fn schema(name: &str) -> Option<String> {
    let fields = match Kind::of_folder(name) {
        Some(kind) => fields_of(kind),
        None if name == SITE => settings_fields(),
        None => return None,
    };
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("$comment".to_owned(), json!(messages::schema_note()[Locale::En]));
    schema.insert("title".to_owned(), json!(words(KINDS, name).map(|words| format!("{} · {}", words.en, words.tr))));
    group(&mut schema, name, &fields);
    Some(format!("{:#}\n", Json::Object(schema)))
}

/// Writes these schemas to `folder`, replacing existing ones, and returns their paths.
///
/// # Errors
/// With the path that could not be written.
pub fn write<'n>(
    folder: &Path,
    names: impl IntoIterator<Item = &'n str>,
) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    fs::create_dir_all(folder).map_err(|error| (folder.to_owned(), error))?;
    let mut written = Vec::new();
    for (name, text) in names.into_iter().filter_map(|name| Some((name, schema(name)?))) {
        let path = folder.join(name).with_extension("json");
        fs::write(&path, text).map_err(|error| (path.clone(), error))?;
        written.push(path);
    }
    Ok(written)
}

/// Adds the fields of a file, or of a group of this name, to a schema.
fn group(schema: &mut Map<String, Json>, name: &str, fields: &[Field]) {
    let properties: Map<_, _> = fields.iter().map(|field| (field.name.to_owned(), property(name, field))).collect();
    let required: Vec<_> = fields.iter().filter(|field| field.is_required).map(|field| field.name).collect();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
}

fn property(owner: &str, field: &Field) -> Json {
    let mut schema = Map::new();
    let meaning = words(owner, field.name);
    let describe = |form: Option<&ValueForm>| description(meaning, form.map(|form| &form.words));
    match &field.content {
        FieldContent::Value(form) => {
            schema.insert("description".to_owned(), describe(Some(form)));
            schema.extend(value(form));
        }
        FieldContent::List(form, most) => {
            schema.insert("description".to_owned(), describe(Some(form)));
            list(&mut schema, value(form), *most);
            schema.insert("uniqueItems".to_owned(), json!(true));
        }
        FieldContent::Group(fields) => {
            schema.insert("description".to_owned(), describe(None));
            group(&mut schema, field.name, fields);
        }
        FieldContent::Groups(fields, most) => {
            let mut item = Map::new();
            schema.insert("description".to_owned(), describe(None));
            group(&mut item, field.name, fields);
            list(&mut schema, item, *most);
        }
    }
    Json::Object(schema)
}

/// Returns the schema of a value, with the error message that editors show.
fn value(form: &ValueForm) -> Map<String, Json> {
    let mut schema = form.schema.as_object().cloned().unwrap_or_default();
    schema.insert("errorMessage".to_owned(), description(None, Some(&form.words)));
    schema
}

fn list(schema: &mut Map<String, Json>, item: Map<String, Json>, most: Option<usize>) {
    schema.insert("type".to_owned(), json!("array"));
    schema.insert("items".to_owned(), item.into());
    if let Some(most) = most {
        schema.insert("maxItems".to_owned(), json!(most));
    }
}

/// Returns the meaning of a field and the form of its value, in both languages.
fn description(meaning: Option<&PerLocale<String>>, form: Option<&Text>) -> Json {
    let of = |locale| {
        let parts = [meaning.map(|meaning| meaning[locale].as_str()), form.map(|form| &form[locale])];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    json!(Locale::ALL.map(of).join("\n\n"))
}

/// Returns the meaning of a field of a kind or of a group.
fn words(owner: &str, name: &str) -> Option<&'static PerLocale<String>> {
    [owner, ANY].into_iter().find_map(|table| WORDS.get(table)?.get(name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Collects the words of all fields of `owner`, and asserts that each field has some.
    fn collect_words(owner: &str, fields: &[Field], used: &mut BTreeSet<(String, String)>) {
        for field in fields {
            let words =
                words(owner, field.name).unwrap_or_else(|| panic!("schema.toml: [{owner}] has no {}", field.name));
            assert!(words.iter().all(|(_, words)| words.ends_with('.')), "[{owner}] {}: {words:?}", field.name);
            assert_ne!(words.en, words.tr, "[{owner}] {}", field.name);
            let is_own = WORDS.get(owner).is_some_and(|table| table.contains_key(field.name));
            used.insert((if is_own { owner } else { ANY }.to_owned(), field.name.to_owned()));
            if let FieldContent::Group(fields) | FieldContent::Groups(fields, _) = &field.content {
                collect_words(field.name, fields, used);
            }
        }
    }

    #[test]
    fn every_field_and_no_other_has_words() {
        let mut used: BTreeSet<_> = names().map(|name| (KINDS.to_owned(), name.to_owned())).collect();
        for kind in Kind::ALL {
            collect_words(kind.folder(), &fields_of(kind), &mut used);
        }
        collect_words(SITE, &settings_fields(), &mut used);
        let written =
            WORDS.iter().flat_map(|(table, words)| words.keys().map(move |name| (table.clone(), name.clone())));
        let idle: Vec<_> = written.filter(|word| !used.contains(word)).collect();
        assert!(idle.is_empty(), "{idle:?}");
        assert!(names().all(|name| words(KINDS, name).is_some()));
    }

    /// Returns the properties of a schema, those inside groups and lists too, as `offices.hours.days`.
    fn properties(schema: &Json, prefix: &str, found: &mut BTreeSet<String>) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let description = property["description"].as_str().unwrap_or_default();
            assert_eq!(description.matches("\n\n").count(), 1, "{prefix}{name}: {description}");
            found.insert(format!("{prefix}{name}"));
            properties(property, &format!("{prefix}{name}."), found);
            properties(&property["items"], &format!("{prefix}{name}."), found);
        }
    }

    #[test]
    fn schema_has_each_field_that_is_allowed_in_its_place() {
        for (name, some) in
            [("team", "portrait_focus"), ("contact", "offices.hours.days"), (SITE, "theme.light.accent")]
        {
            let schema: Json = serde_json::from_str(&schema(name).unwrap()).unwrap();
            let mut found = BTreeSet::new();
            properties(&schema, "", &mut found);
            assert!(found.contains(some), "{name}: {found:?}");
        }
        assert!(schema("people").is_none());
    }

    #[test]
    fn schema_agrees_with_the_message_about_an_unknown_field() {
        for kind in Kind::ALL {
            let reading = content::read_facts((kind, "about", Locale::En), "zzzzzz: 1\n", "en.md");
            let listed = reading.findings.iter().find_map(|finding| {
                finding.help.iter().find_map(|help| help[Locale::En].strip_prefix("allowed here: ").map(str::to_owned))
            });
            let schema: Json = serde_json::from_str(&schema(kind.folder()).unwrap()).unwrap();
            let allowed: Vec<_> = schema["properties"].as_object().unwrap().keys().cloned().collect();
            assert_eq!(listed.unwrap(), allowed.join(", "), "{kind:?}");
        }
    }

    #[test]
    fn required_fields_are_those_without_which_front_matter_is_refused() {
        for kind in Kind::ALL {
            let reading = content::read_facts((kind, "home", Locale::En), "", "en.md");
            let missing = reading.findings.iter().filter(|finding| finding.code == findings::Code::MISSING_FIELD);
            let schema: Json = serde_json::from_str(&schema(kind.folder()).unwrap()).unwrap();
            assert_eq!(missing.count(), schema["required"].as_array().map_or(0, Vec::len), "{kind:?}");
        }
    }
}
