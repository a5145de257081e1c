//! What is expected of the sidecar, and of an edge module in front of the same files.

use std::borrow::Cow;

use contract::{Locale, errors::ErrorCode, headers::NOSNIFF, media, routes};

use super::{
    Fault, PUBLISH, TYPES, found, other_scheme, unanswered,
    visit::{Answer, Visit},
};
use crate::source::is_loopback;

/// A check. It adds what is wrong to the list; an error is one more fault, after which the check cannot continue.
pub(super) type Check = fn(&Visit, &mut Vec<Fault>) -> Result<(), Fault>;

/// The checks of both, with their names.
pub(super) const ALL: [(&str, Check); 11] = [
    ("transport", transport),
    ("health", health),
    ("lists", lists),
    ("caching", caching),
    ("refusals", refusals),
    ("pages", pages),
    ("types", types),
    ("discovery", discovery),
    ("addresses", addresses),
    ("texts for programs", texts),
    ("unknown addresses", unknown),
];
/// What only the sidecar does.
pub(super) const SIDECAR: [(&str, Check); 1] = [("service", service)];
/// What an edge module passes on, or says that nothing answers.
pub(super) const EDGE: [(&str, Check); 1] = [("service behind", service_behind)];

/// A credential in the form of one, which belongs to no registration.
pub(super) const NEVER_ISSUED: &str = "Bearer nobody-was-given-this";

const QUERY: &str = "make the query part of the cache key, and pass it on: `?locale=tr` is another document";
const VARY: &str = "pass on the service's Vary, and let the cache heed it; one that cannot must not keep these answers";
const ACCEPT: &str = "pass on `Accept`, and keep the two forms of a page apart in the cache, or do not cache pages";
const CREDENTIAL: &str = "pass on `Authorization` and `X-Api-Key`, and answer requests that have them from no cache";
const ERRORS: &str = "pass on the service's own errors and keep none of them: a page that is published tomorrow must not be \
                      missing for as long as a cache remembers";
const HEADERS: &str = "pass on the service's header fields, and add none that weaken them";
const METHODS: &str = "pass on every method, and its answer with `Allow`";
const OFFER: &str = "run the sidecar and name it to the host (`generator host NAME --sidecar URL`), or write `service = false` and \
                     `identity_types = []` into `[agents]` of site.toml, so that the documents offer neither MCP nor registration";

pub(super) fn expect(
    faults: &mut Vec<Fault>,
    holds: bool,
    remedy: impl Into<Cow<'static, str>>,
    fault: impl FnOnce() -> String,
) {
    if !holds {
        faults.push(Fault::new(fault(), remedy));
    }
}

/// Returns the body of an answer as JSON, or the fault.
pub(super) fn json(answer: &Answer, path: &str) -> Result<serde_json::Value, Fault> {
    answer.json().map_err(|why| Fault::new(format!("{path}: {why}"), PUBLISH))
}

/// Returns what to do about an address of another site than the one that is asked.
fn meant(visit: &Visit, address: &str) -> Cow<'static, str> {
    let other = other_scheme(visit.origin());
    if address == other || address.starts_with(&format!("{other}/")) {
        return format!("the build is for {other}, so ask that; or build with this --site-url").into();
    }
    "build with this --site-url, or give the right one to the doctor".into()
}

pub(super) fn transport(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let is_safe = visit.origin().starts_with("https://") || is_loopback(visit.origin());
    expect(faults, is_safe, "serve the site as https", || "the site is asked without TLS".to_owned());
    let answer = visit.get("/", &[]).map_err(unanswered)?;
    expect(faults, answer.field("set-cookie").is_empty(), "switch that off: the site promises to set none", || {
        "a cookie is set by something between here and the service".to_owned()
    });
    Ok(())
}

fn health(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let answer = found(visit, routes::HEALTH, &[])?;
    expect(faults, json(&answer, routes::HEALTH)?["ok"] == true, PUBLISH, || {
        format!("{} does not say `ok`", routes::HEALTH)
    });
    expect(faults, answer.names("cache-control", "no-store"), HEADERS, || format!("{} may be cached", routes::HEALTH));
    Ok(())
}

