//! Links inside the site.

use std::cell::{Cell, OnceCell};

use contract::routes;
use jiff::Timestamp;

use super::{
    entries::language,
    published::{Times, expires},
    references::renamed,
    targets::{Addresses, Answer},
    text::with_anchors,
};
use crate::{
    diagnostic::{Code, Finding, nearest},
    site::{Draft, PageKind, Status},
    source::{Kind, Link, Record},
};

/// Kinds that links may name.
const KINDS: [Kind; 4] = [Kind::PracticeAreas, Kind::Team, Kind::Publications, Kind::Pages];

/// What to know about a link to an archive that is not always there.
const ARCHIVES: &str =
    "an archive is there only while an article in it is published: link to `@/pages/publications` instead";

/// What becomes of a build with a link that leads nowhere one day.
const REFUSED: &str = "the build will refuse this link from then on";

/// What becomes of a link that only a build with `--drafts` takes.
const REFUSED_WITHOUT_DRAFTS: &str = "a build without `--drafts` refuses this link in a text that is published";

/// Looking for the intended word takes time on a large site: so it is done this many times at most.
const SUGGESTIONS: u32 = 100;

pub(super) fn targets(draft: &Draft, findings: &mut Vec<Finding>) {
    let links = Links { draft, addresses: OnceCell::new(), suggestions: Cell::new(SUGGESTIONS) };
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

fn finding(record: &Record, link: &Link, code: Code, message: String) -> Finding {
    Finding::new(code, record.place(link.span), message)
}

/// Splits a destination into the part before `#` and the anchor.
fn parts(destination: &str) -> (&str, Option<&str>) {
    match destination.split_once('#') {
        Some((target, anchor)) => (target, Some(anchor)),
        None => (destination, None),
    }
}

fn kinds() -> String {
    format!("kinds: {}", KINDS.map(Kind::folder).join(", "))
}

struct Links<'a> {
    draft: &'a Draft,
    /// Collected when the first link needs them.
    addresses: OnceCell<Addresses<'a>>,
    /// How many more times the intended word is looked for.
    suggestions: Cell<u32>,
}

