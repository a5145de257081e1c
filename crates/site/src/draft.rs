//! The content as it was read: the input of the checks.

use content::{Folder, Kind, Record, SettingsDraft};
use contract::{Locale, text::Slug};
use jiff::{Timestamp, civil, tz::TimeZone};
use markdown::turkish;
use std::collections::BTreeMap;

use super::{Document, FileFacts, PageKind};

/// The files of a site, read and paired.
#[derive(Debug)]
pub struct Draft {
    /// Sorted by kind, key and locale.
    pub(crate) records: Vec<Record>,
    pub(crate) settings: SettingsDraft,
    /// Pictures and documents, by path below the content folder.
    pub(crate) files: BTreeMap<String, FileFacts>,
    /// Reads texts again.
    pub(crate) folder: Folder,
    /// The time of the build.
    pub(crate) now: Timestamp,
    /// Whether drafts, early and expired entries are shown as well.
    pub(crate) drafts: bool,
}

/// The visibility of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Published,
    Draft,
    /// The entry is published at this moment.
    Early(Timestamp),
    /// The entry expired at this moment.
    Expired(Timestamp),
    /// A field that decides could not be read.
    Unknown,
}

/// Returns the addresses on a former site that redirect to an entry. A person's two files share their slugs only.
pub(crate) fn former_addresses(record: &Record) -> impl Iterator<Item = &str> {
    record.head.former.iter().filter(|address| address.is_written_here()).map(|address| address.value.as_str())
}

impl Draft {
    /// Returns the date of the build, in UTC.
    pub(crate) fn today(&self) -> civil::Date {
        self.now.to_zoned(TimeZone::UTC).date()
    }

    /// Returns whether there is a security contact whose last day has not passed.
    pub(crate) fn has_security_contact(&self) -> bool {
        let today = self.today().to_string();
        self.settings.security_expires.as_ref().is_some_and(|expires| expires.value.as_str() >= today.as_str())
    }

    /// Returns the record of an entry in one locale.
    pub(crate) fn record(&self, kind: Kind, key: &str, locale: Locale) -> Option<&Record> {
        let at = self
            .records
            .binary_search_by(|record| (record.kind, record.key.as_str(), record.locale).cmp(&(kind, key, locale)))
            .ok()?;
        self.records.get(at)
    }

    /// Returns the record of the same entry in the other locale.
    pub(crate) fn twin(&self, record: &Record) -> Option<&Record> {
        self.record(record.kind, &record.key, record.locale.other())
    }

    /// Returns whether the file of the other language is missing although it is required.
    pub(crate) fn lacks_translation(&self, record: &Record) -> bool {
        !record.kind.may_lack_translation(&record.key) && self.twin(record).is_none()
    }

    pub(crate) fn of_kind(&self, kind: Kind) -> &[Record] {
        let first = self.records.partition_point(|record| record.kind < kind);
        let behind = self.records.partition_point(|record| record.kind <= kind);
        &self.records[first..behind]
    }

    /// Returns the folder names of a kind, in any language, each once.
    fn folders(&self, kind: Kind) -> impl Iterator<Item = &str> {
        let mut last = None;
        self.of_kind(kind).iter().map(|record| record.key.as_str()).filter(move |key| last.replace(*key) != Some(*key))
    }

    /// Returns the keys of a kind: the names of its folders, except those that cannot be keys.
    pub(crate) fn keys(&self, kind: Kind) -> impl Iterator<Item = &str> {
        self.folders(kind).filter(|key| Slug::parse(key).is_ok())
    }

    /// Returns the folder whose name is not a valid key but would be `key` as a slug.
    pub(crate) fn misnamed_folder(&self, kind: Kind, key: &str) -> Option<&str> {
        self.folders(kind).find(|name| Slug::parse(name).is_err() && turkish::slug(name, Locale::Tr) == key)
    }

    /// Returns the key of the entry that has this slug in any language.
    pub(crate) fn key_of_slug(&self, kind: Kind, slug: &str) -> Option<&str> {
        let has_slug = |record: &&Record| record.head.slug.as_ref().is_some_and(|own| own.value.as_str() == slug);
        self.records.iter().filter(|record| record.kind == kind).find(has_slug).map(|record| record.key.as_str())
    }

