//! Checks of links inside the site.

use std::cell::{Cell, OnceCell};

use content::{Kind, ProseLink, Record};
use contract::routes;
use findings::{
    Code, Finding,
    messages::{self, Text},
    nearest,
};
use jiff::Timestamp;

use super::{
    anchors::with_anchors,
    published::{Times, expires},
    references::with_misnamed_folder,
    targets::{AddressTarget, Addresses},
};
use crate::{Draft, PageKind, Status};

/// Kinds that links may name.
const KINDS: [Kind; 4] = [Kind::PracticeAreas, Kind::Team, Kind::Publications, Kind::Pages];

/// Maximum number of searches for the intended word, which are slow on a large site.
const SUGGESTIONS: u32 = 100;

pub(super) fn targets(draft: &Draft, findings: &mut Vec<Finding>) {
    let links = LinkChecks { draft, addresses: OnceCell::new(), suggestions: Cell::new(SUGGESTIONS) };
    for record in &draft.records {
        let Some(prose) = &record.prose else { continue };
        for link in &prose.links {
            findings.extend(match link.destination.as_bytes().first() {
                Some(b'@') => links.entry(record, link),
                Some(b'/') => links.address(record, link),
                _ => None,
            });
        }
    }
}

fn finding(record: &Record, link: &ProseLink, code: Code, message: Text) -> Finding {
    Finding::new(code, record.place(link.span), message)
}

/// Splits a destination into the part before `#` and the anchor.
fn parts(destination: &str) -> (&str, Option<&str>) {
    match destination.split_once('#') {
        Some((target, anchor)) => (target, Some(anchor)),
        None => (destination, None),
    }
}

fn kinds() -> Text {
    messages::kinds_help(KINDS.map(Kind::folder).join(", "))
}

struct LinkChecks<'a> {
    draft: &'a Draft,
    /// Collected on demand.
    addresses: OnceCell<Addresses<'a>>,
    /// Remaining searches for an intended word.
    suggestions: Cell<u32>,
}

