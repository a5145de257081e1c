//! Atom (RFC 4287) and JSON Feed 1.1 of the newest publications: of a locale, of each person and of each subject.

use std::{borrow::Cow, fmt::Write as _};

use contract::{manifest::Class, media, routes, text::Date};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use site::{ArticleEntry, PageKind};

use super::{
    RenderError, api,
    output::{Output, VariantDraft},
    shared::{ListedPublication, Shared},
    view::FeedView,
};

/// The feeds of a person or a subject, below the path of the page.
pub(super) const PATHS: [&str; 2] = [routes::ATOM, routes::JSON_FEED];

/// Maximum number of entries in a feed.
const NEWEST: usize = 20;

/// Renders all feeds of a locale; none without a publications page.
pub(super) fn feeds(shared: &Shared) -> Result<Output, RenderError> {
    let mut output = Output::default();
    let Some(section) = shared.page(PageKind::Publications) else { return Ok(output) };
    let people = shared.content.team.iter().map(|member| {
        let (path, title) = (member.document.path.clone(), member.document.title.clone());
        (path, title, shared.by_author(&member.document.key))
    });
    let subjects = shared.site.settings.categories.iter().map(|category| {
        let title = format!("{}: {}", section.title, category.name[shared.locale]);
        (shared.archives.category_path(category), title, shared.by_category(&category.key))
    });
    let below = people.chain(subjects).filter(|(_, _, listed)| has_feeds(listed));
    let all = Channel {
        base: routes::in_locale(shared.locale, ""),
        page: section.path.clone(),
        title: section.title.clone(),
        updated: section.updated.as_ref(),
        entries: entries(shared, shared.content.publications.iter())?,
    };
    all.push(shared, &mut output)?;
    for (path, title, listed) in below {
        let entries = entries(shared, listed.iter().map(|listed| listed.publication))?;
        Channel { base: path.clone(), page: path, title, updated: None, entries }.push(shared, &mut output)?;
    }
    Ok(output)
}

/// Returns the links to the feeds of a person or a subject for the page at `path`.
pub(super) fn page_feeds(path: &str, title: &str, listed: &[ListedPublication]) -> Vec<FeedView> {
    let forms = [(routes::ATOM, media::ATOM, "Atom"), (routes::JSON_FEED, media::JSON_FEED, "JSON Feed")];
    let view = |(name, media_type, form): (&str, &'static str, &'static str)| FeedView {
        path: format!("{path}{name}"),
        media_type: media::essence(media_type),
        title: format!("{title} ({form})"),
        form,
    };
    if has_feeds(listed) { forms.map(view).into() } else { Vec::new() }
}

/// Whether a feed of these publications has an entry.
fn has_feeds(listed: &[ListedPublication]) -> bool {
    listed.iter().any(|listed| listed.publication.date.is_some())
}

/// A feed, to be written in both formats.
struct Channel<'a> {
    /// Path prefix of both files.
    base: String,
    /// Path of the page that the feed belongs to.
    page: String,
    title: String,
    /// Last change of that page, for a feed without entries.
    updated: Option<&'a Date>,
    entries: Vec<FeedEntry<'a>>,
}

