//! The pages of a build, found by address or path.

use std::{borrow::Cow, fmt, hash::BuildHasher as _};

use bytes::Bytes;
use contract::{Locale, mcp as words};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use percent_encoding::percent_decode_str;
use serde::{
    Deserializer as _,
    de::{Error, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::span::{DocumentText, TextSpan, TextSpans};

struct PageRecord {
    path: TextSpan,
    twin: TextSpan,
    title: TextSpan,
    updated: Option<TextSpan>,
    translation: Option<TextSpan>,
    compared: Option<TextSpan>,
    is_stale: bool,
    law_changed: Vec<words::LawChanged>,
    resource: Option<TextSpan>,
    text: Bytes,
    locale: Locale,
}

#[derive(Clone, Copy)]
pub(super) struct PreparedPage<'a> {
    spans: &'a TextSpans,
    kept: &'a PageRecord,
}

impl<'a> PreparedPage<'a> {
    pub(super) fn path(self) -> &'a str {
        self.spans.text(self.kept.path)
    }

    /// Returns the path of its Markdown.
    pub(super) fn twin(self) -> &'a str {
        self.spans.text(self.kept.twin)
    }

    pub(super) fn locale(self) -> Locale {
        self.kept.locale
    }

    pub(super) fn title(self) -> &'a str {
        self.spans.text(self.kept.title)
    }

    pub(super) fn updated(self) -> Option<&'a str> {
        self.kept.updated.map(|span| self.spans.text(span))
    }

    /// Returns the path of the page in the other language.
    pub(super) fn translation(self) -> Option<&'a str> {
        self.kept.translation.map(|span| self.spans.text(span))
    }

    /// Returns how the page relates to the one in the other language; `None` if nothing is known of it.
    pub(super) fn translation_state<T: From<&'a str>>(self, site_url: &str) -> Option<words::Translation<T>> {
        let reviewed = self.kept.compared.map(|span| self.spans.text(span).into());
        let of = self.translation().filter(|_| reviewed.is_some() || self.kept.is_stale)?;
        Some(words::Translation { of: format!("{site_url}{of}"), reviewed, stale: self.kept.is_stale })
    }

    pub(super) fn is_stale(self) -> bool {
        self.kept.is_stale
    }

    pub(super) fn law_changed(self) -> Vec<words::LawChanged> {
        self.kept.law_changed.clone()
    }

    /// Returns its entry in the list of resources, without the closing brace; empty for unlisted pages.
    pub(super) fn resource(self) -> &'a [u8] {
        self.kept.resource.map_or(&[], |span| self.spans.bytes(span))
    }

    /// Returns its Markdown.
    pub(super) fn text(self) -> &'a str {
        std::str::from_utf8(&self.kept.text).unwrap_or_default()
    }

    /// Returns its Markdown as UTF-8 bytes.
    pub(super) fn bytes(self) -> &'a [u8] {
        &self.kept.text
    }

    /// Returns the length of its Markdown in bytes.
    pub(super) fn size(self) -> usize {
        self.kept.text.len()
    }
}

/// Every page, in the order of the site.
pub(super) struct PageIndex {
    site_url: Box<str>,
    spans: TextSpans,
    all: Vec<PageRecord>,
    /// The number of pages listed as resources, which come first.
    listed: usize,
    /// Redirected paths, with the numbers of their pages.
    further: Vec<(TextSpan, u32)>,
    /// Numbers of paths (see [`PageIndex::path_of`]), found by path.
    index: HashTable<u32>,
    hasher: RandomState,
}

/// A page in the prepared file.
type Read<'a> = words::CataloguePage<&'a RawValue, DocumentText<'a>>;

/// An address of another site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Elsewhere;

impl PageIndex {
    /// Reads the list `pages` of the prepared `file`. `texts` returns the Markdown of a path, shared with its route;
    /// `redirects` are pairs of paths. `None` if the list is malformed, or a text is missing or not UTF-8.
    pub(super) fn new<'a>(
        site_url: &str,
        file: Bytes,
        pages: &RawValue,
        texts: impl Fn(&str) -> Option<Bytes>,
        redirects: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Option<Self> {
        let mut made = Self {
            site_url: site_url.into(),
            spans: TextSpans::of(file),
            all: Vec::new(),
            listed: 0,
            further: Vec::new(),
            index: HashTable::new(),
            hasher: RandomState::default(),
        };
        each(pages, |page| made.push(&page, texts(page.twin.as_str())?))?;
        made.all.shrink_to_fit();
        let all = u32::try_from(made.all.len()).ok()?;
        made.index = HashTable::with_capacity(made.all.len() * 2);
        for name in 0..2 * all {
            made.name(name);
        }
        for (from, to) in redirects {
            if let Some(name) = made.find(to)
                && made.find(from).is_none()
            {
                let from = made.spans.push(from)?;
                made.further.push((from, made.number(name)));
                made.name(2 * all + made.further.len() as u32 - 1);
            }
        }
        made.further.shrink_to_fit();
        made.spans.finish();
        Some(made)
    }

