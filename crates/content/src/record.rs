//! The values of one content file, not yet compared with other files.

use contract::{
    Locale,
    mcp::NetworkRelation,
    text::{Date, Email, Slug, Uri},
};
use findings::{Place, Span};
use jiff::Timestamp;

use super::{Checksum, Kind, Prose, Review};

/// A value and its position. Equality ignores the position.
#[derive(Clone, Debug)]
pub struct At<T> {
    pub value: T,
    pub span: Span,
    /// Whether it comes from the other language's file. Then the span refers to that file, where findings about the
    /// value are reported.
    pub inherited: bool,
}

impl<T> At<T> {
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span, inherited: false }
    }

    /// Returns the value unless it is inherited.
    pub fn written_here(&self) -> Option<&Self> {
        (!self.inherited).then_some(self)
    }
}

impl<T: PartialEq> PartialEq for At<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// One language file of an entry.
#[derive(Clone, Debug)]
pub struct Record {
    pub kind: Kind,
    /// Name of the entry's folder.
    pub key: String,
    pub locale: Locale,
    /// Path below the content folder.
    pub file: String,
    /// The number of bytes before the text.
    pub body_start: usize,
    pub checksum: Checksum,
    /// The fields that most kinds have.
    pub head: Head,
    /// The fields of this kind; `None` if the front matter could not be read.
    pub facts: Option<Facts>,
    /// The unreadable fields of this file.
    pub lost: Lost,
    /// The unreadable fields of the other language's file, from which shared fields are inherited.
    pub twin_lost: Lost,
    /// `None` if the file could not be read.
    pub prose: Option<Prose>,
    /// The text itself, for firms of the network only.
    pub note: Option<String>,
}

impl Record {
    pub fn place(&self, span: Span) -> Place {
        Place::new(self.file.as_str(), span)
    }

    /// Returns whether a shared field is unreadable in one of the two files.
    pub fn shares_lost(&self, field: &str) -> bool {
        self.lost.has(field) || self.twin_lost.has(field)
    }
}

/// The fields that are present but unreadable. They have findings of their own, so no check treats them as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lost {
    #[default]
    Nothing,
    /// These fields were refused or misspelt.
    Fields(Vec<&'static str>),
    /// The front matter could not be read.
    All,
}

impl Lost {
    pub(crate) fn of(fields: Vec<&'static str>) -> Self {
        if fields.is_empty() { Self::Nothing } else { Self::Fields(fields) }
    }

    /// Returns whether `field` is or may be unreadable.
    pub fn has(&self, field: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::Fields(fields) => fields.contains(&field),
            Self::All => true,
        }
    }
}

/// The fields that most kinds have.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// `title` or `name`.
    pub title: Option<At<String>>,
    pub slug: Option<At<Slug>>,
    /// `description`, `summary` or `excerpt`.
    pub description: Option<At<String>>,
    pub updated: Option<At<Date>>,
    pub aliases: Vec<At<Slug>>,
    pub reviewed: Option<At<Review>>,
}

/// The fields that a kind has in addition to its [`Head`].
#[derive(Clone, Debug)]
pub enum Facts {
    Area(AreaFacts),
    Member(Box<MemberFacts>),
    Article(Box<ArticleFacts>),
    Associate(Box<AssociateFacts>),
    Contact(Box<ContactFacts>),
    Page,
}

#[derive(Clone, Debug, Default)]
pub struct AreaFacts {
    pub order: Option<At<i64>>,
}

#[derive(Clone, Debug, Default)]
pub struct MemberFacts {
    pub order: Option<At<i64>>,
    pub title: Option<At<String>>,
    pub name_language: Option<At<String>>,
    pub email: Option<At<Email>>,
    pub telephone: Option<At<String>>,
    pub linkedin: Option<At<Uri>>,
    pub bar: Option<At<String>>,
    pub languages: Option<At<Vec<At<String>>>>,
    pub practice_areas: Option<At<Vec<At<String>>>>,
    pub portrait: Option<At<String>>,
    pub portrait_alt: Option<At<String>>,
    pub portrait_focus: Option<At<Focus>>,
}

/// A point of a picture, in per cent of its width and height.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Focus {
    /// From the left.
    pub x: u8,
    /// From the top.
    pub y: u8,
}

#[derive(Clone, Debug, Default)]
pub struct ArticleFacts {
    pub date: Option<At<Date>>,
    pub author: Option<At<String>>,
    pub authors: Option<At<Vec<At<String>>>>,
    pub category: Option<At<String>>,
    pub tags: Option<At<Vec<At<String>>>>,
    pub draft: Option<At<bool>>,
    pub publish: Option<At<Timestamp>>,
    pub expires: Option<At<Timestamp>>,
    /// In the order of the file.
    pub changes: Vec<Change>,
}

/// A change of a publication, shown to readers.
#[derive(Clone, Debug)]
pub struct Change {
    pub date: Option<At<Date>>,
    pub text: Option<At<String>>,
}

#[derive(Clone, Debug, Default)]
pub struct AssociateFacts {
    pub country: Option<At<String>>,
    pub city: Option<At<String>>,
    pub relation: Option<At<NetworkRelation>>,
    pub network: Option<At<String>>,
    pub url: Option<At<Uri>>,
}

#[derive(Clone, Debug, Default)]
pub struct ContactFacts {
    pub email: Option<At<Email>>,
    pub telephone: Option<At<String>>,
    pub telephone_display: Option<At<String>>,
    pub address: Option<At<String>>,
    /// The main office first; empty if the entry gives an address in one line.
    pub offices: Vec<At<OfficeFacts>>,
    pub directions: Option<At<Uri>>,
    pub linkedin: Option<At<Uri>>,
    pub hours: Option<At<OpeningHours>>,
    pub languages: Option<At<Vec<At<String>>>>,
}

/// An office, with its readable fields.
#[derive(Clone, Debug)]
pub struct OfficeFacts {
    pub key: Option<At<String>>,
    pub name: Option<At<String>>,
    pub street: Option<At<String>>,
    pub postal_code: Option<At<String>>,
    pub city: Option<At<String>>,
    pub country: Option<At<String>>,
    pub telephone: Option<At<String>>,
    pub email: Option<At<Email>>,
    pub hours: Option<At<OpeningHours>>,
    pub directions: Option<At<Uri>>,
    /// The unreadable fields.
    pub lost: Vec<&'static str>,
}

/// Office hours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpeningHours {
    /// `mon` to `sun`; empty if the content names no days.
    pub days: Vec<String>,
    /// `HH:MM`.
    pub opens: Option<String>,
    /// `HH:MM`.
    pub closes: Option<String>,
    /// IANA time zone.
    pub time_zone: Option<String>,
}

impl ArticleFacts {
    /// Returns the keys of the authors, each once: `author` before `authors`.
    pub fn author_keys(&self) -> impl Iterator<Item = &At<String>> {
        let one = self.author.as_ref();
        let others = self.authors.iter().flat_map(|list| &list.value);
        one.into_iter().chain(others.filter(move |key| one.is_none_or(|one| one.value != key.value)))
    }
}
