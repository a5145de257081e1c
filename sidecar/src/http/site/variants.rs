//! The variants of all routes: their header fields and contents.
//!
//! A large site has tens of thousands of variants with nearly the same fields. Shared fields are stored once; the texts
//! of single variants are in one buffer.

use std::collections::HashMap;

use actix_web::http::{
    StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LANGUAGE,
        CONTENT_LOCATION, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, LINK, REFERRER_POLICY, VARY,
        X_CONTENT_TYPE_OPTIONS,
    },
};
use bytes::Bytes;
use contract::{
    headers::{CORS_EXPOSED, NOSNIFF, REFERRERS, X_MARKDOWN_TOKENS},
    manifest::{Coding, Policy, Variant},
    media::{MARKDOWN, essence},
};

use super::CacheScope;
use crate::{
    http::{
        negotiate::Available,
        response::{NO_STORE, Response, plain},
    },
    published::{ContentId, ContentPart, Contents, DistError, LoadPlan},
};

static TOKENS: HeaderName = HeaderName::from_static(X_MARKDOWN_TOKENS);

/// Identifies a variant of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VariantId(u32);

impl VariantId {
    /// Returns the variant that was added after this one.
    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// A checked route cannot be prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnusableRoute;

impl From<UnusableRoute> for DistError {
    fn from(_: UnusableRoute) -> Self {
        Self::Unsound("a route cannot be prepared".to_owned())
    }
}

/// One variant. `location`, `link` and `end` are offsets of its texts: its own path, then the first target of `Link`.
#[derive(Debug)]
struct VariantEntry {
    content: ContentId,
    shared: SharedId,
    location: u32,
    link: u32,
    end: u32,
    tokens: Option<u32>,
}

/// Identifies fields that several variants share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedId(u32);

/// Fields that several variants share.
#[derive(Debug)]
struct SharedFields {
    /// The fields of a 304.
    unmodified: Vec<(HeaderName, HeaderValue)>,
    /// The further fields of a 200.
    more: Vec<(HeaderName, HeaderValue)>,
    /// The value of `Link` after its first target.
    link: Box<str>,
    is_cacheable: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Variants {
    entries: Vec<VariantEntry>,
    texts: Bytes,
    shared: Vec<SharedFields>,
}

#[derive(Default)]
pub(crate) struct VariantsBuilder {
    variants: Variants,
    texts: Vec<u8>,
    shared: HashMap<String, SharedId>,
}

impl VariantsBuilder {
    /// Adds `variant` of a route with this policy and this value of `Vary`.
    pub(crate) fn add(
        &mut self,
        variant: &Variant,
        policy: &Policy,
        vary: Option<&str>,
        plan: &mut LoadPlan,
    ) -> Result<VariantId, UnusableRoute> {
        let content = plan.add(variant).ok_or(UnusableRoute)?;
        let shared = self.share(variant, policy, vary)?;
        let id = VariantId(position(self.variants.entries.len())?);
        let location = position(self.texts.len())?;
        self.texts.extend_from_slice(value(variant.location.as_deref().unwrap_or_default())?.as_bytes());
        let link = position(self.texts.len())?;
        self.texts.extend_from_slice(value(split(variant.link.as_deref()).0)?.as_bytes());
        let end = position(self.texts.len())?;
        let tokens = variant.tokens.map(u32::try_from).transpose().map_err(|_| UnusableRoute)?;
        self.variants.entries.push(VariantEntry { content, shared, location, link, end, tokens });
        Ok(id)
    }

