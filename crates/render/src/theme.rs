//! The theme: templates, interface words and assets. All are built in; a folder may replace some.

mod assets;
mod engine;
mod error;
mod look;
mod originals;
mod promises;
mod shared_parts;
mod sources;
mod strings;
mod words_file;

use std::{collections::BTreeMap, ops::Range, path::Path};

use contract::Locale;
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};
use tera::{Context, Tera, Value};

use super::view::SiteView;
pub use assets::Asset;
pub(super) use error::OnFault;
pub use error::ThemeError;
use findings::{
    Code, Finding, Findings, Place, Severity, Span,
    messages::{self, Say, Text},
};
pub(super) use look::Look;
pub use originals::{Original, Originals};
pub(super) use shared_parts::SharedPart;
use shared_parts::{PageParts, SharedParts};
use site::SiteSettings;
pub use sources::{ORIGINALS, Sources, all_built_in, built_in};
use strings::Strings;

pub struct Theme {
    sources: Sources,
    /// Template engine with the name and source of each template, without the values of a site.
    engine: Tera,
    /// Interface words of each locale.
    strings: Strings,
    /// Fingerprinted files by their name below `assets/`.
    pub assets: BTreeMap<String, Asset>,
    /// Findings that do not prevent the use of the theme.
    warnings: Findings,
}

impl Theme {
    /// Returns the built-in theme.
    ///
    /// # Errors
    /// Never, as a test shows.
    pub fn built_in() -> Result<Self, Findings> {
        Self::read(None)
    }

    /// Reads the theme; files and single words of `folder` replace built-in ones.
    ///
    /// # Errors
    /// All findings, with warnings, if the theme cannot be used.
    pub fn load(folder: &Path) -> Result<Self, Findings> {
        Self::read(Some(folder))
    }

    fn read(folder: Option<&Path>) -> Result<Self, Findings> {
        let mut found = Vec::new();
        let sources = Sources::read(folder, &mut found);
        let strings = Strings::read(&sources, &mut found);
        let assets = assets::all(&sources, &mut found);
        let engine = engine::read(&sources, &assets, &mut found);
        if let Some(folder) = folder {
            originals::check(folder, &sources, &mut found);
            promises::check(&sources, &mut found);
        }
        let is_usable = found.iter().all(|finding| finding.severity() == Severity::Warning);
        let found = found.into_iter().map(|finding| sources.locate(finding)).collect();
        let findings = Findings::new(found, "", sources.count());
        match engine {
            Ok(engine) if is_usable => Ok(Self { sources, engine, strings, assets, warnings: findings }),
            _ => Err(findings),
        }
    }

    /// Returns the findings that do not prevent the use of the theme.
    #[must_use]
    pub fn warnings(&self) -> &Findings {
        &self.warnings
    }

    /// Returns findings about values of `site.toml` that the theme does not have.
    pub fn misfits(&self, settings: &SiteSettings) -> Vec<Finding> {
        look::misfits(self, settings)
    }

    /// Completes a finding of rendering with its path and line.
    pub(super) fn locate(&self, finding: Finding) -> Finding {
        self.sources.locate(finding)
    }

    /// Returns the templates of a locale, with its case rules, and with `site`, `theme`, `t` and `per_locale` set;
    /// `per_locale` holds texts that are the same on every page.
    ///
    /// # Errors
    /// If a template of `per_locale` fails.
    pub(super) fn pages(
        &self,
        locale: Locale,
        site: &SiteView,
        look: &Look,
        on_fault: OnFault,
    ) -> Result<LocaleTemplates, ThemeError> {
        let mut engine = self.engine.clone();
        engine::set_case_filters(&mut engine, locale);
        engine::set_assets(&mut engine, &look.assets);
        let shared = engine.global_context();
        shared.insert("site", site);
        shared.insert("theme", &look.view);
        shared.insert("t", &self.strings.words[locale]);
        let mut per_locale = BTreeMap::new();
        for template in engine.get_template_names() {
            if let Some(file) = template.strip_prefix(PER_LOCALE) {
                let name = file.split('.').next().unwrap_or(file);
                let text = on_fault.take(engine.render(template, &Context::new()), String::new())?;
                per_locale.insert(name.to_owned(), Value::safe_string(&text));
            }
        }
        engine.global_context().insert("per_locale", &per_locale);
        // What the function `asset` returns.
        let paths: BTreeMap<&str, &str> =
            look.assets.iter().map(|(name, asset)| (name.as_str(), asset.path.as_str())).collect();
        let words = &self.strings.words[locale];
        let inputs = serde_json::to_vec(&(locale, site, &look.view, words, &per_locale, paths)).ok();
        let program = [site::CHECKS_DIGEST, PAGES_DIGEST].concat();
        let inputs = inputs.map(|inputs| self.sources.digest(&[program.as_bytes(), &inputs]));
        Ok(LocaleTemplates { engine, parts: SharedParts::default(), on_fault, inputs })
    }

