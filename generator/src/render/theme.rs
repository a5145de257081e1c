//! The look of the site: templates, interface words and assets, read once from the templates folder.

mod assets;
mod error;
mod shared_parts;
mod strings;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt, fs,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use contract::{Locale, PerLocale};
use markdown::turkish::{case, nested, with_nbsp};
use serde::Serialize;
use tera::{Context, Kwargs, State, StringInput, Tera, Value};
use walkdir::{DirEntry, WalkDir};

use super::view::SiteView;
use crate::source::{conflicts, is_hidden};
pub use assets::Asset;
pub use error::{DanglingUrl, MissingWord, ThemeError};
pub(super) use shared_parts::Part;
use shared_parts::SharedParts;

/// Templates, words and assets.
pub struct Theme {
    folder: PathBuf,
    /// Template engine without any site's values; it contains the name and source of each template.
    engine: Tera,
    /// The interface words of each locale.
    strings: PerLocale<toml::Table>,
    /// Fingerprinted files by their name below `assets/`.
    pub assets: BTreeMap<String, Asset>,
}

impl Theme {
    /// Reads `folder` whole.
    ///
    /// # Errors
    /// Everything that cannot be read, does not parse, or does not fit together; of faults in templates only the first.
    pub fn load(folder: &Path) -> Result<Self, Vec<ThemeError>> {
        if let Err(error) = fs::read_dir(folder) {
            return Err(vec![ThemeError::Unreadable(folder.to_owned(), error)]);
        }
        let mut faults = Vec::new();
        let strings = strings::read(folder, &mut faults);
        let assets = assets::read_all(&folder.join("assets"), &mut faults);
        let engine = read_templates(folder, &assets).map_err(|fault| faults.push(fault));
        match (strings, engine) {
            (Some(strings), Ok(engine)) if faults.is_empty() => {
                Ok(Self { folder: folder.to_owned(), engine, strings, assets })
            }
            _ => Err(faults),
        }
    }

    /// Returns the templates of one locale, with its rules for upper and lower case, and with `site`, `t` and `per_locale`
    /// set; `per_locale` holds what is the same on every page.
    ///
    /// # Errors
    /// When something in `per_locale` fails to render.
    pub fn pages(&self, locale: Locale, site: &SiteView) -> Result<Pages, ThemeError> {
        let mut engine = self.engine.clone();
        speak(&mut engine, locale);
        let shared = engine.global_context();
        shared.insert("site", site);
        shared.insert("t", &self.strings[locale]);
        let mut per_locale = BTreeMap::new();
        for template in engine.get_template_names() {
            if let Some(file) = template.strip_prefix(PER_LOCALE) {
                let name = file.split('.').next().unwrap_or(file);
                per_locale.insert(name.to_owned(), Value::safe_string(&engine.render(template, &Context::new())?));
            }
        }
        engine.global_context().insert("per_locale", &per_locale);
        Ok(Pages { folder: self.folder.clone(), engine, parts: SharedParts::default() })
    }

    /// Returns the phrase at `key`, in which `/` separates the tables.
    pub(super) fn word(&self, locale: Locale, key: &str) -> Result<String, ThemeError> {
        match self.find(locale, key)? {
            toml::Value::String(word) => Ok(word.clone()),
            _ => Err(self.unusable(locale, key, "it is no text")),
        }
    }

    /// Returns the whole number at `key`, in which `/` separates the tables.
    pub(super) fn number(&self, locale: Locale, key: &str) -> Result<i32, ThemeError> {
        let found = self.find(locale, key)?.as_integer().and_then(|number| i32::try_from(number).ok());
        found.ok_or_else(|| self.unusable(locale, key, "it is no whole number"))
    }

    /// Returns the error that the word at `key` cannot be used for its purpose.
    pub(super) fn unusable(&self, locale: Locale, key: &str, problem: impl fmt::Display) -> ThemeError {
        let file = strings::file(&self.folder, locale);
        ThemeError::Word { file, key: dotted(key), problem: problem.to_string() }
    }

