//! What is made from a manifest before any other file of its build is read: paths, header lines, and what to read.

use std::{array, collections::HashSet};

use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL, HeaderName, HeaderValue,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use contract::{
    Locale,
    headers::{CORS_EXPOSED, NOSNIFF, REFERRERS, written},
    manifest::{self, Axis, Class, Manifest, Policy, Variant},
    media::{self, essence},
    routes,
};

use super::{
    representation::{Number, Preparation, Representations, Unusable},
    table::{Route, Table, Target},
};
use crate::{
    auth::Principal,
    dist::Plan,
    edge::{answer::payload::NO_STORE, head::Lines},
};

/// What is made from a manifest before any other file is read.
pub(crate) struct Outline {
    pub(crate) url: String,
    pub(super) build: String,
    pub(super) sandbox_key: String,
    pub(super) table: Table,
    pub(super) representations: Representations,
    pub(super) classes: Classes,
    pub(super) not_found: Vec<(Box<str>, Pages)>,
    pub(super) not_found_fields: Box<[u8]>,
    /// The document that may be narrowed.
    pub(super) authorization: Option<(manifest::Route, Number)>,
}

/// A page in both media.
#[derive(Clone, Copy)]
pub(crate) struct Pages {
    pub(crate) html: Number,
    pub(crate) markdown: Number,
}

/// Who reads an answer, as far as caches are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Somebody who gets what everybody gets, for as long as the build is in force.
    Anyone,
    /// The holder of an issued credential, who gets it until the credential ends.
    Holder,
}

impl Reader {
    const ALL: [Self; 2] = [Self::Anyone, Self::Holder];

    pub(crate) const fn of(principal: &Principal) -> Self {
        match principal {
            Principal::Anonymous | Principal::Sandbox => Self::Anyone,
            Principal::Agent(_) => Self::Holder,
        }
    }
}

/// `Cache-Control` for holders. Security: a copy that is used without asking again would outlive the credential.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("private, no-cache");

/// The fields of every class, for every reader.
pub(super) type Classes = [[ClassFields; Class::ALL.len()]; Reader::ALL.len()];

/// Fields that all answers of a class carry to one kind of reader, as header lines.
#[derive(Default)]
pub(crate) struct ClassFields {
    whole: Box<[u8]>,
    /// Where the fields end that a 304 carries as well.
    unmodified: usize,
    /// `Cache-Control` alone, for redirects.
    pub(crate) cache_control: Option<HeaderValue>,
}

impl ClassFields {
    /// Returns the fields for a 200.
    pub(crate) fn whole(&self) -> &[u8] {
        &self.whole
    }

    /// Returns the fields for a 304.
    pub(crate) fn unmodified(&self) -> &[u8] {
        self.whole.get(..self.unmodified).unwrap_or_default()
    }
}

impl Outline {
    /// Prepares a checked manifest and notes its files in `plan`. Answers at the paths `computed` come from elsewhere.
    pub(crate) fn of(
        manifest: Manifest,
        plan: &mut Plan,
        computed: impl ExactSizeIterator<Item = &'static str>,
    ) -> Result<Self, Unusable> {
        let mut table = Table::with_capacity(manifest.routes.len() + manifest.redirects.len() + computed.len());
        let mut preparation = Preparation::default();
        let mut authorization = None;
        for route in manifest.routes {
            let policy = manifest.classes.get(&route.class).ok_or(Unusable)?;
            let vary = vary(route.axis, policy.credential, &route.variants);
            let first = add_variants(&route, vary.as_ref(), &mut preparation, plan)?;
            let (class, axis) = (route.class, route.axis);
            let target = Route { class, guarded: policy.credential, cors: policy.cors, axis, first };
            table.insert(&route.path, Target::Route(target))?;
            if route.path == routes::AUTHORIZATION_SERVER {
                authorization = Some((route, first));
            }
        }
        for redirect in &manifest.redirects {
            let to = table.place(&redirect.to).ok_or(Unusable)?;
            table.insert(&redirect.from, Target::Redirect(to))?;
        }
        for (number, path) in (0..).zip(computed) {
            table.insert(path, Target::Endpoint(number))?;
        }
        table.finish();
        let mut classes: Classes = array::from_fn(|_| array::from_fn(|_| ClassFields::default()));
        for (class, policy) in &manifest.classes {
            for reader in Reader::ALL {
                classes[reader as usize][*class as usize] = class_fields(policy, reader)?;
            }
        }
        let mut not_found = Vec::with_capacity(manifest.not_found.len());
        for entry in &manifest.not_found {
            let vary = vary(Some(Axis::Accept), false, &entry.variants);
            let pages = pages(&entry.variants, vary.as_ref(), &mut preparation, plan)?;
            not_found.push((entry.prefix.as_str().into(), pages));
        }
        not_found.sort_by_key(|(prefix, _): &(Box<str>, _)| std::cmp::Reverse(prefix.len()));
        let page_policy = manifest.classes.get(&Class::Page).cloned().unwrap_or_default();
        Ok(Self {
            url: manifest.site_url,
            build: manifest.build.0,
            sandbox_key: manifest.sandbox_key,
            table,
            representations: preparation.finish(),
            classes,
            not_found,
            not_found_fields: not_found_fields(&page_policy)?,
            authorization,
        })
    }
}

