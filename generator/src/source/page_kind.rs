//! The fixed pages, each in a folder of its own.

/// The fixed pages of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PageKind {
    /// Home page of a locale.
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

    /// Returns the name of its folder below `content/pages/`.
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

    /// Returns whether the page has a slug of its own.
    #[must_use]
    pub const fn has_slug(self) -> bool {
        !matches!(self, Self::Home | Self::NotFound)
    }
}
