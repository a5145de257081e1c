//! What is kept of a text once its file is closed. It is little, because there may be a hundred thousand texts.

use std::{borrow::Cow, ops::Range};

use findings::Span;
use markdown::Survey;

/// What matters of a text to other files, and what it needs from them.
#[derive(Clone, Debug)]
pub struct Prose {
    pub words: u32,
    pub has_text: bool,
    /// The anchors of the headings, separated by line feeds.
    anchors: Box<str>,
    /// Links whose targets can be checked only against the whole site.
    pub links: Box<[Link]>,
    /// Pictures next to the text.
    pub pictures: Box<[Link]>,
    /// Whether it names further targets in what looks like a destination but is not one.
    pub has_lost_names: bool,
}

/// A destination and its position.
#[derive(Clone, Debug)]
pub struct Link {
    /// The destination, without the origin of the site.
    pub destination: Box<str>,
    /// Whether the origin was written before it, in a link whose text is not the address itself.
    pub has_origin: bool,
    pub span: Span,
}

impl Prose {
    /// Keeps what matters of `survey`; `origin` is that of the site, and `span` maps a range of the text to its file.
    pub fn new(survey: &Survey, origin: Option<&str>, span: impl Fn(Range<usize>) -> Span) -> Self {
        let anchors: Vec<&str> = survey.headings.iter().map(|heading| heading.id.as_str()).collect();
        let kept = |destination: &str, has_origin: bool, range: &Range<usize>| Link {
            destination: destination.into(),
            has_origin,
            span: span(range.clone()),
        };
        let links = survey.links.iter().filter_map(|link| {
            if is_of_the_site(&link.destination) {
                return Some(kept(&link.destination, false, &link.range));
            }
            let address = below(origin?, &link.destination)?;
            Some(kept(&address, link.text != link.destination, &link.range))
        });
        let pictures = survey.images.iter().filter(|image| is_of_the_site(&image.destination));
        Self {
            words: survey.words,
            has_text: survey.has_text,
            anchors: anchors.join("\n").into(),
            links: links.collect(),
            has_lost_names: !survey.destinations_cut_off.is_empty(),
            pictures: pictures.map(|image| kept(&image.destination, false, &image.range)).collect(),
        }
    }

    /// Drops the anchors, links and pictures.
    pub fn forget_links(&mut self) {
        (self.anchors, self.links, self.pictures) = Default::default();
    }

    /// Returns the anchors of the headings.
    pub fn anchors(&self) -> impl Iterator<Item = &str> {
        self.anchors.split('\n').filter(|anchor| !anchor.is_empty())
    }
}

/// Returns whether a destination has neither a scheme nor a host, and is not an anchor in its own text.
fn is_of_the_site(destination: &str) -> bool {
    !destination.is_empty()
        && !destination.starts_with('#')
        && !destination.starts_with("//")
        && scheme(destination).is_none()
}

/// Returns the path on this site that a full address names. Its scheme may be `http` or `https`, and the case of its
/// host does not matter.
pub fn below<'d>(origin: &str, destination: &'d str) -> Option<Cow<'d, str>> {
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

/// Returns the scheme of a destination, if it has one.
pub fn scheme(destination: &str) -> Option<&str> {
    let (scheme, _) = destination.split_once(':')?;
    let is_one = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    is_one.then_some(scheme)
}
