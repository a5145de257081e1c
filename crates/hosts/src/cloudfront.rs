//! `CloudFront` before a bucket: two functions, a key value store of redirects, and lists of settings in plain JSON,
//! because firms manage their accounts with different tools.

use contract::{
    Locale,
    errors::ErrorCode,
    headers::{CORS_ALLOWED, CORS_EXPOSED, CORS_MAX_AGE, NOSNIFF, REFERRERS},
    manifest::{Axis, Class, Route},
    routes,
};
use findings::messages::{self, Text};
use serde_json::{Map, Value, json};

use super::{HostFile, PUBLIC, opening_comment, rules::locale_of, site::HostedSite, tables};

const NAME: &str = "cloudfront";
/// Bytes of a function (docs.aws.amazon.com, "Quotas on `CloudFront` Functions"): 10 KB.
const MAX_FUNCTION_BYTES: u64 = 10 * 1024;
/// Bytes of a key value store (the same page): 5 MB.
const MAX_STORE_BYTES: u64 = 5_000_000;

pub(super) fn files(site: &HostedSite<'_>) -> Result<Vec<HostFile>, Text> {
    let (request, response) = (request_function(site), response_function(site));
    for text in [&request, &response] {
        let (what, remedy) = (messages::limit_of_function, messages::long_policies_remedy);
        HostedSite::check_limit(NAME, what, text.len(), MAX_FUNCTION_BYTES, remedy)?;
    }
    let redirects = &site.rules.redirects;
    let of_pages = redirects.pages().map(|(from, to)| json!({ "key": from, "value": to }));
    let of_queries = redirects.queries.iter();
    let of_queries = of_queries.map(|((path, query), to)| json!({ "key": format!("{path}?{query}"), "value": to }));
    let moved: Vec<_> = of_pages.chain(of_queries).collect();
    let moved = format!("{}\n", json!({ "data": moved }));
    let (what, remedy) = (messages::limit_of_store, messages::former_addresses_remedy);
    HostedSite::check_limit(NAME, what, moved.len(), MAX_STORE_BYTES, remedy)?;
    let mut files = site.copies();
    files.extend([
        HostFile::text("functions/request.js", request),
        HostFile::text("functions/response.js", response),
        HostFile::text("redirects.json", moved),
        HostFile::text("upload.json", format!("{:#}\n", uploads(site))),
        HostFile::text("behaviours.json", format!("{:#}\n", behaviours(site))),
    ]);
    Ok(files)
}

/// Returns a function with its table, without comments and indentation: the size is limited.
fn function(table: &Value, text: &str) -> String {
    let (imports, rest): (Vec<&str>, Vec<&str>) = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .partition(|line| line.starts_with("import "));
    let (head, table) = (format!("// {}", opening_comment(NAME)), format!("const T = {table};"));
    let lines: Vec<&str> = [head.as_str()].into_iter().chain(imports).chain([table.as_str()]).chain(rest).collect();
    lines.join("\n") + "\n"
}

/// Classes of the files beside pages (cards and feeds), by extension. Every person and subject has several, too many
/// for a table.
const FILES: [(&str, Class); 3] = [("vcf", Class::Document), ("xml", Class::Feed), ("json", Class::Feed)];

/// Whether the file name alone determines how the functions serve a route.
fn is_beside_a_page(route: &Route) -> bool {
    let (Some(locale), [only]) = (locale_of(&route.path), route.variants.as_slice()) else { return false };
    let ending = route.path.rsplit('.').next().unwrap_or_default();
    FILES.contains(&(ending, route.class))
        && format!("/{}", only.file) == route.path
        && only.locale.is_none_or(|own| own == locale)
        && only.link.is_none()
}

fn request_function(site: &HostedSite<'_>) -> String {
    let mut listed = Map::new();
    for route in site.rules.listed.iter().filter(|route| !is_beside_a_page(route)) {
        let Some(variant) = route.variants.first() else { continue };
        let file = match route.axis {
            Some(Axis::Locale) => variant.file.replacen(&format!(".{}.", Locale::DEFAULT), ".*.", 1),
            _ => variant.file.clone(),
        };
        // The suffix of the file name after the address, or the whole name.
        let own = route.path.trim_start_matches('/');
        let name = file.strip_prefix(own).map_or_else(|| format!("/{file}"), str::to_owned);
        let class = number(route.class);
        let entry = if name.is_empty() { json!(class) } else { json!([class, name]) };
        listed.insert(route.path.clone(), entry);
    }
    let errors = tables::errors()
        .into_iter()
        .filter(|(name, _)| *name != ErrorCode::InternalError.as_str() && *name != ErrorCode::Unavailable.as_str());
    let errors: Map<String, Value> = errors
        .map(|(name, error)| {
            let body = &error["body"];
            // Error names are error codes; the function reports any other name as `unavailable`.
            (name, json!([error["status"], body["message"], body["resolution"]]))
        })
        .collect();
    let hidden = site.rules.hidden.iter().map(|file| format!("/{}", file.trim_end_matches(".html")));
    let table = json!({
        "site": site.manifest.site_url,
        "key": site.manifest.sandbox_key,
        "issued": tables::issued_pattern(),
        "challenge": tables::challenge(&site.manifest.site_url),
        "programs": routes::JSON_PREFIXES,
        "locale": Locale::DEFAULT,
        "locales": Locale::ALL,
        "kept": site.manifest.classes.get(&Class::Page).map(|policy| &policy.cache_control),
        "missing": site.not_found_file("", "html"),
        "hidden": hidden.collect::<Vec<_>>(),
        "preflight": {
            "access-control-allow-origin": "*",
            "access-control-allow-methods": "GET, HEAD",
            "access-control-allow-headers": CORS_ALLOWED,
            "access-control-max-age": CORS_MAX_AGE,
        },
        "page": number(Class::Page),
        "flags": Class::ALL.map(|class| flags(site, class)),
        "files": Map::from_iter(FILES.map(|(ending, class)| (ending.to_owned(), number(class).into()))),
        "sections": site.rules.redirects.sections,
        "errors": errors,
        "routes": listed,
    });
    function(&table, include_str!("../../../edge/cloudfront-request.js"))
}

