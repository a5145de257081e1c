//! Parts that are the same on many pages, such as the navigation: rendered for the first page that needs them, then
//! cached.
//!
//! Parts with the same key are rendered from the same data, so the order of pages does not matter.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use foldhash::fast::FixedState;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tera::{Context, Map, Tera, Value};

use super::{OnFault, ThemeError};

/// Folder of their templates: `<name>.html` and `<name>.md`; either may be missing.
const FOLDER: &str = "shared_parts";
/// Extensions of the templates, in the order of [`PerForm`].
const ENDINGS: [&str; 2] = ["html", "md"];
/// Maximum number of cached parts; others are rendered each time. Pages of a site with more parts have little in
/// common.
const MAX_CACHED: usize = 2048;

/// One value for each form of a page: HTML, then Markdown.
type PerForm<T> = [T; ENDINGS.len()];

pub(crate) struct SharedPart<'v> {
    name: &'static str,
    /// The name, and the keys of this part.
    key: String,
    value: Box<dyn Fn() -> Result<Value, tera::Error> + 'v>,
}

impl<'v> SharedPart<'v> {
    /// Creates the part `shared_parts.<name>`. Its template sees the result of `view` as `part`; equal `keys` must give
    /// equal views.
    pub(crate) fn new<'k, T: Serialize>(
        name: &'static str,
        keys: impl IntoIterator<Item = &'k str>,
        view: impl Fn() -> T + 'v,
    ) -> Self {
        let mut key = name.to_owned();
        for part in keys {
            // Neither paths nor keys contain a line break.
            key.push('\n');
            key.push_str(part);
        }
        Self { name, key, value: Box::new(move || Value::try_from_serializable(&view())) }
    }
}

/// The rendered parts by key.
#[derive(Default)]
pub(super) struct SharedParts {
    cache: RwLock<HashMap<String, RenderedPart, FixedState>>,
}

/// A rendered part; `None` in a form without a template.
type RenderedPart = Arc<(PerForm<Option<Value>>, PartDigest)>;

/// A digest of the name of a part and of its texts.
type PartDigest = [u8; 32];

/// The value `shared_parts` for each form of a page, and a digest of each part.
pub(in super::super) struct PageParts {
    pub(super) values: PerForm<Value>,
    pub(super) digests: Vec<PartDigest>,
}

impl SharedParts {
    /// Returns the template values `shared_parts` of a page with these `parts`.
    pub(super) fn values(
        &self,
        engine: &Tera,
        parts: &[SharedPart],
        on_fault: &OnFault,
    ) -> Result<PageParts, ThemeError> {
        let mut values: PerForm<Map> = std::array::from_fn(|_| Map::with_capacity(parts.len()));
        let mut digests = Vec::with_capacity(parts.len());
        for part in parts {
            let rendered = self.part(engine, part, on_fault)?;
            for (value, text) in values.iter_mut().zip(&rendered.0) {
                if let Some(text) = text {
                    value.insert(part.name.into(), text.clone());
                }
            }
            digests.push(rendered.1);
        }
        Ok(PageParts { values: values.map(Value::from), digests })
    }

    fn part(&self, engine: &Tera, part: &SharedPart, on_fault: &OnFault) -> Result<RenderedPart, ThemeError> {
        if let Some(rendered) = self.cache.read().unwrap_or_else(PoisonError::into_inner).get(&part.key) {
            return Ok(Arc::clone(rendered));
        }
        let texts = render(engine, part, on_fault)?;
        let digest = digest(part.name, &texts);
        let rendered = Arc::new((texts, digest));
        let mut cache = self.cache.write().unwrap_or_else(PoisonError::into_inner);
        if cache.len() < MAX_CACHED {
            cache.insert(part.key.clone(), Arc::clone(&rendered));
        }
        Ok(rendered)
    }
}

fn digest(name: &str, texts: &PerForm<Option<Value>>) -> PartDigest {
    let mut digest = Sha256::new_with_prefix(name);
    for text in texts {
        let text = text.as_ref().and_then(Value::as_str);
        // A length for no text, too.
        digest.update(text.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
        digest.update(text.unwrap_or_default());
    }
    digest.finalize().into()
}

fn render(engine: &Tera, part: &SharedPart, on_fault: &OnFault) -> Result<PerForm<Option<Value>>, ThemeError> {
    let mut rendered = [None, None];
    for (form, ending) in rendered.iter_mut().zip(ENDINGS) {
        let template = format!("{FOLDER}/{}.{ending}", part.name);
        if engine.contains_template(&template) {
            let mut context = Context::new();
            context.insert_value("part", (part.value)()?);
            // The output of a template is already escaped.
            let text = on_fault.take(engine.render(&template, &context), String::new())?;
            *form = Some(Value::safe_string(&text));
        }
    }
    Ok(rendered)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn engine() -> Tera {
        let mut engine = Tera::new();
        engine.autoescape_on([".html"]);
        let templates = [("shared_parts/note.html", "<b>{{ part }}</b>"), ("shared_parts/note.md", "**{{ part }}**")];
        engine.add_raw_templates(templates).unwrap();
        engine
    }

    fn texts(parts: &PageParts) -> Vec<&str> {
        let notes = parts.values.iter().map(|value| value.get_from_path("note"));
        let text = |note: Option<&'_ Value>| note.is_none_or(Value::is_safe);
        assert!(notes.clone().all(text), "a part is not escaped again");
        notes.map(|note| note.and_then(Value::as_str).unwrap_or_default()).collect()
    }

    #[test]
    fn part_is_rendered_once_for_each_key() {
        let (engine, parts, views) = (engine(), SharedParts::default(), Cell::new(0));
        let note = |key: &'static str| {
            let views = &views;
            let view = move || {
                views.set(views.get() + 1);
                format!("{key} & co.")
            };
            SharedPart::new("note", [key], view)
        };
        for (key, html, markdown) in [
            ("a", "<b>a &amp; co.</b>", "**a & co.**"),
            ("b", "<b>b &amp; co.</b>", "**b & co.**"),
            ("a", "<b>a &amp; co.</b>", "**a & co.**"),
        ] {
            let values = parts.values(&engine, &[note(key)], &OnFault::Stop).unwrap();
            assert_eq!(texts(&values), [html, markdown]);
        }
        assert_eq!(views.get(), 4, "two keys in two forms");
    }

    #[test]
    fn keys_of_different_names_are_distinct() {
        let key = |keys: &[&str]| SharedPart::new("note", keys.iter().copied(), || "").key;
        assert_ne!(key(&["a", "b"]), key(&["ab"]));
        assert_ne!(key(&["a"]), SharedPart::new("not", ["e", "a"], || "").key);
    }

    #[test]
    fn part_without_a_template_is_omitted() {
        let (engine, parts) = (engine(), SharedParts::default());
        let values = parts.values(&engine, &[SharedPart::new("other", [], || "")], &OnFault::Stop).unwrap();
        assert_eq!(texts(&values), ["", ""]);
        assert_eq!(
            parts.values(&engine, &[], &OnFault::Stop).unwrap().values,
            [Value::from(Map::new()), Value::from(Map::new())]
        );
    }
}
