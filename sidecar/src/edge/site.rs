//! A build as the edge serves it: every path with everything that can be prepared before the first request.
//!
//! Immutable. A new build is a new site; requests that began on the old one finish on it.

use std::{
    array,
    collections::{HashMap, HashSet},
    mem,
    sync::Arc,
};

use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL, HeaderName, HeaderValue,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use bytes::Bytes;
use contract::{
    Locale, PerLocale,
    headers::{CORS_EXPOSED, X_API_KEY},
    manifest::{self, Axis, Class, Policy, Variant},
    media::{self, essence},
    routes,
};
use foldhash::fast::RandomState;

use super::{
    endpoints::{ENDPOINTS, Endpoint},
    fields::{self, Lines},
    published::{self, Published},
    refusal::{NO_STORE, REFERRERS, challenge},
    representation::{Representation, Unusable},
    target,
};
use crate::{
    auth::Verifier,
    dist::{Bodies, Dist},
    forms::Forms,
    mcp::Catalogue,
    registration::{Abilities, Offers},
};

/// A build, ready to be served.
pub(crate) struct Site {
    /// What may be asked for, as this service publishes it.
    pub(crate) offers: Offers,
    /// Whether that is less than the build says.
    pub(crate) is_narrowed: bool,
    /// Where the site is.
    pub(crate) url: String,
    /// Names the build.
    pub(crate) build: String,
    /// Knows the valid credentials.
    pub(crate) verifier: Verifier,
    /// `WWW-Authenticate` of a refused credential.
    pub(crate) challenge: HeaderValue,
    /// The same at the MCP endpoint.
    pub(crate) mcp_challenge: HeaderValue,
    /// What the MCP endpoint answers, if the build has prepared it.
    pub(crate) catalogue: Option<Catalogue>,
    /// The bytes of every file, so that the next build need not read again what has not changed.
    pub(crate) bodies: Bodies,
    /// What people fill in and what they are sent.
    pub(crate) forms: Arc<Forms>,
    targets: HashMap<Box<str>, Target, RandomState>,
    classes: [ClassFields; CLASSES],
    /// By prefix, the longest first.
    not_found: Vec<(Box<str>, Pages)>,
    not_found_fields: Bytes,
}