/// Each language is asked for twice, after the other one: a cache that knows one of them must not answer with it.
fn lists(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    for operation in routes::OPERATIONS.iter().filter(|operation| operation.localized) {
        for locale in [Locale::En, Locale::Tr, Locale::En] {
            let path = format!("{}?locale={locale}", operation.path);
            let answer = found(visit, &path, &[])?;
            let language = answer.field("content-language");
            expect(faults, language == locale.as_str(), QUERY, || {
                format!("{path} answers in the language `{language}`")
            });
            let list = json(&answer, &path)?;
            if operation.path == routes::CONTACT {
                continue;
            }
            expect(faults, list["locale"] == locale.as_str(), QUERY, || {
                format!("{path} answers in the language {}", list["locale"])
            });
            let items = list["items"].as_array().map_or(0, Vec::len) as u64;
            expect(faults, list["count"] == items, PUBLISH, || {
                format!("{path} counts {} of {items} items", list["count"])
            });
        }
    }
    faults.dedup();
    Ok(())
}

fn caching(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    for (path, varies) in [(routes::PUBLICATIONS, "authorization"), ("/en", "accept")] {
        let whole = found(visit, path, &[])?;
        expect(faults, whole.names("vary", varies), VARY, || {
            format!("{path} varies by {varies} and says `Vary: {}`", whole.field("vary"))
        });
        // A host that compresses makes it a weak one, by which caches can ask as well.
        let tag = whole.field("etag").to_owned();
        if tag.is_empty() {
            faults.push(Fault::new(format!("{path} has no ETag"), HEADERS));
            continue;
        }
        let again = visit.get(path, &[("if-none-match", &tag)]).map_err(unanswered)?;
        expect(faults, again.status == 304, HEADERS, || format!("{path} answers {} instead of 304", again.status));
        let head = visit.ask("HEAD", path, &[]).map_err(unanswered)?;
        expect(faults, head.status == 200 && head.body.is_empty(), METHODS, || {
            format!("HEAD {path} answers {}", head.status)
        });
    }
    Ok(())
}

fn refusals(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let bad_locale = visit.get(&format!("{}?locale=xx", routes::TEAM), &[]).map_err(unanswered)?;
    expect(faults, bad_locale.status == 400 && bad_locale.is_error(), QUERY, || {
        format!("an unknown locale answers {}: expected 400 with an explanation", bad_locale.status)
    });
    let bad_key = visit.get(routes::TEAM, &[("authorization", NEVER_ISSUED)]).map_err(unanswered)?;
    expect(
        faults,
        bad_key.status == 401 && bad_key.field("www-authenticate").contains("resource_metadata"),
        CREDENTIAL,
        || format!("an invalid credential answers {}: expected 401 with `WWW-Authenticate`", bad_key.status),
    );
    let posted = visit.ask("POST", routes::TEAM, &[]).map_err(unanswered)?;
    expect(faults, posted.status == 405 && posted.field("allow") == "GET, HEAD", METHODS, || {
        format!("POST to a list answers {}: expected 405 with `Allow`", posted.status)
    });
    for (answer, what) in
        [(&bad_locale, "an unknown locale"), (&bad_key, "an invalid credential"), (&posted, "POST to a list")]
    {
        expect(faults, answer.names("cache-control", "no-store"), ERRORS, || {
            format!("the answer to {what} may be cached")
        });
    }
    Ok(())
}

fn pages(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    for locale in Locale::ALL {
        let path = format!("/{locale}");
        let html = found(visit, &path, &[("accept", "text/html")])?;
        let markdown = found(visit, &path, &[("accept", "text/markdown")])?;
        let again = found(visit, &path, &[("accept", "text/html")])?;
        expect(faults, html.has_type("text/html") && again.has_type("text/html"), ACCEPT, || {
            format!("{path} is not HTML when that is asked for")
        });
        expect(faults, markdown.has_type("text/markdown"), ACCEPT, || {
            format!("{path} is not Markdown when that is asked for")
        });
        expect(faults, html.names("vary", "accept"), VARY, || format!("{path} varies by Accept but does not say so"));
        for answer in [&html, &markdown] {
            let language = answer.field("content-language");
            expect(faults, language == locale.as_str(), HEADERS, || format!("{path} claims the language `{language}`"));
        }
        expect(faults, html.field("content-security-policy").contains("default-src 'none'"), HEADERS, || {
            format!("{path} has no strict Content-Security-Policy")
        });
        expect(faults, html.field("x-content-type-options") == NOSNIFF, HEADERS, || format!("{path} lacks {NOSNIFF}"));
        expect(faults, html.field("set-cookie").is_empty(), HEADERS, || format!("{path} sets a cookie"));
        expect(
            faults,
            !html.names(contract::headers::X_ROBOTS_TAG, "noindex"),
            "publish a build without --drafts",
            || format!("{path} asks search engines to stay away"),
        );
    }
    Ok(())
}

