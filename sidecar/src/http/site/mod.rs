//! A build, prepared for requests: the targets of all paths.
//!
//! Immutable. A new build is a new site; requests in progress finish on the old one.

mod site_index;
mod variants;

use std::{collections::HashMap, sync::Arc};

use actix_web::http::header::HeaderValue;
use contract::{
    Locale, errors,
    manifest::{Abilities, Axis, Class, Coding, Missing},
    routes,
};
use forms::Forms;
use mcp::{self, Catalogue, CatalogueError};
use registration::registrar::Offers;

use self::variants::{UnusableRoute, Variants};
pub(crate) use self::{
    site_index::{BuildRoute, PageVariants, SiteIndex, Target},
    variants::{SelectedVariant, VariantId},
};
use super::{negotiate::Available, rate_limit::RateLimits};
use crate::{
    auth::{CredentialVerifier, Principal},
    published::{Contents, Dist, DistError, Sha256},
};

/// A build, ready to be served.
pub(crate) struct ServedSite {
    pub(crate) limits: RateLimits,
    /// The registration offers that this service publishes.
    pub(crate) offers: Offers,
    /// What the build offers but this service does not honour.
    pub(crate) missing: Option<Missing>,
    /// The origin of the site.
    pub(crate) url: String,
    /// The name of the build.
    pub(crate) build: String,
    pub(crate) verifier: CredentialVerifier,
    /// `WWW-Authenticate` of a refused credential.
    pub(crate) challenge: HeaderValue,
    /// `WWW-Authenticate` of a refused credential at the MCP endpoint.
    pub(crate) mcp_challenge: HeaderValue,
    /// The answers of the MCP endpoint, if the build has any.
    pub(crate) catalogue: Option<Catalogue>,
    /// The bytes of every file; the next build reuses unchanged ones.
    pub(crate) contents: Contents,
    /// Forms and messages.
    pub(crate) forms: Arc<Forms>,
    targets: HashMap<Box<str>, Target>,
    queries: HashMap<Box<str>, Box<str>>,
    variants: Variants,
    cache_control: [Option<HeaderValue>; Class::ALL.len()],
    not_found: Vec<(Box<str>, PageVariants)>,
}

/// Which caches may store a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheScope {
    /// Every cache, as the class of the route says.
    Public,
    /// Only the client, which must revalidate, because its credential may be revoked.
    Private,
}

impl CacheScope {
    pub(crate) const fn of(principal: &Principal) -> Self {
        match principal {
            Principal::Anonymous | Principal::Sandbox => Self::Public,
            Principal::Agent(_) => Self::Private,
        }
    }
}

impl ServedSite {
    /// Prepares a verified build.
    pub(crate) fn new(
        dist: Dist<SiteIndex>,
        forms: Forms,
        abilities: Abilities,
        limits: RateLimits,
    ) -> Result<Self, DistError> {
        let Dist { prepared: index, contents, parts } = dist;
        let SiteIndex { url, build, sandbox_key, missing, targets, queries, variants, cache_control, not_found } =
            index;
        let text = |id| Some(contents.get(variants.content(id)?)?.part(None).body());
        let body = |path: &str, locale| match targets.get(path)? {
            Target::Route(route) => text(variant(*route, locale)?),
            Target::Redirect(_) | Target::Computed { .. } => None,
        };
        let part = |name: &str, locale| parts.get(name, locale);
        let texts = mcp::BuildParts {
            site_url: &url,
            name: &build,
            body: &body,
            part: &part,
            sha256: &|text| Sha256::of(text).to_string(),
            has_providers: abilities.providers,
        };
        let redirects = targets.iter().filter_map(|(from, target)| match target {
            Target::Redirect(to) => Some((&**from, &**to)),
            Target::Route(_) | Target::Computed { .. } => None,
        });
        let catalogue = Catalogue::of(&texts, redirects).map_err(|error| match error {
            CatalogueError::Unsound => DistError::from(UnusableRoute),
            CatalogueError::Index(error) => DistError::Index(error),
        })?;
        // A build without the document offers nothing.
        let offers = match body(routes::AUTHORIZATION_SERVER, None) {
            Some(document) => Offers::of(&serde_json::from_slice(&document).map_err(|_| UnusableRoute)?, abilities),
            None => Offers::default(),
        };
        let challenge = |metadata| HeaderValue::from_str(&errors::challenge(&url, metadata)).map_err(|_| UnusableRoute);
        Ok(Self {
            limits,
            offers,
            missing,
            verifier: CredentialVerifier::new(&sandbox_key),
            challenge: challenge(routes::PROTECTED_RESOURCE)?,
            mcp_challenge: challenge(if targets.contains_key(routes::PROTECTED_RESOURCE_MCP) {
                routes::PROTECTED_RESOURCE_MCP
            } else {
                routes::PROTECTED_RESOURCE
            })?,
            url,
            build,
            catalogue,
            contents,
            forms: Arc::new(forms),
            targets,
            queries,
            variants,
            cache_control,
            not_found,
        })
    }

    /// Returns the target of the decoded `path`.
    pub(crate) fn find(&self, path: &str) -> Option<&Target> {
        self.targets.get(path)
    }

    /// Returns the route to which `path`, decoded, redirects with exactly this query.
    pub(crate) fn find_query(&self, path: &str, query: Option<&str>) -> Option<&str> {
        let query = query.filter(|_| !self.queries.is_empty())?;
        let bare = path.strip_suffix('/').filter(|bare| !bare.is_empty()).unwrap_or(path);
        self.queries.get(format!("{bare}?{query}").as_str()).map(|to| &**to)
    }

    /// Returns the variant in the coding that `choose` selects from the available ones.
    pub(crate) fn select(
        &self,
        id: VariantId,
        choose: impl FnOnce(Available) -> Option<Coding>,
    ) -> Option<SelectedVariant<'_>> {
        self.variants.select(id, &self.contents, choose)
    }

    /// Returns the paths of both media of a page.
    pub(crate) fn locations(&self, page: PageVariants) -> (&str, &str) {
        (self.variants.location(page.html), self.variants.location(page.markdown))
    }

    /// Returns `Cache-Control` of all routes of `class`.
    pub(crate) fn cache_control(&self, class: Class) -> Option<&HeaderValue> {
        self.cache_control[class as usize].as_ref()
    }

    pub(crate) fn not_found(&self, path: &str) -> Option<PageVariants> {
        let below = |prefix: &str| {
            path.strip_prefix(prefix).is_some_and(|rest| prefix.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        self.not_found.iter().find(|(prefix, _)| below(prefix)).map(|(_, page)| *page)
    }
}

pub(crate) fn variant(route: BuildRoute, locale: Option<Locale>) -> Option<VariantId> {
    match (route.axis, locale) {
        (Some(Axis::Locale), Some(Locale::Tr)) => Some(route.first.next()),
        (Some(Axis::Locale), None) => None,
        _ => Some(route.first),
    }
}
