//! The values that page templates see: every field of `site`, `page` and, in `templates/shared_parts/`, of `part`.
//!
//! `site` is the same for every page of a locale, `page` is one page's own. Templates also see `per_locale` and
//! `shared_parts`, texts rendered once for many pages, and `t`, the interface words from
//! `templates/strings/<locale>.toml`. Forms and e-mails see other values (`render::forms`). Fields ending in `path` are
//! root-relative, fields ending in `url` are absolute.

#![expect(missing_docs, reason = "fields are named in the words of the page; those that need a sentence have one")]

use std::borrow::Cow;

use serde::Serialize;

pub use super::prepared::{Markup, Prepared};

/// Template value `site`: what all pages of a locale share.
#[derive(Clone, Debug, Serialize)]
pub struct SiteView {
    pub locale: &'static str,
    pub url: String,
    /// Whether this is a preview with drafts; every page shows a notice.
    pub drafts: bool,
    pub name: String,
    pub short_name: String,
    pub tagline: String,
    pub description: String,
    pub disclaimer: String,
    /// Root-relative path of the logo.
    pub logo_path: String,
    pub home_path: String,
    /// The sections and main pages, for the header. A link may lead to another site; its `path` is then its `url`.
    pub navigation: Vec<LinkView>,
    /// Legal and technical pages, for the footer.
    pub footer: Vec<LinkView>,
    pub contact: ContactView,
    /// The feeds, if the firm has a page of publications.
    pub atom_path: Option<String>,
    pub json_feed_path: Option<String>,
    pub llms_path: String,
    pub llms_url: String,
    /// The page of all publications; exists if there are publications.
    pub publications_path: Option<String>,
    /// The search page, if the firm has one.
    pub search_path: Option<String>,
    /// The `OpenSearch` description, if there is a search page.
    pub opensearch_path: Option<String>,
    /// The page of all people, for lists of some.
    pub people_path: Option<String>,
}

/// A share picture (Open Graph).
#[derive(Clone, Debug, Serialize)]
pub struct PictureView {
    pub url: String,
    /// Width in pixels.
    pub width: u32,
    pub height: u32,
    pub alt: String,
}

/// A feed in one of its forms.
#[derive(Clone, Debug, Serialize)]
pub struct FeedView {
    pub path: String,
    pub media_type: &'static str,
    pub title: String,
    /// `Atom` or `JSON Feed`.
    pub form: &'static str,
}

/// One page: template value `page`. `kind` names the template: `templates/pages/<kind>.html` and `.md`.
#[derive(Clone, Debug, Serialize)]
pub struct PageView<'v, D: Serialize> {
    pub kind: &'static str,
    pub locale: &'static str,
    pub title: &'v str,
    /// For `<title>`: the title and the firm's name, or only the title if both are too long for a tab or a search
    /// result.
    pub full_title: Cow<'v, str>,
    /// Never empty.
    pub description: Cow<'v, str>,
    pub path: &'v str,
    pub url: String,
    pub markdown_path: String,
    /// Date of the last review or of publication.
    pub updated: Option<DateView>,
    /// This page in its locales, itself included; for a locale without it, where the language switch leads.
    pub alternates: Vec<AlternateView<'v>>,
    /// The same page for readers of each language, for `hreflang`; empty for a page that must not be listed.
    pub versions: Vec<VersionView>,
    /// The page in the other locale, if both were compared or that one is newer.
    pub translation: Option<TranslationView<'v>>,
    /// The changes of law since the day as of which the text states the law.
    pub law_changes: Vec<LawChangeView>,
    /// The path of the navigation entry that the page belongs to, or an empty string.
    pub section_path: &'v str,
    /// The feeds of the person or subject of the page.
    pub feeds: Vec<FeedView>,
    /// The picture that other sites show beside a link to the page.
    pub share_picture: Option<PictureView>,
    /// JSON-LD, ready for use inside a script element.
    pub json_ld: Markup,
    /// Whether search engines may list the page (not for the 404 page).
    pub indexed: bool,
    /// The document's text: HTML in an `.html` template, the author's Markdown with absolute links in an `.md` one.
    pub body: Markup,
    /// Whether the text has italics, so that their font is worth preloading.
    pub italics: bool,
    /// Sections of the text (second level), with the articles in them, for a table of contents.
    pub contents: Vec<ContentsView>,
    /// Data that only this kind of page has.
    pub data: D,
}