    fn find(&self, locale: Locale, key: &str) -> Result<&toml::Value, ThemeError> {
        let mut names = key.split('/');
        let first = names.next().and_then(|name| self.strings[locale].get(name));
        let found = names.fold(first, |table, name| table?.get(name));
        let missing = || {
            let (file, key) = (strings::file(&self.folder, locale), dotted(key));
            ThemeError::MissingWord(MissingWord { file, key, remedy: "add it".to_owned() })
        };
        found.ok_or_else(missing)
    }
}

/// Returns a key as its file writes it.
fn dotted(key: &str) -> String {
    key.replace('/', ".")
}

/// The templates of one locale.
pub struct Pages {
    folder: PathBuf,
    engine: Tera,
    /// Parts that are the same on many pages.
    parts: SharedParts,
}

/// A page in its two forms. The engine writes texts and joins them, so both are UTF-8 without another check.
pub(super) struct Rendered {
    pub(super) html: Vec<u8>,
    pub(super) twin: Vec<u8>,
    /// The range of the twin that holds what the page says: its facts and its text, between the title and the lists of
    /// other pages.
    pub(super) told: Range<usize>,
}

/// The beginning of a twin, up to the title.
const TWIN_HEAD: &str = "twin/head.md";
/// The end of a twin, after the lists.
const TWIN_FOOT: &str = "twin/foot.md";

/// The folder of the templates that depend only on `site` and `t`, and are rendered once for each locale.
const PER_LOCALE: &str = "per_locale/";

/// Estimated bytes of a page besides its text; the buffer grows if there are more.
const FRAME: usize = 12 * 1024;

impl Pages {
    /// Renders `templates/pages/<kind>.html` with `page`, and its twin with the same page, but with `body` and `data`
    /// in their Markdown form; if `data` is `None`, the page keeps its own. Both see `shared_parts`.
    ///
    /// A twin is written by several templates, one after the other, so that what the page says is rendered once, for
    /// the twin and for the full text.
    pub(super) fn render(
        &self,
        kind: &str,
        page: &impl Serialize,
        body: &str,
        data: Option<&impl Serialize>,
        parts: &[Part],
    ) -> Result<Rendered, ThemeError> {
        let page = Value::try_from_serializable(page)?;
        let [html_parts, parts] = self.parts.values(&self.engine, parts)?;
        let size = 2 * body.len() + FRAME;
        let mut html = Vec::with_capacity(size);
        self.engine.render_to(&format!("pages/{kind}.html"), &context_of(page.clone(), html_parts), &mut html)?;
        // The engine shares what both forms have in common: only the map of the fields is copied.
        let mut page = page.into_map().unwrap_or_default();
        page.insert("body".into(), Value::normal_string(body));
        if let Some(data) = data {
            page.insert("data".into(), Value::try_from_serializable(data)?);
        }
        let context = context_of(page.into(), parts);
        let mut twin = Vec::with_capacity(body.len() + FRAME / 4);
        self.engine.render_to(TWIN_HEAD, &context, &mut twin)?;
        let from = twin.len();
        self.engine.render_to(&format!("pages/{kind}.md"), &context, &mut twin)?;
        let told = from..twin.len();
        let lists = format!("lists/{kind}.md");
        if self.engine.contains_template(&lists) {
            self.engine.render_to(&lists, &context, &mut twin)?;
        }
        self.engine.render_to(TWIN_FOOT, &context, &mut twin)?;
        Ok(Rendered { html, twin, told })
    }

    /// Returns the error that a template does not have the agreed slots.
    pub(super) fn without_slot(&self, template: &str, problem: String) -> ThemeError {
        ThemeError::Slot { file: self.folder.join(template), problem }
    }

