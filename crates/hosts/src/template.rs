//! The templates of nginx, Caddy and Apache, and the data that they read.

use std::collections::BTreeMap;

use contract::{
    Locale, PerLocale,
    headers::{CORS_ALLOWED, CORS_EXPOSED, CORS_MAX_AGE, NOSNIFF, NOTHING_LOADED, REFERRERS},
    manifest::{Class, NotFound, Policy, Route},
    media, routes,
};
use findings::messages::{self, Text};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use tera::{Context, Kwargs, State, Tera};

use super::{PUBLIC, REPLIES, RETRY_SECONDS, patterns, rules::locale_of, site::HostedSite, tables};

/// Header fields of every response, which are not repeated for a class.
const OF_EVERY_RESPONSE: [&str; 2] = ["x-content-type-options", "referrer-policy"];

/// Renders `template` with the data of `site`. The filter `escaped` is for strings between two of `quote`.
pub(super) fn render(template: &str, quote: char, site: &HostedSite<'_>) -> Result<String, Text> {
    let render = || -> tera::TeraResult<String> {
        let mut engine = Tera::new();
        engine.autoescape_on(Vec::<&str>::new());
        engine.register_filter("escaped", move |text: &str, _: Kwargs, _: &State| {
            text.replace('\\', "\\\\").replace(quote, &format!("\\{quote}"))
        });
        engine.register_filter("pattern", |text: &str, _: Kwargs, _: &State| patterns::escape(text));
        engine
            .register_filter("percent_encodable", |text: &str, _: Kwargs, _: &State| patterns::percent_encodable(text));
        engine.register_filter("identifier", |text: &str, _: Kwargs, _: &State| {
            text.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
        });
        engine.add_raw_template("settings", template)?;
        engine.render("settings", &Context::from_serialize(&ServerSettings::of(site))?)
    };
    render().map_err(|_| messages::host_files_not_made())
}

/// The data of a build, under the names in the templates.
#[derive(Serialize)]
struct ServerSettings<'a> {
    public: &'static str,
    replies: &'static str,
    retry_seconds: &'static str,
    site_url: &'a str,
    domain: &'a str,
    /// Port in the site's address; empty if there is none.
    port: &'a str,
    tls: bool,
    tag: String,
    sidecar: Option<Sidecar<'a>>,
    searches: Vec<SearchRoute<'a>>,
    locales: [Locale; 2],
    default_locale: Locale,
    /// The links of the pages and twins of each locale after their first link.
    links: &'a PerLocale<&'a str>,
    sandbox_key: &'a str,
    /// A pattern for credentials of the sidecar.
    issued: String,
    /// `WWW-Authenticate` for an invalid credential.
    challenge: String,
    /// Patterns for `Accept`, each with a form.
    #[serde(serialize_with = "map_in_order")]
    accept: &'static [(&'static str, &'static str)],
    classes: &'a BTreeMap<Class, Policy>,
    /// Header fields of classes: name, then class, then value.
    fields: BTreeMap<&'a str, BTreeMap<Class, &'a str>>,
    /// Routes that do not follow the pattern.
    routes: &'a [&'a Route],
    /// Folders whose files have the routes of their paths, with their classes.
    #[serde(serialize_with = "map_in_order")]
    folders: &'static [(&'static str, Class)],
    /// Files at whose addresses there is no route.
    hidden: &'a [&'a str],
    /// Prefixes of the paths that programs request: errors there are JSON.
    for_programs: [&'static str; 9],
    /// Paths of the OpenAPI descriptions.
    descriptions: [&'static str; 3],
    /// Former and present prefixes of sections, the longest first.
    #[serde(serialize_with = "map_in_order")]
    sections: &'a [(&'a str, &'a str)],
    /// Former and present addresses of pages.
    moved: BTreeMap<&'a str, &'a str>,
    /// Former addresses with a query: each path with and without a slash at its end, the query and the target.
    queries: Vec<[String; 3]>,
    not_found: &'a [NotFound],
    /// File of the error page for addresses without a prefix of its own.
    missing_page: &'a str,
    /// Media types by file extension.
    types: Map<String, Value>,
    /// Status and body of errors, by name.
    errors: Map<String, Value>,
    media: Value,
    headers: Value,
}

#[derive(Serialize)]
struct Sidecar<'a> {
    origin: &'a str,
    scheme: &'a str,
    host: &'a str,
    /// Host and port.
    address: String,
}