impl Links<'_> {
    /// Checks a link `@/kind/key#anchor`.
    fn entry(&self, record: &Record, link: &Link) -> Option<Finding> {
        let (target, anchor) = parts(&link.destination);
        let Some((kind, key)) = target.strip_prefix("@/").and_then(|rest| rest.split_once('/')) else {
            let message = format!("`{target}` is not of the form `@/kind/key`");
            return Some(finding(record, link, Code::LINK_FORM, message).help(kinds()));
        };
        let Some(kind) = Kind::of_folder(kind).filter(|kind| kind.has_page()) else {
            return Some(self.unknown_kind(record, link, kind, key));
        };
        if kind == Kind::Pages && PageKind::of(key) == PageKind::NotFound {
            let message = format!("page `{key}` has no address: readers get it where nothing else is found");
            return Some(finding(record, link, Code::LINK_TO_NOTHING, message).help("link to another page"));
        }
        let Some(target) = self.draft.record(kind, key, record.locale) else {
            // The missing translation has been reported already, with what to do.
            let is_told = !kind.may_lack_translation(key) && self.draft.has(kind, key);
            return (!is_told).then(|| self.unknown_entry(record, link, kind, key));
        };
        if let Some(found) = self.unpublished(record, link, target) {
            return Some(found);
        }
        missing_anchor(record, link, target, anchor?)
    }

    fn unknown_kind(&self, record: &Record, link: &Link, kind: &str, key: &str) -> Finding {
        let found = finding(record, link, Code::LINK_KIND, format!("entries of `@/{kind}/…` have no pages to link to"));
        let page = match Kind::of_folder(kind) {
            Some(Kind::Contact) => Some("contact"),
            Some(kind) => kind.list_page(),
            None => None,
        };
        if let Some(page) = page.filter(|page| self.draft.has(Kind::Pages, page)) {
            return found.label(format!("write `@/pages/{page}`"));
        }
        match nearest(kind, KINDS.map(Kind::folder)) {
            Some(word) => found.did_you_mean(Some(&format!("@/{word}/{key}"))),
            None => found.help(kinds()),
        }
    }

    fn unknown_entry(&self, record: &Record, link: &Link, kind: Kind, key: &str) -> Finding {
        let folder = kind.folder();
        let Some(twin) = self.draft.record(kind, key, record.locale.other()) else {
            let found = finding(record, link, Code::LINK_TO_NOTHING, format!("there is no {} `{key}`", kind.noun()));
            if let Some(name) = self.look(|| self.draft.misnamed(kind, key)) {
                return renamed(found, name, key);
            }
            // The address of a page is easily taken for its key.
            let meant = || self.draft.key_of_slug(kind, key).or_else(|| nearest(key, self.draft.keys(kind)));
            return match self.look(meant) {
                Some(word) => found.did_you_mean(Some(&format!("@/{folder}/{word}"))),
                None => found.help(format!("the key is the name of a folder below `{folder}/`")),
            };
        };
        let (here, there) = (language(record.locale), language(twin.locale));
        let message = format!("{} `{key}` exists only in {there}, but this text is in {here}", kind.noun());
        let found = finding(record, link, Code::LINK_OTHER_LANGUAGE, message);
        match self.draft.path(twin) {
            Some(path) => {
                found.help(format!("link to the {there} page by its address, `{path}`, and name its language"))
            }
            None => found.help(format!("write `{folder}/{key}/{}.md`", record.locale)),
        }
    }

    /// Returns the moment for which the links of a text are judged, if it is known to be published at all.
    fn since(&self, record: &Record) -> Option<Timestamp> {
        match self.draft.status(record) {
            Status::Published => Some(self.draft.now),
            // A link that would break that build is better corrected now.
            Status::Early(moment) => Some(moment),
            Status::Draft | Status::Expired(_) | Status::Unknown => None,
        }
    }

    /// Checks a link to an entry that readers cannot see, or will not be able to see.
    fn unpublished(&self, record: &Record, link: &Link, target: &Record) -> Option<Finding> {
        let since = self.since(record)?;
        let key = &target.key;
        let status = self.draft.status_at(target, since);
        let why = match status {
            Status::Draft => format!("`{key}` is a draft"),
            Status::Early(moment) => format!("`{key}` is kept back until {moment}"),
            Status::Expired(moment) if moment > self.draft.now => format!("`{key}` expires at {moment}"),
            Status::Expired(moment) => format!("`{key}` expired at {moment}"),
            Status::Unknown => return None,
            Status::Published => return expiring(record, link, target, since),
        };
        let remedy = match status {
            Status::Expired(_) => "remove the link, or change `expires`",
            _ => "remove the link, or publish both together",
        };
        if since == self.draft.now {
            return Some(finding(record, link, Code::LINK_NOT_PUBLISHED, why).help(remedy));
        }
        let message = format!("{why}, and this text appears at {since}");
        let found = finding(record, link, Code::LINK_EXPIRES, message);
        Some(found.help(REFUSED).help(remedy))
    }

    /// Checks a link to an archive, which is there only while an article in it is published.
    ///
    /// It is warned of as long as there is time: once the last article has expired, the link leads nowhere, and the
    /// build that is to take this article off the site would fail. A text that waits is judged for its own moment, at
    /// which it may be the first article of the archive that it links to.
    fn archive(&self, record: &Record, link: &Link, path: &str, times: &Times) -> Option<Finding> {
        let since = self.since(record)?;
        let until = times.until(since);
        if until == Some(Timestamp::MAX) || is_outlived(record, until.unwrap_or(since)) {
            return None;
        }
        let (code, message, what) = match until {
            Some(until) => (Code::LINK_EXPIRES, format!("`{path}` lists no article from {until} on"), REFUSED),
            None if self.draft.drafts => {
                (Code::LINK_EXPIRES, format!("every article in `{path}` has expired"), REFUSED_WITHOUT_DRAFTS)
            }
            None if since == self.draft.now => return Some(self.nothing_at(record, link, path)),
            None => {
                let message = format!("`{path}` lists no article at {since}, when this text appears");
                (Code::LINK_EXPIRES, message, REFUSED)
            }
        };
        Some(finding(record, link, code, message).help(what).help(ARCHIVES))
    }

    fn addresses(&self) -> &Addresses<'_> {
        self.addresses.get_or_init(|| Addresses::of(self.draft))
    }

    /// Checks a link to an address of this site.
    fn address(&self, record: &Record, link: &Link) -> Option<Finding> {
        let addresses = self.addresses();
        let (target, anchor) = parts(&link.destination);
        let path = target.split('?').next().unwrap_or_default();
        match addresses.answer(path) {
            Some(Answer::Moved(current)) => {
                let message = format!("`{path}` is a former address, or mixes the languages");
                let found = finding(record, link, Code::LINK_REDIRECTS, message);
                return Some(found.label(format!("write `{current}`")));
            }
            Some(answer) => {
                return self.answered(record, link, (path, anchor), &answer).or_else(|| with_origin(record, link));
            }
            None => {}
        }
        let bare = path.trim_end_matches('/');
        if let Some(answer) = addresses.answer(bare).filter(|_| !bare.is_empty()) {
            let found = finding(record, link, Code::LINK_REDIRECTS, "addresses do not end in a slash".to_owned());
            let current = if let Answer::Moved(current) = &answer { current } else { bare };
            let found = found.label(format!("write `{current}`"));
            return self.answered(record, link, (bare, anchor), &answer).or(Some(found));
        }
        if addresses.may_answer(bare) {
            return None;
        }
        if path == routes::SECURITY_TXT {
            // The file is left out so that articles go on appearing and expiring; a link to it must not stop that.
            let message = "the security contact has expired; security.txt is left out".to_owned();
            let found = finding(record, link, Code::LINK_EXPIRES, message);
            return Some(found.help("confirm the contact in site.toml, or remove the link"));
        }
        let found = self.nothing_at(record, link, path);
        Some(found.did_you_mean(self.look(|| nearest(path, addresses.all()))))
    }

    /// Checks a link by what answers at its address.
    fn answered(
        &self,
        record: &Record,
        link: &Link,
        (path, anchor): (&str, Option<&str>),
        answer: &Answer,
    ) -> Option<Finding> {
        match answer {
            Answer::Page(page) => {
                self.unpublished(record, link, page).or_else(|| missing_anchor(record, link, page, anchor?))
            }
            // An article whose category or date could not be read may be in it.
            Answer::Archive(times) if !self.addresses().may_answer(path) => self.archive(record, link, path, times),
            Answer::Archive(_) | Answer::Moved(_) | Answer::Fixed => None,
        }
    }

    /// Reports a link to an address at which nothing answers.
    fn nothing_at(&self, record: &Record, link: &Link, path: &str) -> Finding {
        let found = finding(record, link, Code::LINK_ADDRESS, format!("nothing answers at `{path}`"));
        if path.starts_with(&format!("{}/", routes::ASSETS)) {
            found.help("name a file that is beside the text: its address changes with its content")
        } else if self.addresses().could_be_archive(path) {
            found.help(ARCHIVES)
        } else if routes::JSON_PREFIXES.iter().any(|prefix| path.starts_with(prefix)) {
            // Nothing there is of an entry.
            found
        } else {
            found.help("prefer `@/kind/key`")
        }
    }

    /// Looks for the intended word, as long as there is time for it.
    fn look<'w>(&self, look: impl FnOnce() -> Option<&'w str>) -> Option<&'w str> {
        let left = self.suggestions.get().checked_sub(1)?;
        self.suggestions.set(left);
        look()
    }
}