    /// Renders any template with two values of the given names.
    pub(super) fn render_with(
        &self,
        template: &str,
        one: (&'static str, &impl Serialize),
        other: (&'static str, &impl Serialize),
    ) -> Result<String, ThemeError> {
        let mut context = Context::new();
        context.insert_value(one.0, Value::try_from_serializable(one.1)?);
        context.insert_value(other.0, Value::try_from_serializable(other.1)?);
        Ok(self.engine.render(template, &context)?)
    }
}

/// Replaces the engine's own case filters, which do not know the rules of any language.
fn speak(engine: &mut Tera, locale: Locale) {
    type Change = fn(Locale, &str) -> String;

    for (name, change) in [
        ("upper", case::upper as Change),
        ("lower", case::lower),
        ("capitalize", case::capitalize),
        ("title", case::title),
    ] {
        engine.register_filter(name, move |text: StringInput, _: Kwargs, _: &State| {
            text.inherit_safety(change(locale, text.as_str()))
        });
    }
}

fn context_of(page: Value, parts: Value) -> Context {
    let mut context = Context::new();
    context.insert_value("page", page);
    context.insert_value("shared_parts", parts);
    context
}

fn read(path: &Path) -> Result<Vec<u8>, ThemeError> {
    fs::read(path).map_err(|error| ThemeError::Unreadable(path.to_owned(), error))
}

fn read_text(path: &Path) -> Result<String, ThemeError> {
    let text = fs::read_to_string(path).map_err(|error| ThemeError::Unreadable(path.to_owned(), error))?;
    match conflicts(&text).first() {
        Some(mark) => Err(ThemeError::Conflict(path.to_owned(), text[..mark.start].matches('\n').count() + 1)),
        None => Ok(text),
    }
}

/// Returns all files below `folder` except hidden ones, sorted, with their names relative to it.
fn files_below(folder: &Path) -> Result<Vec<(String, PathBuf)>, ThemeError> {
    let mut files = Vec::new();
    let is_shown = |entry: &DirEntry| entry.depth() == 0 || !is_hidden(entry.file_name());
    for entry in WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(is_shown) {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(folder).to_owned();
            ThemeError::Unreadable(path, error.into())
        })?;
        if entry.file_type().is_file() {
            let relative = entry.path().strip_prefix(folder).unwrap_or(entry.path());
            let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
            files.push((parts.join("/"), entry.into_path()));
        }
    }
    Ok(files)
}

fn read_templates(folder: &Path, assets: &BTreeMap<String, Asset>) -> Result<Tera, ThemeError> {
    let mut templates = Vec::new();
    for (name, path) in files_below(folder)? {
        let is_template = !["assets/", "assets-licences/", "strings/"].iter().any(|folder| name.starts_with(folder))
            && name != "README.md";
        if is_template && [".html", ".md", ".txt"].iter().any(|ending| name.ends_with(ending)) {
            templates.push((name, read_text(&path)?));
        }
    }
    let paths: Arc<BTreeMap<String, String>> =
        Arc::new(assets.iter().map(|(name, asset)| (name.clone(), asset.path.clone())).collect());
    let place = folder.join("assets");
    let mut engine = Tera::new();
    engine.autoescape_on([".html"]);
    engine.register_function("asset", move |arguments: Kwargs, _: &State| -> tera::TeraResult<String> {
        let name: &str = arguments.must_get("name")?;
        let path = paths.get(name).cloned();
        path.ok_or_else(|| tera::Error::message(format!("there is no file `{name}` in {}", place.display())))
    });
    engine.register_filter("quote", |text: &str, _: Kwargs, _: &State| serde_json::Value::from(text).to_string());
    engine.register_filter("link_words", |text: &str, _: Kwargs, _: &State| markdown::link_words(text).into_owned());
    engine.register_filter("nbsp", |text: &Value, _: Kwargs, _: &State| match text.as_str().map(with_nbsp) {
        Some(Cow::Owned(text)) => Value::normal_string(&text),
        _ => text.clone(),
    });
    engine.register_filter("nested", |text: &str, arguments: Kwargs, _: &State| -> tera::TeraResult<String> {
        let outer: &str = arguments.must_get("within")?;
        Ok(nested(text, outer.chars().next_back()).into_owned())
    });
    engine.register_filter("line_words", |text: &str, _: Kwargs, _: &State| markdown::line_words(text).into_owned());
    engine.register_filter(
        "list_end",
        |text: &str, _: Kwargs, _: &State| {
            if markdown::goes_on_with_list(text) { "\n\n***" } else { "" }
        },
    );
    engine.register_filter("heading_words", |text: &str, _: Kwargs, _: &State| {
        markdown::heading_words(text).into_owned()
    });
    engine.register_filter("mailto", |address: &str, _: Kwargs, _: &State| markdown::mailto(address));
    engine.add_raw_templates(templates.iter().map(|(name, text)| (name.as_str(), text.as_str())))?;
    Ok(engine)
}
