//! The look of the site: templates, interface words and assets, read once from the templates folder.

use std::{
    collections::BTreeMap,
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use contract::{Locale, PerLocale, media, routes};
use serde::Serialize;
use tera::{Context, Kwargs, State, Tera, Value};
use walkdir::WalkDir;

use super::{fingerprint, view::SiteView};

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
    /// One locale has a word that the other lacks.
    MissingWord {
        /// The word's key.
        key: String,
        /// The locale without it.
        locale: Locale,
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
            Self::Template(error) => write!(out, "{error}"),
            Self::Strings(path, error) => write!(out, "{}: {error}", path.display()),
            Self::MissingWord { key, locale } => {
                write!(out, "templates/strings/{locale}.toml has no `{key}`, which is needed: add it")
            }
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

    /// The interface word at `path` in `locale`.
    ///
    /// # Errors
    /// When the strings file has none.
    pub fn word(&self, locale: Locale, path: &[&str]) -> Result<&str, ThemeError> {
        let (last, tables) = path.split_last().unwrap_or((&"", &[]));
        let table = tables.iter().try_fold(&self.strings[locale], |table, name| table.get(*name)?.as_table());
        let word = table.and_then(|table| table.get(*last)?.as_str());
        word.ok_or_else(|| ThemeError::MissingWord { key: path.join("."), locale })
    }

    /// The templates of one locale, with `site` and `t` set.
    #[must_use]
    pub fn pages(&self, locale: Locale, site: &SiteView) -> Pages {
        let mut engine = self.engine.clone();
        let shared = engine.global_context();
        shared.insert("site", site);
        shared.insert("t", &self.strings[locale]);
        Pages { engine }
    }
}

/// The templates of one locale.
pub struct Pages {
    engine: Tera,
}

impl Pages {
    /// Renders `templates/pages/<kind>.<form>` with `page`.
    pub fn render(&self, kind: &str, form: &str, page: &impl Serialize) -> Result<String, ThemeError> {
        let mut context = Context::new();
        context.insert_value("page", Value::try_from_serializable(page)?);
        Ok(self.engine.render(&format!("pages/{kind}.{form}"), &context)?)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ThemeError> {
    fs::read(path).map_err(|error| ThemeError::Unreadable(path.to_owned(), error))
}

fn read_text(path: &Path) -> Result<String, ThemeError> {
    fs::read_to_string(path).map_err(|error| ThemeError::Unreadable(path.to_owned(), error))
}

/// All files below `folder`, sorted, with their names relative to it.
fn files_below(folder: &Path) -> Result<Vec<(String, PathBuf)>, ThemeError> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
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
        let is_template = !name.starts_with("assets/") && !name.starts_with("strings/") && name != "README.md";
        if is_template && (name.ends_with(".html") || name.ends_with(".md")) {
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