/// The same page in the other locale.
#[derive(Clone, Debug, Serialize)]
pub struct TranslationView<'v> {
    pub locale: &'static str,
    pub path: &'v str,
    pub url: String,
    /// Day on which both were last compared.
    pub reviewed: Option<DateView>,
    /// Whether that text has changed since.
    pub stale: bool,
}

/// A change of law; on the page of a text, one that the text does not state yet.
#[derive(Clone, Debug, Serialize)]
pub struct LawChangeView {
    /// Number of the law.
    pub number: String,
    /// Number and name of the law.
    pub title: String,
    /// The changed articles; empty for the law as a whole.
    pub articles: Vec<LawArticleView>,
    pub in_force: DateView,
    pub what: String,
}

/// An article of a law.
#[derive(Clone, Debug, Serialize)]
pub struct LawArticleView {
    /// The numbering: `article`, `additional`, `provisional` or `repeated`; the words are in the strings file.
    pub series: &'static str,
    pub number: String,
}

/// The position of a page in the site: value of the part `navigation`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PlaceView<'v> {
    /// The page's own path if the navigation may mark it, or an empty string.
    pub path: &'v str,
    /// The same as in [`PageView`].
    pub section_path: &'v str,
}

#[derive(Clone, Debug, Serialize)]
pub struct LinkView {
    pub title: String,
    pub path: String,
    pub url: String,
    /// The language of the title, if it is a person's name in another language than the page's.
    pub lang: Option<String>,
}

/// A date for machines and for people.
#[derive(Clone, Debug, Serialize)]
pub struct DateView {
    /// `2026-11-20`
    pub iso: String,
    /// `20 Kasım 2026`
    pub text: String,
}

/// A version of a page for readers of one language.
#[derive(Clone, Debug, Serialize)]
pub struct VersionView {
    /// `en`, `tr`, or `x-default` for all others.
    pub language: &'static str,
    pub url: String,
}

/// A page in one locale, for the language switch.
#[derive(Clone, Debug, Serialize)]
pub struct AlternateView<'v> {
    pub locale: &'static str,
    /// The language's own name: `English`, `Türkçe`.
    pub language: &'static str,
    pub path: &'v str,
    pub url: String,
    pub current: bool,
    /// Whether this is the same page and not the locale's section or home page.
    pub translated: bool,
}

/// An entry of a table of contents.
#[derive(Clone, Debug, Serialize)]
pub struct ContentsView {
    pub id: String,
    pub text: String,
    /// The articles of a part of a statute.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub articles: Vec<Self>,
}

/// A practice area in a list.
#[derive(Clone, Debug, Serialize)]
pub struct AreaCard {
    pub title: String,
    pub path: String,
    pub url: String,
    pub summary: String,
}

/// A person in a list.
#[derive(Clone, Debug, Serialize)]
pub struct PersonCard {
    pub name: String,
    /// The language of the name, if it is not the page's.
    pub lang: Option<String>,
    pub title: String,
    pub path: String,
    pub url: String,
    pub summary: String,
    pub email: Option<String>,
    pub telephone: Option<String>,
    /// The same number for display.
    pub telephone_display: Option<String>,
    pub portrait: Option<ImageView>,
    /// Initials of the name, for a person without a portrait.
    pub initials: String,
}