/// Documents and their types, which hosts guess wrongly where a name has no ending that they know.
pub(super) const TYPED: [(&str, &str); 11] = [
    (routes::API_CATALOG, media::LINKS),
    (routes::SERVER_CARD_WELL_KNOWN, media::SERVER_CARD),
    (routes::AI_CATALOG, media::AI_CATALOG),
    (routes::AGENT_SKILLS, media::JSON),
    (routes::OPENAPI, media::JSON),
    (routes::ROBOTS_TXT, media::TEXT),
    (routes::LLMS_TXT, media::TEXT),
    (routes::SITEMAP, media::XML),
    ("/en.md", media::MARKDOWN),
    ("/tr/llms.txt", media::TEXT),
    ("/index.md", media::MARKDOWN),
];

pub(super) fn types(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    for (path, media_type) in TYPED {
        if path == routes::SERVER_CARD_WELL_KNOWN && !offers_service(visit) {
            continue;
        }
        let answer = visit.get(path, &[]).map_err(unanswered)?;
        if answer.status != 200 {
            faults.push(Fault::new(format!("{path} answers {}", answer.status), PUBLISH));
            continue;
        }
        expect(faults, answer.has_type(media_type), TYPES, || {
            format!("{path} has the type `{}`: expected `{media_type}`", answer.field("content-type"))
        });
    }
    Ok(())
}

fn discovery(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    found(visit, routes::API_CATALOG, &[])?;
    let described = [(routes::PROTECTED_RESOURCE, "resource"), (routes::AUTHORIZATION_SERVER, "issuer")];
    let described = if offers_service(visit) { &described[..] } else { &described[..1] };
    for &(path, member) in described {
        let document = json(&found(visit, path, &[])?, path)?;
        let told = document[member].as_str().unwrap_or_default();
        expect(faults, told == visit.origin(), meant(visit, told), || {
            format!("{path} is for {told}, not for {}", visit.origin())
        });
    }
    for path in [routes::AI_CATALOG, routes::AGENT_SKILLS] {
        json(&found(visit, path, &[])?, path)?;
    }
    let both = (found(visit, routes::OPENAPI, &[])?, found(visit, routes::API_OPENAPI, &[])?);
    expect(faults, both.0.body == both.1.body, "empty the caches in between after each build", || {
        format!("{} and {} differ", routes::OPENAPI, routes::API_OPENAPI)
    });
    Ok(())
}

fn addresses(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    for locale in Locale::ALL {
        let path = format!("{}?locale={locale}", routes::PRACTICE_AREAS);
        let list = json(&found(visit, &path, &[])?, &path)?;
        for item in list["items"].as_array().into_iter().flatten() {
            let url = item["url"].as_str().unwrap_or_default();
            match url.strip_prefix(visit.origin()).filter(|path| path.starts_with('/')) {
                Some(path) => drop(found(visit, path, &[]).map_err(|fault| faults.push(fault))),
                None => {
                    faults.push(Fault::new(format!("{url} leads away from {}", visit.origin()), meant(visit, url)));
                }
            }
        }
    }
    Ok(())
}

