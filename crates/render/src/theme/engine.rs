//! The template engine with every template, filter and function.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use contract::Locale;
use findings::{Code, Finding, Place, messages, nearest};
use markdown::turkish::{case, nested, with_nbsp};
use tera::{ErrorKind, Kwargs, State, StringInput, Tera, Value};

use super::{
    assets::Asset,
    error,
    sources::{Sources, ThemeSource, built_in, is_template},
};

/// Returns the engine with every template; adds all faults that show before rendering to `findings`.
pub(super) fn read(
    sources: &Sources,
    assets: &BTreeMap<String, Asset>,
    findings: &mut Vec<Finding>,
) -> Result<Tera, Faulty> {
    let templates: Vec<(&str, &ThemeSource)> = sources.files().filter(|(name, _)| is_template(name)).collect();
    let mut engine = new();
    set_assets(&mut engine, assets);
    let Err(error) = engine.add_raw_templates(templates.iter().map(|(name, source)| (*name, source.text()))) else {
        findings.extend(find_unused(&templates));
        return Ok(engine);
    };
    // The engine stops at the first template with a fault, so each template is parsed separately.
    let syntax = templates.iter().filter(|(_, source)| source.is_own).filter_map(|(name, source)| {
        let error = new().add_raw_template(name, source.text()).err()?;
        matches!(error.kind(), ErrorKind::SyntaxError(_)).then(|| error::findings(&error))
    });
    let syntax: Vec<Finding> = syntax.flatten().collect();
    findings.extend(if syntax.is_empty() { error::findings(&error) } else { syntax });
    Err(Faulty)
}

/// The templates have faults, which were added to the findings.
pub(super) struct Faulty;

fn new() -> Tera {
    let mut engine = Tera::new();
    engine.autoescape_on([".html"]);
    engine.register_filter("quote", |text: &str, _: Kwargs, _: &State| serde_json::Value::from(text).to_string());
    engine.register_filter("link_words", |text: &str, _: Kwargs, _: &State| markdown::link_words(text).into_owned());
    engine.register_filter("nbsp", |text: &Value, _: Kwargs, _: &State| match text.as_str().map(with_nbsp) {
        Some(Cow::Owned(text)) => Value::normal_string(&text),
        _ => text.clone(),
    });
    engine
        .register_filter("heading", |text: &str, _: Kwargs, _: &State| Value::safe_string(&markdown::title_html(text)));
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
    engine
}

/// Registers the function `asset`, which returns the path of a file of `assets/`.
pub(super) fn set_assets(engine: &mut Tera, assets: &BTreeMap<String, Asset>) {
    let paths: Arc<BTreeMap<String, String>> =
        Arc::new(assets.iter().map(|(name, asset)| (name.clone(), asset.path.clone())).collect());
    engine.register_function("asset", move |arguments: Kwargs, _: &State| -> tera::TeraResult<String> {
        let name: &str = arguments.must_get("name")?;
        let path = paths.get(name).cloned();
        path.ok_or_else(|| {
            let message = match nearest(name, paths.keys().map(String::as_str)) {
                Some(nearest) => messages::asset_absent_meant(name, nearest),
                None => messages::asset_absent(name),
            };
            // The engine passes on one language; `error::findings` restores the other.
            tera::Error::message(&message[Locale::En])
        })
    });
}

/// Replaces the engine's case filters, which ignore the rules of languages.
pub(super) fn set_case_filters(engine: &mut Tera, locale: Locale) {
    type CaseFilter = fn(Locale, &str) -> String;

    for (name, change) in [
        ("upper", case::upper as CaseFilter),
        ("lower", case::lower),
        ("capitalize", case::capitalize),
        ("title", case::title),
    ] {
        engine.register_filter(name, move |text: StringInput, _: Kwargs, _: &State| {
            text.inherit_safety(change(locale, text.as_str()))
        });
    }
}

/// Warns of templates of the firm that neither replace a built-in one nor are used by another: a misspelt name leaves
/// the built-in template in force.
fn find_unused(templates: &[(&str, &ThemeSource)]) -> Vec<Finding> {
    let is_extra = |(name, source): &&(&str, &ThemeSource)| source.is_own && built_in(name).is_none();
    let extra: Vec<&(&str, &ThemeSource)> = templates.iter().filter(is_extra).collect();
    if extra.is_empty() {
        return Vec::new();
    }
    // All text in quotation marks, which includes the names in `extends` and `include`.
    let named: BTreeSet<&str> = templates.iter().flat_map(|(_, source)| source.text().split(['"', '\''])).collect();
    let is_seen = |name: &str, text: &str| {
        named.contains(name) || text.contains("{% component") || text.contains("{%- component")
            // Rendered whatever their names are.
            || name.starts_with("per_locale/")
    };
    let unseen = extra.into_iter().filter(|(name, source)| !is_seen(name, source.text()));
    let known: Vec<&str> = templates.iter().map(|(name, _)| *name).filter(|name| built_in(name).is_some()).collect();
    unseen
        .map(|(name, _)| {
            let finding = Finding::new(Code::TEMPLATE_NOT_USED, Place::file(*name), messages::template_unused());
            finding.did_you_mean(nearest(name, known.iter().copied())).help(messages::template_unused_help())
        })
        .collect()
}