    /// Returns the word at `key`; `/` separates the tables.
    pub(super) fn word(&self, locale: Locale, key: &str) -> Result<String, ThemeError> {
        match self.find(locale, key)? {
            toml::Value::String(word) => Ok(word.clone()),
            _ => Err(self.unusable_word(locale, key, messages::word_no_text())),
        }
    }

    /// Returns the table of words at `key`; `/` separates the tables.
    pub(super) fn table<T: DeserializeOwned>(&self, locale: Locale, key: &str) -> Result<T, ThemeError> {
        let table = self.find(locale, key)?.clone();
        table.try_into().map_err(|error| self.unusable_word(locale, key, Text::verbatim(error)))
    }

    /// Returns the integer at `key`; `/` separates the tables.
    pub(super) fn number(&self, locale: Locale, key: &str) -> Result<i32, ThemeError> {
        let found = self.find(locale, key)?.as_integer().and_then(|number| i32::try_from(number).ok());
        found.ok_or_else(|| self.unusable_word(locale, key, messages::word_no_number()))
    }

    /// Returns the error for a word that does not fit its purpose.
    pub(super) fn unusable_word(&self, locale: Locale, key: &str, problem: impl Say) -> ThemeError {
        let message = messages::word_not_usable(dotted_key(key), problem);
        ThemeError::new(Finding::new(Code::WORD_UNUSABLE, self.strings.place(locale, key), message))
    }

    fn find(&self, locale: Locale, key: &str) -> Result<&toml::Value, ThemeError> {
        let mut names = key.split('/');
        let first = names.next().and_then(|name| self.strings.words[locale].get(name));
        let found = names.fold(first, |table, name| table?.get(name));
        found.ok_or_else(|| {
            let message = messages::word_absent(dotted_key(key));
            ThemeError::new(Finding::new(Code::UNKNOWN_WORD, Place::file(words_file::file(locale)), message))
        })
    }
}

/// Returns a key as its file writes it.
fn dotted_key(key: &str) -> String {
    key.replace('/', ".")
}

pub(super) struct LocaleTemplates {
    engine: Tera,
    /// Parts that are the same on many pages.
    parts: SharedParts,
    on_fault: OnFault,
    /// A digest of the program, the templates and everything else that is the same for all pages.
    inputs: Option<[u8; 32]>,
}

/// A digest of the sources that render pages from what [`site`] reads.
const PAGES_DIGEST: &str = env!("PAGES_DIGEST");

/// A page in its two forms. The engine writes and joins text, so both are UTF-8.
pub(super) struct RenderedPage {
    pub(super) html: Vec<u8>,
    pub(super) twin: Vec<u8>,
    /// The range of the twin with its facts and text, between the title and the lists of other pages.
    pub(super) content: Range<usize>,
}

/// The beginning of a twin, with the title.
const TWIN_HEAD: &str = "twin/head.md";
/// The end of a twin, after the lists.
const TWIN_FOOT: &str = "twin/foot.md";

/// Templates that depend only on `site` and `t`, rendered once per locale.
const PER_LOCALE: &str = "per_locale/";

/// Estimated bytes of a page besides its text.
const FRAME: usize = 12 * 1024;

impl LocaleTemplates {
    /// Returns the values `shared_parts` of a page.
    pub(super) fn parts(&self, parts: &[SharedPart]) -> Result<PageParts, ThemeError> {
        self.parts.values(&self.engine, parts, &self.on_fault)
    }

