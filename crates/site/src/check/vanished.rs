//! Public addresses of an earlier state of the content that the present one does not answer.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use content::{CategoryDraft, Kind, Record, SETTINGS};
use contract::{Locale, text::Slug};
use findings::{
    Code, Finding, Place,
    messages::{self, Text},
};
use markdown::is_document;

use super::{
    published::{ArchiveKind, FEEDS, archives, is_published, paths_beside},
    redirects::cited_laws,
    targets::Addresses,
};
use crate::{
    Document, Draft, document_path, draft::former_addresses, laws_path, referenced_files, twin_path, well_known,
};

/// Returns a finding for each address of `before` that `now` does not answer, with what keeps it. Both drafts have the
/// same time of build, so an address that only the time removes is in neither.
pub(crate) fn find(before: &Draft, now: &Draft) -> Vec<Finding> {
    let files_now = public_files(now);
    let comparison = AddressComparison { before, now, addresses: Addresses::of(now), files_now };
    let mut findings = Vec::new();
    for record in before.records.iter().filter(|record| is_published(before, record)) {
        comparison.entry(record, &mut findings);
    }
    comparison.archives(&mut findings);
    comparison.laws(&mut findings);
    comparison.files(&mut findings);
    findings
}

/// Returns the files that public entries show or link to.
fn public_files(draft: &Draft) -> HashSet<String> {
    let public = draft.records.iter().filter(|record| is_published(draft, record));
    public.flat_map(referenced_files).filter(|file| draft.files.contains_key(file)).collect()
}

struct AddressComparison<'a> {
    before: &'a Draft,
    now: &'a Draft,
    /// The addresses of `now`.
    addresses: Addresses<'a>,
    files_now: HashSet<String>,
}