/// A publication in a list.
#[derive(Clone, Debug, Serialize)]
pub struct PublicationCard {
    pub title: String,
    pub path: String,
    pub url: String,
    pub excerpt: Option<String>,
    pub date: Option<DateView>,
    /// Date of the last review, as of which the article states the law.
    pub reviewed: Option<DateView>,
    /// Whether it was never reviewed, or not within `review_after`.
    pub unreviewed: bool,
    /// On the page of a law, the days of its changes since then.
    pub law_changed: Vec<DateView>,
    pub authors: Vec<Prepared<LinkView>>,
    pub category: Option<Prepared<LinkView>>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ImageView {
    pub path: String,
    pub url: String,
    pub alt: String,
    /// The forms of a photograph with their widths, for `srcset`.
    pub srcset: Option<String>,
}

/// `kind = "start"`: `/`, which offers both languages. `data` of the page at the root; `site` is the English one.
#[derive(Clone, Debug, Serialize)]
pub struct StartView {
    pub languages: Vec<StartLanguage>,
}

/// One language on the start page.
#[derive(Clone, Debug, Serialize)]
pub struct StartLanguage {
    pub locale: &'static str,
    pub language: &'static str,
    pub name: String,
    pub tagline: String,
    pub path: String,
    pub url: String,
}

/// `kind = "home"`.
#[derive(Clone, Debug, Serialize)]
pub struct HomeView {
    pub areas: Vec<AreaCard>,
    /// The first eight.
    pub people: Vec<Prepared<PersonCard>>,
    pub more_people: bool,
    /// The newest five.
    pub publications: Vec<PublicationCard>,
}

/// `kind = "practice-areas"`.
#[derive(Clone, Debug, Serialize)]
pub struct AreasView {
    pub areas: Vec<AreaCard>,
}

/// `kind = "practice-area"`.
#[derive(Clone, Debug, Serialize)]
pub struct AreaView {
    pub people: Vec<Prepared<PersonCard>>,
    pub publications: Vec<Prepared<PublicationCard>>,
}

/// `kind = "team"`.
#[derive(Clone, Debug, Serialize)]
pub struct TeamView {
    pub people: Vec<Prepared<PersonCard>>,
}

/// `kind = "person"`.
#[derive(Clone, Debug, Serialize)]
pub struct PersonView {
    pub job_title: String,
    /// The language of the name, if it is not the page's.
    pub lang: Option<String>,
    pub email: Option<String>,
    pub telephone: Option<String>,
    /// The same number for display.
    pub telephone_display: Option<String>,
    pub linkedin: Option<String>,
    pub bar: Option<String>,
    /// Schools that the person completed.
    pub alumni_of: Vec<String>,
    /// Names in the page's language.
    pub languages: Vec<String>,
    pub areas: Vec<LinkView>,
    pub portrait: Option<ImageView>,
    /// Initials of the name, for a person without a portrait.
    pub initials: String,
    /// The vCard in version 4.0, and in version 3.0 for older programs; absent without an e-mail address and a
    /// telephone number.
    pub vcard_path: Option<String>,
    pub vcard_old_path: Option<String>,
    pub publications: Vec<Prepared<PublicationCard>>,
}

/// `kind = "publications"`: the newest, and archives; also for `kind = "publications-archive"` (one year or category).
#[derive(Clone, Debug, Serialize)]
pub struct PublicationsView {
    pub publications: Vec<PublicationCard>,
    /// The total number of publications, with digits grouped.
    pub total: String,
    /// The pages of the cited laws; empty in archives.
    pub laws: Prepared<Vec<ArchiveLink>>,
    pub years: Prepared<Vec<ArchiveLink>>,
    pub categories: Prepared<Vec<ArchiveLink>>,
    /// Publications that exist only in the other language; never in the archives.
    pub other_language_only: Vec<PublicationCard>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ArchiveLink {
    pub title: String,
    pub path: String,
    pub url: String,
    pub count: usize,
}

/// `kind = "law"`: the publications that cite a law.
#[derive(Clone, Debug, Serialize)]
pub struct LawView {
    pub number: String,
    pub abbreviations: Vec<String>,
    /// Its recorded changes that are in force, the latest first.
    pub changes: Vec<LawChangeView>,
    /// By number.
    pub articles: Vec<CitedArticleView>,
    /// The publications that cite no single article.
    pub as_whole: Vec<PublicationCard>,
}

/// An article of a law, or several, with the publications that cite it.
#[derive(Clone, Debug, Serialize)]
pub struct CitedArticleView {
    /// As in [`LawArticleView`].
    pub series: &'static str,
    pub number: String,
    pub publications: Vec<PublicationCard>,
}

/// `kind = "publication"`.
#[derive(Clone, Debug, Serialize)]
pub struct PublicationView {
    pub excerpt: Option<String>,
    pub date: Option<DateView>,
    /// Date of the last review, if the article names one.
    pub reviewed: Option<DateView>,
    /// Whether it was never reviewed, or not within `review_after`.
    pub unreviewed: bool,
    /// The changes, newest first.
    pub changes: Vec<ChangeView>,
    pub authors: Vec<Prepared<PersonCard>>,
    /// The names of the authors, joined as the page's language does.
    pub author_names: Option<String>,
    pub category: Option<Prepared<LinkView>>,
    pub tags: Vec<String>,
    pub area: Option<LinkView>,
    /// The pages of the cited laws.
    pub laws: Vec<LinkView>,
    /// Assistants that open the article.
    pub assistants: Vec<AssistantView>,
    pub reading_minutes: u32,
}

#[derive(Clone, Debug, Serialize)]
pub struct AssistantView {
    pub name: String,
    /// The address that opens this article in it.
    pub url: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct ChangeView {
    pub date: DateView,
    pub text: String,
}

/// `kind = "global-network"`.
#[derive(Clone, Debug, Serialize)]
pub struct NetworkView {
    pub countries: Vec<CountryView>,
}

/// The firms of one country.
#[derive(Clone, Debug, Serialize)]
pub struct CountryView {
    pub code: String,
    pub name: String,
    pub firms: Vec<NetworkFirmView>,
}

#[derive(Clone, Debug, Serialize)]
pub struct NetworkFirmView {
    pub name: String,
    pub city: String,
    /// `member` or `correspondent`; the words are in the strings file.
    pub relation: &'static str,
    pub network: Option<String>,
    pub url: Option<String>,
    /// HTML in an `.html` template, Markdown in an `.md` one.
    pub note: String,
}

/// `kind = "contact"` has no data of its own: the details are in `site.contact`.
#[derive(Clone, Debug, Serialize)]
pub struct ContactView {
    pub path: String,
    pub description: String,
    pub email: String,
    pub telephone: String,
    pub telephone_display: String,
    /// The main office's, in one line.
    pub address: String,
    /// The firm's vCard, as a person's.
    pub vcard_path: String,
    pub vcard_old_path: String,
    /// The offices, the main one first, if there are several.
    pub offices: Vec<OfficeView>,
    pub directions: Option<String>,
    pub linkedin: Option<String>,
    pub hours: Option<HoursView>,
    /// Names in the page's language.
    pub languages: Vec<String>,
}

/// One of several offices.
#[derive(Clone, Debug, Serialize)]
pub struct OfficeView {
    pub key: String,
    pub name: String,
    /// In one line.
    pub address: String,
    /// Cities or regions.
    pub areas_served: Vec<String>,
    pub telephone: Option<String>,
    /// The same number for display.
    pub telephone_display: Option<String>,
    pub email: Option<String>,
    pub hours: Option<HoursView>,
    pub directions: Option<String>,
    pub vcard_path: String,
    pub vcard_old_path: String,
}

/// Office hours, as far as the content gives them.
#[derive(Clone, Debug, Serialize)]
pub struct HoursView {
    /// `Pazartesi–Cuma`, or the days one after another.
    pub days: Option<String>,
    /// `09.00` in Turkish, `09:00` in English.
    pub opens: Option<String>,
    pub closes: Option<String>,
    /// `İstanbul saati (UTC+3)`.
    pub time_zone: Option<String>,
}

/// `kind = "search"`: the search page, or the page of results; both fields are empty in the first.
#[derive(Clone, Debug, Serialize)]
pub struct SearchView {
    /// Slot for the words of the search.
    pub query: String,
    /// Slot for the results.
    pub results: Markup,
}

/// `kind = "page"` (about, developers, the firm's own) and `kind = "not-found"`.
#[derive(Clone, Debug, Serialize)]
pub struct PlainView {}

#[cfg(test)]
mod tests {
    #[test]
    fn every_value_is_in_the_manual() {
        let manual = include_str!("../../../docs/templates.md");
        let fields =
            include_str!("view.rs").lines().filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(": "));
        let fields: Vec<&str> = fields.map(|(name, _)| name).filter(|name| !name.contains(' ')).collect();
        assert!(fields.len() > 130, "{}", fields.len());
        for name in fields {
            assert!(manual.contains(&format!("`{name}`")), "docs/templates.md does not name `{name}`");
        }
    }
}