impl Channel<'_> {
    fn push(&self, shared: &Shared, output: &mut Output) -> Result<(), RenderError> {
        let variant = || VariantDraft { locale: Some(shared.locale), ..VariantDraft::default() };
        let path = |name: &str| format!("{}{name}", self.base);
        output.push(&path(routes::ATOM), Class::Feed, media::ATOM, self.atom(shared), variant());
        output.push(&path(routes::JSON_FEED), Class::Feed, media::JSON_FEED, self.json_feed(shared)?, variant());
        Ok(())
    }

    /// Readers open the last `alternate` of an entry, or any, so that each has one.
    fn atom(&self, shared: &Shared) -> String {
        let site = shared.site;
        let firm = &site.settings.firm.name[shared.locale];
        let page_url = escape(&site.absolute(&self.page));
        let newest = self.entries.iter().map(FeedEntry::updated).max();
        let updated = newest.or(self.updated).map_or_else(|| "1970-01-01T00:00:00Z".to_owned(), moment);
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
             <feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"{locale}\">\n\
             <id>{page_url}</id>\n\
             <title>{title}</title>\n\
             <subtitle>{disclaimer}</subtitle>\n\
             <updated>{updated}</updated>\n\
             <author><name>{firm}</name></author>\n\
             <link rel=\"self\" type=\"application/atom+xml\" href=\"{own_url}\"/>\n\
             <link rel=\"alternate\" type=\"text/html\" href=\"{page_url}\"/>\n",
            locale = shared.locale,
            title = escape(&format!("{firm} – {}", self.title)),
            firm = escape(firm),
            disclaimer = escape(&site.settings.firm.disclaimer[shared.locale]),
            own_url = escape(&site.absolute(&format!("{}{}", self.base, routes::ATOM))),
        );
        for entry in &self.entries {
            let FeedEntry { publication, date, summary } = entry;
            let document = &publication.document;
            let url = escape(&site.absolute(&document.path));
            let _ = write!(
                out,
                "<entry>\n<id>{id}</id>\n<title>{title}</title>\n<link rel=\"alternate\" type=\"text/html\" href=\"{url}\"/>\n\
                 <link rel=\"related\" type=\"text/markdown\" href=\"{url}.md\"/>\n<published>{published}</published>\n\
                 <updated>{updated}</updated>\n",
                id = entry_id(shared, publication),
                title = escape(&document.title),
                published = moment(date),
                updated = moment(entry.updated()),
            );
            for author in authors(shared, publication) {
                let _ = writeln!(out, "<author><name>{}</name></author>", escape(author));
            }
            for tag in tags(shared, publication) {
                let _ = writeln!(out, "<category term=\"{}\"/>", escape(tag));
            }
            if let Some(summary) = summary {
                let _ = writeln!(out, "<summary>{}</summary>", escape(summary));
            }
            out.push_str("</entry>\n");
        }
        out.push_str("</feed>\n");
        out
    }

    fn json_feed(&self, shared: &Shared) -> Result<Vec<u8>, RenderError> {
        let site = shared.site;
        let firm = &site.settings.firm.name[shared.locale];
        let items = self.entries.iter().map(|entry| {
            let FeedEntry { publication, date, summary } = entry;
            let document = &publication.document;
            let authors = authors(shared, publication).into_iter().map(|name| json!({ "name": name }));
            json!({
                "id": entry_id(shared, publication),
                "url": site.absolute(&document.path),
                "title": document.title,
                // JSON Feed requires a text in every item.
                "content_text": summary.as_deref().unwrap_or(&document.title),
                "date_published": moment(date),
                "date_modified": moment(entry.updated()),
                "authors": authors.collect::<Vec<_>>(),
                "tags": tags(shared, publication).collect::<Vec<_>>(),
                "language": shared.locale,
            })
        });
        api::json(&json!({
            "version": "https://jsonfeed.org/version/1.1",
            "title": format!("{firm} – {}", self.title),
            "home_page_url": site.absolute(&self.page),
            "feed_url": site.absolute(&format!("{}{}", self.base, routes::JSON_FEED)),
            "description": site.settings.firm.disclaimer[shared.locale],
            "language": shared.locale,
            "authors": [{ "name": firm }],
            "items": items.collect::<Vec<_>>(),
        }))
    }
}

struct FeedEntry<'a> {
    publication: &'a ArticleEntry,
    date: &'a Date,
    /// The excerpt, or the first paragraph of the text; `None` if it has neither.
    summary: Option<Cow<'a, str>>,
}

impl FeedEntry<'_> {
    fn updated(&self) -> &Date {
        self.publication.updated().unwrap_or(self.date)
    }
}

/// Returns the newest dated publications; a feed entry requires a date.
fn entries<'a>(
    shared: &Shared<'a>,
    publications: impl Iterator<Item = &'a ArticleEntry>,
) -> Result<Vec<FeedEntry<'a>>, RenderError> {
    let dated = publications.filter_map(|it| Some((it, it.date.as_ref()?))).take(NEWEST);
    dated
        .map(|(publication, date)| Ok(FeedEntry { publication, date, summary: summary(shared, publication)? }))
        .collect()
}

/// Returns the excerpt of a publication, or the first paragraph of its text.
pub(super) fn summary<'a>(
    shared: &Shared<'a>,
    publication: &'a ArticleEntry,
) -> Result<Option<Cow<'a, str>>, RenderError> {
    let document = &publication.document;
    if document.description.is_empty() {
        let text = shared.site.body(&document.origin)?;
        return Ok(markdown::plain(&text).opening().map(Cow::Owned));
    }
    Ok(Some(Cow::Borrowed(&document.description)))
}

/// Returns the permanent identifier of an entry, which a renamed slug does not change (RFC 4287, 4.2.6).
///
/// It is a UUID of version 8 (RFC 9562, 5.8, as in B.2) of site, key and locale. `feed_id` keeps it after a change of
/// the site's address.
fn entry_id(shared: &Shared, publication: &ArticleEntry) -> String {
    let site = shared.site.settings.feed_id.as_deref().unwrap_or(shared.site.url());
    let name = [site, "publications", &publication.document.key, shared.locale.as_str()].join("\n");
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(name)[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let parts = [&bytes[..4], &bytes[4..6], &bytes[6..8], &bytes[8..10], &bytes[10..]];
    format!("urn:uuid:{}", parts.map(hex::encode).join("-"))
}

/// Returns the time that represents a date in feeds, which require times: noon in Istanbul, the same date from Alaska
/// to New Zealand.
pub(super) fn moment(day: &Date) -> String {
    format!("{day}T09:00:00Z")
}

/// Returns the names of the authors; without any, the firm's, because a feed entry requires an author.
fn authors<'a>(shared: &Shared<'a>, publication: &ArticleEntry) -> Vec<&'a str> {
    let names: Vec<&str> = shared.authors(publication).into_iter().map(|it| it.document.title.as_str()).collect();
    if names.is_empty() { vec![&shared.site.settings.firm.name[shared.locale]] } else { names }
}

/// Returns the name of the category, and the tags.
fn tags<'p>(shared: &Shared<'p>, publication: &'p ArticleEntry) -> impl Iterator<Item = &'p str> {
    shared.category_name(publication).into_iter().chain(publication.tags.iter().map(String::as_str))
}

/// Escapes `text` for XML element content and double-quoted attributes.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