/// What a path leads to.
pub(crate) enum Target {
    /// An answer of the build.
    Route(Route),
    /// Another path, already encoded.
    Redirect(Redirect),
    /// Something that is computed.
    Endpoint(&'static Endpoint),
}

/// A path that answers 200.
pub(crate) struct Route {
    pub(crate) class: Class,
    /// Whether a credential that is sent must be valid, and the limit of the content API counts.
    pub(crate) guarded: bool,
    pub(crate) cors: bool,
    pub(crate) choice: Choice,
}

/// A path that answers 308.
pub(crate) struct Redirect {
    pub(crate) to: Box<str>,
    pub(crate) class: Class,
}

/// The variants of a route, by what selects them.
pub(crate) enum Choice {
    One(Box<Representation>),
    Locale(Box<PerLocale<Representation>>),
    Accept(Box<Pages>),
}

/// A page in both media.
pub(crate) struct Pages {
    pub(crate) html: Representation,
    pub(crate) markdown: Representation,
}

/// Fields that all answers of a class carry, as lines of their heads.
#[derive(Default)]
pub(crate) struct ClassFields {
    /// On 200.
    pub(crate) whole: Bytes,
    /// On 304.
    pub(crate) unmodified: Bytes,
    /// `Cache-Control` alone, for redirects.
    pub(crate) cache_control: Option<HeaderValue>,
}

/// Number of classes.
pub(crate) const CLASSES: usize = Class::Asset as usize + 1;

impl Site {
    /// Prepares a verified build.
    pub(crate) fn new(dist: Dist, forms: Forms, abilities: Abilities) -> Result<Self, Unusable> {
        let Dist { mut manifest, mut bodies, parts } = dist;
        let catalogue = Catalogue::of(&manifest, &bodies, &parts).map_err(|_| Unusable)?;
        let Published { offers, is_narrowed } = published::narrow(&mut manifest, &mut bodies, abilities)?;
        let mut targets = HashMap::with_capacity_and_hasher(
            manifest.routes.len() + manifest.redirects.len() + ENDPOINTS.len(),
            RandomState::default(),
        );
        let class_of: HashMap<&str, Class> =
            manifest.routes.iter().map(|route| (route.path.as_str(), route.class)).collect();
        for redirect in &manifest.redirects {
            let class = class_of.get(redirect.to.as_str()).copied().ok_or(Unusable)?;
            let to = target::encode(&redirect.to).into_boxed_str();
            targets.insert(redirect.from.as_str().into(), Target::Redirect(Redirect { to, class }));
        }
        // Each is dropped when it is prepared, so that what takes its place can have its memory.
        for route in mem::take(&mut manifest.routes) {
            let policy = manifest.classes.get(&route.class).ok_or(Unusable)?;
            let prepared = prepare_route(&route, policy, &bodies)?;
            targets.insert(route.path.into(), Target::Route(prepared));
        }
        for endpoint in &ENDPOINTS {
            targets.insert(endpoint.path.into(), Target::Endpoint(endpoint));
        }
        let mut classes: [ClassFields; CLASSES] = array::from_fn(|_| ClassFields::default());
        for (class, policy) in &manifest.classes {
            classes[*class as usize] = class_fields(policy)?;
        }
        let mut not_found = Vec::with_capacity(manifest.not_found.len());
        for entry in &manifest.not_found {
            let vary = vary(Some(Axis::Accept), false, &entry.variants);
            let pages = pages(&entry.variants, vary.as_ref(), &bodies)?;
            not_found.push((entry.prefix.as_str().into(), pages));
        }
        not_found.sort_by_key(|(prefix, _): &(Box<str>, _)| std::cmp::Reverse(prefix.len()));
        let page_policy = manifest.classes.get(&Class::Page).cloned().unwrap_or_default();
        Ok(Self {
            build: manifest.build.0,
            offers,
            is_narrowed,
            verifier: Verifier::new(&manifest.sandbox_key),
            challenge: challenge(&manifest.site_url, routes::PROTECTED_RESOURCE).ok_or(Unusable)?,
            mcp_challenge: challenge(&manifest.site_url, routes::PROTECTED_RESOURCE_MCP).ok_or(Unusable)?,
            catalogue,
            url: manifest.site_url,
            bodies,
            forms: Arc::new(forms),
            targets,
            classes,
            not_found,
            not_found_fields: not_found_fields(&page_policy)?,
        })
    }

    /// What `path`, decoded, leads to.
    pub(crate) fn find(&self, path: &str) -> Option<&Target> {
        self.targets.get(path)
    }

    /// Fields of all answers of `class`.
    pub(crate) fn class(&self, class: Class) -> &ClassFields {
        &self.classes[class as usize]
    }