    fn push(&mut self, page: &Read<'_>, text: Bytes) -> Option<()> {
        std::str::from_utf8(&text).ok()?;
        let spans = &mut self.spans;
        let resource = match page.resource {
            // Store the object without its closing brace.
            Some(object) if self.listed == self.all.len() => {
                self.listed += 1;
                let members = object.get().strip_suffix('}').filter(|text| text.starts_with('{'))?;
                Some(spans.place(members.trim_end())?)
            }
            Some(_) => return None,
            None => None,
        };
        let mut optional = |text: &Option<DocumentText<'_>>| match text {
            Some(text) => spans.add(text).map(Some),
            None => Some(None),
        };
        let (updated, translation) = (optional(&page.updated)?, optional(&page.translation)?);
        let compared = optional(&page.compared)?;
        self.all.push(PageRecord {
            path: spans.add(&page.path)?,
            twin: spans.add(&page.twin)?,
            title: spans.add(&page.title)?,
            updated,
            translation,
            compared,
            is_stale: page.stale,
            law_changed: page.law_changed.clone(),
            resource,
            text,
            locale: page.locale,
        });
        Some(())
    }

    /// Returns the path with the number `name`. Even numbers are paths of pages, the next odd number is the path of the
    /// Markdown; after all of these come redirected paths.
    fn path_of(&self, name: u32) -> &str {
        let span = match self.all.get(name as usize / 2) {
            Some(kept) if name.is_multiple_of(2) => Some(kept.path),
            Some(kept) => Some(kept.twin),
            None => self.further.get(name as usize - 2 * self.all.len()).map(|(from, _)| *from),
        };
        span.map_or("", |span| self.spans.text(span))
    }

    /// Returns the number of the page whose path has the number `name`.
    fn number(&self, name: u32) -> u32 {
        let further = (name as usize).checked_sub(2 * self.all.len()).and_then(|at| self.further.get(at));
        further.map_or(name / 2, |(_, page)| *page)
    }

    /// Adds the path `name` to the index; of two equal paths the later one wins.
    fn name(&mut self, name: u32) {
        let hash = self.hasher.hash_one(self.path_of(name));
        let mut index = std::mem::take(&mut self.index);
        match index.find_mut(hash, |other| self.path_of(*other) == self.path_of(name)) {
            Some(other) => *other = name,
            None => drop(index.insert_unique(hash, name, |other| self.hasher.hash_one(self.path_of(*other)))),
        }
        self.index = index;
    }

    fn find(&self, path: &str) -> Option<u32> {
        self.index.find(self.hasher.hash_one(path), |name| self.path_of(*name) == path).copied()
    }

    /// Returns the number of listed pages.
    pub(super) fn count(&self) -> usize {
        self.listed
    }

    /// Returns the listed pages `start..end`, in the order of the site.
    pub(super) fn range(&self, start: usize, end: usize) -> impl Iterator<Item = PreparedPage<'_>> {
        let kept = self.all.get(start..end).unwrap_or_default();
        kept.iter().map(|kept| PreparedPage { spans: &self.spans, kept })
    }

    pub(super) fn site_url(&self) -> &str {
        &self.site_url
    }

    /// Returns the page at exactly this path, or at the path to which it redirects.
    pub(super) fn at(&self, path: &str) -> Option<PreparedPage<'_>> {
        let kept = self.all.get(self.number(self.find(path)?) as usize)?;
        Some(PreparedPage { spans: &self.spans, kept })
    }

    /// Returns the listed page whose Markdown has this address.
    pub(super) fn with_text_at(&self, address: &str) -> Option<PreparedPage<'_>> {
        let path = address.strip_prefix(&*self.site_url)?;
        self.at(path).filter(|page| page.twin() == path && page.kept.resource.is_some())
    }

    /// Resolves an address or a path that a person wrote.
    pub(super) fn resolve(&self, text: &str) -> Result<Option<PreparedPage<'_>>, Elsewhere> {
        let text = text.trim();
        // Cut off the query first: it may contain `://`.
        let text = &text[..text.find(['?', '#']).unwrap_or(text.len())];
        let path = match text.find("://") {
            Some(_) => self.own_path(text).ok_or(Elsewhere)?,
            None if text.starts_with("//") => return Err(Elsewhere),
            None => text,
        };
        let Ok(path) = percent_decode_str(path).decode_utf8() else { return Ok(None) };
        let path: Cow<'_, str> = if path.starts_with('/') { path } else { Cow::Owned(format!("/{path}")) };
        Ok(self.at(&path).or_else(|| self.at(path.strip_suffix('/').filter(|bare| !bare.is_empty())?)))
    }

    /// Returns the path of an address of this site.
    fn own_path<'a>(&self, address: &'a str) -> Option<&'a str> {
        let (origin, rest) = address.split_at_checked(self.site_url.len())?;
        let is_own = origin.eq_ignore_ascii_case(&self.site_url) && (rest.is_empty() || rest.starts_with('/'));
        is_own.then_some(rest)
    }
}

/// Passes each page of `list` to `take`, so that the parsed pages are never all in memory at once.
fn each<'a>(list: &'a RawValue, take: impl FnMut(Read<'a>) -> Option<()>) -> Option<()> {
    struct Each<F>(F);
    impl<'de, F: FnMut(Read<'de>) -> Option<()>> Visitor<'de> for Each<F> {
        type Value = ();

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("a list of pages")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
            while let Some(page) = list.next_element()? {
                (self.0)(page).ok_or_else(|| Error::custom("not of this build"))?;
            }
            Ok(())
        }
    }
    serde_json::Deserializer::from_str(list.get()).deserialize_seq(Each(take)).ok()
}
