//! JSON Schema (2020-12) of front matter and of `site.toml`, for completion and checks in text editors.
//!
//! The fields, their forms and meanings are the rows of [`content::fields_of`]. Every schema has both languages, because
//! all authors of a firm share its files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use content::{Field, FieldContent, Kind, ValueForm};
use contract::{Locale, PerLocale};
use findings::messages;
use serde_json::{Map, Value as Json, json};

/// The name of the schema of `site.toml`.
const SITE: &str = "site";

/// Returns the names of the schemas: the folders of all kinds, and `site`.
pub fn names() -> impl Iterator<Item = &'static str> {
    Kind::ALL.map(Kind::folder).into_iter().chain([SITE])
}

/// Returns the schema of this name, if there is one.
pub fn schema(name: &str) -> Option<String> {
    let title = content::title_of(name)?;
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("$comment".to_owned(), json!(messages::schema_note()[Locale::En]));
    schema.insert("title".to_owned(), json!(format!("{} · {}", title.en, title.tr)));
    group(&mut schema, content::fields_of(name));
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

/// Adds the fields of a file or of a group to a schema.
fn group(schema: &mut Map<String, Json>, fields: &[Field]) {
    let properties: Map<_, _> = fields.iter().map(|field| (field.name.clone(), property(field))).collect();
    // Not every page has an address.
    let required = fields.iter().filter(|field| field.is_required_in_each_file() && !field.is_addressed);
    let required: Vec<_> = required.map(|field| &field.name).collect();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
}

fn property(field: &Field) -> Json {
    let mut schema = Map::new();
    let form = match &field.content {
        FieldContent::Value(of) | FieldContent::List(of, _) => Some(of.form()),
        FieldContent::Group(_) | FieldContent::Groups(..) => None,
    };
    schema.insert("description".to_owned(), description(Some(&field.words), form.as_ref().map(|form| &form.words)));
    let form = form.map(value).unwrap_or_default();
    match &field.content {
        FieldContent::Value(_) => schema.extend(form),
        FieldContent::List(_, most) => {
            list(&mut schema, form, *most);
            schema.insert("uniqueItems".to_owned(), json!(true));
        }
        FieldContent::Group(fields) => group(&mut schema, fields),
        FieldContent::Groups(fields, most) => {
            let mut item = Map::new();
            group(&mut item, fields);
            list(&mut schema, item, *most);
        }
    }
    Json::Object(schema)
}

/// Returns the schema of a value, with the error message that editors show.
fn value(form: ValueForm) -> Map<String, Json> {
    let mut schema = match form.schema {
        Json::Object(schema) => schema,
        _ => Map::new(),
    };
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
fn description(meaning: Option<&PerLocale<String>>, form: Option<&PerLocale<String>>) -> Json {
    let of = |locale| {
        let parts = [meaning.map(|meaning| meaning[locale].as_str()), form.map(|form| form[locale].as_str())];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    json!(Locale::ALL.map(of).join("\n\n"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use content::Sharing;

    use super::*;

    fn assert_words(owner: &str, fields: &[Field]) {
        for Field { name, words, content, .. } in fields {
            assert!(words.iter().all(|(_, words)| words.ends_with('.')), "[{owner}] {name}: {words:?}");
            assert_ne!(words.en, words.tr, "[{owner}] {name}");
            if let FieldContent::Group(fields) | FieldContent::Groups(fields, _) = content {
                assert_words(name, fields);
            }
        }
    }

    #[test]
    fn words_of_fields_are_sentences_in_both_languages() {
        for name in names() {
            assert!(!content::fields_of(name).is_empty(), "{name}");
            assert_words(name, content::fields_of(name));
        }
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

    /// The manual in each language, with its words for a required and a shared field, and for conditions.
    const MANUALS: [(&str, &str, &str, [&str; 2]); 2] = [
        (include_str!("../../docs/editors.md"), "required", "shared", ["required with", "required without"]),
        (include_str!("../../docs/editors.tr.md"), "zorunlu", "ortak", ["varsa zorunlu", "yoksa zorunlu"]),
    ];

    #[test]
    fn tables_of_the_manual_agree_with_the_fields_of_each_kind() {
        for (manual, required, shared, conditions) in MANUALS {
            for kind in Kind::ALL.map(Kind::folder) {
                let section = manual.split("\n### ").find(|section| section.split_whitespace().next() == Some(kind));
                let table = section.unwrap().lines().skip_while(|line| !line.contains(" | | ")).skip(2);
                let rows = table.take_while(|line| line.starts_with('|')).map(|line| {
                    let mut cells = line.trim_matches('|').splitn(3, '|').map(str::trim);
                    let (name, kept) = (cells.next().unwrap().trim_matches('`').to_owned(), cells.next().unwrap());
                    let is_required = kept.contains(required) && !conditions.iter().any(|words| kept.contains(words));
                    (name, is_required, kept.contains(shared))
                });
                // The text above the tables explains these two.
                let fields = content::fields_of(kind).iter().filter(|it| !["aliases", "reviewed"].contains(&&*it.name));
                let fields = fields.map(|it| (it.name.clone(), it.is_required, it.sharing == Sharing::Shared));
                assert_eq!(rows.collect::<BTreeSet<_>>(), fields.collect(), "{kind}");
            }
        }
    }

    #[test]
    fn manual_names_each_key_of_the_settings() {
        for (manual, ..) in MANUALS {
            for Field { name, content, .. } in content::fields_of(SITE) {
                let (row, fields) = match content {
                    FieldContent::Group(fields) => (format!("| `[{name}]`"), fields.as_slice()),
                    FieldContent::Groups(fields, _) => (format!("`[[{name}]]`"), fields.as_slice()),
                    _ => (format!("`{name}`"), &[][..]),
                };
                assert!(manual.contains(&row), "{row}");
                let line = manual.lines().find(|line| line.starts_with(&row)).unwrap_or(manual);
                for field in fields {
                    let key = &field.name;
                    let forms = [format!("`{key}`"), format!("`{key} = "), format!("[{name}.{key}]")];
                    let is_named = forms.iter().any(|form| line.contains(form.as_str()));
                    assert!(is_named, "{row} {key}");
                }
            }
        }
    }

    #[test]
    fn schema_agrees_with_the_message_about_an_unknown_field() {
        for kind in Kind::ALL {
            let reading = content::read_entry((kind, "about", Locale::En), "zzzzzz: 1\n", "en.md");
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
            let reading = content::read_entry((kind, "home", Locale::En), "", "en.md");
            let missing = reading.findings.iter().filter(|finding| finding.code == findings::Code::MISSING_FIELD);
            let schema: Json = serde_json::from_str(&schema(kind.folder()).unwrap()).unwrap();
            assert_eq!(missing.count(), schema["required"].as_array().map_or(0, Vec::len), "{kind:?}");
        }
    }
}