    /// Returns whether an entry exists in any language.
    pub(crate) fn has(&self, kind: Kind, key: &str) -> bool {
        Locale::ALL.into_iter().any(|locale| self.record(kind, key, locale).is_some())
    }

    /// Returns the status of an entry at the time of the build.
    pub(crate) fn status(&self, record: &Record) -> Status {
        self.status_at(record, self.now)
    }

    /// Returns the status of an entry at a moment, with drafts if the build shows them.
    pub(crate) fn status_at(&self, record: &Record, moment: Timestamp) -> Status {
        match (record.is_readable(), self.drafts) {
            (true, true) => Status::Published,
            (false, false) if record.kind == Kind::Publications => Status::Unknown,
            _ => Self::public_status_at(record, moment),
        }
    }

    /// Returns the status of an entry at a moment on the public site.
    pub(crate) fn public_status_at(record: &Record, moment: Timestamp) -> Status {
        if record.kind != Kind::Publications || !record.is_readable() {
            return Status::Published;
        }
        let is_lost =
            || ["draft", "publish", "expires"].into_iter().any(|name| !record.has(name) && record.shares_lost(name));
        let time = |name| record.values.get::<Timestamp>(name).map(|at| at.value);
        let publish = time("publish").filter(|publish| *publish > moment);
        let expires = time("expires").filter(|expires| *expires <= moment);
        match (publish, expires) {
            _ if record.values.get("draft").is_some_and(|draft| draft.value) => Status::Draft,
            (_, Some(moment)) => Status::Expired(moment),
            _ if is_lost() => Status::Unknown,
            (Some(moment), None) => Status::Early(moment),
            (None, None) => Status::Published,
        }
    }

    /// Returns the slug of the list page of a kind.
    pub(crate) fn section(&self, kind: Kind, locale: Locale) -> Option<&Slug> {
        let page = self.record(Kind::Pages, kind.list_page()?, locale)?;
        page.head.slug.as_ref().map(|slug| &slug.value)
    }

    /// Returns the public path of an entry; `None` for entries without a page or with unreadable slugs.
    pub(crate) fn path(&self, record: &Record) -> Option<String> {
        let slug = record.head.slug.as_ref().map(|slug| &slug.value);
        match record.kind {
            Kind::Network | Kind::Contact => None,
            Kind::Pages => match PageKind::of(&record.key) {
                PageKind::Home => Some(Document::path_of(record.locale, None, None)),
                PageKind::NotFound => None,
                _ => Some(Document::path_of(record.locale, None, Some(slug?))),
            },
            kind => Some(Document::path_of(record.locale, Some(self.section(kind, record.locale)?), Some(slug?))),
        }
    }

    /// Returns the former paths of an entry, including those with former slugs of its section.
    pub(crate) fn former_paths(&self, record: &Record) -> Vec<String> {
        let page = || self.record(Kind::Pages, record.kind.list_page()?, record.locale);
        if record.head.aliases.is_empty() && page().is_none_or(|page| page.head.aliases.is_empty()) {
            return Vec::new();
        }
        let Some(path) = self.path(record) else { return Vec::new() };
        let slugs: Vec<&Slug> = record.head.slug.iter().chain(&record.head.aliases).map(|slug| &slug.value).collect();
        let mut paths: Vec<String> = if record.kind == Kind::Pages {
            slugs.into_iter().map(|slug| Document::path_of(record.locale, None, Some(slug))).collect()
        } else {
            let sections = page().into_iter().flat_map(|page| page.head.slug.iter().chain(&page.head.aliases));
            sections
                .flat_map(|section| slugs.iter().map(|slug| (&section.value, *slug)))
                .map(|(section, slug)| Document::path_of(record.locale, Some(section), Some(slug)))
                .collect()
        };
        paths.retain(|former| *former != path);
        paths.sort();
        paths.dedup();
        paths
    }
}
