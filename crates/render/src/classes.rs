//! The policy of each route class: caching, CORS and security headers.

use std::collections::BTreeMap;

use contract::{
    Locale,
    headers::{self, NOSNIFF, NOTHING_LOADED, REFERRERS},
    manifest::{Class, Policy},
    routes,
};
use site::{EditorSettings, Site};

/// For pages and documents.
const SHORT: &str = "public, max-age=300";
/// For lists.
const LIST: &str = "public, max-age=300, stale-while-revalidate=3600";
const FOREVER: &str = "public, max-age=31536000, immutable";
const NEVER: &str = "no-store";

/// Pages load styles, fonts and images from their own origin, post forms to it, and load nothing else. Their only
/// script is that of the search, identified by its digest. `connect-src` is for its requests, and for browser tools
/// that fetch `robots.txt`, `llms.txt` and the catalogue from a page.
const PAGE_CSP: &str = "style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; \
                        form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A picture or document can be opened at its own address, where SVG is a document: the sandbox gives it no origin,
/// scripts, forms or navigation. Documents get it in case a browser ignores [`DOWNLOADED`].
const ASSET_CSP: &str = "default-src 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/// Security: a PDF may contain scripts and forms, whose rights depend on the viewer; so no document opens as part of
/// the site. The last segment of its address becomes the file name.
const DOWNLOADED: &str = "attachment";

/// The editor in the browser runs its own program and shows what it has not saved yet as `blob:`; its styles are set by scripts.
const EDITOR_CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; \
                          font-src 'self'; frame-src blob:; worker-src 'self' blob:; manifest-src blob:; form-action 'none'; \
                          base-uri 'none'; frame-ancestors 'none'; connect-src 'self' blob: data:";

/// Returns the policy of every class that the site uses; `script` is the digest of the pages' script.
pub(super) fn all(site: &Site, script: Option<&str>) -> BTreeMap<Class, Policy> {
    let usage = format!(
        "train-ai={}, search={}",
        if site.settings.crawlers.ai_train { "y" } else { "n" },
        if site.settings.crawlers.search { "y" } else { "n" },
    );
    let all = Class::ALL.into_iter().filter(|class| *class != Class::Editor || !site.editor.is_empty());
    let mut all: BTreeMap<_, _> = all.map(|class| (class, policy(class, usage.clone(), script, site.drafts))).collect();
    let forge = site.settings.editor.as_ref().and_then(EditorSettings::forge_origin);
    if let (Some(policy), Some(forge)) = (all.get_mut(&Class::Editor), forge) {
        // `connect-src` comes last.
        let field = policy.headers.iter_mut().find(|(name, _)| name == "content-security-policy");
        if let Some((_, value)) = field {
            value.extend([" ", forge]);
        }
    }
    all
}

/// Returns the policy of a class; `usage` is the value of `Content-Usage`, `script` the digest of the pages' script.
pub fn policy(class: Class, usage: String, script: Option<&str>, is_draft: bool) -> Policy {
    let (cache_control, credential, cors) = match class {
        Class::Api | Class::Description => (LIST, true, true),
        Class::Health => (NEVER, true, true),
        Class::Discovery | Class::Text | Class::Twin | Class::Feed => (SHORT, false, true),
        Class::Page | Class::Document | Class::Editor => (SHORT, false, false),
        Class::Asset => (FOREVER, false, false),
    };
    let mut headers = vec![
        ("x-content-type-options", NOSNIFF.to_owned()),
        ("referrer-policy", REFERRERS.to_owned()),
        ("content-security-policy", content_security(class, script)),
    ];
    if matches!(class, Class::Page | Class::Twin | Class::Text | Class::Feed | Class::Document) {
        headers.push((headers::CONTENT_USAGE, usage));
    }
    if matches!(class, Class::Twin | Class::Editor) || is_draft {
        headers.push((headers::X_ROBOTS_TAG, "noindex".to_owned()));
    }
    if class == Class::Document {
        headers.push((headers::CONTENT_DISPOSITION, DOWNLOADED.to_owned()));
    }
    let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Policy { cache_control: cache_control.to_owned(), credential, cors, headers }
}

fn content_security(class: Class, script: Option<&str>) -> String {
    match class {
        Class::Page => {
            let script = script.map(|digest| format!("script-src '{digest}'; ")).unwrap_or_default();
            format!("default-src 'none'; {script}{PAGE_CSP}")
        }
        Class::Asset | Class::Document => ASSET_CSP.to_owned(),
        Class::Editor => EDITOR_CSP.to_owned(),
        _ => NOTHING_LOADED.to_owned(),
    }
}

/// Returns `Link` of an HTML page: its twin, and links for programs (RFC 8288).
pub(super) fn page_links(site: &Site, locale: Locale, twin_path: &str, developers_path: Option<&str>) -> String {
    links(site, locale, (twin_path, "alternate", "; type=\"text/markdown\""), developers_path)
}

/// Returns `Link` of a Markdown twin: its page, and the same further links.
pub(super) fn twin_links(site: &Site, locale: Locale, page_path: &str, developers_path: Option<&str>) -> String {
    links(site, locale, (page_path, "canonical", ""), developers_path)
}

/// A path, its relation, and further link parameters.
type HeaderLink<'a> = (&'a str, &'a str, &'a str);

/// Joins the links. `own` comes first: the rest is the same on all pages and twins of a locale, so the server stores it
/// once.
fn links(site: &Site, locale: Locale, own: HeaderLink, developers_path: Option<&str>) -> String {
    let overview = routes::in_locale(locale, routes::LLMS_TXT);
    let links = [
        Some(own),
        Some((routes::API_CATALOG, "api-catalog", "")),
        Some((routes::OPENAPI, "service-desc", "; type=\"application/json\"")),
        developers_path.map(|path| (path, "service-doc", "; type=\"text/html\"")),
        Some((overview.as_str(), "describedby", "; type=\"text/plain\"")),
        Some((routes::AI_CATALOG, "ai-catalog", "; type=\"application/ai-catalog+json\"")),
    ];
    let mut value = String::with_capacity(links.len() * (site.url().len() + 96));
    for (path, relation, more) in links.into_iter().flatten() {
        let comma = if value.is_empty() { "" } else { ", " };
        value.extend([comma, "<", site.url(), path, ">; rel=\"", relation, "\"", more]);
    }
    value
}
