//! What crawlers and researchers read: `robots.txt`, the sitemap, `security.txt`.

use std::fmt::Write as _;

use contract::{Locale, PerLocale, manifest::Class, media, routes, text::Date};

use super::{
    output::{Output, VariantDraft},
    pages::Archive,
    shared::Shared,
    xml::escape,
};
use crate::site::{Document, PageKind};

/// Addresses in one sitemap file; the protocol allows 50,000 addresses and 50 MB.
const SITEMAP_LIMIT: usize = 20_000;

/// Crawlers of language-model operators, named because some read only a group of their own name.
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

/// All of them.
pub(super) fn documents(shared: &PerLocale<Shared>, archives: &[Archive]) -> Output {
    let mut output = sitemap(shared, archives);
    let variant = VariantDraft::default;
    output.push(routes::ROBOTS_TXT, Class::Text, media::TEXT, robots(shared), variant());
    output.push(routes::SECURITY_TXT, Class::Text, media::TEXT, security(shared), variant());
    output
}

fn robots(shared: &PerLocale<Shared>) -> String {
    let site = shared[Locale::DEFAULT].site;
    let crawlers = site.settings.crawlers;
    let yes = |allowed: bool| if allowed { "yes" } else { "no" };
    let letter = |allowed: bool| if allowed { "y" } else { "n" };
    let rules = format!(
        "Content-Signal: search={}, ai-input={}, ai-train={}\nContent-Usage: train-ai={}, search={}\nAllow: /\nDisallow: /agent/\n",
        yes(crawlers.search),
        yes(crawlers.ai_input),
        yes(crawlers.ai_train),
        letter(crawlers.ai_train),
        letter(crawlers.search),
    );
    let mut out = format!("User-agent: *\n{rules}\n");
    for crawler in AI_CRAWLERS {
        let _ = writeln!(out, "User-agent: {crawler}");
    }
    let _ = write!(
        out,
        "{rules}\nSitemap: {}\nAgentmap: {}\n",
        site.absolute(routes::SITEMAP),
        site.absolute(routes::AI_CATALOG)
    );
    out
}

fn security(shared: &PerLocale<Shared>) -> String {
    let site = shared[Locale::DEFAULT].site;
    let security = &site.settings.security;
    format!(
        "Contact: {}\nExpires: {}T23:59:59Z\nPreferred-Languages: en, tr\nCanonical: {}\nPolicy: {}\n",
        security.contact,
        security.expires,
        site.absolute(routes::SECURITY_TXT),
        site.absolute(&shared[Locale::DEFAULT].page(PageKind::LegalNotice).document.path),
    )
}

/// One address of the sitemap.
struct Place<'a> {
    locale: Locale,
    path: &'a str,
    translation: Option<&'a str>,
    updated: Option<&'a Date>,
    /// Whether it is a first page: for readers of other languages there is the choice at `/`.
    is_home: bool,
}

impl<'a> Place<'a> {
    fn of(document: &'a Document) -> Self {
        Self {
            locale: document.locale,
            path: &document.path,
            translation: document.translation.as_deref(),
            updated: document.updated.as_ref(),
            is_home: false,
        }
    }
}

fn sitemap(shared: &PerLocale<Shared>, archives: &[Archive]) -> Output {
    let site = shared[Locale::DEFAULT].site;
    let start = Place { locale: Locale::DEFAULT, path: "/", translation: None, updated: None, is_home: true };
    let mut places = vec![start];
    for (_, shared) in shared.iter() {
        let content = shared.content;
        let pages = content.pages.iter().filter(|page| page.kind != PageKind::NotFound);
        places.extend(pages.map(|page| Place { is_home: page.kind == PageKind::Home, ..Place::of(&page.document) }));
        places.extend(content.practice_areas.iter().map(|area| Place::of(&area.document)));
        places.extend(content.team.iter().map(|member| Place::of(&member.document)));
        places.extend(content.publications.iter().map(|publication| Place {
            updated: publication.document.updated.as_ref().or(publication.date.as_ref()),
            ..Place::of(&publication.document)
        }));
    }
    places.extend(archives.iter().map(|archive| Place {
        locale: archive.locale,
        path: &archive.path,
        translation: archive.translation(),
        updated: None,
        is_home: false,
    }));
    let absolute = |path: &str| escape(&site.absolute(path)).into_owned();
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

fn url_set(places: &[Place], absolute: &dyn Fn(&str) -> String) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
         xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n",
    );
    for place in places {
        let own = absolute(place.path);
        let _ = write!(out, "<url><loc>{own}</loc>");
        if let Some(date) = place.updated {
            let _ = write!(out, "<lastmod>{date}</lastmod>");
        }
        if let Some(translation) = place.translation {
            let other = absolute(translation);
            let start = absolute("/");
            let default = match (place.is_home, place.locale) {
                (true, _) => &start,
                (false, Locale::En) => &own,
                (false, Locale::Tr) => &other,
            };
            for (language, url) in
                [(place.locale.as_str(), &own), (place.locale.other().as_str(), &other), ("x-default", default)]
            {
                let _ = write!(out, "<xhtml:link rel=\"alternate\" hreflang=\"{language}\" href=\"{url}\"/>");
            }
        }
        out.push_str("</url>\n");
    }
    out.push_str("</urlset>\n");
    out
}
