//! Files for crawlers, browsers and researchers: `robots.txt`, the sitemap, the `OpenSearch` description, `security.txt`.

use std::fmt::Write as _;

use contract::{Locale, PerLocale, manifest::Class, media, routes, text::Date};
use site::{Document, Security, Site};

use super::{
    feeds::escape,
    output::{Output, VariantDraft},
    pages::Archive,
    shared::Shared,
    versions::Versions,
};

/// Maximum number of addresses in one sitemap file; the protocol allows 50,000 addresses and 50 MB.
const SITEMAP_LIMIT: usize = 20_000;

/// Crawlers of language-model operators, named because some obey only a group with their own name.
///
/// None is blocked: several of them collect for answers and for training at once, and agents should be able to read the
/// site. `Content-Signal` declares the allowed uses.
const AI_CRAWLERS: [&str; 12] = [
    "GPTBot",
    "OAI-SearchBot",
    "ChatGPT-User",
    "ClaudeBot",
    "Claude-Web",
    "Claude-SearchBot",
    "PerplexityBot",
    "Google-Extended",
    "Applebot-Extended",
    "Amazonbot",
    "CCBot",
    "Bytespider",
];

pub(super) fn documents(shared: &PerLocale<Shared>, archives: &[Archive]) -> Output {
    let mut output = sitemap(shared[Locale::DEFAULT].site, archives);
    let variant = VariantDraft::default;
    output.push(routes::ROBOTS_TXT, Class::Text, media::TEXT, robots(shared), variant());
    if let Some(security) = &shared[Locale::DEFAULT].site.settings.security {
        output.push(routes::SECURITY_TXT, Class::Text, media::TEXT, security_txt(shared, security), variant());
    }
    for (locale, shared) in shared.iter() {
        if let Some(text) = opensearch(shared) {
            let variant = VariantDraft { locale: Some(locale), ..VariantDraft::default() };
            let path = routes::in_locale(locale, routes::OPENSEARCH);
            output.push(&path, Class::Text, media::OPENSEARCH, text, variant);
        }
    }
    output
}

/// Returns the `OpenSearch` description; `None` without a search page. Its name may have at most 16 characters.
fn opensearch(shared: &Shared) -> Option<String> {
    const NAME: usize = 16;

    let firm = &shared.site.settings.firm;
    let name: String = firm.short_name.chars().take(NAME).collect();
    Some(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<OpenSearchDescription xmlns=\"http://a9.com/-/spec/opensearch/1.1/\">\n\
         <ShortName>{}</ShortName>\n<Description>{}</Description>\n<Language>{}</Language>\n\
         <InputEncoding>UTF-8</InputEncoding>\n<Url type=\"text/html\" template=\"{}\"/>\n</OpenSearchDescription>\n",
        escape(&name),
        escape(&firm.name[shared.locale]),
        shared.locale,
        escape(&shared.search_url("{searchTerms}")?),
    ))
}

/// Uses only directives that validators accept. Some parsers take the first rule that matches instead of the longest,
/// so that `Disallow` stands first. `Content-Usage` is a header field; the AI catalogue is linked by `Link`
/// and has a well-known address.
fn robots(shared: &PerLocale<Shared>) -> String {
    let site = shared[Locale::DEFAULT].site;
    if site.drafts {
        return "User-agent: *\nDisallow: /\n".to_owned();
    }
    let crawlers = site.settings.crawlers;
    let yes = |allowed: bool| if allowed { "yes" } else { "no" };
    let rules = format!(
        "Content-Signal: search={}, ai-input={}, ai-train={}\nDisallow: /agent/\nAllow: /\n",
        yes(crawlers.search),
        yes(crawlers.ai_input),
        yes(crawlers.ai_train),
    );
    let mut out = format!("User-agent: *\n{rules}\n");
    for crawler in AI_CRAWLERS {
        let _ = writeln!(out, "User-agent: {crawler}");
    }
    let _ = write!(out, "{rules}\nSitemap: {}\n", site.absolute(routes::SITEMAP));
    out
}

/// Expires on the day that `site.toml` names: a date counted from the build would change with every build. After that
/// day the file is omitted but the build succeeds, so that scheduled articles still appear.
fn security_txt(shared: &PerLocale<Shared>, security: &Security) -> String {
    format!(
        "Contact: {}\nExpires: {}T23:59:59Z\nPreferred-Languages: en, tr\nCanonical: {}\n",
        security.contact,
        security.expires,
        shared[Locale::DEFAULT].site.absolute(routes::SECURITY_TXT),
    )
}

struct SitemapEntry<'a> {
    path: &'a str,
    updated: Option<&'a Date>,
    versions: Versions<'a>,
}

fn sitemap(site: &Site, archives: &[Archive]) -> Output {
    let mut places =
        vec![SitemapEntry { path: "/", updated: None, versions: Versions::of(site, Locale::DEFAULT, "/", None) }];
    for (_, content) in site.content.iter() {
        places.extend(content.documents().map(|(_, document, updated)| {
            let Document { locale, path, translation, .. } = document;
            SitemapEntry { path, updated, versions: Versions::of(site, *locale, path, translation.as_deref()) }
        }));
    }
    places.extend(archives.iter().map(|archive| {
        let versions = Versions::of(site, archive.locale, &archive.path, archive.translation());
        SitemapEntry { path: &archive.path, updated: archive.updated(), versions }
    }));
    let absolute = |path: &str| escape(&site.absolute(path));
    let mut output = Output::default();
    let mut push = |path: &str, text: String| {
        output.push(path, Class::Text, media::XML, text, VariantDraft::default());
    };
    if places.len() <= SITEMAP_LIMIT {
        push(routes::SITEMAP, url_set(&places, &absolute));
        return output;
    }
    let mut index = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for (at, part) in places.chunks(SITEMAP_LIMIT).enumerate() {
        let path = format!("/sitemap-{}.xml", at + 1);
        let _ = writeln!(index, "<sitemap><loc>{}</loc></sitemap>", absolute(&path));
        push(&path, url_set(part, &absolute));
    }
    index.push_str("</sitemapindex>\n");
    push(routes::SITEMAP, index);
    output
}

fn url_set(places: &[SitemapEntry], absolute: &dyn Fn(&str) -> String) -> String {
    /// Estimated bytes of an entry with all its languages.
    const ADDRESS: usize = 512;
    let mut out = String::with_capacity(places.len() * ADDRESS);
    out.push_str(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
         xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n",
    );
    for place in places {
        let _ = write!(out, "<url><loc>{}</loc>", absolute(place.path));
        if let Some(date) = place.updated {
            let _ = write!(out, "<lastmod>{date}</lastmod>");
        }
        for (language, path) in place.versions.iter() {
            let address = absolute(path);
            let _ = write!(out, "<xhtml:link rel=\"alternate\" hreflang=\"{language}\" href=\"{address}\"/>");
        }
        out.push_str("</url>\n");
    }
    out.push_str("</urlset>\n");
    out
}