impl LinkChecks<'_> {
    /// Checks a link `@/kind/key#anchor`.
    fn entry(&self, record: &Record, link: &ProseLink) -> Option<Finding> {
        let (target, anchor) = parts(&link.destination);
        let Some((kind, key)) = target.strip_prefix("@/").and_then(|rest| rest.split_once('/')) else {
            let message = messages::link_malformed(target);
            return Some(finding(record, link, Code::LINK_FORM, message).help(kinds()));
        };
        let Some(kind) = Kind::parse(kind).filter(|kind| kind.has_page()) else {
            return Some(self.unknown_kind(record, link, kind, key));
        };
        if kind == Kind::Pages && PageKind::of(key) == PageKind::NotFound {
            let message = messages::page_without_address(key);
            return Some(
                finding(record, link, Code::LINK_TO_NOTHING, message).help(messages::page_without_address_help()),
            );
        }
        let Some(target) = self.draft.record(kind, key, record.locale) else {
            // The missing translation has its own finding.
            let is_reported = !kind.may_lack_translation(key) && self.draft.has(kind, key);
            return (!is_reported).then(|| self.unknown_entry(record, link, kind, key));
        };
        if let Some(found) = self.unpublished(record, link, target) {
            return Some(found);
        }
        missing_anchor(record, link, target, anchor?)
    }

    fn unknown_kind(&self, record: &Record, link: &ProseLink, kind: &str, key: &str) -> Finding {
        let found = finding(record, link, Code::LINK_KIND, messages::kind_without_pages(kind));
        let page = match Kind::parse(kind) {
            Some(Kind::Contact) => Some("contact"),
            Some(kind) => kind.list_page(),
            None => None,
        };
        if let Some(page) = page.filter(|page| self.draft.has(Kind::Pages, page)) {
            return found.label(messages::words_to_write(format!("@/pages/{page}")));
        }
        match nearest(kind, KINDS.map(Kind::folder)) {
            Some(word) => found.did_you_mean(Some(&format!("@/{word}/{key}"))),
            None => found.help(kinds()),
        }
    }

    fn unknown_entry(&self, record: &Record, link: &ProseLink, kind: Kind, key: &str) -> Finding {
        let folder = kind.folder();
        let Some(twin) = self.draft.record(kind, key, record.locale.other()) else {
            let found = finding(record, link, Code::LINK_TO_NOTHING, messages::entry_unknown(kind.noun(), key));
            if let Some(name) = self.suggest(|| self.draft.misnamed_folder(kind, key)) {
                return with_misnamed_folder(found, name, key);
            }
            // Authors may write the slug instead of the key.
            let suggestion = || self.draft.key_of_slug(kind, key).or_else(|| nearest(key, self.draft.keys(kind)));
            return match self.suggest(suggestion) {
                Some(word) => found.did_you_mean(Some(&format!("@/{folder}/{word}"))),
                None => found.help(messages::entry_unknown_help(folder)),
            };
        };
        let (here, there) = (messages::language(record.locale), messages::language(twin.locale));
        let message = messages::entry_in_other_language(kind.noun(), key, there.clone(), here);
        let found = finding(record, link, Code::LINK_OTHER_LANGUAGE, message);
        match self.draft.path(twin) {
            Some(path) => found.help(messages::entry_in_other_language_help(there, path)),
            None => found.help(messages::link_target_untranslated_help(folder, key, record.locale)),
        }
    }

    /// Returns the moment at which the links of a text are judged; `None` if the text is not published.
    fn since(&self, record: &Record) -> Option<Timestamp> {
        match self.draft.status(record) {
            Status::Published => Some(self.draft.now),
            // A link that would fail that build is reported now.
            Status::Early(moment) => Some(moment),
            Status::Draft | Status::Expired(_) | Status::Unknown => None,
        }
    }

    /// Checks a link to an entry that is unpublished or will expire.
    fn unpublished(&self, record: &Record, link: &ProseLink, target: &Record) -> Option<Finding> {
        let since = self.since(record)?;
        let key = &target.key;
        let status = self.draft.status_at(target, since);
        let why = match status {
            Status::Draft => messages::target_draft(key),
            Status::Early(moment) => messages::target_early(key, moment),
            Status::Expired(moment) if moment > self.draft.now => messages::target_expiring(key, moment),
            Status::Expired(moment) => messages::target_expired(key, moment),
            Status::Unknown => return None,
            Status::Published => return expiring(record, link, target, since),
        };
        let remedy = match status {
            Status::Expired(_) => messages::target_expired_help(),
            _ => messages::target_unpublished_help(),
        };
        if since == self.draft.now {
            return Some(finding(record, link, Code::LINK_NOT_PUBLISHED, why).help(remedy));
        }
        let message = messages::link_before_target(why, since);
        let found = finding(record, link, Code::LINK_EXPIRES, message);
        Some(found.help(messages::link_refused_later_help()).help(remedy))
    }

    /// Checks a link to an archive, which exists only while an article in it is published.
    ///
    /// The finding is an early warning: once the last article has expired, the link leads nowhere, and the build that
    /// removes the article would fail. A text that is not yet published is judged at its own moment, at which it may be
    /// the first article of the archive.
    fn archive(&self, record: &Record, link: &ProseLink, path: &str, times: &Times) -> Option<Finding> {
        let since = self.since(record)?;
        let until = times.until(since);
        if until == Some(Timestamp::MAX) || is_outlived(record, until.unwrap_or(since)) {
            return None;
        }
        let (message, what) = match until {
            Some(until) => (messages::archive_ending(path, until), messages::link_refused_later_help()),
            None if self.draft.drafts => {
                (messages::archive_expired(path), messages::link_refused_without_drafts_help())
            }
            None if since == self.draft.now => return Some(self.nothing_at(record, link, path)),
            None => (messages::archive_empty(path, since), messages::link_refused_later_help()),
        };
        Some(finding(record, link, Code::LINK_EXPIRES, message).help(what).help(messages::archive_help()))
    }

    fn addresses(&self) -> &Addresses<'_> {
        self.addresses.get_or_init(|| Addresses::of(self.draft))
    }

    /// Checks a link to an address of this site.
    fn address(&self, record: &Record, link: &ProseLink) -> Option<Finding> {
        let addresses = self.addresses();
        let (target, anchor) = parts(&link.destination);
        let path = target.split('?').next().unwrap_or_default();
        match addresses.answer(path) {
            Some(AddressTarget::Moved(current)) => {
                let message = messages::address_former(path);
                let found = finding(record, link, Code::LINK_REDIRECTS, message);
                return Some(found.label(messages::words_to_write(current)));
            }
            Some(answer) => {
                return self.check_target(record, link, (path, anchor), &answer).or_else(|| with_origin(record, link));
            }
            None => {}
        }
        let bare = path.trim_end_matches('/');
        if let Some(answer) = addresses.answer(bare).filter(|_| !bare.is_empty()) {
            let found = finding(record, link, Code::LINK_REDIRECTS, messages::address_with_slash());
            let current = if let AddressTarget::Moved(current) = &answer { current } else { bare };
            let found = found.label(messages::words_to_write(current));
            return self.check_target(record, link, (bare, anchor), &answer).or(Some(found));
        }
        if addresses.may_answer(bare) {
            return None;
        }
        if path == routes::SECURITY_TXT {
            // An expired file is left out so that builds still succeed; so a link to it is only a warning.
            let message = messages::security_text_expired();
            let found = finding(record, link, Code::LINK_EXPIRES, message);
            return Some(found.help(messages::security_text_expired_help()));
        }
        let found = self.nothing_at(record, link, path);
        Some(found.did_you_mean(self.suggest(|| nearest(path, addresses.all()))))
    }

    /// Checks a link by the target at its address.
    fn check_target(
        &self,
        record: &Record,
        link: &ProseLink,
        (path, anchor): (&str, Option<&str>),
        answer: &AddressTarget,
    ) -> Option<Finding> {
        match answer {
            AddressTarget::Page(page) => {
                self.unpublished(record, link, page).or_else(|| missing_anchor(record, link, page, anchor?))
            }
            // Unless an article with an unreadable category or date may be in the archive.
            AddressTarget::Archive(times) if !self.addresses().may_answer(path) => {
                self.archive(record, link, path, times)
            }
            AddressTarget::Archive(_) | AddressTarget::Moved(_) | AddressTarget::Fixed => None,
        }
    }

    /// Reports a link to an address without a target.
    fn nothing_at(&self, record: &Record, link: &ProseLink, path: &str) -> Finding {
        let found = finding(record, link, Code::LINK_ADDRESS, messages::link_to_nothing(path));
        if path.starts_with(&format!("{}/", routes::ASSETS)) {
            found.help(messages::asset_address_help())
        } else if self.addresses().could_be_archive(path) {
            found.help(messages::archive_help())
        } else if routes::JSON_PREFIXES.iter().any(|prefix| path.starts_with(prefix)) {
            // No entries are below these prefixes.
            found
        } else {
            found.help(messages::entry_address_help())
        }
    }

    /// Searches for the intended word, up to [`SUGGESTIONS`] times.
    fn suggest<'w>(&self, look: impl FnOnce() -> Option<&'w str>) -> Option<&'w str> {
        let left = self.suggestions.get().checked_sub(1)?;
        self.suggestions.set(left);
        look()
    }
}