/// Returns the number of a class in the request function's table.
fn number(class: Class) -> usize {
    Class::ALL.into_iter().position(|it| it == class).unwrap_or_default()
}

/// Returns what a class needs besides header fields: `c` for a credential, `s` for scripts.
fn flags(site: &HostedSite<'_>, class: Class) -> String {
    let policy = site.manifest.classes.get(&class);
    let flag = |is_set, letter| if is_set { letter } else { "" };
    policy.map(|it| format!("{}{}", flag(it.credential, "c"), flag(it.cors, "s"))).unwrap_or_default()
}

fn response_function(site: &HostedSite<'_>) -> String {
    let same = |name: &str, value: &str| {
        (name == "x-content-type-options" && value == NOSNIFF) || (name == "referrer-policy" && value == REFERRERS)
    };
    let classes = site.manifest.classes.iter().map(|(class, policy)| {
        let fields = policy.headers.iter().filter(|(name, value)| !same(name, value));
        let fields = fields.map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        let cache = ("cache-control".to_owned(), Value::from(policy.cache_control.as_str()));
        (class.as_str().to_owned(), Value::Object([cache].into_iter().chain(fields).collect()))
    });
    let mut listed = Map::new();
    for route in site.rules.listed.iter().filter(|route| !is_beside_a_page(route)) {
        let Some(variant) = route.variants.first() else { continue };
        let locale = variant.locale.map_or("", Locale::as_str);
        let link = variant.link.as_deref().filter(|_| route.class != Class::Page);
        listed.insert(
            route.path.clone(),
            link.map_or_else(|| json!([route.class, locale]), |link| json!([route.class, locale, link])),
        );
    }
    let table = json!({
        "site": site.manifest.site_url,
        "missing": site.not_found_file("", "html"),
        "exposed": CORS_EXPOSED,
        "links": site.rules.links,
        "flags": site.manifest.classes.keys().map(|class| (class.as_str().to_owned(), flags(site, *class).into())).collect::<Map<String, Value>>(),
        "classes": classes.collect::<Map<_, _>>(),
        "files": Map::from_iter(FILES.map(|(ending, class)| (ending.to_owned(), class.as_str().into()))),
        "routes": listed,
    });
    function(&table, include_str!("../../../edge/cloudfront-response.js"))
}

/// Returns the media type of each file, to be set on upload.
fn uploads(site: &HostedSite<'_>) -> Value {
    site.public_files()
        .into_iter()
        .map(|(file, variant)| (file.to_owned(), Value::from(variant.media_type.as_str())))
        .collect::<Map<_, _>>()
        .into()
}

fn behaviours(site: &HostedSite<'_>) -> Value {
    let methods = json!(["GET", "HEAD", "OPTIONS", "PUT", "POST", "PATCH", "DELETE"]);
    let content = json!({
        "path": "*",
        "origin": "bucket",
        "viewer_request": "mecelle-request",
        "viewer_response": "mecelle-response",
        "methods": methods,
        "cache_by": { "query": "none", "headers": [] },
        "response_headers": { "x-content-type-options": NOSNIFF, "referrer-policy": REFERRERS },
        "compress": true,
    });
    let service = site.sidecar.map(|origin| {
        let paths = [routes::MCP, "/agent/*", "/oauth2/*"].map(|path| {
            json!({
                "path": path,
                "origin": origin,
                "methods": methods,
                "cache_policy": "Managed-CachingDisabled",
                "origin_request_policy": "Managed-AllViewerExceptHostHeader",
                "compress": false,
            })
        });
        paths.to_vec()
    });
    let behaviours: Vec<Value> = service.into_iter().flatten().chain([content]).collect();
    json!({
        "behaviours": behaviours,
        "functions": { "mecelle-request": "functions/request.js", "mecelle-response": "functions/response.js" },
        "key_value_store": "redirects.json",
        "errors": [{ "status": [404], "answer": 404, "page": format!("/{}", site.not_found_file("", "html")), "keep_seconds": 0 }],
        "bucket": { "folder": PUBLIC, "types": "upload.json", "public": false, "allow": ["s3:GetObject", "s3:ListBucket"] },
    })
}
