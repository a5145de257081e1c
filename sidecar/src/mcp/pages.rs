//! The pages of a build, found by address or path.

use std::{borrow::Cow, collections::HashMap};

use bytes::Bytes;
use contract::Locale;
use foldhash::fast::RandomState;
use percent_encoding::percent_decode_str;

/// A page.
pub(super) struct Page {
    pub(super) path: Box<str>,
    /// Path of its Markdown.
    pub(super) twin: Box<str>,
    pub(super) locale: Locale,
    pub(super) title: Box<str>,
    pub(super) updated: Option<Box<str>>,
    /// Path of the same page in the other language.
    pub(super) translation: Option<Box<str>>,
    /// Its entry in the list of resources, without its last bracket.
    pub(super) resource: Bytes,
    /// Its Markdown, shared with the route that serves it.
    text: Bytes,
}

impl Page {
    /// A page whose Markdown is `text`; `None` where that is no UTF-8.
    pub(super) fn new(
        page: contract::mcp::Page<&serde_json::value::RawValue>,
        resource: Bytes,
        text: Bytes,
    ) -> Option<Self> {
        std::str::from_utf8(&text).ok()?;
        Some(Self {
            path: page.path.into(),
            twin: page.twin.into(),
            locale: page.locale,
            title: page.title.into(),
            updated: page.updated.map(Into::into),
            translation: page.translation.map(Into::into),
            resource,
            text,
        })
    }

    /// Its Markdown.
    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.text).unwrap_or_default()
    }

    /// Its Markdown as octets, which are UTF-8.
    pub(super) fn octets(&self) -> &[u8] {
        &self.text
    }

    /// The length of its Markdown in octets.
    pub(super) fn size(&self) -> usize {
        self.text.len()
    }
}

/// Every page, in the order of the site.
pub(super) struct Pages {
    site_url: Box<str>,
    all: Vec<Page>,
    /// By path, by path of the Markdown, and by paths that lead there.
    by_path: HashMap<Box<str>, u32, RandomState>,
}

/// An address of another site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Elsewhere;

impl Pages {
    /// `redirects` leads from further paths to paths of pages.
    pub(super) fn new<'a>(site_url: &str, all: Vec<Page>, redirects: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut by_path = HashMap::with_capacity_and_hasher(all.len() * 2, RandomState::default());
        for (at, page) in (0_u32..).zip(&all) {
            by_path.insert(page.path.clone(), at);
            by_path.insert(page.twin.clone(), at);
        }
        for (from, to) in redirects {
            if let Some(at) = by_path.get(to).copied() {
                by_path.entry(from.into()).or_insert(at);
            }
        }
        Self { site_url: site_url.into(), all, by_path }
    }

    pub(super) fn all(&self) -> &[Page] {
        &self.all
    }

    pub(super) fn site_url(&self) -> &str {
        &self.site_url
    }

    /// The page at exactly this path, or at the path that it leads to.
    pub(super) fn at(&self, path: &str) -> Option<&Page> {
        self.by_path.get(path).and_then(|at| self.all.get(*at as usize))
    }

    /// The page whose Markdown has this address.
    pub(super) fn with_text_at(&self, address: &str) -> Option<&Page> {
        let path = address.strip_prefix(&*self.site_url)?;
        self.at(path).filter(|page| *page.twin == *path)
    }

    /// The page that a person means by an address or a path.
    pub(super) fn meant(&self, text: &str) -> Result<Option<&Page>, Elsewhere> {
        let text = text.trim();
        let path = match text.find("://") {
            Some(_) => self.own(text).ok_or(Elsewhere)?,
            None if text.starts_with("//") => return Err(Elsewhere),
            None => text,
        };
        let end = path.find(['?', '#']).unwrap_or(path.len());
        let Ok(path) = percent_decode_str(&path[..end]).decode_utf8() else { return Ok(None) };
        let path: Cow<'_, str> = if path.starts_with('/') { path } else { Cow::Owned(format!("/{path}")) };
        Ok(self.at(&path).or_else(|| self.at(path.strip_suffix('/').filter(|bare| !bare.is_empty())?)))
    }

    /// What follows the origin in an address of this site.
    fn own<'a>(&self, address: &'a str) -> Option<&'a str> {
        let (origin, rest) = address.split_at_checked(self.site_url.len())?;
        let is_own =
            origin.eq_ignore_ascii_case(&self.site_url) && (rest.is_empty() || rest.starts_with(['/', '?', '#']));
        is_own.then_some(rest)
    }
}
