//! The list of all checks, and the checks themselves.

use contract::{Locale, errors::ErrorCode, headers::NOSNIFF, media, routes};
use serde_json::Value;

use super::{
    other_scheme,
    visit::{Answer, Visit},
};
use crate::source::is_loopback;

/// A check. It adds what is wrong to the list; an error is one more fault, after which the check cannot continue.
pub(super) type Check = fn(&Visit, &mut Vec<String>) -> Result<(), String>;

/// Every check, with its name.
pub(super) const ALL: [(&str, Check); 9] = [
    ("transport", transport),
    ("health", health),
    ("lists", lists),
    ("caching", caching),
    ("refusals", refusals),
    ("pages", pages),
    ("discovery", discovery),
    ("addresses", addresses),
    ("texts for programs", texts),
];

fn expect(faults: &mut Vec<String>, holds: bool, fault: impl FnOnce() -> String) {
    if !holds {
        faults.push(fault());
    }
}

/// Returns an answer of status 200, or the fault.
fn found(visit: &Visit, path: &str, fields: &[(&str, &str)]) -> Result<Answer, String> {
    let answer = visit.get(path, fields)?;
    if answer.status == 200 {
        Ok(answer)
    } else {
        Err(format!("{path} answers {}: publish the newest build, and let every path reach it", answer.status))
    }
}

/// Returns what to do about an address of another site than the one that is asked.
fn meant(visit: &Visit, address: &str) -> String {
    let other = other_scheme(visit.origin());
    if address == other || address.starts_with(&format!("{other}/")) {
        format!("the build is for {other}, so ask that; or build with this --site-url")
    } else {
        "build with this --site-url".to_owned()
    }
}

fn transport(visit: &Visit, faults: &mut Vec<String>) -> Result<(), String> {
    expect(faults, visit.origin().starts_with("https://") || is_loopback(visit.origin()), || {
        "the site is asked without TLS: serve it as https".to_owned()
    });
    let answer = found(visit, routes::HEALTH, &[])?;
    expect(faults, answer.field("set-cookie").is_empty(), || {
        "a cookie is set by something between here and the service: switch that off".to_owned()
    });
    Ok(())
}

fn health(visit: &Visit, faults: &mut Vec<String>) -> Result<(), String> {
    let answer = found(visit, routes::HEALTH, &[])?;
    expect(faults, answer.json()?["ok"] == true, || format!("{} does not say `ok`", routes::HEALTH));
    expect(faults, answer.field("cache-control").contains("no-store"), || {
        format!("{} may be cached: it must be requested again each time", routes::HEALTH)
    });
    Ok(())
}

fn lists(visit: &Visit, faults: &mut Vec<String>) -> Result<(), String> {
    for operation in routes::OPERATIONS.iter().filter(|operation| operation.localized) {
        for locale in Locale::ALL {
            let path = format!("{}?locale={locale}", operation.path);
            let list = found(visit, &path, &[])?.json()?;
            if operation.path == routes::CONTACT {
                continue;
            }
            expect(faults, list["locale"] == locale.as_str(), || {
                format!("{path} answers in the language {}: a cache ignores the query", list["locale"])
            });
            let items = list["items"].as_array().map_or(0, Vec::len) as u64;
            expect(faults, list["count"] == items, || format!("{path} counts {} of {items} items", list["count"]));
        }
    }
    Ok(())
}

fn caching(visit: &Visit, faults: &mut Vec<String>) -> Result<(), String> {
    for path in [routes::PUBLICATIONS, "/en"] {
        let whole = found(visit, path, &[])?;
        let tag = whole.field("etag").to_owned();
        if tag.is_empty() || tag.starts_with("W/") {
            faults.push(format!("{path} has no strong ETag: pass on the service's own"));
            continue;
        }
        let again = visit.get(path, &[("if-none-match", &tag)])?;
        expect(faults, again.status == 304, || format!("{path} answers {} instead of 304", again.status));
        let head = visit.ask("HEAD", path, &[])?;
        expect(faults, head.status == 200 && head.body.is_empty(), || format!("HEAD {path} answers {}", head.status));
        expect(faults, !whole.field("vary").is_empty(), || {
            format!("{path} has no Vary: caches will mix up its variants")
        });
    }
    Ok(())
}

fn refusals(visit: &Visit, faults: &mut Vec<String>) -> Result<(), String> {
    let is_told = |answer: &Answer| {
        let told = answer.json().unwrap_or_default();
        ["error", "message", "resolution"].iter().all(|field| told[*field].is_string())
    };
    let bad_locale = visit.get(&format!("{}?locale=xx", routes::TEAM), &[])?;
    expect(faults, bad_locale.status == 400 && is_told(&bad_locale), || {
        format!("an unknown locale answers {}: expected 400 with an explanation in the body", bad_locale.status)
    });
    let bad_key = visit.get(routes::TEAM, &[("authorization", "Bearer nobody-was-given-this")])?;
    expect(faults, bad_key.status == 401 && bad_key.field("www-authenticate").contains("resource_metadata"), || {
        format!("an invalid credential answers {}: the sidecar is not asked, or a cache answers for it", bad_key.status)
    });
    let posted = visit.ask("POST", routes::TEAM, &[])?;
    expect(faults, posted.status == 405 && posted.field("allow") == "GET, HEAD", || {
        format!("POST to a list answers {}: expected 405 with `Allow`", posted.status)
    });
    Ok(())
}

