//! One variant of a route, ready to be sent: its bytes in every coding, its header values built.

use actix_web::http::header::{
    CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, LINK,
    VARY,
};
use bytes::Bytes;
use contract::{
    headers::X_MARKDOWN_TOKENS,
    manifest::{Coding, Digest, Encodings, Variant},
};

use super::negotiate::Available;
use crate::dist::{Bodies, Sha256};

static TOKENS: HeaderName = HeaderName::from_static(X_MARKDOWN_TOKENS);

/// A variant in all its forms.
pub(crate) struct Representation {
    media_type: HeaderValue,
    vary: Option<HeaderValue>,
    language: Option<HeaderValue>,
    location: Option<HeaderValue>,
    link: Option<HeaderValue>,
    tokens: Option<HeaderValue>,
    plain: Form,
    encoded: [Option<Form>; Coding::ALL.len()],
}

/// The bytes of one coding and their name.
struct Form {
    body: Bytes,
    etag: HeaderValue,
}

/// One form of a representation, chosen for a request.
#[derive(Clone, Copy)]
pub(crate) struct Chosen<'a> {
    representation: &'a Representation,
    form: &'a Form,
    coding: Option<Coding>,
}

/// A part of the manifest cannot be made into an answer, although it was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unusable;

impl Representation {
    /// Prepares `variant`; `vary` is what its route varies by.
    pub(crate) fn new(variant: &Variant, vary: Option<&HeaderValue>, bodies: &Bodies) -> Result<Self, Unusable> {
        let Encodings { br, zstd, gzip } = &variant.encodings;
        let mut encoded = [None, None, None];
        for (slot, form) in encoded.iter_mut().zip([br, zstd, gzip]) {
            *slot = form.as_ref().map(|form| Form::new(&form.digest, bodies)).transpose()?;
        }
        let optional = |text: &Option<String>| text.as_deref().map(value).transpose();
        Ok(Self {
            media_type: value(&variant.media_type)?,
            vary: vary.cloned(),
            language: variant.locale.map(|locale| HeaderValue::from_static(locale.as_str())),
            location: optional(&variant.location)?,
            link: optional(&variant.link)?,
            tokens: variant.tokens.map(HeaderValue::from),
            plain: Form::new(&variant.digest, bodies)?,
            encoded,
        })
    }

    /// The codings in which this representation exists.
    pub(crate) fn available(&self) -> Available {
        [0, 1, 2].map(|index| self.encoded[index].is_some())
    }

    /// This representation in `coding`, or as it is where it does not exist in it.
    pub(crate) fn choose(&self, coding: Option<Coding>) -> Chosen<'_> {
        let form = coding.and_then(|coding| self.encoded[coding as usize].as_ref());
        Chosen { representation: self, form: form.unwrap_or(&self.plain), coding: form.and(coding) }
    }
}

impl Chosen<'_> {
    /// The strong entity tag of exactly these bytes.
    pub(crate) fn etag(&self) -> &[u8] {
        self.form.etag.as_bytes()
    }

    /// The bytes, shared and not copied.
    pub(crate) fn body(&self) -> Bytes {
        self.form.body.clone()
    }

    /// Names the bytes for the client's cache.
    pub(crate) fn name(&self, headers: &mut HeaderMap) {
        headers.insert(ETAG, self.form.etag.clone());
        if let Some(location) = &self.representation.location {
            headers.insert(CONTENT_LOCATION, location.clone());
        }
    }

    /// Says what the answer depends on.
    pub(crate) fn vary(&self, headers: &mut HeaderMap) {
        if let Some(vary) = &self.representation.vary {
            headers.insert(VARY, vary.clone());
        }
    }

    /// Says what the bytes are.
    pub(crate) fn describe(&self, headers: &mut HeaderMap) {
        let representation = self.representation;
        headers.insert(CONTENT_TYPE, representation.media_type.clone());
        if let Some(coding) = self.coding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.as_str()));
        }
        if let Some(language) = &representation.language {
            headers.insert(CONTENT_LANGUAGE, language.clone());
        }
        if let Some(tokens) = &representation.tokens {
            headers.insert(TOKENS.clone(), tokens.clone());
        }
        if let Some(link) = &representation.link {
            headers.append(LINK, link.clone());
        }
    }
}

impl Form {
    fn new(digest: &Digest, bodies: &Bodies) -> Result<Self, Unusable> {
        let body = Sha256::parse(&digest.0).and_then(|digest| bodies.get(&digest)).ok_or(Unusable)?;
        let half = digest.0.get(..32).ok_or(Unusable)?;
        Ok(Self { body: body.clone(), etag: value(&format!("\"{half}\""))? })
    }
}

fn value(text: &str) -> Result<HeaderValue, Unusable> {
    HeaderValue::from_str(text).map_err(|_| Unusable)
}
