//! A build as the edge serves it: every path, with everything that can be prepared before the first request.
//!
//! Immutable. A new build is a new site; requests that began on the old one finish on it.

pub(super) mod edition;
pub(super) mod outline;
pub(super) mod published;
pub(super) mod representation;
pub(super) mod table;

use std::sync::Arc;

use actix_web::http::header::HeaderValue;
use contract::{
    Locale,
    manifest::{Axis, Class, Coding, Encodings},
    routes,
};

use self::{
    edition::Edition,
    outline::{ClassFields, Classes, Outline, Pages, Reader, vary},
    published::Published,
    representation::{Chosen, Number, Representations, Unusable},
    table::{Place, Route, Table, Target},
};
use super::{answer::refusal::challenge, negotiate::Available};
use crate::{
    auth::Verifier,
    dist::{Contents, Dist, DistError},
    forms::Forms,
    mcp::{self, Catalogue, CatalogueError},
    registrar::{Abilities, Missing, Offers},
};

/// A build, ready to be served.
pub(crate) struct Site {
    /// Tells it from every other build that was loaded.
    pub(crate) edition: Edition,
    /// What may be asked for, as this service publishes it.
    pub(crate) offers: Offers,
    /// What is missing if less is honoured than the build says.
    pub(crate) missing: Option<Missing>,
    /// The URL of the site.
    pub(crate) url: String,
    /// The name of the build.
    pub(crate) build: String,
    /// Knows the valid credentials.
    pub(crate) verifier: Verifier,
    /// `WWW-Authenticate` of a refused credential.
    pub(crate) challenge: HeaderValue,
    /// `WWW-Authenticate` of a refused credential at the MCP endpoint.
    pub(crate) mcp_challenge: HeaderValue,
    /// What the MCP endpoint answers, if the build has prepared it.
    pub(crate) catalogue: Option<Catalogue>,
    /// The bytes of every file, so that the next build need not reread what has not changed.
    pub(crate) contents: Contents,
    /// What people fill in, and what they are sent.
    pub(crate) forms: Arc<Forms>,
    table: Table,
    representations: Representations,
    classes: Classes,
    /// By prefix, the longest first.
    not_found: Vec<(Box<str>, Pages)>,
    not_found_fields: Box<[u8]>,
}

impl Site {
    /// Prepares a verified build.
    pub(crate) fn new(dist: Dist<Outline>, forms: Forms, abilities: Abilities) -> Result<Self, DistError> {
        let Dist { prepared: outline, mut contents, parts } = dist;
        let Outline { url, build, sandbox_key, table, mut representations, classes, authorization, .. } = outline;
        let body = |path: &str, locale| {
            let number = match *table.find(path)? {
                Target::Route(route) => variant(route, locale)?,
                Target::Redirect(_) | Target::Endpoint(_) => return None,
            };
            Some(contents.get(representations.content(number)?)?.part(None).body())
        };
        let part = |name: &str, locale| parts.get(name, locale);
        let texts = mcp::Build { site_url: &url, name: &build, body: &body, part: &part };
        let catalogue = Catalogue::of(&texts, table.redirects()).map_err(|error| match error {
            CatalogueError::Unsound => DistError::from(Unusable),
            CatalogueError::Index(error) => DistError::Index(error),
        })?;
        let Published { offers, narrowed, missing } = match &authorization {
            Some((route, _)) => published::narrow(&body(&route.path, None).ok_or(Unusable)?, abilities)?,
            None => Published::default(),
        };
        if let (Some(text), Some((mut route, number))) = (narrowed, authorization) {
            // It has a tag of its own, and no compressed forms of the original.
            let variant = route.variants.first_mut().ok_or(Unusable)?;
            variant.encodings = Encodings::default();
            let is_guarded = matches!(table.find(&route.path), Some(Target::Route(route)) if route.guarded);
            let vary = vary(route.axis, is_guarded, &route.variants);
            let content = contents.push(text).ok_or(Unusable)?;
            representations.replace(number, &route.variants[0], vary.as_ref(), content)?;
        }
        Ok(Self {
            edition: Edition::next(),
            offers,
            missing,
            verifier: Verifier::new(&sandbox_key),
            challenge: challenge(&url, routes::PROTECTED_RESOURCE).ok_or(Unusable)?,
            mcp_challenge: challenge(&url, routes::PROTECTED_RESOURCE_MCP).ok_or(Unusable)?,
            url,
            build,
            catalogue,
            contents,
            forms: Arc::new(forms),
            table,
            representations,
            classes,
            not_found: outline.not_found,
            not_found_fields: outline.not_found_fields,
        })
    }

    /// Returns what `path`, decoded, leads to.
    pub(crate) fn find(&self, path: &str) -> Option<&Target> {
        self.table.find(path)
    }

    /// Returns what a redirect to `place` leads to: a path and the class of its route.
    pub(crate) fn led_to(&self, place: Place) -> Option<(&str, Class)> {
        match self.table.target(place)? {
            Target::Route(route) => Some((self.table.path(place), route.class)),
            Target::Redirect(_) | Target::Endpoint(_) => None,
        }
    }

    /// Returns the representation `number` in a coding that `choose` picks from those that exist.
    pub(crate) fn choose(
        &self,
        number: Number,
        choose: impl FnOnce(Available) -> Option<Coding>,
    ) -> Option<Chosen<'_>> {
        self.representations.choose(number, &self.contents, choose)
    }

    /// Returns the paths of both media of a page.
    pub(crate) fn places(&self, pages: Pages) -> (&str, &str) {
        (self.representations.place(pages.html), self.representations.place(pages.markdown))
    }

    /// Returns the fields of all answers of `class` to `reader`.
    pub(crate) fn class(&self, class: Class, reader: Reader) -> &ClassFields {
        &self.classes[reader as usize][class as usize]
    }

    /// Returns the page for readers for a `path` that leads nowhere, with its fields.
    pub(crate) fn not_found(&self, path: &str) -> Option<(Pages, &[u8])> {
        let below = |prefix: &str| {
            path.strip_prefix(prefix).is_some_and(|rest| prefix.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        let found = self.not_found.iter().find(|(prefix, _)| below(prefix));
        found.map(|(_, pages)| (*pages, &*self.not_found_fields))
    }
}

/// Returns the variant of `route` for `locale`, if that selects it.
pub(crate) fn variant(route: Route, locale: Option<Locale>) -> Option<Number> {
    match (route.axis, locale) {
        (Some(Axis::Locale), Some(Locale::Tr)) => Some(route.first.next()),
        (Some(Axis::Locale), None) => None,
        _ => Some(route.first),
    }
}