fn pages(visit: &Visit, faults: &mut Vec<String>) -> Result<(), String> {
    for locale in Locale::ALL {
        let path = format!("/{locale}");
        let html = found(visit, &path, &[("accept", "text/html")])?;
        let markdown = found(visit, &path, &[("accept", "text/markdown")])?;
        expect(faults, html.field("content-type").starts_with("text/html"), || format!("{path} is not HTML"));
        expect(faults, markdown.field("content-type").starts_with("text/markdown"), || {
            format!("{path} is not Markdown when that is asked for: `Accept` does not reach the sidecar")
        });
        expect(faults, html.field("vary").to_ascii_lowercase().contains("accept"), || {
            format!("{path} varies by Accept but does not say so")
        });
        expect(faults, html.field("content-security-policy").contains("default-src 'none'"), || {
            format!("{path} has no strict Content-Security-Policy")
        });
        expect(faults, html.field("x-content-type-options") == NOSNIFF, || format!("{path} lacks {NOSNIFF}"));
        expect(faults, html.field("set-cookie").is_empty(), || format!("{path} sets a cookie"));
    }
    Ok(())
}

fn discovery(visit: &Visit, faults: &mut Vec<String>) -> Result<(), String> {
    let catalog = found(visit, routes::API_CATALOG, &[])?;
    expect(faults, catalog.field("content-type").starts_with("application/linkset+json"), || {
        format!("{} is {}: expected {}", routes::API_CATALOG, catalog.field("content-type"), media::LINKSET)
    });
    for (path, member) in [(routes::PROTECTED_RESOURCE, "resource"), (routes::AUTHORIZATION_SERVER, "issuer")] {
        let document = found(visit, path, &[])?.json()?;
        expect(faults, document[member] == visit.origin(), || {
            let told = document[member].as_str().unwrap_or_default();
            format!("{path} is for {told}, not for {}: {}", visit.origin(), meant(visit, told))
        });
    }
    for path in [routes::SERVER_CARD, routes::AI_CATALOG, routes::AGENT_SKILLS] {
        found(visit, path, &[])?.json().map_err(|why| format!("{path}: {why}"))?;
    }
    let both = (found(visit, routes::OPENAPI, &[])?, found(visit, routes::API_OPENAPI, &[])?);
    expect(faults, both.0.body == both.1.body, || {
        format!("{} and {} differ: a cache has an old one", routes::OPENAPI, routes::API_OPENAPI)
    });
    Ok(())
}

fn addresses(visit: &Visit, faults: &mut Vec<String>) -> Result<(), String> {
    for locale in Locale::ALL {
        let list = found(visit, &format!("{}?locale={locale}", routes::PRACTICE_AREAS), &[])?.json()?;
        for item in list["items"].as_array().into_iter().flatten() {
            let url = item["url"].as_str().unwrap_or_default();
            match url.strip_prefix(visit.origin()).filter(|path| path.starts_with('/')) {
                Some(path) => drop(found(visit, path, &[]).map_err(|fault| faults.push(fault))),
                None => faults.push(format!("{url} leads away from {}: {}", visit.origin(), meant(visit, url))),
            }
        }
    }
    Ok(())
}

fn texts(visit: &Visit, faults: &mut Vec<String>) -> Result<(), String> {
    for (path, expected) in [
        (routes::ROBOTS_TXT, ["Sitemap:"].as_slice()),
        // A large site has several sitemaps, and their index at this path.
        (routes::SITEMAP, &["<urlset", "<sitemapindex"]),
        (routes::LLMS_TXT, &["# "]),
        (routes::AUTH_MD, &["# "]),
    ] {
        let answer = found(visit, path, &[])?;
        let text = String::from_utf8_lossy(&answer.body);
        expect(faults, expected.iter().any(|word| text.contains(word)), || {
            format!("{path} does not contain `{}`: something else answers there", expected[0])
        });
    }
    let contact = visit.get(routes::SECURITY_TXT, &[])?;
    expect(faults, contact.status == 200, || {
        format!(
            "{} answers {}: confirm `security.expires` in site.toml and build again",
            routes::SECURITY_TXT,
            contact.status
        )
    });
    let missing = visit.get("/en/nothing-stands-here", &[("accept", "text/html")])?;
    expect(faults, missing.status == 404, || format!("a page that does not exist answers {}", missing.status));
    let api: Result<Value, _> = visit.get("/api/v1/nothing", &[]).and_then(|answer| answer.json());
    expect(faults, api.is_ok_and(|body| body["error"] == ErrorCode::NotFound.as_str()), || {
        "an unknown path of the API is not answered in JSON: it does not reach the sidecar".to_owned()
    });
    Ok(())
}
