//! The values of one content file, not yet compared with other files.

use std::str::FromStr;

use citations::Cited;
use contract::{
    Locale, PerLocale,
    text::{Date, Slug},
};
use findings::{Place, Span};

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

    pub(crate) fn map<U>(self, into: impl FnOnce(T) -> U) -> At<U> {
        At { value: into(self.value), span: self.span, inherited: self.inherited }
    }

    pub fn is_written_here(&self) -> bool {
        !self.inherited
    }
}

impl<T: PartialEq> PartialEq for At<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// The values of a file or of a group, in the order of its rows. Equality ignores what could not be read.
#[derive(Clone, Debug, Default)]
pub struct Values {
    pub(super) found: Vec<(&'static str, At<FieldValue>)>,
    /// The fields that are present, even if they have no value or are unreadable.
    pub(super) present: Vec<&'static str>,
    /// The fields that are refused or misspelt, or contain such a field. They get no further findings.
    pub(super) failed: Vec<&'static str>,
}

/// A value that fits its type, as text in a canonical form, or several.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue {
    Text(String),
    List(Vec<At<String>>),
    Group(Values),
    Groups(Vec<At<Values>>),
}

static NO_VALUES: Values = Values { found: Vec::new(), present: Vec::new(), failed: Vec::new() };

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self.found == other.found
    }
}

impl Values {
    /// Returns a value in its canonical form.
    pub fn find(&self, name: &str) -> Option<&At<FieldValue>> {
        self.found.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    pub fn find_mut(&mut self, name: &str) -> Option<&mut At<FieldValue>> {
        self.found.iter_mut().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    pub fn set(&mut self, name: &'static str, value: At<FieldValue>) {
        match self.find_mut(name) {
            Some(known) => *known = value,
            None => self.found.push((name, value)),
        }
    }

    pub fn remove(&mut self, name: &str) {
        self.found.retain(|(known, _)| *known != name);
    }

    /// Returns whether the field is refused or misspelt, or contains such a field.
    pub fn has_failed(&self, name: &str) -> bool {
        self.failed.contains(&name)
    }

    /// Returns whether the field is present, even if it is unreadable.
    pub(super) fn has(&self, name: &str) -> bool {
        self.present.contains(&name)
    }

    /// Returns a single value; `None` if it is absent or unreadable.
    pub fn get<T: FromStr>(&self, name: &str) -> Option<At<T>> {
        self.parse(name, |text| text.parse().ok())
    }

    /// Returns a single value, of a type with a parser of its own.
    pub fn parse<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Option<At<T>> {
        let At { value: FieldValue::Text(text), span, inherited } = self.find(name)? else { return None };
        Some(At { value: parse(text)?, span: *span, inherited: *inherited })
    }

    pub fn list<T: FromStr>(&self, name: &str) -> Option<At<Vec<At<T>>>> {
        self.parse_list(name, |text| text.parse().ok())
    }

    pub(super) fn parse_list<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Option<At<Vec<At<T>>>> {
        let At { value: FieldValue::List(items), span, inherited } = self.find(name)? else { return None };
        let item =
            |item: &At<String>| Some(At { value: parse(&item.value)?, span: item.span, inherited: item.inherited });
        Some(At { value: items.iter().filter_map(item).collect(), span: *span, inherited: *inherited })
    }

    /// Returns the values of a group; none if it is absent.
    pub(super) fn group(&self, name: &str) -> &Self {
        match self.find(name) {
            Some(At { value: FieldValue::Group(values), .. }) => values,
            _ => &NO_VALUES,
        }
    }

    pub fn groups(&self, name: &str) -> &[At<Self>] {
        match self.find(name) {
            Some(At { value: FieldValue::Groups(groups), .. }) => groups,
            _ => &[],
        }
    }

    /// Returns the values of both languages.
    pub(super) fn each<T: FromStr>(&self, name: &str) -> PerLocale<Option<At<T>>> {
        PerLocale::build(|locale| self.group(name).get(locale.as_str()))
    }

    /// Returns the texts of both languages, unless one is absent.
    pub(super) fn both(&self, name: &str) -> Option<PerLocale<String>> {
        let PerLocale { en, tr } = self.each(name);
        Some(PerLocale { en: en?.value, tr: tr?.value })
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
    /// The fields.
    pub values: Values,
    /// The fields that most kinds have, once both languages are compared.
    pub head: Head,
    /// The unreadable fields of this file.
    pub lost: Lost,
    /// The unreadable fields of the other language's file, from which shared fields are inherited.
    pub twin_lost: Lost,
    /// `None` if the file could not be read.
    pub prose: Option<Prose>,
    /// The text itself, for firms of the network only.
    pub note: Option<String>,
    /// The laws and decisions that the file cites, each once, in the order of the text.
    pub cites: Vec<Cited>,
}

impl Record {
    pub fn place(&self, span: Span) -> Place {
        Place::new(self.file.as_str(), span)
    }

    /// Returns whether the front matter could be read.
    pub fn is_readable(&self) -> bool {
        self.lost != Lost::All
    }

    /// Returns whether the entry or its other language states a field.
    pub fn has(&self, field: &str) -> bool {
        self.values.find(field).is_some()
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
    /// Former slugs.
    pub aliases: Vec<At<Slug>>,
    /// Addresses on a former site, decoded: see [`contract::manifest::is_former_address`].
    pub former: Vec<At<String>>,
    pub reviewed: Option<At<Review>>,
}

impl Head {
    /// Returns these fields of an entry.
    pub fn of(kind: Kind, values: &Values) -> Self {
        let address = |text: &str| text.starts_with('/').then(|| text.to_owned());
        Self {
            title: values.get(if matches!(kind, Kind::Publications | Kind::Pages) { "title" } else { "name" }),
            slug: values.get("slug"),
            description: ["description", "summary", "excerpt"].into_iter().find_map(|name| values.get(name)),
            updated: values.get("updated"),
            aliases: values.list("aliases").map(|list| list.value).unwrap_or_default(),
            former: values.parse_list("aliases", address).map(|list| list.value).unwrap_or_default(),
            reviewed: values.get("reviewed"),
        }
    }
}

/// A point of a picture, in per cent of its width and height.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Focus {
    /// From the left.
    pub x: u8,
    /// From the top.
    pub y: u8,
}

impl Focus {
    /// Reads the notation of style sheets: `50% 30%`.
    pub fn parse(text: &str) -> Option<Self> {
        let (x, y) = text.split_once(char::is_whitespace)?;
        let per_cent = |part: &str| part.strip_suffix('%')?.parse().ok().filter(|number: &u8| *number <= 100);
        Some(Self { x: per_cent(x)?, y: per_cent(y.trim_start())? })
    }
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

impl OpeningHours {
    /// Returns the hours of the firm or of an office.
    pub fn of(values: &Values) -> Option<Self> {
        values.find("hours")?;
        let hours = values.group("hours");
        let text = |name| hours.get(name).map(|text| text.value);
        let days = hours.list("days").map(|days| days.value.into_iter().map(|day| day.value).collect());
        Some(Self {
            days: days.unwrap_or_default(),
            opens: text("opens"),
            closes: text("closes"),
            time_zone: text("time_zone"),
        })
    }
}
