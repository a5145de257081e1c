//! The variants of all routes, ready to be sent: their header lines, and where their bytes are.
//!
//! A large site has tens of thousands of variants, whose lines are nearly the same. What belongs to one variant alone
//! is in one long text for all of them; what it shares with others is kept once.

use std::{collections::HashMap, ops::Range};

use actix_web::http::header::{CONTENT_LANGUAGE, CONTENT_LOCATION, CONTENT_TYPE, HeaderName, HeaderValue, LINK, VARY};
use bytes::Bytes;
use contract::{
    headers::X_MARKDOWN_TOKENS,
    manifest::{Coding, Variant},
};

use crate::{
    dist::{ContentId, Contents, DistError, Part, Plan},
    edge::{
        etag::EntityTag,
        head::{Head, Lines},
        negotiate::Available,
    },
};

static TOKENS: HeaderName = HeaderName::from_static(X_MARKDOWN_TOKENS);

/// What ends a line of a head.
const LINE_END: &str = "\r\n";

/// A variant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Representation {
    content: ContentId,
    /// Where its own lines begin: first the one for a variant that has a name of its own, then the others.
    place: u32,
    others: u32,
    /// Where its own lines end; the last of them continues in the shared ones.
    end: u32,
    shared: u32,
}

/// Lines of many variants: the end of the line that the own ones began, and then what the answer depends on.
#[derive(Debug)]
struct Shared {
    lines: Box<[u8]>,
    /// Where the latter begins.
    vary: usize,
}

/// The number of a representation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number(u32);

impl Number {
    /// Returns the representation that was added after this one.
    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// The variants of all routes.
#[derive(Debug, Default)]
pub(crate) struct Representations {
    all: Vec<Representation>,
    own: Vec<u8>,
    shared: Vec<Shared>,
}

/// The variants of the routes so far, and how to find what they share.
#[derive(Default)]
pub(crate) struct Preparation {
    done: Representations,
    shared: HashMap<Box<[u8]>, u32>,
    /// The last own lines of each content, without its place: a twin has the same as its page in Markdown.
    of_content: HashMap<ContentId, Range<u32>>,
}

/// One form of a representation, chosen for a request.
#[derive(Clone, Copy)]
pub(crate) struct Chosen<'a> {
    place: &'a [u8],
    others: &'a [u8],
    shared: &'a Shared,
    part: Part<'a>,
    coding: Option<Coding>,
}

/// The error of a part of the manifest that cannot be made into an answer, although it was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unusable;

impl From<Unusable> for DistError {
    fn from(_: Unusable) -> Self {
        Self::Unsound("a route cannot be prepared".to_owned())
    }
}

impl Preparation {
    /// Prepares `variant`; `vary` is what its route varies by.
    pub(crate) fn add(
        &mut self,
        variant: &Variant,
        vary: Option<&HeaderValue>,
        plan: &mut Plan,
    ) -> Result<Number, Unusable> {
        let content = plan.add(variant).ok_or(Unusable)?;
        self.add_content(variant, vary, content)
    }

    fn add_content(
        &mut self,
        variant: &Variant,
        vary: Option<&HeaderValue>,
        content: ContentId,
    ) -> Result<Number, Unusable> {
        let optional = |text: &Option<String>| text.as_deref().map(value).transpose();
        let link = optional(&variant.link)?;
        let link = link.as_ref().map_or(&[][..], HeaderValue::as_bytes);
        // The first target of a page is its own twin; what follows is the same on all pages.
        let (first, behind) = link.split_at(link.windows(3).position(|text| text == b", <").unwrap_or(link.len()));

        let mut place = Lines::default();
        place.push_some(&CONTENT_LOCATION, optional(&variant.location)?.as_ref());
        let mut others = Lines::default();
        others.push_some(&TOKENS, variant.tokens.map(HeaderValue::from).as_ref());
        let mut shared = Lines::default();
        if !link.is_empty() {
            others.begin(&LINK, first);
            shared.push_text(behind);
            shared.push_text(LINE_END.as_bytes());
        }
        shared.push(&CONTENT_TYPE, &value(&variant.media_type)?);
        let language = variant.locale.map(|locale| HeaderValue::from_static(locale.as_str()));
        shared.push_some(&CONTENT_LANGUAGE, language.as_ref());
        let vary_begin = shared.end();
        shared.push_some(&VARY, vary);

        let shared = self.share(shared.as_bytes(), vary_begin)?;
        let Representations { all, own, .. } = &mut self.done;
        let number = Number(position(all.len())?);
        let known = self.of_content.get(&content).filter(|_| place.end() == 0);
        let known = known.filter(|known| own.get(known.start as usize..known.end as usize) == Some(others.as_bytes()));
        let (place, others) = if let Some(known) = known {
            (known.start, known.clone())
        } else {
            let start = position(own.len())?;
            own.extend_from_slice(place.as_bytes());
            let middle = position(own.len())?;
            own.extend_from_slice(others.as_bytes());
            (start, middle..position(own.len())?)
        };
        all.push(Representation { content, place, others: others.start, end: others.end, shared });
        self.of_content.insert(content, others);
        Ok(number)
    }

