//! The look of the site: templates, interface words and assets, read once from the templates folder.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt, fs, io,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use contract::{Locale, PerLocale, media, routes};
use serde::Serialize;
use tera::{Context, Kwargs, State, Tera, Value};
use walkdir::{DirEntry, WalkDir};

use super::{
    parts::{Part, Parts},
    view::SiteView,
};
use crate::{fingerprint::fingerprint, markdown, source::is_hidden, turkish::tie};

/// Templates, words and assets.
pub struct Theme {
    /// Template engine without any site's values; name and source of each template are inside.
    engine: Tera,
    /// The interface words of each locale.
    strings: PerLocale<toml::Table>,
    /// Fingerprinted files by their name below `assets/`.
    pub assets: BTreeMap<String, Asset>,
}

/// A published file of the theme.
#[derive(Debug)]
pub struct Asset {
    /// Public path with the fingerprint.
    pub path: String,
    /// Value of `Content-Type`.
    pub media_type: &'static str,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Why the templates folder cannot be used.
#[derive(Debug)]
pub enum ThemeError {
    /// A file or folder could not be read.
    Unreadable(PathBuf, io::Error),
    /// A template or its use is wrong; the engine's own report names file, line and column.
    Template(Box<tera::Error>),
    /// A strings file is not TOML.
    Strings(PathBuf, Box<toml::de::Error>),
    /// A word is missing that the other locale has, or that a form needs.
    MissingWord {
        /// The word's key.
        key: String,
        /// The locale without it.
        locale: Locale,
    },
    /// A word is not what it is used for.
    Word {
        /// The word's key.
        key: String,
        /// The locale.
        locale: Locale,
        /// What is wrong with it.
        problem: String,
    },
    /// The template of a form or message does not have the slots that were agreed.
    Slot {
        /// Name of the template.
        template: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A file in `assets/` has an ending that the service does not publish.
    UnknownAsset(PathBuf),
    /// A style sheet names a file that is not in `assets/`.
    DanglingUrl {
        /// Name of the style sheet.
        sheet: String,
        /// What it names.
        url: String,
    },
}

impl fmt::Display for ThemeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, error) => write!(out, "cannot read {}: {error}", path.display()),
            Self::Template(error) => {
                // The engine's report begins as a program's does, and this one is told by a program.
                let report = error.to_string();
                out.write_str(report.strip_prefix("error: ").unwrap_or(&report))
            }
            Self::Strings(path, error) => write!(out, "{}: {error}", path.display()),
            Self::MissingWord { key, locale } => {
                write!(out, "templates/strings/{locale}.toml has no `{key}`: add it")
            }
            Self::Word { key, locale, problem } => {
                write!(out, "templates/strings/{locale}.toml: `{key}` is not usable: {problem}")
            }
            Self::Slot { template, problem } => write!(out, "templates/{template} {problem}"),
            Self::UnknownAsset(path) => {
                write!(out, "{} has an ending that is not published: remove it or rename it", path.display())
            }
            Self::DanglingUrl { sheet, url } => {
                write!(out, "templates/assets/{sheet} names `{url}`, which is not in templates/assets")
            }
        }
    }
}

impl std::error::Error for ThemeError {}

impl From<tera::Error> for ThemeError {
    fn from(error: tera::Error) -> Self {
        Self::Template(Box::new(error))
    }
}

impl Theme {
    /// Reads `folder` whole.
    ///
    /// # Errors
    /// When something cannot be read, does not parse, or does not fit together.
    pub fn load(folder: &Path) -> Result<Self, ThemeError> {
        let assets = read_assets(&folder.join("assets"))?;
        let strings = PerLocale { en: read_strings(folder, Locale::En)?, tr: read_strings(folder, Locale::Tr)? };
        for locale in Locale::ALL {
            same_words("", &strings[locale], &strings[locale.other()], locale.other())?;
        }
        let engine = read_templates(folder, &assets)?;
        Ok(Self { engine, strings, assets })
    }

