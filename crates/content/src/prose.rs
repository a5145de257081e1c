//! The facts about a text that stay in memory. They are few, since there may be a hundred thousand texts.

use std::{borrow::Cow, ops::Range};

use findings::Span;
use markdown::Survey;
use serde::{Deserialize, Serialize};

/// The facts about a text that the checks compare with other files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prose {
    pub words: u32,
    pub has_text: bool,
    /// The anchors of the headings and of the clauses, separated by line feeds.
    anchors: Box<str>,
    /// Links within the site, whose targets are checked against the whole site.
    pub links: Box<[ProseLink]>,
    /// Pictures beside the text.
    pub pictures: Box<[ProseLink]>,
    /// Whether the text contains destinations that Markdown cuts off, so that more targets may be intended.
    pub has_lost_names: bool,
}

/// A destination and its position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProseLink {
    /// The destination, without the origin of the site.
    pub destination: Box<str>,
    /// Whether the text has the origin before it, in a link whose text is not the address itself.
    pub has_origin: bool,
    pub span: Span,
}

impl Prose {
    /// Collects the facts from `survey`. `origin` is that of the site; `span` maps a range of the text to its file.
    pub fn new(survey: &Survey, origin: Option<&str>, span: impl Fn(Range<usize>) -> Span) -> Self {
        let anchors = survey.headings.iter().map(|heading| heading.id.as_str());
        let anchors: Vec<&str> = anchors.chain(survey.clause_anchors.iter().map(String::as_str)).collect();
        let new_link = |destination: &str, has_origin: bool, range: &Range<usize>| ProseLink {
            destination: destination.into(),
            has_origin,
            span: span(range.clone()),
        };
        let links = survey.links.iter().filter_map(|link| {
            if is_local(&link.destination) {
                return Some(new_link(&link.destination, false, &link.range));
            }
            let address = path_on_site(origin?, &link.destination)?;
            Some(new_link(&address, link.text != link.destination, &link.range))
        });
        let pictures = survey.images.iter().filter(|image| is_local(&image.destination));
        Self {
            words: survey.words,
            has_text: survey.has_text,
            anchors: anchors.join("\n").into(),
            links: links.collect(),
            has_lost_names: !survey.destinations_cut_off.is_empty(),
            pictures: pictures.map(|image| new_link(&image.destination, false, &image.range)).collect(),
        }
    }

    /// Drops the anchors, links and pictures.
    pub fn forget_links(&mut self) {
        (self.anchors, self.links, self.pictures) = Default::default();
    }

    pub fn anchors(&self) -> impl Iterator<Item = &str> {
        self.anchors.split('\n').filter(|anchor| !anchor.is_empty())
    }
}

/// Returns whether a destination has neither a scheme nor a host, and is not an anchor in the same text.
fn is_local(destination: &str) -> bool {
    !destination.is_empty()
        && !destination.starts_with('#')
        && !destination.starts_with("//")
        && scheme(destination).is_none()
}

/// Returns the path of a full address on this site, with scheme `http` or `https` and any case in the host; `None` for
/// an address elsewhere.
pub fn path_on_site<'d>(origin: &str, destination: &'d str) -> Option<Cow<'d, str>> {
    let (_, host) = origin.split_once("://")?;
    let rest = destination.strip_prefix("https://").or_else(|| destination.strip_prefix("http://"))?;
    let address =
        rest.get(..host.len()).filter(|start| start.eq_ignore_ascii_case(host)).map(|_| &rest[host.len()..])?;
    match address.as_bytes().first() {
        Some(b'/') => Some(address.into()),
        None | Some(b'?' | b'#') => Some(format!("/{address}").into()),
        Some(_) => None,
    }
}

pub fn scheme(destination: &str) -> Option<&str> {
    let (scheme, _) = destination.split_once(':')?;
    let is_one = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    is_one.then_some(scheme)
}
