//! The index of a manifest: targets of paths, header fields, and the files to read.

use std::{array, cmp::Reverse, collections::HashMap};

use actix_web::http::header::HeaderValue;
use contract::{
    Locale,
    headers::written,
    manifest::{self, Axis, Class, Manifest, Missing, Policy, Variant},
    media::{self, essence},
};

use super::variants::{UnusableRoute, VariantId, Variants, VariantsBuilder};
use crate::published::LoadPlan;

/// The index of a manifest, made before the files of the build are read.
pub(crate) struct SiteIndex {
    pub(crate) url: String,
    pub(super) build: String,
    pub(super) sandbox_key: String,
    pub(super) targets: HashMap<Box<str>, Target>,
    /// The routes of addresses with a query, written `path?query`.
    pub(super) queries: HashMap<Box<str>, Box<str>>,
    pub(super) variants: Variants,
    /// `Cache-Control` of every class, for redirects.
    pub(super) cache_control: [Option<HeaderValue>; Class::ALL.len()],
    /// By prefix, the longest first.
    pub(super) not_found: Vec<(Box<str>, PageVariants)>,
    /// What the build offers but this service does not honour.
    pub(super) missing: Option<Missing>,
}

pub(crate) enum Target {
    /// A response of the build.
    Route(BuildRoute),
    /// A route of the build at another path.
    Redirect(Box<str>),
    /// A response that is computed, by the number of its route.
    Computed {
        number: u8,
        /// Whether it is a page that a person opens.
        is_page: bool,
    },
}

#[derive(Clone, Copy)]
pub(crate) struct BuildRoute {
    pub(crate) class: Class,
    /// Whether the limit of the content API applies and credentials are verified.
    pub(crate) is_authenticated: bool,
    pub(crate) cors: bool,
    /// What selects the variant.
    pub(crate) axis: Option<Axis>,
    /// The only variant; or the English one, followed by the Turkish one; or the page, followed by its Markdown.
    pub(crate) first: VariantId,
}

/// A page in both media.
#[derive(Clone, Copy)]
pub(crate) struct PageVariants {
    pub(crate) html: VariantId,
    pub(crate) markdown: VariantId,
}

impl SiteIndex {
    /// Indexes a checked manifest and adds its files to `plan`. `computed` are the paths of computed routes, each with
    /// whether it is a page; `missing` is what the service does not honour.
    pub(crate) fn of(
        manifest: Manifest,
        missing: Option<Missing>,
        plan: &mut LoadPlan,
        computed: impl ExactSizeIterator<Item = (&'static str, bool)>,
    ) -> Result<Self, UnusableRoute> {
        let count = manifest.routes.len() + manifest.redirects.len() + computed.len();
        let mut targets = HashMap::with_capacity(count);
        let mut builder = VariantsBuilder::default();
        for route in &manifest.routes {
            let policy = manifest.classes.get(&route.class).ok_or(UnusableRoute)?;
            let first = add_variants(route, policy, &mut builder, plan)?;
            let (class, axis) = (route.class, route.axis);
            let target = BuildRoute { class, is_authenticated: policy.credential, cors: policy.cors, axis, first };
            targets.insert(route.path.as_str().into(), Target::Route(target));
        }
        let mut queries = HashMap::new();
        for redirect in manifest.redirects {
            let (from, to) = (redirect.from.into_boxed_str(), redirect.to.into_boxed_str());
            if from.contains('?') {
                queries.insert(from, to);
            } else {
                targets.insert(from, Target::Redirect(to));
            }
        }
        for (number, (path, is_page)) in (0..).zip(computed) {
            targets.insert(path.into(), Target::Computed { number, is_page });
        }
        let mut cache_control = array::from_fn(|_| None);
        for (class, policy) in &manifest.classes {
            let value = HeaderValue::from_str(&policy.cache_control).map_err(|_| UnusableRoute)?;
            cache_control[*class as usize] = Some(value);
        }
        let page_policy = manifest.classes.get(&Class::Page).cloned().unwrap_or_default();
        let policy = Policy { cache_control: "no-store".to_owned(), cors: false, ..page_policy };
        let mut not_found = Vec::with_capacity(manifest.not_found.len());
        for entry in &manifest.not_found {
            let vary = vary(Some(Axis::Accept), false, &entry.variants);
            let pages = add_page(&entry.variants, &policy, vary.as_deref(), &mut builder, plan)?;
            not_found.push((entry.prefix.as_str().into(), pages));
        }
        not_found.sort_by_key(|(prefix, _): &(Box<str>, _)| Reverse(prefix.len()));
        Ok(Self {
            url: manifest.site_url,
            build: manifest.build.0,
            sandbox_key: manifest.sandbox_key,
            targets,
            queries,
            variants: builder.finish(),
            cache_control,
            not_found,
            missing,
        })
    }
}

/// Adds the variants of `route` in their order, and returns the first.
fn add_variants(
    route: &manifest::Route,
    policy: &Policy,
    builder: &mut VariantsBuilder,
    plan: &mut LoadPlan,
) -> Result<VariantId, UnusableRoute> {
    let vary = vary(route.axis, policy.credential, &route.variants);
    match route.axis {
        None => builder.add(route.variants.first().ok_or(UnusableRoute)?, policy, vary.as_deref(), plan),
        Some(Axis::Locale) => {
            let mut add = |locale| {
                let found = route.variants.iter().find(|variant| variant.locale == Some(locale));
                builder.add(found.ok_or(UnusableRoute)?, policy, vary.as_deref(), plan)
            };
            let first = add(Locale::En)?;
            add(Locale::Tr)?;
            Ok(first)
        }
        Some(Axis::Accept) => Ok(add_page(&route.variants, policy, vary.as_deref(), builder, plan)?.html),
    }
}

/// Adds a page, and then its Markdown.
fn add_page(
    variants: &[Variant],
    policy: &Policy,
    vary: Option<&str>,
    builder: &mut VariantsBuilder,
    plan: &mut LoadPlan,
) -> Result<PageVariants, UnusableRoute> {
    let mut add = |wanted: &str| {
        let found = variants.iter().find(|variant| essence(&variant.media_type) == essence(wanted));
        builder.add(found.ok_or(UnusableRoute)?, policy, vary, plan)
    };
    Ok(PageVariants { html: add(media::HTML)?, markdown: add(media::MARKDOWN)? })
}

/// Returns the value of `Vary`. A query is part of the address, so it is not named.
fn vary(axis: Option<Axis>, credential: bool, variants: &[Variant]) -> Option<String> {
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
    (!fields.is_empty()).then(|| fields.join(", "))
}