    /// The templates of one locale, with `site` and `t` set, and `once`: what is the same on every page.
    ///
    /// # Errors
    /// When one of the latter fails to render.
    pub fn pages(&self, locale: Locale, site: &SiteView) -> Result<Pages, ThemeError> {
        let mut engine = self.engine.clone();
        let shared = engine.global_context();
        shared.insert("site", site);
        shared.insert("t", &self.strings[locale]);
        let mut once = BTreeMap::new();
        for template in engine.get_template_names() {
            if let Some(file) = template.strip_prefix(ONCE) {
                let name = file.split('.').next().unwrap_or(file);
                once.insert(name.to_owned(), Value::safe_string(&engine.render(template, &Context::new())?));
            }
        }
        engine.global_context().insert("once", &once);
        Ok(Pages { engine, parts: Parts::default() })
    }

    /// The phrase at `key`, whose tables are parted by `/`.
    pub(super) fn word(&self, locale: Locale, key: &str) -> Result<String, ThemeError> {
        match self.find(locale, key)? {
            toml::Value::String(word) => Ok(word.clone()),
            _ => Err(ThemeError::Word { key: key.to_owned(), locale, problem: "it is no text".to_owned() }),
        }
    }

    /// The whole number at `key`, whose tables are parted by `/`.
    pub(super) fn number(&self, locale: Locale, key: &str) -> Result<i32, ThemeError> {
        let found = self.find(locale, key)?.as_integer().and_then(|number| i32::try_from(number).ok());
        let problem = || "it is no whole number".to_owned();
        found.ok_or_else(|| ThemeError::Word { key: key.to_owned(), locale, problem: problem() })
    }

    fn find(&self, locale: Locale, key: &str) -> Result<&toml::Value, ThemeError> {
        let mut names = key.split('/');
        let first = names.next().and_then(|name| self.strings[locale].get(name));
        let found = names.fold(first, |table, name| table?.get(name));
        found.ok_or_else(|| ThemeError::MissingWord { key: key.to_owned(), locale })
    }
}

/// The templates of one locale.
pub struct Pages {
    engine: Tera,
    /// What many pages have alike.
    parts: Parts,
}

/// A page in its two forms. The engine writes texts and joins them, so that both are UTF-8 without looking at them again.
pub(super) struct Rendered {
    pub(super) html: Vec<u8>,
    pub(super) twin: Vec<u8>,
    /// Where the twin has what the page says: its facts and its text, between the title and the lists of other pages.
    pub(super) told: Range<usize>,
}

/// What stands in a twin before that, to the title.
const TWIN_HEAD: &str = "twin/head.md";
/// What stands behind the lists.
const TWIN_FOOT: &str = "twin/foot.md";

/// The folder of the templates that depend on nothing but `site` and `t`, and are rendered once for each locale.
const ONCE: &str = "once/";

/// Octets of a page beside its text, as a first guess; the buffer grows where it is more.
const FRAME: usize = 12 * 1024;

impl Pages {
    /// Renders `templates/pages/<kind>.html` with `page`, and its twin with the same page, but with `body` and `data` in
    /// their Markdown form; `data` stays if there is none. Both see `parts`.
    ///
    /// A twin is written by several templates, one behind the other, so that what the page says is rendered once, for the
    /// twin and for the full text.
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
        // The engine shares what both forms have: only the map of the fields is copied.
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

