//! `content/site.toml`: facts about the firm and what it offers.

use content::{Agents, Crawlers, MenuEntry, SynonymGroup, ThemeSettings};
use contract::{
    PerLocale,
    text::{Date, Slug, Uri},
};

/// The whole file.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Origin of the site, without a path and without a trailing slash.
    pub site_url: Uri,
    /// Name of the service in the health answer.
    pub service: String,
    /// The published, read-only key.
    pub sandbox_key: String,
    /// After how many months without a review a publication says so; `None` if none does.
    pub review_after: Option<u16>,
    /// The firm.
    pub firm: Firm,
    /// Where to report a vulnerability; `None` once its last day has passed.
    pub security: Option<Security>,
    /// What crawlers may do.
    pub crawlers: Crawlers,
    /// What agents may register for.
    pub agents: Agents,
    /// The MCP server's names.
    pub mcp: Mcp,
    /// The entries of the main menu; `None` for the sections and pages that the firm has.
    pub navigation: Option<Vec<MenuEntry>>,
    /// The entries of the footer; `None` for the legal and technical pages that the firm has.
    pub footer: Option<Vec<MenuEntry>>,
    /// What the site changes in the look of the theme.
    pub theme: ThemeSettings,
    /// Public path of the icon, if the site has one of its own.
    pub icon: Option<String>,
    /// Categories of publications, in the order of the file.
    pub categories: Vec<Category>,
    /// Words that mean the same in a search.
    pub synonyms: Vec<SynonymGroup>,
}

/// The firm.
#[derive(Clone, Debug)]
pub struct Firm {
    /// Full name.
    pub name: PerLocale<String>,
    /// Name in the header.
    pub short_name: String,
    /// One neutral line.
    pub tagline: PerLocale<String>,
    /// What the firm is, for machines.
    pub description: PerLocale<String>,
    /// General information, not legal advice.
    pub disclaimer: PerLocale<String>,
    /// Public path of the logo.
    pub logo: String,
    /// Public path of the picture that other sites show beside a link to any page of this site, if there is one.
    pub share_picture: Option<String>,
}

/// Where to report a vulnerability (RFC 9116).
#[derive(Clone, Debug)]
pub struct Security {
    /// `mailto:` or `https:` address.
    pub contact: String,
    /// Last day on which the file is valid.
    pub expires: Date,
}

/// The MCP server's names.
#[derive(Clone, Debug)]
pub struct Mcp {
    /// Reverse-DNS name, `example.firm/content`.
    pub name: String,
    /// Title that people see.
    pub title: PerLocale<String>,
}

/// A category of publications.
#[derive(Clone, Debug)]
pub struct Category {
    /// Key in front matter.
    pub key: String,
    /// Name per locale.
    pub name: PerLocale<String>,
    /// Slug per locale.
    pub slug: PerLocale<Slug>,
    /// Key of the practice area it belongs to.
    pub practice_area: Option<String>,
}