    /// Returns the fields that `variant` shares with others of the same policy.
    fn share(&mut self, variant: &Variant, policy: &Policy, vary: Option<&str>) -> Result<SharedId, UnusableRoute> {
        let link = split(variant.link.as_deref()).1;
        let key = format!("{policy:?} {vary:?} {:?} {:?} {link}", variant.media_type, variant.locale);
        if let Some(known) = self.shared.get(&key) {
            return Ok(*known);
        }
        let cache_control = value(&policy.cache_control)?;
        let is_cacheable = cache_control != NO_STORE;
        let mut unmodified = vec![(CACHE_CONTROL, cache_control)];
        // The Markdown of a page may be read like the same bytes at their own address.
        if policy.cors || is_cacheable && essence(&variant.media_type) == essence(MARKDOWN) {
            unmodified.push((ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")));
            unmodified.push((ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(CORS_EXPOSED)));
        }
        if let Some(vary) = vary {
            unmodified.push((VARY, value(vary)?));
        }
        let mut more = policy_fields(policy)?;
        more.push((CONTENT_TYPE, value(&variant.media_type)?));
        if let Some(locale) = variant.locale {
            more.push((CONTENT_LANGUAGE, HeaderValue::from_static(locale.as_str())));
        }
        value(link)?;
        let id = SharedId(position(self.variants.shared.len())?);
        self.variants.shared.push(SharedFields { unmodified, more, link: link.into(), is_cacheable });
        self.shared.insert(key, id);
        Ok(id)
    }

    /// Returns the variants, without spare capacity.
    pub(crate) fn finish(self) -> Variants {
        let mut variants = self.variants;
        variants.entries.shrink_to_fit();
        variants.texts = self.texts.into_boxed_slice().into();
        variants
    }
}

/// Returns the fields of the policy, with the defaults of every response.
fn policy_fields(policy: &Policy) -> Result<Vec<(HeaderName, HeaderValue)>, UnusableRoute> {
    let mut fields: Vec<(HeaderName, HeaderValue)> = Vec::new();
    let has = |fields: &[(HeaderName, HeaderValue)], name: &HeaderName| fields.iter().any(|(known, _)| known == name);
    for (name, text) in &policy.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| UnusableRoute)?;
        if has(&fields, &name) {
            return Err(UnusableRoute);
        }
        fields.push((name, value(text)?));
    }
    for (name, default) in [(X_CONTENT_TYPE_OPTIONS, NOSNIFF), (REFERRER_POLICY, REFERRERS)] {
        if !has(&fields, &name) {
            fields.push((name, HeaderValue::from_static(default)));
        }
    }
    Ok(fields)
}

/// Splits a value of `Link` after its first target. That of a page is its own twin; the rest is the same on all pages.
fn split(link: Option<&str>) -> (&str, &str) {
    let link = link.unwrap_or_default();
    link.split_at(link.find(", <").unwrap_or(link.len()))
}

impl Variants {
    /// Returns the variant in the coding that `choose` selects from the available ones, or uncompressed.
    pub(crate) fn select<'a>(
        &'a self,
        id: VariantId,
        contents: &'a Contents,
        choose: impl FnOnce(Available) -> Option<Coding>,
    ) -> Option<SelectedVariant<'a>> {
        let entry = self.entries.get(id.0 as usize)?;
        let shared = self.shared.get(entry.shared.0 as usize)?;
        let content = contents.get(entry.content)?;
        let coding = choose(content.available());
        Some(SelectedVariant { variants: self, entry, shared, part: content.part(coding), coding })
    }

    pub(crate) fn content(&self, id: VariantId) -> Option<ContentId> {
        self.entries.get(id.0 as usize).map(|entry| entry.content)
    }

    /// Returns the path of exactly this variant; empty if it is the requested one.
    pub(crate) fn location(&self, id: VariantId) -> &str {
        let text = self.entries.get(id.0 as usize).and_then(|entry| self.texts.get(range(entry.location, entry.link)));
        text.and_then(|text| str::from_utf8(text).ok()).unwrap_or_default()
    }

    /// Returns a text as a header value without copying it.
    fn text(&self, start: u32, end: u32) -> Option<HeaderValue> {
        if start == end { None } else { HeaderValue::from_maybe_shared(self.texts.slice(range(start, end))).ok() }
    }
}

fn range(start: u32, end: u32) -> std::ops::Range<usize> {
    start as usize..end as usize
}

/// A variant in the coding selected for a request.
pub(crate) struct SelectedVariant<'a> {
    variants: &'a Variants,
    entry: &'a VariantEntry,
    shared: &'a SharedFields,
    part: ContentPart<'a>,
    coding: Option<Coding>,
}

impl SelectedVariant<'_> {
    /// Returns the strong entity tag (RFC 9110, 8.8.3): half of the digest.
    pub(crate) fn etag(&self) -> HeaderValue {
        let mut text = [b'"'; 34];
        for (pair, byte) in text[1..33].as_chunks_mut::<2>().0.iter_mut().zip(self.part.name()) {
            *pair = [byte >> 4, byte & 15].map(|nibble| b"0123456789abcdef"[usize::from(nibble)]);
        }
        HeaderValue::from_bytes(&text).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
    }

    /// Returns the response with this entity tag; a 304 unless `is_modified`.
    pub(crate) fn respond(&self, etag: HeaderValue, scope: CacheScope, is_modified: bool) -> Response {
        let mut response = if is_modified { self.whole(StatusCode::OK) } else { self.unmodified() };
        let headers = response.headers_mut();
        headers.insert(ETAG, etag);
        if let Some(location) = self.variants.text(self.entry.location, self.entry.link) {
            headers.insert(CONTENT_LOCATION, location);
        }
        if scope == CacheScope::Private && self.shared.is_cacheable {
            // Security: a copy that is used without revalidation would outlive the credential.
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        }
        response
    }

    /// Returns the full response, without entity tag and `Content-Location`.
    pub(crate) fn whole(&self, status: StatusCode) -> Response {
        let mut response = plain(status, self.part.body());
        let headers = response.headers_mut();
        insert(headers, &self.shared.unmodified);
        insert(headers, &self.shared.more);
        if let Some(coding) = self.coding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.as_str()));
        }
        if let Some(tokens) = self.entry.tokens {
            headers.insert(TOKENS.clone(), tokens.into());
        }
        if let Some(first) = self.variants.text(self.entry.link, self.entry.end) {
            let link = Bytes::from([first.as_bytes(), self.shared.link.as_bytes()].concat());
            headers.insert(LINK, HeaderValue::from_maybe_shared(link).unwrap_or(first));
        }
        response
    }

    fn unmodified(&self) -> Response {
        let mut response = plain(StatusCode::NOT_MODIFIED, Bytes::new());
        insert(response.headers_mut(), &self.shared.unmodified);
        response
    }
}