impl AddressComparison<'_> {
    fn is_gone(&self, path: &str) -> bool {
        self.addresses.public_answer(path).is_none()
    }

    /// Returns the path of a slug of the earlier state below the present slug of its section: a former slug of the
    /// section leads to all its entries, so that only the section is reported if that is missing.
    fn path(&self, kind: Kind, locale: Locale, slug: &Slug) -> Option<String> {
        if kind == Kind::Pages {
            return Some(Document::path_of(locale, None, Some(slug)));
        }
        let section = self.now.section(kind, locale).or_else(|| self.before.section(kind, locale))?;
        Some(Document::path_of(locale, Some(section), Some(slug)))
    }

    /// Checks the address of an entry, its former ones, and those of its feeds and cards.
    fn entry(&self, record: &Record, findings: &mut Vec<Finding>) {
        let (Some(path), Some(slug)) = (self.before.path(record), &record.head.slug) else { return };
        let path_of = |slug: &Slug| self.path(record.kind, record.locale, slug);
        let is_lost = |slug: &Slug| path_of(slug).is_some_and(|path| self.is_gone(&path));
        let aliases = record.head.aliases.iter().filter(|alias| is_lost(&alias.value));
        let aliases = aliases.filter_map(|alias| Some((path_of(&alias.value)?, alias.value.to_string())));
        let addresses = former_addresses(record).filter(|address| self.is_gone(address));
        let mut lost: Vec<(String, String)> =
            aliases.chain(addresses.map(|address| (address.to_owned(), address.to_owned()))).collect();
        let present = self.now.record(record.kind, &record.key, record.locale);
        let is_public = present.is_some_and(|present| is_published(self.now, present));
        let place = present.map_or_else(|| Place::file(record.file.as_str()), |present| self.place_of_slug(present));
        let is_gone = is_lost(&slug.value);
        if is_gone {
            // One finding names everything that the list must have.
            let names = std::iter::once(slug.value.as_str()).chain(lost.iter().map(|(_, name)| name.as_str()));
            let finding = Finding::new(Code::ADDRESS_GONE, place.clone(), messages::address_gone(&path));
            let finding = finding.help(remedy(present, is_public, &in_list(names)));
            let beside = if is_public { Vec::new() } else { self.beside(record, &path) };
            findings.push(if beside.is_empty() {
                finding
            } else {
                finding.help(messages::address_gone_with(beside.join(", ")))
            });
            lost.clear();
        }
        for (path, name) in lost {
            let finding = Finding::new(Code::ADDRESS_GONE, place.clone(), messages::address_gone(path));
            findings.push(finding.help(remedy(present, is_public, &in_list([name.as_str()].into_iter()))));
        }
        let files: Vec<String> = paths_beside(self.before, record, &path)
            .into_iter()
            .filter(|file| !is_gone && self.is_gone(file))
            .map(|file| format!("`{file}`"))
            .collect();
        // Below another slug of the section they are reported with the section.
        if !files.is_empty() && path_of(&slug.value).as_ref() == Some(&path) {
            let finding = Finding::new(Code::ADDRESS_GONE, place, messages::files_beside_gone(files.join(", ")));
            findings.push(finding.help(messages::feeds_and_cards_gone_help()));
        }
    }

    /// Returns the place of a slug; that of a person is in either file.
    fn place_of_slug(&self, record: &Record) -> Place {
        let Some(slug) = &record.head.slug else { return Place::file(record.file.as_str()) };
        let twin = self.now.twin(record).filter(|_| slug.inherited);
        twin.unwrap_or(record).place(slug.span)
    }

    /// Returns what is withdrawn with a text: its Markdown, its feeds and cards, and its pictures.
    fn beside(&self, record: &Record, path: &str) -> Vec<String> {
        let paths = std::iter::once(twin_path(path)).chain(paths_beside(self.before, record, path));
        let pictures = referenced_files(record).filter(|file| !is_document(file));
        let pictures = pictures.filter(|file| self.before.files.contains_key(file) && !self.files_now.contains(file));
        let pictures: BTreeSet<String> = pictures.collect();
        paths.chain(pictures).map(|it| format!("`{it}`")).collect()
    }

    /// Checks the lists of years and of categories.
    fn archives(&self, findings: &mut Vec<Finding>) {
        let public = self.before.records.iter().filter(|record| is_published(self.before, record));
        let all: BTreeSet<(Locale, ArchiveKind)> =
            public.flat_map(|record| archives(self.before, record).map(|archive| (record.locale, archive))).collect();
        for (locale, archive) in all {
            let Some(slug) = archive.slug(self.before, locale) else { continue };
            let path = |draft: &Draft| {
                let section = draft.section(Kind::Publications, locale)?;
                Some(format!("/{locale}/{}/{slug}", section.as_str()))
            };
            let (Some(address), Some(wanted)) = (path(self.before), path(self.now)) else { continue };
            let category = match archive {
                ArchiveKind::Year(_) => None,
                ArchiveKind::Category(at) => self.before.settings.categories.get(at),
            };
            let lost = category.into_iter().flat_map(|category| &category.aliases).map(|alias| &alias.value);
            let lost = lost.filter(|alias| {
                let former = wanted.rsplit_once('/').map(|(section, _)| format!("{section}/{alias}"));
                former.is_some_and(|former| self.is_gone(&former))
            });
            let mut lost: Vec<&str> = lost.map(Slug::as_str).collect();
            if self.is_gone(&wanted) {
                lost.insert(0, &slug);
            }
            let Some(first) = lost.first() else { continue };
            let address =
                address.rsplit_once('/').map_or_else(String::new, |(section, _)| format!("{section}/{first}"));
            let message = messages::address_gone(&address);
            findings.push(match category.map(|category| self.category(category)) {
                Some(Some(present))
                    if present.slug[locale].as_ref().is_some_and(|slug| !self.is_gone_below(locale, &slug.value)) =>
                {
                    let place = present.slug[locale]
                        .as_ref()
                        .map_or(Place::file(SETTINGS), |slug| Place::new(SETTINGS, slug.span));
                    let finding = Finding::new(Code::ADDRESS_GONE, place, message);
                    finding.help(messages::address_of_category_gone_help(in_toml_list(lost.iter().copied())))
                }
                Some(None) => {
                    let finding = Finding::new(Code::ADDRESS_GONE, Place::file(SETTINGS), message);
                    finding.help(messages::category_gone_help(in_toml_list(lost.iter().copied())))
                }
                _ => {
                    let page = self.now.record(Kind::Pages, Kind::Publications.folder(), locale);
                    let place = page.map_or(Place::file(SETTINGS), |page| self.place_of_slug(page));
                    let finding = Finding::new(Code::ADDRESS_GONE, place, message);
                    let finding = finding.help(messages::archive_gone_help(&address));
                    if category.is_none() {
                        finding
                    } else {
                        let feeds = FEEDS.map(|feed| format!("`{address}{feed}`"));
                        finding.help(messages::address_gone_with(feeds.join(", ")))
                    }
                }
            });
        }
    }

    /// Returns whether the list of publications with this slug is not public.
    fn is_gone_below(&self, locale: Locale, slug: &Slug) -> bool {
        self.path(Kind::Publications, locale, slug).is_none_or(|path| self.is_gone(&path))
    }

    /// Returns the present category of the same key.
    fn category(&self, category: &CategoryDraft) -> Option<&CategoryDraft> {
        let key = category.key.as_ref()?;
        self.now.settings.categories.iter().find(|other| other.key.as_ref() == Some(key))
    }

    /// Checks the pages of laws, which are there as long as a public text cites the law.
    fn laws(&self, findings: &mut Vec<Finding>) {
        for (locale, law) in cited_laws(self.before) {
            let path = format!("{}{law}", laws_path(locale));
            if !self.is_gone(&path) {
                continue;
            }
            let articles = self.before.of_kind(Kind::Publications).iter();
            let mut articles = articles.filter(|it| it.locale == locale && is_published(self.before, it));
            let Some(article) = articles.find(|it| it.cites.iter().any(|cited| cited.law() == Some(law))) else {
                continue;
            };
            let present = self.now.record(article.kind, &article.key, locale);
            let place = present.map_or(Place::file(article.file.as_str()), |present| self.place_of_slug(present));
            let finding = Finding::new(Code::ADDRESS_GONE, place, messages::address_gone(path));
            findings.push(finding.help(messages::address_of_law_gone_help()));
        }
    }

    /// Checks the documents that texts link to, and the files of `well-known`.
    fn files(&self, findings: &mut Vec<Finding>) {
        let documents = |files: &HashSet<String>| -> BTreeMap<String, String> {
            let documents = files.iter().filter(|file| is_document(file));
            documents.map(|file| (document_path(file), file.clone())).collect()
        };
        let (then, now) = (documents(&public_files(self.before)), documents(&self.files_now));
        for (address, file) in then.iter().filter(|(address, _)| !now.contains_key(*address)) {
            let name = file.rsplit('/').next().unwrap_or(file);
            let help = if self.now.files.contains_key(file) {
                messages::address_of_file_unlinked_help(name)
            } else {
                messages::address_of_file_gone_help(name)
            };
            let finding = Finding::new(Code::ADDRESS_GONE, Place::file(file.as_str()), messages::address_gone(address));
            findings.push(finding.help(help));
        }
        for (address, file) in well_known(self.before).filter(|(address, _)| self.is_gone(address)) {
            let finding = Finding::new(Code::ADDRESS_GONE, Place::file(file), messages::address_gone(address));
            findings.push(finding.help(messages::well_known_gone_help()));
        }
    }
}

/// Returns what keeps the addresses of an entry: `names` are those that `aliases` must have.
fn remedy(present: Option<&Record>, is_public: bool, names: &str) -> Text {
    let Some(present) = present else { return messages::address_gone_elsewhere_help(names) };
    let has_aliases = !present.head.aliases.is_empty() || !present.head.former.is_empty();
    match (is_public, has_aliases) {
        // What the text has itself can neither redirect to it nor be a former address elsewhere.
        (false, false) => messages::address_withdrawn_help(names),
        (false, true) => messages::address_withdrawn_more_help(names),
        (true, false) => messages::address_gone_help(names),
        (true, true) => messages::address_gone_more_help(names),
    }
}

/// Writes slugs and addresses as items of a list in YAML.
fn in_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let is_plain = |name: &str| {
        name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '/')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./".contains(letter))
            && name != "null"
    };
    let items = names.map(|name| if is_plain(name) { name.to_owned() } else { format!("\"{name}\"") });
    items.collect::<Vec<_>>().join(", ")
}

/// Writes slugs as items of a list in TOML.
fn in_toml_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}