    fn share(&mut self, lines: &[u8], vary: usize) -> Result<u32, Unusable> {
        if let Some(known) = self.shared.get(lines) {
            return Ok(*known);
        }
        let number = position(self.done.shared.len())?;
        self.shared.insert(lines.into(), number);
        self.done.shared.push(Shared { lines: lines.into(), vary });
        Ok(number)
    }

    /// Returns what was prepared, in no more memory than it needs.
    pub(crate) fn finish(self) -> Representations {
        let mut done = self.done;
        done.all.shrink_to_fit();
        done.own.shrink_to_fit();
        done
    }
}

impl Representations {
    /// Returns the representation `number` in the coding that `choose` picks from those in which it exists, or as it
    /// is.
    pub(crate) fn choose<'a>(
        &'a self,
        number: Number,
        contents: &'a Contents,
        choose: impl FnOnce(Available) -> Option<Coding>,
    ) -> Option<Chosen<'a>> {
        let representation = self.all.get(number.0 as usize)?;
        let content = contents.get(representation.content)?;
        let (place, others) = self.own(representation);
        let shared = self.shared.get(representation.shared as usize)?;
        let coding = choose(content.available());
        Some(Chosen { place, others, shared, part: content.part(coding), coding })
    }

    /// Returns where the bytes of the representation `number` are.
    pub(crate) fn content(&self, number: Number) -> Option<ContentId> {
        self.all.get(number.0 as usize).map(|representation| representation.content)
    }

    /// Returns the path at which exactly this variant is; empty if it is at the one that was asked for.
    pub(crate) fn place(&self, number: Number) -> &str {
        let Some(representation) = self.all.get(number.0 as usize) else { return "" };
        let line = std::str::from_utf8(self.own(representation).0).unwrap_or_default();
        line.split_once(": ").map(|(_, place)| place.trim_end()).unwrap_or_default()
    }

    /// Replaces `number` with `variant` and the bytes of `content`.
    pub(crate) fn replace(
        &mut self,
        number: Number,
        variant: &Variant,
        vary: Option<&HeaderValue>,
        content: ContentId,
    ) -> Result<(), Unusable> {
        let mut preparation = Preparation::default();
        std::mem::swap(&mut preparation.done, self);
        let added = preparation.add_content(variant, vary, content);
        *self = preparation.done;
        let last = self.all.pop().filter(|_| added.is_ok()).ok_or(Unusable)?;
        *self.all.get_mut(number.0 as usize).ok_or(Unusable)? = last;
        Ok(())
    }

    fn own(&self, representation: &Representation) -> (&[u8], &[u8]) {
        let Representation { place, others, end, .. } = *representation;
        let part = |range: Range<u32>| self.own.get(range.start as usize..range.end as usize).unwrap_or_default();
        (part(place..others), part(others..end))
    }
}

impl Chosen<'_> {
    /// Returns the strong entity tag of exactly these bytes.
    pub(crate) fn etag(&self) -> EntityTag {
        EntityTag::of(self.part.name())
    }

    /// Returns the bytes, shared and not copied.
    pub(crate) fn body(&self) -> Bytes {
        self.part.body()
    }

    /// Returns the fields of a 200, after those of the class.
    pub(crate) fn whole(&self, class: &[u8], tag: &EntityTag) -> Head {
        let mut head = Head::begin([class, self.place, self.others, &self.shared.lines]);
        self.describe(&mut head);
        head.etag(tag);
        head
    }

    /// Returns the fields of a 304: what names the answer for caches.
    pub(crate) fn unmodified(&self, class: &[u8], tag: &EntityTag) -> Head {
        let vary = self.shared.lines.get(self.shared.vary..).unwrap_or_default();
        let mut head = Head::begin([class, self.place, vary, &[]]);
        head.etag(tag);
        head
    }

    /// Returns the fields of an answer that is at no path of its own, and that nobody should cache.
    pub(crate) fn nameless(&self, class: &[u8]) -> Head {
        let mut head = Head::begin([class, self.others, &self.shared.lines, &[]]);
        self.describe(&mut head);
        head
    }

    fn describe(&self, head: &mut Head) {
        if let Some(coding) = self.coding {
            head.coding(coding);
        }
        head.length(self.part.length());
    }
}