/// Returns whether a text has expired at `moment`, so that its links no longer matter.
fn is_outlived(record: &Record, moment: Timestamp) -> bool {
    expires(record).is_some_and(|own| own <= moment)
}

/// Checks a link from `record`, which is published from `since` on, to an entry that will expire.
fn expiring(record: &Record, link: &ProseLink, target: &Record, since: Timestamp) -> Option<Finding> {
    let gone = expires(target)?;
    if is_outlived(record, gone.max(since)) {
        return None;
    }
    let (message, what) = if gone > since {
        (messages::target_expiring(&target.key, gone), messages::link_refused_later_help())
    } else {
        // Only `--drafts` publishes expired entries.
        (messages::target_expired(&target.key, gone), messages::link_refused_without_drafts_help())
    };
    Some(finding(record, link, Code::LINK_EXPIRES, message).help(what))
}

/// Checks for a link to a page of this site with the site's origin.
fn with_origin(record: &Record, link: &ProseLink) -> Option<Finding> {
    if !link.has_origin {
        return None;
    }
    let found = finding(record, link, Code::LINK_REDIRECTS, messages::address_with_origin());
    Some(found.label(messages::words_to_write(&link.destination)))
}

fn missing_anchor(record: &Record, link: &ProseLink, target: &Record, anchor: &str) -> Option<Finding> {
    // Without readable front matter, the text was not read either.
    let prose = target.prose.as_ref().filter(|_| target.is_readable())?;
    if prose.anchors().any(|id| id == anchor) {
        return None;
    }
    let message = messages::heading_unknown(anchor, &target.file);
    Some(with_anchors(finding(record, link, Code::LINK_ANCHOR, message), anchor, prose.anchors()))
}