    /// The page for readers where `path` leads nowhere, with its fields.
    pub(crate) fn not_found(&self, path: &str) -> Option<(&Pages, &Bytes)> {
        let below = |prefix: &str| {
            path.strip_prefix(prefix).is_some_and(|rest| prefix.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        let found = self.not_found.iter().find(|(prefix, _)| below(prefix));
        found.map(|(_, pages)| (pages, &self.not_found_fields))
    }
}

fn prepare_route(route: &manifest::Route, policy: &Policy, bodies: &Bodies) -> Result<Route, Unusable> {
    let vary = vary(route.axis, policy.credential, &route.variants);
    let representation = |variant: &Variant| Representation::new(variant, vary.as_ref(), bodies);
    let choice = match route.axis {
        None => Choice::One(Box::new(representation(route.variants.first().ok_or(Unusable)?)?)),
        Some(Axis::Locale) => {
            let of = |locale| {
                let found = route.variants.iter().find(|variant| variant.locale == Some(locale));
                representation(found.ok_or(Unusable)?)
            };
            Choice::Locale(Box::new(PerLocale { en: of(Locale::En)?, tr: of(Locale::Tr)? }))
        }
        Some(Axis::Accept) => Choice::Accept(Box::new(pages(&route.variants, vary.as_ref(), bodies)?)),
    };
    Ok(Route { class: route.class, guarded: policy.credential, cors: policy.cors, choice })
}

fn pages(variants: &[Variant], vary: Option<&HeaderValue>, bodies: &Bodies) -> Result<Pages, Unusable> {
    let of =
        |wanted: &str| variants.iter().find(|variant| essence(&variant.media_type) == essence(wanted)).ok_or(Unusable);
    let (html, markdown) = (of(media::HTML)?, of(media::MARKDOWN)?);
    Ok(Pages { html: Representation::new(html, vary, bodies)?, markdown: Representation::new(markdown, vary, bodies)? })
}

/// What the answers of a route depend on. A query is part of the address and needs no mention.
fn vary(axis: Option<Axis>, credential: bool, variants: &[Variant]) -> Option<HeaderValue> {
    let mut fields = Vec::with_capacity(4);
    if axis == Some(Axis::Accept) {
        fields.push("Accept");
    }
    if variants.iter().any(|variant| !variant.encodings.is_empty()) {
        fields.push("Accept-Encoding");
    }
    let api_key = display(X_API_KEY);
    if credential {
        fields.extend(["Authorization", &api_key]);
    }
    if fields.is_empty() { None } else { HeaderValue::from_str(&fields.join(", ")).ok() }
}

/// A field name as people write it.
fn display(name: &str) -> String {
    let words: Vec<_> = name
        .split('-')
        .map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_ascii_uppercase() + rest
        })
        .collect();
    words.join("-")
}

fn class_fields(policy: &Policy) -> Result<ClassFields, Unusable> {
    let cache_control = value(&policy.cache_control)?;
    let mut whole = Lines::default();
    whole.push(&CACHE_CONTROL, &cache_control);
    if policy.cors {
        whole.push(&ACCESS_CONTROL_ALLOW_ORIGIN, &HeaderValue::from_static("*"));
        whole.push(&ACCESS_CONTROL_EXPOSE_HEADERS, &HeaderValue::from_static(CORS_EXPOSED));
    }
    let unmodified = whole.end();
    policy_fields(policy, &mut whole)?;
    let whole = whole.into_bytes();
    Ok(ClassFields { unmodified: whole.slice(..unmodified), whole, cache_control: Some(cache_control) })
}

fn not_found_fields(policy: &Policy) -> Result<Bytes, Unusable> {
    let mut fields = Lines::default();
    fields.push(&CACHE_CONTROL, &NO_STORE);
    policy_fields(policy, &mut fields)?;
    Ok(fields.into_bytes())
}

/// Writes the fields that the policy names, and those that every answer has whatever the policy says.
fn policy_fields(policy: &Policy, lines: &mut Lines) -> Result<(), Unusable> {
    let mut names = HashSet::new();
    for (name, text) in &policy.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| Unusable)?;
        lines.push(&name, &value(text)?);
        if !fields::is_of_class(&name) || !names.insert(name) {
            return Err(Unusable);
        }
    }
    for (name, default) in [(X_CONTENT_TYPE_OPTIONS, "nosniff"), (REFERRER_POLICY, REFERRERS)] {
        if !names.contains(&name) {
            lines.push(&name, &HeaderValue::from_static(default));
        }
    }
    Ok(())
}

fn value(text: &str) -> Result<HeaderValue, Unusable> {
    HeaderValue::from_str(text).map_err(|_| Unusable)
}