    /// Renders any template with two values of these names.
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

fn context_of(page: Value, parts: Value) -> Context {
    let mut context = Context::new();
    context.insert_value("page", page);
    context.insert_value("parts", parts);
    context
}

fn read(path: &Path) -> Result<Vec<u8>, ThemeError> {
    fs::read(path).map_err(|error| ThemeError::Unreadable(path.to_owned(), error))
}

fn read_text(path: &Path) -> Result<String, ThemeError> {
    fs::read_to_string(path).map_err(|error| ThemeError::Unreadable(path.to_owned(), error))
}

/// All files below `folder`, sorted, but for hidden ones, with their names relative to it.
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

fn read_strings(folder: &Path, locale: Locale) -> Result<toml::Table, ThemeError> {
    let path = folder.join("strings").join(format!("{locale}.toml"));
    read_text(&path)?.parse().map_err(|error| ThemeError::Strings(path, Box::new(error)))
}

/// Every key of `table` is in `other`, the table of `locale`.
fn same_words(prefix: &str, table: &toml::Table, other: &toml::Table, locale: Locale) -> Result<(), ThemeError> {
    for (name, value) in table {
        let key = format!("{prefix}{name}");
        match (value, other.get(name)) {
            (toml::Value::Table(inner), Some(toml::Value::Table(twin))) => {
                same_words(&format!("{key}."), inner, twin, locale)?;
            }
            (toml::Value::Table(_), _) | (_, None) => return Err(ThemeError::MissingWord { key, locale }),
            _ => {}
        }
    }
    Ok(())
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
    let mut engine = Tera::new();
    engine.autoescape_on([".html"]);
    engine.register_function("asset", move |arguments: Kwargs, _: &State| -> tera::TeraResult<String> {
        let name: &str = arguments.must_get("name")?;
        let path = paths.get(name).cloned();
        path.ok_or_else(|| tera::Error::message(format!("there is no file `{name}` in templates/assets")))
    });
    engine.register_filter("quote", |text: &str, _: Kwargs, _: &State| serde_json::Value::from(text).to_string());
    engine.register_filter("link_words", |text: &str, _: Kwargs, _: &State| markdown::link_words(text).into_owned());
    engine.register_filter("tied", |text: &Value, _: Kwargs, _: &State| match text.as_str().map(tie) {
        Some(Cow::Owned(tied)) => Value::normal_string(&tied),
        _ => text.clone(),
    });
    engine.register_filter("line_words", |text: &str, _: Kwargs, _: &State| markdown::line_words(text).into_owned());
    engine.register_filter("heading_words", |text: &str, _: Kwargs, _: &State| {
        markdown::heading_words(text).into_owned()
    });
    engine.register_filter("mailto", |address: &str, _: Kwargs, _: &State| markdown::mailto(address));
    engine.add_raw_templates(templates.iter().map(|(name, text)| (name.as_str(), text.as_str())))?;
    Ok(engine)
}

fn read_assets(folder: &Path) -> Result<BTreeMap<String, Asset>, ThemeError> {
    let mut assets = BTreeMap::new();
    let (sheets, others): (Vec<_>, Vec<_>) =
        files_below(folder)?.into_iter().partition(|(name, _)| name.ends_with(".css"));
    for (name, path) in others {
        let bytes = read(&path)?;
        assets.insert(name.clone(), publish_asset(&name, &path, bytes)?);
    }
    // Style sheets come last: they name the other files by their fingerprinted paths.
    for (name, path) in sheets {
        let text = point_urls(&name, &read_text(&path)?, &assets)?;
        assets.insert(name.clone(), publish_asset(&name, &path, text.into_bytes())?);
    }
    Ok(assets)
}

fn publish_asset(name: &str, path: &Path, bytes: Vec<u8>) -> Result<Asset, ThemeError> {
    let unknown = || ThemeError::UnknownAsset(path.to_owned());
    let (stem, extension) = name.rsplit_once('.').ok_or_else(unknown)?;
    let media_type = media::of_extension(extension).ok_or_else(unknown)?;
    let path = format!("{}/{stem}.{}.{extension}", routes::ASSETS, fingerprint(&bytes));
    Ok(Asset { path, media_type, bytes })
}

/// Replaces relative `url("…")` of a style sheet with the fingerprinted paths.
fn point_urls(sheet: &str, text: &str, assets: &BTreeMap<String, Asset>) -> Result<String, ThemeError> {
    let mut out = String::with_capacity(text.len() + 256);
    let mut rest = text;
    while let Some(at) = rest.find("url(") {
        let (before, after) = rest.split_at(at + 4);
        out.push_str(before);
        let end = after.find(')').unwrap_or(after.len());
        let (inside, tail) = after.split_at(end);
        let url = inside.trim().trim_matches(['"', '\'']);
        if url.starts_with("data:") || url.starts_with('/') || url.starts_with('#') {
            out.push_str(inside);
        } else {
            let asset = assets
                .get(&resolve(sheet, url))
                .ok_or_else(|| ThemeError::DanglingUrl { sheet: sheet.to_owned(), url: url.to_owned() })?;
            out.push('"');
            out.push_str(&asset.path);
            out.push('"');
        }
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

/// The name of a file that `sheet` calls `url`, relative to the assets folder.
fn resolve(sheet: &str, url: &str) -> String {
    let mut parts: Vec<&str> = sheet.split('/').collect();
    parts.pop();
    for part in url.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_sheet_names_files_relative_to_itself() {
        assert_eq!(resolve("css/site.css", "../fonts/text.woff2"), "fonts/text.woff2");
        assert_eq!(resolve("site.css", "./mark.svg"), "mark.svg");
    }
}
