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
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
    /// Whether it comes from the other language's file. Then the span refers to that file, where findings about the
    /// value are reported.
    pub(crate) inherited: bool,
}

impl<T> At<T> {
    pub(crate) fn new(value: T, span: Span) -> Self {
        Self { value, span, inherited: false }
    }

    /// Returns the value unless it is inherited.
    pub(crate) fn written_here(&self) -> Option<&Self> {
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
pub(crate) struct Record {
    pub(crate) kind: Kind,
    /// Name of the entry's folder.
    pub(crate) key: String,
    pub(crate) locale: Locale,
    /// Path below the content folder.
    pub(crate) file: String,
    /// The number of bytes before the text.
    pub(crate) body_start: usize,
    pub(crate) checksum: Checksum,
    /// The fields that most kinds have.
    pub(crate) head: Head,
    /// The fields of this kind; `None` if the front matter could not be read.
    pub(crate) facts: Option<Facts>,
    /// The unreadable fields of this file.
    pub(crate) lost: Lost,
    /// The unreadable fields of the other language's file, from which shared fields are inherited.
    pub(crate) twin_lost: Lost,
    /// `None` if the file could not be read.
    pub(crate) prose: Option<Prose>,
    /// The text itself, for firms of the network only.
    pub(crate) note: Option<String>,
}

impl Record {
    pub(crate) fn place(&self, span: Span) -> Place {
        Place::new(self.file.as_str(), span)
    }

    /// Returns whether a shared field is unreadable in one of the two files.
    pub(crate) fn shares_lost(&self, field: &str) -> bool {
        self.lost.has(field) || self.twin_lost.has(field)
    }
}

/// The fields that are present but unreadable. They have findings of their own, so no check treats them as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lost {
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
    pub(crate) fn has(&self, field: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::Fields(fields) => fields.contains(&field),
            Self::All => true,
        }
    }
}

/// The fields that most kinds have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    /// `title` or `name`.
    pub(crate) title: Option<At<String>>,
    pub(crate) slug: Option<At<Slug>>,
    /// `description`, `summary` or `excerpt`.
    pub(crate) description: Option<At<String>>,
    pub(crate) updated: Option<At<Date>>,
    pub(crate) aliases: Vec<At<Slug>>,
    pub(crate) reviewed: Option<At<Review>>,
}

/// The fields that a kind has in addition to its [`Head`].
#[derive(Clone, Debug)]
pub(crate) enum Facts {
    Area(AreaFacts),
    Member(Box<MemberFacts>),
    Article(Box<ArticleFacts>),
    Associate(Box<AssociateFacts>),
    Contact(Box<ContactFacts>),
    Page,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct AreaFacts {
    pub(crate) order: Option<At<i64>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct MemberFacts {
    pub(crate) order: Option<At<i64>>,
    pub(crate) title: Option<At<String>>,
    pub(crate) name_language: Option<At<String>>,
    pub(crate) email: Option<At<Email>>,
    pub(crate) telephone: Option<At<String>>,
    pub(crate) linkedin: Option<At<Uri>>,
    pub(crate) bar: Option<At<String>>,
    pub(crate) languages: Option<At<Vec<At<String>>>>,
    pub(crate) practice_areas: Option<At<Vec<At<String>>>>,
    pub(crate) portrait: Option<At<String>>,
    pub(crate) portrait_alt: Option<At<String>>,
    pub(crate) portrait_focus: Option<At<Focus>>,
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
pub(crate) struct ArticleFacts {
    pub(crate) date: Option<At<Date>>,
    pub(crate) author: Option<At<String>>,
    pub(crate) authors: Option<At<Vec<At<String>>>>,
    pub(crate) category: Option<At<String>>,
    pub(crate) tags: Option<At<Vec<At<String>>>>,
    pub(crate) draft: Option<At<bool>>,
    pub(crate) publish: Option<At<Timestamp>>,
    pub(crate) expires: Option<At<Timestamp>>,
    /// In the order of the file.
    pub(crate) changes: Vec<Change>,
}

/// A change of a publication, shown to readers.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) date: Option<At<Date>>,
    pub(crate) text: Option<At<String>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct AssociateFacts {
    pub(crate) country: Option<At<String>>,
    pub(crate) city: Option<At<String>>,
    pub(crate) relation: Option<At<NetworkRelation>>,
    pub(crate) network: Option<At<String>>,
    pub(crate) url: Option<At<Uri>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ContactFacts {
    pub(crate) email: Option<At<Email>>,
    pub(crate) telephone: Option<At<String>>,
    pub(crate) telephone_display: Option<At<String>>,
    pub(crate) address: Option<At<String>>,
    /// The main office first; empty if the entry gives an address in one line.
    pub(crate) offices: Vec<At<Office>>,
    pub(crate) directions: Option<At<Uri>>,
    pub(crate) linkedin: Option<At<Uri>>,
    pub(crate) hours: Option<At<Hours>>,
    pub(crate) languages: Option<At<Vec<At<String>>>>,
}

/// An office, with its readable fields.
#[derive(Clone, Debug)]
pub(crate) struct Office {
    pub(crate) key: Option<At<String>>,
    pub(crate) name: Option<At<String>>,
    pub(crate) street: Option<At<String>>,
    pub(crate) postal_code: Option<At<String>>,
    pub(crate) city: Option<At<String>>,
    pub(crate) country: Option<At<String>>,
    pub(crate) telephone: Option<At<String>>,
    pub(crate) email: Option<At<Email>>,
    pub(crate) hours: Option<At<Hours>>,
    pub(crate) directions: Option<At<Uri>>,
    /// The unreadable fields.
    pub(crate) lost: Vec<&'static str>,
}

/// Office hours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hours {
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
    pub(crate) fn author_keys(&self) -> impl Iterator<Item = &At<String>> {
        let one = self.author.as_ref();
        let others = self.authors.iter().flat_map(|list| &list.value);
        one.into_iter().chain(others.filter(move |key| one.is_none_or(|one| one.value != key.value)))
    }
}