/// Returns whether a text is gone before a moment comes: it links to nothing then.
fn is_outlived(record: &Record, moment: Timestamp) -> bool {
    expires(record).is_some_and(|own| own <= moment)
}

/// Checks a link from `record`, which is published since a given moment, to an entry that is there now and will expire.
fn expiring(record: &Record, link: &Link, target: &Record, since: Timestamp) -> Option<Finding> {
    let gone = expires(target)?;
    if is_outlived(record, gone.max(since)) {
        return None;
    }
    let found = |verb| finding(record, link, Code::LINK_EXPIRES, format!("`{}` {verb} at {gone}", target.key));
    Some(if gone > since {
        found("expires").help(REFUSED)
    } else {
        // Only `--drafts` shows what has expired.
        found("expired").help(REFUSED_WITHOUT_DRAFTS)
    })
}

/// Checks for a link that leads to a page here by a whole address with the site's host.
fn with_origin(record: &Record, link: &Link) -> Option<Finding> {
    if !link.has_origin {
        return None;
    }
    let found = finding(record, link, Code::LINK_REDIRECTS, "this site's own address, with its host".to_owned());
    Some(found.label(format!("write `{}`", link.destination)))
}

fn missing_anchor(record: &Record, link: &Link, target: &Record, anchor: &str) -> Option<Finding> {
    let prose = target.prose.as_ref()?;
    // If its front matter could not be read, neither could its text.
    target.facts.as_ref()?;
    if prose.anchors().any(|id| id == anchor) {
        return None;
    }
    let message = format!("no heading `#{anchor}` in `{}`", target.file);
    Some(with_anchors(finding(record, link, Code::LINK_ANCHOR, message), anchor, prose.anchors()))
}