/// Inserts `fields` one by one: the library reuses the map of a response, and a cloned map would be a new allocation.
fn insert(headers: &mut HeaderMap, fields: &[(HeaderName, HeaderValue)]) {
    for (name, value) in fields {
        headers.insert(name.clone(), value.clone());
    }
}

fn position(place: usize) -> Result<u32, UnusableRoute> {
    u32::try_from(place).map_err(|_| UnusableRoute)
}

fn value(text: &str) -> Result<HeaderValue, UnusableRoute> {
    HeaderValue::from_str(text).map_err(|_| UnusableRoute)
}

#[cfg(test)]
mod tests {
    use contract::{
        locale::Locale,
        manifest::{Encodings, FileDigest},
    };

    use super::*;
    use crate::published::is_reserved;

    fn variant(path: &str, link: &str) -> Variant {
        Variant {
            file: path.to_owned(),
            media_type: "text/plain".to_owned(),
            size: 1,
            digest: FileDigest("ab".repeat(32)),
            encodings: Encodings::default(),
            locale: None,
            link: Some(link.to_owned()),
            location: Some(path.to_owned()),
            tokens: Some(7),
        }
    }

    fn response(variants: &Variants, id: VariantId) -> Response {
        let contents = Contents::of_lengths(&[1]);
        let selected = variants.select(id, &contents, |_| None).unwrap();
        selected.respond(selected.etag(), CacheScope::Public, true)
    }

    fn field(response: &Response, name: HeaderName) -> Option<&str> {
        response.headers().get(name).map(|value| value.to_str().unwrap())
    }

    fn add(builder: &mut VariantsBuilder, variant: &Variant, vary: Option<&str>) -> VariantId {
        builder.add(variant, &Policy::default(), vary, &mut LoadPlan::default()).unwrap()
    }

    #[test]
    fn link_of_several_targets_is_one_field() {
        let mut builder = VariantsBuilder::default();
        let links = ["</a>; rel=\"x\"", "</a>; rel=\"x\", </b>; rel=\"y\", </c>; rel=\"z\""];
        let ids = links.map(|link| add(&mut builder, &variant("/p", link), None));
        let variants = builder.finish();
        for (link, id) in links.into_iter().zip(ids) {
            assert_eq!(field(&response(&variants, id), LINK), Some(link));
        }
    }

    #[test]
    fn etag_is_half_of_the_digest_in_lower_case_digits_and_quotes() {
        let mut builder = VariantsBuilder::default();
        let id = add(&mut builder, &variant("/p", "</a>"), None);
        let empty = "\"e3b0c44298fc1c149afbf4c8996fb924\"";
        assert_eq!(field(&response(&builder.finish(), id), ETAG), Some(empty));
    }

    #[test]
    fn fields_of_a_variant_are_reserved_for_it() {
        let mut builder = VariantsBuilder::default();
        let variant = Variant { locale: Some(Locale::Tr), ..variant("/p", "</a>") };
        let id = add(&mut builder, &variant, Some("Accept"));
        let response = response(&builder.finish(), id);
        let defaults = [CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS, REFERRER_POLICY];
        let names: Vec<_> = response.headers().keys().filter(|name| !defaults.contains(name)).collect();
        assert_eq!(names.len(), 7, "{names:?}");
        for name in names {
            assert!(is_reserved(name.as_str()), "{name}");
        }
    }

    #[test]
    fn shared_fields_are_stored_once() {
        let mut builder = VariantsBuilder::default();
        let page = variant("/p", "</p>; rel=\"canonical\", </all>; rel=\"x\"");
        let twin = Variant { location: None, ..page.clone() };
        let other = variant("/q", "</q>; rel=\"canonical\", </all>; rel=\"x\"");
        let ids = [page, twin, other].map(|one| add(&mut builder, &one, None));
        let variants = builder.finish();
        assert_eq!((variants.entries.len(), variants.shared.len()), (3, 1));
        assert_eq!(ids.map(|id| variants.location(id)), ["/p", "", "/q"]);
        assert_eq!(field(&response(&variants, ids[1]), CONTENT_LOCATION), None);
    }
}
