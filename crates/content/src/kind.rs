//! The kinds of entries.

use findings::messages::{self, Text};

use super::PageKind;

contract::names! {
    /// A kind of entry: a folder below the content folder, in the order of the site.
    pub enum Kind {
        PracticeAreas "practice-areas",
        Team "team",
        Publications "publications",
        Network "network",
        Contact "contact",
        Pages "pages",
    }
}

impl Kind {
    /// Returns the name of the folder, which is also the first part of a link `@/kind/key`.
    pub const fn folder(self) -> &'static str {
        self.as_str()
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