    /// Returns a digest of everything that [`Self::render`] reads: equal digests give equal pages. `text` stands for the
    /// text, which `page` lacks.
    pub(super) fn inputs(
        &self,
        kind: &str,
        page: &impl Serialize,
        text: &impl Serialize,
        data: Option<&impl Serialize>,
        parts: &PageParts,
    ) -> Option<String> {
        let mut digest = Sha256::new_with_prefix(self.inputs?);
        for part in &parts.digests {
            digest.update(part);
        }
        // In JSON, so that no two inputs are written alike.
        digest.update(serde_json::to_vec(&(parts.digests.len(), kind, text, data, page)).ok()?);
        Some(hex::encode(&digest.finalize()[..16]))
    }

    /// Renders `templates/pages/<kind>.html` with `page`, and the twin with the same page, with `body` and `data` in
    /// Markdown; without `data` the page's own is used. Both see `shared_parts`.
    ///
    /// Several templates write a twin in sequence, so that its facts and text are rendered once, for the twin and for
    /// the full text.
    pub(super) fn render(
        &self,
        kind: &str,
        page: &impl Serialize,
        body: &str,
        data: Option<&impl Serialize>,
        parts: PageParts,
    ) -> Result<RenderedPage, ThemeError> {
        let page = Value::try_from_serializable(page)?;
        let [html_parts, parts] = parts.values;
        let size = 2 * body.len() + FRAME;
        let mut html = Vec::with_capacity(size);
        if self.write(&format!("pages/{kind}.html"), &context_of(page.clone(), html_parts), &mut html)? {
            self.on_fault.record(promises::check_page(kind, &html));
        }
        // The engine's values are shared: only the map of the fields is copied.
        let mut page = page.into_map().unwrap_or_default();
        page.insert("body".into(), Value::normal_string(body));
        if let Some(data) = data {
            page.insert("data".into(), Value::try_from_serializable(data)?);
        }
        let context = context_of(page.into(), parts);
        let mut twin = Vec::with_capacity(body.len() + FRAME / 4);
        self.write(TWIN_HEAD, &context, &mut twin)?;
        let from = twin.len();
        self.write(&format!("pages/{kind}.md"), &context, &mut twin)?;
        let page = from..twin.len();
        let lists = format!("lists/{kind}.md");
        if self.engine.contains_template(&lists) {
            self.write(&lists, &context, &mut twin)?;
        }
        self.write(TWIN_FOOT, &context, &mut twin)?;
        Ok(RenderedPage { html, twin, content: page })
    }

    /// Renders a template; returns `false` if it failed and the fault was recorded.
    fn write(&self, template: &str, context: &Context, out: &mut Vec<u8>) -> Result<bool, ThemeError> {
        self.on_fault.take(self.engine.render_to(template, context, out).map(|()| true), false)
    }

    /// Renders a document with two named values.
    pub(super) fn render_document(
        &self,
        template: &str,
        one: (&'static str, &impl Serialize),
        other: (&'static str, &impl Serialize),
    ) -> Result<String, ThemeError> {
        self.on_fault.take(self.with_values(template, one, other), String::new())
    }

    /// Returns the error for a template without the required slots.
    pub(super) fn slot_error(template: &str, problem: Text) -> ThemeError {
        let start = Span { line: 1, column: 1, length: 1 };
        ThemeError::new(Finding::new(Code::FORM_SLOT, Place::new(template, start), problem))
    }

    /// Renders a form or an e-mail with two named values. A fault is always an error, because the caller checks the
    /// result.
    pub(super) fn render_form(
        &self,
        template: &str,
        one: (&'static str, &impl Serialize),
        other: (&'static str, &impl Serialize),
    ) -> Result<String, ThemeError> {
        Ok(self.with_values(template, one, other)?)
    }

    fn with_values(
        &self,
        template: &str,
        one: (&'static str, &impl Serialize),
        other: (&'static str, &impl Serialize),
    ) -> Result<String, tera::Error> {
        let mut context = Context::new();
        context.insert_value(one.0, Value::try_from_serializable(one.1)?);
        context.insert_value(other.0, Value::try_from_serializable(other.1)?);
        self.engine.render(template, &context)
    }
}

fn context_of(page: Value, parts: Value) -> Context {
    let mut context = Context::new();
    context.insert_value("page", page);
    context.insert_value("shared_parts", parts);
    context
}