/// Converts a position in a text, which is kept in half a word.
fn position(place: usize) -> Result<u32, Unusable> {
    u32::try_from(place).map_err(|_| Unusable)
}

fn value(text: &str) -> Result<HeaderValue, Unusable> {
    HeaderValue::from_str(text).map_err(|_| Unusable)
}

#[cfg(test)]
mod tests {
    use contract::{
        locale::Locale,
        manifest::{Digest, Encodings},
    };

    use super::*;
    use crate::dist::is_reserved;

    fn variant(path: &str, link: &str) -> Variant {
        Variant {
            file: path.to_owned(),
            media_type: "text/plain".to_owned(),
            size: 1,
            digest: Digest("ab".repeat(32)),
            encodings: Encodings::default(),
            locale: None,
            link: Some(link.to_owned()),
            location: Some(path.to_owned()),
            tokens: Some(7),
        }
    }

    fn whole(representations: &Representations, number: Number) -> String {
        let contents = Contents::of_lengths(&[1]);
        let chosen = representations.choose(number, &contents, |_| None).unwrap();
        String::from_utf8(chosen.whole(b"", &chosen.etag()).as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn a_link_of_several_targets_is_one_line() {
        let (mut preparation, mut plan) = (Preparation::default(), Plan::default());
        let links = ["</a>; rel=\"x\"", "</a>; rel=\"x\", </b>; rel=\"y\", </c>; rel=\"z\"", ", </b>; rel=\"y\""];
        for link in links {
            let number = preparation.add(&variant("/p", link), None, &mut plan).unwrap();
            let text = whole(&preparation.done, number);
            assert!(text.contains(&format!("\r\nlink: {link}\r\ncontent-type: text/plain\r\n")), "{text}");
        }
    }

    #[test]
    fn no_class_sets_a_field_of_a_representation() {
        let (mut preparation, mut plan) = (Preparation::default(), Plan::default());
        let variant = Variant { locale: Some(Locale::Tr), ..variant("/p", "</a>") };
        let vary = HeaderValue::from_static("Accept");
        let number = preparation.add(&variant, Some(&vary), &mut plan).unwrap();
        let text = whole(&preparation.finish(), number);
        assert_eq!(text.lines().count(), 8, "{text}");
        for line in text.lines() {
            let (name, _) = line.split_once(": ").unwrap();
            assert!(is_reserved(name), "{name}");
        }
    }

    #[test]
    fn what_variants_have_in_common_is_kept_once() {
        let (mut preparation, mut plan) = (Preparation::default(), Plan::default());
        let page = variant("/p", "</p>; rel=\"canonical\", </all>; rel=\"x\"");
        let twin = Variant { location: None, ..page.clone() };
        let other = variant("/q", "</q>; rel=\"canonical\", </all>; rel=\"x\"");
        let [page, twin, other] = [page, twin, other].map(|one| preparation.add(&one, None, &mut plan).unwrap());
        let done = preparation.finish();
        assert_eq!((done.all.len(), done.shared.len()), (3, 1));
        let own = "content-location: /p\r\nx-markdown-tokens: 7\r\nlink: </p>; rel=\"canonical\"";
        assert_eq!(String::from_utf8_lossy(&done.own), [own, &own.replace("/p", "/q")].concat());
        assert_eq!((done.place(page), done.place(twin), done.place(other)), ("/p", "", "/q"));
        assert_eq!(whole(&done, page), format!("content-location: /p\r\n{}", whole(&done, twin)));
    }

    #[test]
    fn a_variant_that_is_replaced_keeps_its_number_and_the_others_their_lines() {
        let (mut preparation, mut plan) = (Preparation::default(), Plan::default());
        let vary = HeaderValue::from_static("Accept-Encoding");
        let numbers = ["/p", "/q"].map(|path| preparation.add(&variant(path, "</a>"), Some(&vary), &mut plan).unwrap());
        let mut done = preparation.finish();
        let before = numbers.map(|number| whole(&done, number));
        let content = done.content(numbers[0]).unwrap();
        done.replace(numbers[0], &variant("/p", "</a>"), None, content).unwrap();
        assert_eq!(whole(&done, numbers[0]), before[0].replace("vary: Accept-Encoding\r\n", ""));
        assert_eq!(whole(&done, numbers[1]), before[1]);
    }
}
