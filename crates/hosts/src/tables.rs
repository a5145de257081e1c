//! `tables.js`: the data about a build that the edge module reads.

use contract::{
    Locale,
    agent_auth::CredentialType,
    errors::ErrorCode,
    headers::{CORS_ALLOWED, CORS_EXPOSED, CORS_MAX_AGE, NOSNIFF, NOTHING_LOADED, REFERRERS},
    manifest::{Axis, Route, Variant},
    media, routes,
};
use serde_json::{Map, Value, json};

use super::{HostFile, site::HostedSite};

/// Errors of a host without a sidecar: name, message and resolution.
const WITHOUT_SIDECAR: [(&str, &str, &str); 2] = [
    (
        "no_service",
        "This address publishes content only; it has no service for agents.",
        "Read the content API that /openapi.json describes, which needs no credential.",
    ),
    (
        "no_credentials",
        "This address publishes content only; it cannot check credentials that were issued to agents.",
        "Leave the credential out: everything that is published here can be read without one.",
    ),
];

/// Returns the edge module and its tables as files of `folder`.
pub(super) fn edge(folder: &str, tables: String) -> [HostFile; 3] {
    [
        HostFile::text(format!("{folder}/handle.js"), include_str!("../../../edge/handle.js")),
        HostFile::text(format!("{folder}/negotiate.js"), include_str!("../../../edge/negotiate.js")),
        HostFile::text(format!("{folder}/tables.js"), tables),
    ]
}

pub(super) fn module(site: &HostedSite<'_>) -> String {
    format!("// Made by `generator host`, which overwrites it.\nexport const tables = {};\n", tables(site))
}

fn tables(site: &HostedSite<'_>) -> Value {
    let (manifest, rules) = (site.manifest, &site.rules);
    let classes = manifest.classes.iter().map(|(class, policy)| {
        let headers: Map<String, Value> =
            policy.headers.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        let policy = json!({
            "cache_control": policy.cache_control,
            "credential": policy.credential,
            "cors": policy.cors,
            "headers": headers,
        });
        (class.as_str().to_owned(), policy)
    });
    let mut not_found: Vec<_> = manifest.not_found.iter().collect();
    not_found.sort_by_key(|answer| std::cmp::Reverse(answer.prefix.len()));
    json!({
        "site_url": manifest.site_url,
        "origin": site.sidecar,
        "sandbox_key": manifest.sandbox_key,
        "next_change": manifest.next_change,
        "issued": issued_pattern(),
        "challenge": challenge(&manifest.site_url),
        "api": routes::JSON_PREFIXES[0],
        "for_programs": routes::JSON_PREFIXES,
        "computed": [routes::MCP, "/agent/", "/oauth2/"],
        "searches": site.searches.iter().flat_map(|path| [(*path).to_owned(), format!("{path}.md")]).collect::<Vec<_>>(),
        "default_locale": Locale::DEFAULT,
        "links": rules.links,
        "folders": { format!("{}/", routes::ASSETS): "asset", format!("{}/", routes::DOCUMENTS): "document" },
        "types": types(site),
        "classes": classes.collect::<Map<_, _>>(),
        "fields": fields(),
        "errors": errors(),
        "missing": not_found.iter().map(|it| json!([it.prefix, it.variants.iter().map(variant).collect::<Vec<_>>()])).collect::<Vec<_>>(),
        "hidden": rules.hidden,
        "sections": rules.redirects.sections,
        "redirects": rules.redirects.listed,
        "queries": rules.redirects.queries.iter().map(|((path, query), to)| (format!("{path}?{query}"), (*to).into())).collect::<Map<String, Value>>(),
        "routes": rules.listed.iter().map(|it| (it.path.clone(), route(it))).collect::<Map<_, _>>(),
    })
}

fn route(route: &Route) -> Value {
    let variants: Vec<_> = route.variants.iter().map(variant).collect();
    let mut value = json!({ "class": route.class, "variants": variants });
    if let Some(axis) = route.axis {
        value["axis"] = match axis {
            Axis::Locale => "locale".into(),
            Axis::Accept => "accept".into(),
        };
    }
    value
}

fn variant(variant: &Variant) -> Value {
    let mut value = json!({ "file": variant.file, "type": variant.media_type });
    if let Some(locale) = variant.locale {
        value["locale"] = locale.as_str().into();
    }
    if let Some(link) = &variant.link {
        value["link"] = link.as_str().into();
    }
    if let Some(location) = &variant.location {
        value["location"] = location.as_str().into();
    }
    if variant.tokens.is_some() {
        value["tokens"] = true.into();
    }
    value
}

/// Returns media types by file extension: of the build's files, and of those that every module needs.
pub(super) fn types(site: &HostedSite<'_>) -> Map<String, Value> {
    let published = site.public_files();
    let ends = published.keys().filter_map(|file| file.rsplit_once('.')).map(|(_, end)| end);
    let mut ends: Vec<_> = ends.chain(["html", "json", "md", "txt"]).collect();
    ends.sort_unstable();
    ends.dedup();
    ends.into_iter().filter_map(|end| Some((end.to_owned(), media::of_extension(end)?.into()))).collect()
}

/// Returns a pattern for credentials of the sidecar. Only the sidecar can check whether one is valid.
pub(super) fn issued_pattern() -> String {
    let prefixes = [CredentialType::AccessToken, CredentialType::ApiKey].map(CredentialType::prefix);
    format!("^(?:{})[0-9A-Za-z]{{27}}$", prefixes.join("|"))
}

/// Returns `WWW-Authenticate` for an invalid credential (RFC 6750, 3; RFC 9728, 5.1).
pub(super) fn challenge(site_url: &str) -> String {
    contract::errors::challenge(site_url, routes::PROTECTED_RESOURCE)
}

/// Returns header fields that several kinds of responses share.
fn fields() -> Value {
    json!({
        "plain": { "x-content-type-options": NOSNIFF, "referrer-policy": REFERRERS },
        "hardened": {
            "cache-control": "no-store",
            "x-content-type-options": NOSNIFF,
            "content-security-policy": NOTHING_LOADED,
            "referrer-policy": REFERRERS,
        },
        "readable": { "access-control-allow-origin": "*", "access-control-expose-headers": CORS_EXPOSED },
        "preflight": {
            "access-control-allow-origin": "*",
            "access-control-allow-methods": "GET, HEAD",
            "access-control-allow-headers": CORS_ALLOWED,
            "access-control-max-age": CORS_MAX_AGE,
        },
    })
}

/// Returns the status and the body of every error that a host reports without the sidecar.
pub(super) fn errors() -> Map<String, Value> {
    let own = [
        ErrorCode::InvalidLocale,
        ErrorCode::InvalidApiKey,
        ErrorCode::NotFound,
        ErrorCode::MethodNotAllowed,
        ErrorCode::UriTooLong,
        ErrorCode::InternalError,
        ErrorCode::Unavailable,
    ];
    let own = own.map(|code| (code.as_str().to_owned(), json!({ "status": code.status(), "body": code.response() })));
    let code = ErrorCode::Unavailable;
    let without = WITHOUT_SIDECAR.map(|(name, message, resolution)| {
        let body = json!({ "error": code.as_str(), "message": message, "resolution": resolution });
        (name.to_owned(), json!({ "status": code.status(), "body": body }))
    });
    own.into_iter().chain(without).collect()
}
