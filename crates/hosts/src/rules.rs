//! Routes of a build that follow a pattern, and routes that must be listed.
//!
//! A site with thousands of articles has tens of thousands of routes, nearly all alike: a page is the file of its name
//! beside its Markdown, with a `Link` that its address determines. Hosts get the pattern and a list of the exceptions.

use std::collections::HashSet;

use contract::{
    Locale, PerLocale,
    manifest::{Axis, Class, Manifest, Route, Variant},
    media, routes,
};

use super::redirects::RedirectRules;

/// The pattern of a build, and its exceptions.
pub(super) struct RoutingRules<'a> {
    /// The value of `Link` after its first target, on pages and twins.
    pub(super) links: PerLocale<&'a str>,
    /// Routes that do not follow the pattern.
    pub(super) listed: Vec<&'a Route>,
    /// Files that the pattern would serve at an address that is not a route.
    pub(super) hidden: Vec<&'a str>,
    /// Redirects of former addresses.
    pub(super) redirects: RedirectRules<'a>,
}

impl<'a> RoutingRules<'a> {
    pub(super) fn of(manifest: &'a Manifest) -> Self {
        let links = PerLocale::build(|locale| common_links(manifest, locale));
        let site_url = &manifest.site_url;
        let listed = manifest.routes.iter().filter(|route| !follows(route, site_url, &links)).collect();
        let paths: HashSet<&str> = manifest.routes.iter().map(|route| route.path.as_str()).collect();
        let variants = manifest.routes.iter().flat_map(|route| &route.variants);
        let variants = variants.chain(manifest.not_found.iter().flat_map(|answer| &answer.variants));
        let mut hidden: Vec<_> = variants.map(|variant| variant.file.as_str()).collect();
        hidden.retain(|file| address(file).is_some_and(|path| !paths.contains(path.as_str())));
        hidden.sort_unstable();
        hidden.dedup();
        // A rule for a section may also redirect the cards and feeds below a page.
        let is_page = |route: &&Route| matches!(route.class, Class::Page | Class::Twin);
        let pages = manifest.routes.iter().filter(is_page).map(|route| route.path.as_str()).collect();
        Self { links, listed, hidden, redirects: RedirectRules::of(&manifest.redirects, &pages) }
    }
}

/// Returns the address at which the pattern serves a file.
fn address(file: &str) -> Option<String> {
    let path = format!("/{file}");
    let is_below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    if is_below(routes::ASSETS) || is_below(routes::DOCUMENTS) {
        return Some(path);
    }
    let bare = path.strip_suffix(".html").or_else(|| path.strip_suffix(".md"))?;
    locale_of(bare)?;
    Some(if path.ends_with(".md") { path } else { bare.to_owned() })
}

/// Returns the locale in the first segment of an address.
pub(super) fn locale_of(path: &str) -> Option<Locale> {
    let first = path.strip_prefix('/')?.split('/').next()?;
    first.parse().ok()
}

fn common_links(manifest: &Manifest, locale: Locale) -> &str {
    let first = manifest.routes.iter().find(|it| it.class == Class::Page && locale_of(&it.path) == Some(locale));
    let link = first.and_then(|route| route.variants.first()?.link.as_deref()).unwrap_or_default();
    link.find(", <").map_or("", |at| &link[at..])
}

/// Whether the pattern alone gives `route` its class, files and headers.
fn follows(route: &Route, site_url: &str, links: &PerLocale<&str>) -> bool {
    let Route { path, class, axis, variants } = route;
    let file = path.strip_prefix('/').unwrap_or(path);
    match (class, axis, variants.as_slice()) {
        (Class::Asset, None, [only]) => is_plain_file(only, file) && is_below(path, routes::ASSETS),
        (Class::Document, None, [only]) => is_plain_file(only, file) && is_below(path, routes::DOCUMENTS),
        (Class::Twin, None, [twin]) => {
            let page = path.strip_suffix(".md").unwrap_or_default();
            is_twin(twin, page, site_url, links) && twin.location.is_none()
        }
        (Class::Page, Some(Axis::Accept), [page, twin]) => {
            let locale = locale_of(path);
            let link = locale
                .map(|it| format!("<{site_url}{path}.md>; rel=\"alternate\"; type=\"text/markdown\"{}", links[it]));
            locale.is_some()
                && page.file == format!("{file}.html")
                && page.media_type == media::HTML
                && page.locale == locale
                && page.link == link
                && page.location.as_ref() == Some(path)
                && page.tokens.is_none()
                && is_twin(twin, path, site_url, links)
                && twin.location == Some(format!("{path}.md"))
        }
        _ => false,
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn is_twin(twin: &Variant, page: &str, site_url: &str, links: &PerLocale<&str>) -> bool {
    let Some(locale) = locale_of(page) else { return false };
    format!("/{}", twin.file) == format!("{page}.md")
        && twin.media_type == media::MARKDOWN
        && twin.locale == Some(locale)
        && twin.link == Some(format!("<{site_url}{page}>; rel=\"canonical\"{}", links[locale]))
        && twin.tokens.is_some()
}

fn is_plain_file(variant: &Variant, file: &str) -> bool {
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    variant.file == file
        && Some(variant.media_type.as_str()) == media::of_extension(extension)
        && variant.locale.is_none()
        && variant.link.is_none()
        && variant.location.is_none()
        && variant.tokens.is_none()
}
