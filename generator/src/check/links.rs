//! Links inside the site.

use super::{
    entries::language,
    targets::{Addresses, Answer},
    text::with_anchors,
};
use crate::{
    diagnostic::{Code, Finding, nearest},
    site::{Draft, Status},
    source::{Facts, Kind, Link, Record},
};

/// Kinds that links may name.
const KINDS: [Kind; 4] = [Kind::PracticeAreas, Kind::Team, Kind::Publications, Kind::Pages];

pub(super) fn targets(draft: &Draft, findings: &mut Vec<Finding>) {
    let addresses = Addresses::of(draft);
    for record in &draft.records {
        let Some(prose) = &record.prose else { continue };
        for link in &prose.links {
            let found = match link.destination.as_bytes().first() {
                Some(b'@') => entry(draft, record, link),
                Some(b'/') => address(draft, &addresses, record, link),
                _ => None,
            };
            findings.extend(found);
        }
    }
}

fn finding(record: &Record, link: &Link, code: Code, message: String) -> Finding {
    Finding::new(code, record.place(link.span), message)
}

/// The part before `#` and the anchor.
fn parts(destination: &str) -> (&str, Option<&str>) {
    match destination.split_once('#') {
        Some((target, anchor)) => (target, Some(anchor)),
        None => (destination, None),
    }
}

/// A link `@/kind/key#anchor`.
fn entry(draft: &Draft, record: &Record, link: &Link) -> Option<Finding> {
    let (target, anchor) = parts(&link.destination);
    let Some((kind, key)) = target.strip_prefix("@/").and_then(|rest| rest.split_once('/')) else {
        let message = format!("`{target}` is not of the form `@/kind/key`");
        return Some(finding(record, link, Code::LINK_FORM, message).help(kinds()));
    };
    let Some(kind) = Kind::of_folder(kind).filter(|kind| kind.has_page()) else {
        return Some(unknown_kind(record, link, kind));
    };
    let Some(target) = draft.record(kind, key, record.locale) else {
        return Some(unknown_entry(draft, record, link, kind, key));
    };
    if let Some(found) = unpublished(draft, record, link, target) {
        return Some(found);
    }
    missing_anchor(record, link, target, anchor?)
}

fn kinds() -> String {
    format!("kinds: {}", KINDS.map(Kind::folder).join(", "))
}

fn unknown_kind(record: &Record, link: &Link, kind: &str) -> Finding {
    let found = finding(record, link, Code::LINK_KIND, format!("links do not lead to `@/{kind}/…`"));
    match Kind::of_folder(kind) {
        Some(Kind::Network) => found.label("write `@/pages/global-network`"),
        Some(Kind::Contact) => found.label("write `@/pages/contact`"),
        _ => found.did_you_mean(nearest(kind, KINDS.map(Kind::folder))).help(kinds()),
    }
}

fn unknown_entry(draft: &Draft, record: &Record, link: &Link, kind: Kind, key: &str) -> Finding {
    let folder = kind.folder();
    let Some(twin) = draft.record(kind, key, record.locale.other()) else {
        let found = finding(record, link, Code::LINK_TO_NOTHING, format!("there is no {} `{key}`", kind.noun()));
        return match nearest(key, draft.keys(kind)) {
            Some(word) => found.label(format!("did you mean `@/{folder}/{word}`?")),
            None => found.help(format!("the key is the name of a folder below `{folder}/`")),
        };
    };
    let (here, there) = (language(record.locale), language(twin.locale));
    let message = format!("{} `{key}` exists in {there} only, and this text is in {here}", kind.noun());
    let found = finding(record, link, Code::LINK_OTHER_LANGUAGE, message);
    match draft.path(twin) {
        Some(path) => found.help(format!("link to the {there} page by its address, `{path}`, and name its language")),
        None => found.help(format!("write `{}/{key}/{}.md`", folder, record.locale)),
    }
}

/// A link to an entry that is not there for readers, or will not be.
fn unpublished(draft: &Draft, record: &Record, link: &Link, target: &Record) -> Option<Finding> {
    if draft.status(record) != Status::Published {
        return None;
    }
    let key = &target.key;
    let why = match draft.status(target) {
        Status::Draft => format!("`{key}` is a draft"),
        Status::Early(moment) => format!("`{key}` is kept back until {moment}"),
        Status::Expired(moment) => format!("`{key}` expired at {moment}"),
        Status::Published => {
            let Some(Facts::Article(facts)) = &target.facts else { return None };
            let expires = facts.expires.as_ref().filter(|expires| expires.value > draft.now)?;
            let message = format!("`{key}` expires at {}", expires.value);
            let found = finding(record, link, Code::LINK_EXPIRES, message);
            return Some(found.help("the build will refuse this link from then on"));
        }
    };
    let found = finding(record, link, Code::LINK_NOT_PUBLISHED, why);
    Some(found.help("remove the link, or publish both together"))
}

fn missing_anchor(record: &Record, link: &Link, target: &Record, anchor: &str) -> Option<Finding> {
    let prose = target.prose.as_ref()?;
    if prose.anchors().any(|id| id == anchor) {
        return None;
    }
    let message = format!("no heading `#{anchor}` in `{}`", target.file);
    Some(with_anchors(finding(record, link, Code::LINK_ANCHOR, message), anchor, prose.anchors()))
}

/// A link to an address of this site.
fn address(draft: &Draft, addresses: &Addresses, record: &Record, link: &Link) -> Option<Finding> {
    let (target, anchor) = parts(&link.destination);
    let path = target.split('?').next().unwrap_or_default();
    match addresses.answer(path) {
        Some(Answer::Page(page)) => missing_anchor(record, link, page, anchor?),
        Some(Answer::Former(page)) => {
            let found = finding(record, link, Code::LINK_REDIRECTS, format!("`{path}` is a former address"));
            Some(match draft.path(page) {
                Some(current) => found.label(format!("write `{current}`")),
                None => found,
            })
        }
        Some(Answer::Generated) => None,
        None => {
            let bare = path.trim_end_matches('/');
            if !bare.is_empty() && addresses.answer(bare).is_some() {
                let found =
                    finding(record, link, Code::LINK_REDIRECTS, "addresses have no slash at the end".to_owned());
                return Some(found.label(format!("write `{bare}`")));
            }
            let found = finding(record, link, Code::LINK_ADDRESS, format!("nothing answers at `{path}`"));
            Some(found.did_you_mean(nearest(path, addresses.pages())).help("prefer `@/kind/key`"))
        }
    }
}