/// Prepares the variants of `route` in their order.
fn add_variants(
    route: &manifest::Route,
    vary: Option<&HeaderValue>,
    preparation: &mut Preparation,
    plan: &mut Plan,
) -> Result<Number, Unusable> {
    match route.axis {
        None => preparation.add(route.variants.first().ok_or(Unusable)?, vary, plan),
        Some(Axis::Locale) => {
            let mut add = |locale| {
                let found = route.variants.iter().find(|variant| variant.locale == Some(locale));
                preparation.add(found.ok_or(Unusable)?, vary, plan)
            };
            let first = add(Locale::En)?;
            add(Locale::Tr)?;
            Ok(first)
        }
        Some(Axis::Accept) => Ok(pages(&route.variants, vary, preparation, plan)?.html),
    }
}

/// Prepares a page, and then its Markdown.
fn pages(
    variants: &[Variant],
    vary: Option<&HeaderValue>,
    preparation: &mut Preparation,
    plan: &mut Plan,
) -> Result<Pages, Unusable> {
    let of =
        |wanted: &str| variants.iter().find(|variant| essence(&variant.media_type) == essence(wanted)).ok_or(Unusable);
    let html = preparation.add(of(media::HTML)?, vary, plan)?;
    Ok(Pages { html, markdown: preparation.add(of(media::MARKDOWN)?, vary, plan)? })
}

/// Returns what the answers of a route depend on. A query is part of the address and needs no mention.
pub(super) fn vary(axis: Option<Axis>, credential: bool, variants: &[Variant]) -> Option<HeaderValue> {
    let mut fields = Vec::with_capacity(4);
    if axis == Some(Axis::Accept) {
        fields.push("Accept");
    }
    if variants.iter().any(|variant| !variant.encodings.is_empty()) {
        fields.push("Accept-Encoding");
    }
    if credential {
        fields.extend(["Authorization", written::X_API_KEY]);
    }
    if fields.is_empty() { None } else { HeaderValue::from_str(&fields.join(", ")).ok() }
}

fn class_fields(policy: &Policy, reader: Reader) -> Result<ClassFields, Unusable> {
    let mut cache_control = value(&policy.cache_control)?;
    if reader == Reader::Holder && cache_control != NO_STORE {
        cache_control = ASK_AGAIN;
    }
    let mut whole = Lines::default();
    whole.push(&CACHE_CONTROL, &cache_control);
    if policy.cors {
        whole.push(&ACCESS_CONTROL_ALLOW_ORIGIN, &HeaderValue::from_static("*"));
        whole.push(&ACCESS_CONTROL_EXPOSE_HEADERS, &HeaderValue::from_static(CORS_EXPOSED));
    }
    let unmodified = whole.end();
    policy_fields(policy, &mut whole)?;
    Ok(ClassFields { whole: whole.as_bytes().into(), unmodified, cache_control: Some(cache_control) })
}

fn not_found_fields(policy: &Policy) -> Result<Box<[u8]>, Unusable> {
    let mut fields = Lines::default();
    fields.push(&CACHE_CONTROL, &NO_STORE);
    policy_fields(policy, &mut fields)?;
    Ok(fields.as_bytes().into())
}

/// Writes the fields that the policy names, and those that every answer has, whatever the policy says.
fn policy_fields(policy: &Policy, lines: &mut Lines) -> Result<(), Unusable> {
    let mut names = HashSet::new();
    for (name, text) in &policy.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| Unusable)?;
        lines.push(&name, &value(text)?);
        if !names.insert(name) {
            return Err(Unusable);
        }
    }
    for (name, default) in [(X_CONTENT_TYPE_OPTIONS, NOSNIFF), (REFERRER_POLICY, REFERRERS)] {
        if !names.contains(&name) {
            lines.push(&name, &HeaderValue::from_static(default));
        }
    }
    Ok(())
}

fn value(text: &str) -> Result<HeaderValue, Unusable> {
    HeaderValue::from_str(text).map_err(|_| Unusable)
}