#[derive(Serialize)]
struct SearchRoute<'a> {
    path: &'a str,
    locale: Locale,
}

impl<'a> ServerSettings<'a> {
    fn of(site: &'a HostedSite<'a>) -> Self {
        let (manifest, rules) = (site.manifest, &site.rules);
        let queries = rules.redirects.queries.iter().flat_map(|((path, query), to)| {
            let slashed = (*path != "/").then(|| format!("{path}/"));
            let paths = [Some((*path).to_owned()), slashed].into_iter().flatten();
            paths.map(|path| [path, (*query).to_owned(), (*to).to_owned()])
        });
        Self {
            public: PUBLIC,
            replies: REPLIES,
            retry_seconds: RETRY_SECONDS,
            site_url: &manifest.site_url,
            domain: site.domain(),
            port: site.port().trim_start_matches(':'),
            tls: site.has_tls(),
            tag: site.tag(),
            sidecar: site.sidecar.map(Sidecar::of),
            searches: site.searches.iter().map(|path| SearchRoute::of(path)).collect(),
            locales: Locale::ALL,
            default_locale: Locale::DEFAULT,
            links: &rules.links,
            sandbox_key: &manifest.sandbox_key,
            issued: tables::issued_pattern().trim_matches(['^', '$']).to_owned(),
            challenge: tables::challenge(&manifest.site_url),
            accept: &patterns::ACCEPT,
            classes: &manifest.classes,
            fields: class_fields(&manifest.classes),
            routes: &rules.listed,
            folders: &[(routes::ASSETS, Class::Asset), (routes::DOCUMENTS, Class::Document)],
            hidden: &rules.hidden,
            for_programs: routes::JSON_PREFIXES,
            descriptions: [routes::OPENAPI, routes::OPENAPI_YAML, routes::OPENAPI_3_0],
            sections: &rules.redirects.sections,
            moved: rules.redirects.pages().collect(),
            queries: queries.collect(),
            not_found: &manifest.not_found,
            missing_page: site.not_found_file("", "html"),
            types: tables::types(site),
            errors: errors(),
            media: json!({ "html": media::HTML, "markdown": media::MARKDOWN, "json": media::JSON, "text": media::TEXT }),
            headers: json!({
                "content_type_options": NOSNIFF,
                "referrers": REFERRERS,
                "nothing_loaded": NOTHING_LOADED,
                "cors_exposed": CORS_EXPOSED,
                "cors_allowed": CORS_ALLOWED,
                "cors_max_age": CORS_MAX_AGE,
            }),
        }
    }
}

impl<'a> Sidecar<'a> {
    fn of(origin: &'a str) -> Self {
        let (scheme, authority) = origin.split_once("://").unwrap_or_default();
        let (host, address) = match (authority.split_once(':'), scheme) {
            (Some((host, _)), _) => (host, authority.to_owned()),
            (None, "https") => (authority, format!("{authority}:443")),
            (None, _) => (authority, format!("{authority}:80")),
        };
        Self { origin, scheme, host, address }
    }
}

impl<'a> SearchRoute<'a> {
    fn of(path: &'a str) -> Self {
        Self { path, locale: locale_of(path).unwrap_or(Locale::DEFAULT) }
    }
}

/// Serializes pairs as a map, so that templates can name both parts.
fn map_in_order<K: Serialize, V: Serialize, S: Serializer>(pairs: &&[(K, V)], out: S) -> Result<S::Ok, S::Error> {
    out.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

fn class_fields(classes: &BTreeMap<Class, Policy>) -> BTreeMap<&str, BTreeMap<Class, &str>> {
    let mut fields: BTreeMap<&str, BTreeMap<Class, &str>> = BTreeMap::new();
    for (class, policy) in classes {
        for (name, value) in policy.headers.iter().filter(|(name, _)| !OF_EVERY_RESPONSE.contains(&name.as_str())) {
            fields.entry(name).or_default().entry(*class).or_insert(value);
        }
    }
    fields
}

/// Returns [`tables::errors`] with the bodies as JSON texts.
fn errors() -> Map<String, Value> {
    let mut errors = tables::errors();
    for error in errors.values_mut() {
        error["body"] = error["body"].to_string().into();
    }
    errors
}
