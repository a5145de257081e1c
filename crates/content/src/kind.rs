//! The kinds of entries.

use findings::messages::{self, Text};

use super::PageKind;

/// A kind of entry: a folder below the content folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    PracticeAreas,
    Team,
    Publications,
    Network,
    Contact,
    Pages,
}

impl Kind {
    /// Every kind, in the order of the site.
    pub const ALL: [Self; 6] =
        [Self::PracticeAreas, Self::Team, Self::Publications, Self::Network, Self::Contact, Self::Pages];

    /// Returns the name of the folder, which is also the first part of a link `@/kind/key`.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::PracticeAreas => "practice-areas",
            Self::Team => "team",
            Self::Publications => "publications",
            Self::Network => "network",
            Self::Contact => "contact",
            Self::Pages => "pages",
        }
    }

    /// Returns the kind of the entries in a folder.
    pub fn of_folder(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.folder() == name)
    }

    /// Returns whether the entries have pages of their own and may be link targets.
    pub const fn has_page(self) -> bool {
        !matches!(self, Self::Network | Self::Contact)
    }

    /// Returns whether the entry with this key may exist in only one language.
    pub fn may_lack_translation(self, key: &str) -> bool {
        match self {
            Self::Publications => true,
            Self::Pages => PageKind::of(key).may_lack_translation(),
            _ => false,
        }
    }

    /// Returns the key of the page with the list of the entries.
    pub const fn list_page(self) -> Option<&'static str> {
        match self {
            Self::PracticeAreas | Self::Team | Self::Publications => Some(self.folder()),
            Self::Network => Some("global-network"),
            Self::Contact | Self::Pages => None,
        }
    }

    /// Returns the name of the kind in a sentence.
    pub fn noun(self) -> Text {
        match self {
            Self::PracticeAreas => messages::practice_area(),
            Self::Team => messages::team_member(),
            Self::Publications => messages::publication(),
            Self::Network => messages::network_firm(),
            Self::Contact => messages::contact_entry(),
            Self::Pages => messages::page(),
        }
    }
}