pub(super) fn texts(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    for (path, expected) in [
        (routes::ROBOTS_TXT, ["Sitemap:"].as_slice()),
        // A large site has several sitemaps, and their index at this path.
        (routes::SITEMAP, &["<urlset", "<sitemapindex"]),
        (routes::LLMS_TXT, &["# "]),
        (routes::AUTH_MD, &["# "]),
    ] {
        let answer = found(visit, path, &[])?;
        let text = answer.text();
        expect(faults, expected.iter().any(|word| text.contains(word)), PUBLISH, || {
            format!("{path} does not contain `{}`: something else answers there", expected[0])
        });
    }
    let contact = visit.get(routes::SECURITY_TXT, &[]).map_err(unanswered)?;
    expect(faults, contact.status == 200, "confirm `security.expires` in site.toml and build again", || {
        format!("{} answers {}", routes::SECURITY_TXT, contact.status)
    });
    Ok(())
}

fn unknown(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    missing(visit, faults)?;
    let api = visit.get("/api/v1/nothing", &[]).map_err(unanswered)?;
    let code = api.json().unwrap_or_default()["error"].clone();
    expect(faults, code == ErrorCode::NotFound.as_str(), ERRORS, || {
        "an unknown path of the API is not answered in JSON".to_owned()
    });
    Ok(())
}

/// An address at which nothing is must say so, and for no longer than that is true.
pub(super) fn missing(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    for path in ["/en/nothing-stands-here", "/tr/burada-bir-sey-yok"] {
        let answer = visit.get(path, &[("accept", "text/html")]).map_err(unanswered)?;
        expect(faults, answer.status == 404, ERRORS, || {
            format!("a page that does not exist answers {}", answer.status)
        });
        let control = answer.field("cache-control");
        let is_kept = control.contains("max-age=")
            && !control.contains("max-age=0")
            && !answer.names("cache-control", "no-store");
        expect(faults, !is_kept && answer.field("age").is_empty(), ERRORS, || {
            format!("the answer that {path} does not exist is kept by caches (`Cache-Control: {control}`)")
        });
    }
    Ok(())
}

/// A call that every MCP server answers.
pub(super) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"mecelle-doctor","version":"1"}}}"#;
/// What its answers may be.
pub(super) const MCP_ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");

fn service(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    if !offers_service(visit) {
        return Ok(());
    }
    json(&found(visit, routes::SERVER_CARD, &[])?, routes::SERVER_CARD)?;
    let mcp = visit.post(routes::MCP, &[MCP_ACCEPT], INITIALIZE).map_err(unanswered)?;
    let said = mcp.json().unwrap_or_default();
    expect(faults, mcp.status == 200 && said["result"]["serverInfo"].is_object(), METHODS, || {
        format!("POST {} answers {}: no MCP client can start", routes::MCP, mcp.status)
    });
    let agent = visit.get(routes::REGISTER, &[]).map_err(unanswered)?;
    expect(faults, agent.status == 405 && agent.names("allow", "POST"), METHODS, || {
        format!("GET {} answers {}: expected 405 with `Allow`", routes::REGISTER, agent.status)
    });
    Ok(())
}

fn service_behind(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let mcp = visit.post(routes::MCP, &[MCP_ACCEPT], INITIALIZE).map_err(unanswered)?;
    let agent = visit.get(routes::REGISTER, &[]).map_err(unanswered)?;
    if mcp.status == 200 && agent.status == 405 {
        return Ok(());
    }
    expect(faults, [mcp.status, agent.status].iter().all(|status| *status == 503), OFFER, || {
        format!("{} answers {}, {} answers {}", routes::MCP, mcp.status, routes::REGISTER, agent.status)
    });
    offers(visit, faults);
    Ok(())
}

/// Whether the site says that MCP is answered there.
fn offers_service(visit: &Visit) -> bool {
    let offered = format!("\"{}{}\"", visit.origin(), routes::MCP);
    visit.get(routes::API_CATALOG, &[]).map_or(true, |answer| answer.status != 200 || answer.text().contains(&offered))
}

/// Documents that offer what nothing answers.
pub(super) fn offers(visit: &Visit, faults: &mut Vec<Fault>) {
    for (path, word) in [(routes::API_CATALOG, routes::MCP), (routes::AUTHORIZATION_SERVER, routes::REGISTER)] {
        let Ok(answer) = visit.get(path, &[]) else { continue };
        let offered = format!("\"{}{word}\"", visit.origin());
        expect(faults, answer.status != 200 || !answer.text().contains(&offered), OFFER, || {
            format!("{path} offers {word}, which nothing answers")
        });
    }
}
