//! One variant of a route, ready to be sent: its bytes in every coding, its header values built.

use std::ops::Range;

use actix_web::http::header::{
    CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_LOCATION, CONTENT_TYPE, ETAG, HeaderName, HeaderValue,
    LINK, VARY,
};
use bytes::Bytes;
use contract::{
    headers::X_MARKDOWN_TOKENS,
    manifest::{Coding, Digest, Encodings, Variant},
};

use super::{
    fields::{Fields, Lines},
    negotiate::Available,
};
use crate::dist::{Bodies, Sha256};

static TOKENS: HeaderName = HeaderName::from_static(X_MARKDOWN_TOKENS);

/// A variant in all its forms.
pub(crate) struct Representation {
    /// What the bytes are; then what the answer depends on; then where it stands under a name of its own.
    lines: Bytes,
    /// Where the second and the third of these begin in `lines`.
    vary: usize,
    location: usize,
    plain: Form,
    /// Those of its codings that exist.
    encoded: Box<[(Coding, Form)]>,
}

/// The bytes of one coding and their name.
struct Form {
    body: Bytes,
    /// The coding and the length; then the entity tag.
    lines: Bytes,
    /// Where the line of the entity tag begins in `lines`.
    name: usize,
    /// Where the tag itself stands in it.
    etag: Range<usize>,
}

/// One form of a representation, chosen for a request.
#[derive(Clone, Copy)]
pub(crate) struct Chosen<'a> {
    representation: &'a Representation,
    form: &'a Form,
}

/// A part of the manifest cannot be made into an answer, although it was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unusable;

impl Representation {
    /// Prepares `variant`; `vary` is what its route varies by.
    pub(crate) fn new(variant: &Variant, vary: Option<&HeaderValue>, bodies: &Bodies) -> Result<Self, Unusable> {
        let Encodings { br, zstd, gzip } = &variant.encodings;
        let codings = [(Coding::Br, br), (Coding::Zstd, zstd), (Coding::Gzip, gzip)].into_iter();
        let encoded = codings.filter_map(|(coding, form)| {
            let form = form.as_ref()?;
            Some(Form::new(&form.digest, Some(coding), bodies).map(|form| (coding, form)))
        });
        let optional = |text: &Option<String>| text.as_deref().map(value).transpose();
        let mut lines = Lines::default();
        lines.push(&CONTENT_TYPE, &value(&variant.media_type)?);
        let language = variant.locale.map(|locale| HeaderValue::from_static(locale.as_str()));
        lines.push_some(&CONTENT_LANGUAGE, language.as_ref());
        lines.push_some(&TOKENS, variant.tokens.map(HeaderValue::from).as_ref());
        lines.push_some(&LINK, optional(&variant.link)?.as_ref());
        let vary_begin = lines.end();
        lines.push_some(&VARY, vary);
        let location = lines.end();
        lines.push_some(&CONTENT_LOCATION, optional(&variant.location)?.as_ref());
        Ok(Self {
            lines: lines.into_bytes(),
            vary: vary_begin,
            location,
            plain: Form::new(&variant.digest, None, bodies)?,
            encoded: encoded.collect::<Result<_, _>>()?,
        })
    }

    /// The codings in which this representation exists.
    pub(crate) fn available(&self) -> Available {
        let mut available = Available::default();
        for (coding, _) in &self.encoded {
            available[*coding as usize] = true;
        }
        available
    }

    /// This representation in `coding`, or as it is where it does not exist in it.
    pub(crate) fn choose(&self, coding: Option<Coding>) -> Chosen<'_> {
        let form = coding.and_then(|coding| self.encoded.iter().find(|(of, _)| *of == coding));
        Chosen { representation: self, form: form.map_or(&self.plain, |(_, form)| form) }
    }

    /// The path under which exactly this variant stands; empty where it stands under the one that was asked for.
    pub(crate) fn place(&self) -> &str {
        let line = std::str::from_utf8(&self.lines[self.location..]).unwrap_or_default();
        line.split_once(": ").map(|(_, place)| place.trim_end()).unwrap_or_default()
    }
}

impl Chosen<'_> {
    /// The strong entity tag of exactly these bytes.
    pub(crate) fn etag(&self) -> &[u8] {
        &self.form.lines[self.form.etag.clone()]
    }

    /// The bytes, shared and not copied.
    pub(crate) fn body(&self) -> Bytes {
        self.form.body.clone()
    }

    /// The fields of 200, behind those of the class.
    pub(crate) fn whole(&self, class: &Bytes) -> Fields {
        Fields([class.clone(), self.representation.lines.clone(), self.form.lines.clone()])
    }

    /// The fields of 304: what names the answer for caches.
    pub(crate) fn unmodified(&self, class: &Bytes) -> Fields {
        let Self { representation, form } = self;
        Fields([class.clone(), representation.lines.slice(representation.vary..), form.lines.slice(form.name..)])
    }

    /// The fields of an answer that stands at no path of its own, and that nobody should keep.
    pub(crate) fn nameless(&self, class: &Bytes) -> Fields {
        let Self { representation, form } = self;
        Fields([class.clone(), representation.lines.slice(..representation.location), form.lines.slice(..form.name)])
    }
}

impl Form {
    fn new(digest: &Digest, coding: Option<Coding>, bodies: &Bodies) -> Result<Self, Unusable> {
        let body = Sha256::parse(&digest.0).and_then(|digest| bodies.get(&digest)).ok_or(Unusable)?;
        let half = digest.0.get(..32).ok_or(Unusable)?;
        let etag = value(&format!("\"{half}\""))?;
        let mut lines = Lines::default();
        lines.push_some(&CONTENT_ENCODING, coding.map(|coding| HeaderValue::from_static(coding.as_str())).as_ref());
        lines.push(&CONTENT_LENGTH, &HeaderValue::from(body.len()));
        let name = lines.end();
        lines.push(&ETAG, &etag);
        let end = lines.end() - "\r\n".len();
        Ok(Self { body: body.clone(), lines: lines.into_bytes(), name, etag: end - etag.len()..end })
    }
}

fn value(text: &str) -> Result<HeaderValue, Unusable> {
    HeaderValue::from_str(text).map_err(|_| Unusable)
}
