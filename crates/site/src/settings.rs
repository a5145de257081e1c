//! `content/site.toml`: facts about the firm and its services.

use citations::{Law, Laws};
use content::{Agents, Assistant, ChangeOfLaw, Crawlers, EditorSettings, MenuEntry, SynonymGroup, ThemeSettings};
use contract::{
    PerLocale,
    text::{Date, Slug, Uri},
};
use markdown::Numbering;

/// The whole file.
#[derive(Clone, Debug)]
pub struct SiteSettings {
    /// Origin of the site, without a path and without a trailing slash.
    pub site_url: Uri,
    /// Name of the service in the health answer.
    pub service: String,
    /// The published, read-only key.
    pub sandbox_key: String,
    /// The months without a review after which a publication has a notice; `None` for never.
    pub review_after: Option<u16>,
    /// What the identifiers of feed entries are made from; `None`: the origin.
    pub feed_id: Option<String>,
    pub firm: Firm,
    /// `None` once its last day has passed.
    pub security: Option<Security>,
    pub crawlers: Crawlers,
    /// The access that agents may register for.
    pub agents: Agents,
    pub mcp: Mcp,
    /// The entries of the main menu; if `None`, all sections and pages.
    pub navigation: Option<Vec<MenuEntry>>,
    /// The entries of the footer; if `None`, all legal and technical pages.
    pub footer: Option<Vec<MenuEntry>>,
    /// How nested numbered lists are counted.
    pub numbering: Numbering,
    /// Changes to the look of the theme.
    pub theme: ThemeSettings,
    /// Public path of the icon, if the site has one of its own.
    pub icon: Option<String>,
    /// Categories of publications, in the order of the file.
    pub categories: Vec<Category>,
    /// Assistants in which a reader can open an article.
    pub assistants: Vec<Assistant>,
    /// The laws that texts may cite.
    pub laws: Laws,
    /// Those that the firm added.
    pub own_laws: Vec<Law>,
    /// The recorded changes of laws that are in force on the day of the build, the latest first.
    pub law_changes: Vec<ChangeOfLaw>,
    /// Words that mean the same in a search.
    pub synonyms: Vec<SynonymGroup>,
    /// The editor in the browser, if there is one.
    pub editor: Option<EditorSettings>,
}

#[derive(Clone, Debug)]
pub struct Firm {
    /// Full name.
    pub name: PerLocale<String>,
    /// Name in the header.
    pub short_name: String,
    /// One neutral line.
    pub tagline: PerLocale<String>,
    /// Description of the firm for machines.
    pub description: PerLocale<String>,
    /// Says that the site is general information, not legal advice.
    pub disclaimer: PerLocale<String>,
    /// Public path of the logo.
    pub logo: String,
    /// Public path of the picture that other sites show beside a link to a page of this site.
    pub share_picture: Option<String>,
}

/// Where to report a vulnerability (RFC 9116).
#[derive(Clone, Debug)]
pub struct Security {
    /// `mailto:` or `https:` address.
    pub contact: String,
    /// Last day on which `security.txt` is valid.
    pub expires: Date,
}

/// The MCP server's names.
#[derive(Clone, Debug)]
pub struct Mcp {
    /// Reverse-DNS name, `example.firm/content`.
    pub name: String,
    /// Title for people.
    pub title: PerLocale<String>,
}

/// A category of publications.
#[derive(Clone, Debug)]
pub struct Category {
    /// Key in front matter.
    pub key: String,
    pub name: PerLocale<String>,
    pub slug: PerLocale<Slug>,
    /// Former slugs, in either language.
    pub aliases: Vec<Slug>,
    /// Key of the practice area it belongs to.
    pub practice_area: Option<String>,
}
