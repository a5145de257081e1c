//! Response headers in the description: which response has which, and their descriptions.

use contract::{
    errors::ErrorCode,
    headers::{CORS_EXPOSED, NOSNIFF, NOTHING_LOADED, REFERRERS, written},
    routes::{self, Operation},
};
use serde_json::{Map, Value, json};
use site::Site;

/// Headers of every response.
const OF_EVERY_ANSWER: [&str; 3] =
    ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers", written::X_REQUEST_ID];
/// Headers of every response with a body.
const OF_A_BODY: [&str; 3] = ["Content-Security-Policy", "Referrer-Policy", "X-Content-Type-Options"];
const LANGUAGE: &str = "Content-Language";
const CACHE_CONTROL: &str = "Cache-Control";
const VARY: &str = "Vary";
/// Suffix of the component names of headers that have another value if a response must not be stored.
const NO_STORE: &str = "-NoStore";
const LIMIT: [&str; 2] = [written::RATE_LIMIT, written::RATE_LIMIT_POLICY];

/// Returns the headers of a successful response.
pub(super) fn of_success(operation: &Operation) -> Map<String, Value> {
    if operation.path == routes::HEALTH {
        return references(Caching::Never, &[["ETag", VARY].as_slice(), &LIMIT, &OF_A_BODY, &[LANGUAGE]]);
    }
    references(Caching::Briefly, &[["Content-Encoding", "ETag", VARY].as_slice(), &LIMIT, &OF_A_BODY, &[LANGUAGE]])
}

/// Returns the headers of a 304 response.
pub(super) fn of_not_modified(caching: Caching) -> Map<String, Value> {
    references(caching, &[["ETag", VARY].as_slice(), &LIMIT])
}

pub(super) fn of_error(code: ErrorCode) -> Map<String, Value> {
    let own: &[&[&str]] = match code {
        ErrorCode::InvalidLocale | ErrorCode::UriTooLong => &[&LIMIT],
        ErrorCode::InvalidApiKey => &[&LIMIT, &["WWW-Authenticate"]],
        ErrorCode::MethodNotAllowed => &[&LIMIT, &["Allow"]],
        ErrorCode::RateLimited => &[&LIMIT, &["Retry-After"]],
        ErrorCode::Unavailable => &[&["Retry-After"]],
        _ => &[],
    };
    references(Caching::Never, &[own, &[&OF_A_BODY, &[LANGUAGE]]].concat())
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Caching {
    Briefly,
    Never,
}

/// Returns references to headers, sorted by name as everywhere.
fn references(caching: Caching, own: &[&[&str]]) -> Map<String, Value> {
    let mut names = [own.concat().as_slice(), &OF_EVERY_ANSWER, &[CACHE_CONTROL]].concat();
    names.sort_unstable_by_key(|name| name.to_ascii_lowercase());
    let reference = |name: &str| {
        let has_no_store_form = caching == Caching::Never && [CACHE_CONTROL, VARY].contains(&name);
        let ending = if has_no_store_form { NO_STORE } else { "" };
        (name.to_owned(), json!({ "$ref": format!("#/components/headers/{name}{ending}") }))
    };
    names.into_iter().map(reference).collect()
}

/// Describes every header, by name.
pub(super) fn components(site: &Site) -> Map<String, Value> {
    let challenge = contract::errors::challenge(site.url(), routes::PROTECTED_RESOURCE);
    let never = |name: &str| format!("{name}{NO_STORE}");
    let texts = [
        ("Access-Control-Allow-Origin", "Scripts of every origin may read the response.", "*"),
        ("Access-Control-Expose-Headers", "Further response fields that such a script may read.", CORS_EXPOSED),
        ("Allow", "Methods that the resource supports.", "GET, HEAD"),
        (
            CACHE_CONTROL,
            "How long the response may be cached. With an issued credential it is `private, no-cache`: the client may \
             cache the response but must revalidate it with its `ETag`, because a credential can be revoked at any time.",
            "public, max-age=300, stale-while-revalidate=3600",
        ),
        (&never(CACHE_CONTROL), "The response must not be cached.", "no-store"),
        (
            "Content-Encoding",
            "Compression of the body, selected by `Accept-Encoding`; absent without compression.",
            "br",
        ),
        (LANGUAGE, "The response language.", "en"),
        ("Content-Security-Policy", "A browser that displays the response loads nothing else.", NOTHING_LOADED),
        (
            "ETag",
            "Strong validator of this representation; send it back in `If-None-Match`.",
            "\"0123456789abcdef0123456789abcdef\"",
        ),
        (
            written::RATE_LIMIT,
            "The remaining requests of the limit, and the seconds until more are allowed.",
            "\"content\";r=599;t=1",
        ),
        (written::RATE_LIMIT_POLICY, "The limit in force.", "\"content\";q=600;w=60"),
        ("Referrer-Policy", "How much of this address browsers send to other sites.", REFERRERS),
        (VARY, "Request fields that select the response.", "Accept-Encoding, Authorization, X-Api-Key"),
        (
            &never(VARY),
            "Request fields that select the response, which is never compressed.",
            "Authorization, X-Api-Key",
        ),
        ("WWW-Authenticate", "Address of the metadata that describes how to obtain a credential.", &challenge),
        (
            "X-Content-Type-Options",
            "Browsers must use the media type of `Content-Type` and not guess another.",
            NOSNIFF,
        ),
        (written::X_REQUEST_ID, "Identifier of the request; quote it when you report a problem.", "0192f0c1d2e3"),
    ];
    let text = |(name, description, example): (&str, &str, &str)| {
        let header = json!({ "description": description, "schema": { "type": "string" }, "example": example });
        (name.to_owned(), header)
    };
    let mut all: Map<String, Value> = texts.into_iter().map(text).collect();
    let wait =
        json!({ "description": "Seconds to wait.", "schema": { "type": "integer", "minimum": 0 }, "example": 30 });
    all.insert("Retry-After".to_owned(), wait);
    all
}
