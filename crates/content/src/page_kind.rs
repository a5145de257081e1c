//! The pages with a special meaning.

/// The meaning of a page, determined by its key, the name of its folder.
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
    /// Search.
    Search,
    /// Answer to an unknown path.
    NotFound,
    /// Any other page.
    Free,
}

impl PageKind {
    /// The keys with a meaning, in the order of the site. A firm may add pages with other keys.
    pub const NAMED: [(&'static str, Self); 13] = [
        ("home", Self::Home),
        ("practice-areas", Self::PracticeAreas),
        ("team", Self::Team),
        ("publications", Self::Publications),
        ("global-network", Self::GlobalNetwork),
        ("contact", Self::Contact),
        ("about", Self::About),
        ("developers", Self::Developers),
        ("privacy-notice", Self::PrivacyNotice),
        ("legal-notice", Self::LegalNotice),
        ("accessibility", Self::Accessibility),
        ("search", Self::Search),
        ("not-found", Self::NotFound),
    ];

    pub fn of(key: &str) -> Self {
        Self::NAMED.into_iter().find(|(name, _)| *name == key).map_or(Self::Free, |(_, kind)| kind)
    }

    /// Returns whether the page has a slug of its own.
    pub const fn has_slug(self) -> bool {
        !matches!(self, Self::Home | Self::NotFound)
    }

    /// Returns whether links to the page are rarely shared, so that it needs no share picture of its own.
    pub const fn is_rarely_shared(self) -> bool {
        matches!(self, Self::PrivacyNotice | Self::LegalNotice | Self::Accessibility | Self::Search)
    }

    /// Returns whether every site must have the page.
    pub const fn is_required(self) -> bool {
        matches!(self, Self::Home | Self::Contact | Self::NotFound)
    }

    /// Returns whether the check reports a missing page: every site must have it, or it lists entries.
    pub const fn is_expected(self) -> bool {
        self.is_required() || self.is_introduction()
    }

    /// Returns whether the page may exist in only one language. Required pages and lists of entries that exist in both
    /// languages may not.
    pub const fn may_lack_translation(self) -> bool {
        !self.is_required() && !matches!(self, Self::PracticeAreas | Self::Team | Self::GlobalNetwork)
    }

    /// Returns whether the page shows entries or details besides its text, so that it may lack a text.
    pub const fn is_introduction(self) -> bool {
        matches!(
            self,
            Self::Home | Self::PracticeAreas | Self::Team | Self::Publications | Self::GlobalNetwork | Self::Contact
        )
    }
}
