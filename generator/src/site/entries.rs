//! The kinds of entries, in one locale each.

use contract::text::{Date, Email, Uri};

use super::Document;

/// A field of law.
#[derive(Clone, Debug)]
pub struct PracticeArea {
    /// The page; its title is the area's name, its description the summary.
    pub document: Document,
    /// Position in lists; what has none follows what has one.
    pub order: Option<i64>,
}

/// A person of the firm.
#[derive(Clone, Debug)]
pub struct TeamMember {
    /// The page; its title is the person's name, its description the summary.
    pub document: Document,
    /// Position in lists; what has none follows what has one.
    pub order: Option<i64>,
    /// Professional title.
    pub title: String,
    /// Mailbox.
    pub email: Option<Email>,
    /// E.164 number.
    pub telephone: Option<String>,
    /// Public profile.
    pub linkedin: Option<Uri>,
    /// Bar association and registration.
    pub bar: Option<String>,
    /// Language codes.
    pub languages: Vec<String>,
    /// Keys of practice areas.
    pub practice_areas: Vec<String>,
    /// Picture.
    pub portrait: Option<Portrait>,
}

/// A picture of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portrait {
    /// Public path of the file.
    pub path: String,
    /// What the picture shows, in the page's language.
    pub alt: String,
}

/// An article.
#[derive(Clone, Debug)]
pub struct Publication {
    /// The page; its description is the excerpt, or empty.
    pub document: Document,
    /// Day of publication.
    pub date: Option<Date>,
    /// Key of a team member.
    pub author: Option<String>,
    /// Key of a category.
    pub category: Option<String>,
}

/// A firm of the network.
#[derive(Clone, Debug)]
pub struct NetworkFirm {
    /// Name of the entry's folder.
    pub key: String,
    /// Path of its file below the content folder.
    pub file: String,
    /// Name of the firm.
    pub name: String,
    /// ISO 3166-1 alpha-2 code.
    pub country: String,
    /// Name of the country in this locale.
    pub country_name: String,
    /// City in this locale.
    pub city: String,
    /// Kind of relation.
    pub relation: Relation,
    /// Name of the association.
    pub network: Option<String>,
    /// The firm's own site.
    pub url: Option<Uri>,
    /// The entry's text, which is one short paragraph of Markdown.
    pub note: String,
}

/// How a firm of the network is related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Member of the same association.
    Member,
    /// Correspondent firm.
    Correspondent,
}

impl Relation {
    /// The word in front matter and in strings files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Correspondent => "correspondent",
        }
    }
}

/// How to reach the firm.
#[derive(Clone, Debug)]
pub struct Contact {
    /// What the firm is.
    pub description: String,
    /// Mailbox.
    pub email: Email,
    /// E.164 number.
    pub telephone: String,
    /// The number as people write it.
    pub telephone_display: Option<String>,
    /// Postal address in one line.
    pub address: String,
    /// A map.
    pub directions: Option<Uri>,
    /// Public profile.
    pub linkedin: Option<Uri>,
    /// Office hours.
    pub hours: Option<Hours>,
    /// Language codes.
    pub languages: Vec<String>,
}

/// Office hours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hours {
    /// `mon` to `sun`; none if the content names no days.
    pub days: Vec<String>,
    /// `HH:MM`.
    pub opens: Option<String>,
    /// `HH:MM`.
    pub closes: Option<String>,
    /// IANA time zone.
    pub time_zone: Option<String>,
}

/// A fixed page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The page.
    pub document: Document,
    /// Which of the fixed pages it is.
    pub kind: PageKind,
}

/// The fixed pages of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PageKind {
    /// First page of a locale.
    Home,
    /// List of practice areas.
    PracticeAreas,
    /// List of people.
    Team,
    /// List of publications.
    Publications,
    /// Associated firms.
    GlobalNetwork,
    /// Contact details.
    Contact,
    /// About the firm.
    About,
    /// Documentation for developers.
    Developers,
    /// Information on personal data.
    PrivacyNotice,
    /// Legal notice.
    LegalNotice,
    /// Accessibility statement.
    Accessibility,
    /// Answer to an unknown path.
    NotFound,
}

impl PageKind {
    /// Every fixed page, in the order of declaration.
    pub const ALL: [Self; 12] = [
        Self::Home,
        Self::PracticeAreas,
        Self::Team,
        Self::Publications,
        Self::GlobalNetwork,
        Self::Contact,
        Self::About,
        Self::Developers,
        Self::PrivacyNotice,
        Self::LegalNotice,
        Self::Accessibility,
        Self::NotFound,
    ];

    /// The name of its folder below `content/pages/`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Home => "home",
            Self::PracticeAreas => "practice-areas",
            Self::Team => "team",
            Self::Publications => "publications",
            Self::GlobalNetwork => "global-network",
            Self::Contact => "contact",
            Self::About => "about",
            Self::Developers => "developers",
            Self::PrivacyNotice => "privacy-notice",
            Self::LegalNotice => "legal-notice",
            Self::Accessibility => "accessibility",
            Self::NotFound => "not-found",
        }
    }

    /// Whether the page has a slug of its own.
    #[must_use]
    pub const fn has_slug(self) -> bool {
        !matches!(self, Self::Home | Self::NotFound)
    }
}
