//! What is expected of the sidecar, and of an edge module in front of the same files.

use contract::{Locale, errors::ErrorCode, headers::NOSNIFF, media, routes};

use super::{
    Fault, PUBLISH, Remedy, TYPES, found, other_scheme, unanswered,
    visit::{Answer, Visit},
};
use crate::{
    messages::{self, Text},
    source::is_loopback,
};

/// A check. It adds what is wrong to the list; an error is one more fault, after which the check cannot continue.
pub(super) type Check = fn(&Visit, &mut Vec<Fault>) -> Result<(), Fault>;
/// A check with its name.
pub(super) type Named = (fn() -> Text, Check);

/// The checks of both.
pub(super) const ALL: [Named; 12] = [
    (messages::examined_transport, transport),
    (messages::examined_health, health),
    (messages::examined_lists, lists),
    (messages::examined_caching, caching),
    (messages::examined_refusals, refusals),
    (messages::examined_pages, pages),
    (messages::examined_types, types),
    (messages::examined_discovery, discovery),
    (messages::examined_addresses, addresses),
    (messages::examined_texts, texts),
    (messages::examined_unknown, unknown),
    (messages::examined_admin, admin),
];

/// A credential in the form of one, which belongs to no registration.
pub(super) const NEVER_ISSUED: &str = "Bearer nobody-was-given-this";

pub(super) const QUERY: Remedy = messages::doctor_query_help;
pub(super) const VARY: Remedy = messages::doctor_vary_help;
const ACCEPT: Remedy = messages::doctor_accept_help;
pub(super) const CREDENTIAL: Remedy = messages::doctor_credential_help;
const ERRORS: Remedy = messages::doctor_errors_help;
pub(super) const HEADERS: Remedy = messages::doctor_headers_help;
pub(super) const BODIES: Remedy = messages::doctor_bodies_help;
pub(super) const METHODS: Remedy = messages::doctor_methods_help;
pub(super) const OFFER: Remedy = messages::doctor_offer_help;

/// By how many seconds the clock there may differ from the one here. Assertions of agents are valid for minutes.
const MAX_CLOCK_ERROR: i64 = 60;

pub(super) fn expect(
    faults: &mut Vec<Fault>,
    holds: bool,
    remedy: impl FnOnce() -> Text,
    fault: impl FnOnce() -> Text,
) {
    if !holds {
        faults.push(Fault::new(fault(), remedy));
    }
}

/// Returns the body of an answer as JSON, or the fault.
pub(super) fn json(answer: &Answer, path: &str) -> Result<serde_json::Value, Fault> {
    answer.json().map_err(|error| Fault::new(messages::answer_not_json(path, error), PUBLISH))
}

/// Returns what to do about an address of another site than the one that is asked.
pub(super) fn meant(visit: &Visit, address: &str) -> Text {
    let other = other_scheme(visit.origin());
    if address == other || address.starts_with(&format!("{other}/")) {
        return messages::doctor_scheme_help(other);
    }
    messages::doctor_origin_help()
}

pub(super) fn transport(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let is_safe = visit.origin().starts_with("https://") || is_loopback(visit.origin());
    expect(faults, is_safe, messages::doctor_tls_help, messages::site_without_tls);
    let answer = visit.get("/", &[]).map_err(unanswered)?;
    let has_cookie = !answer.field("set-cookie").is_empty();
    expect(faults, !has_cookie, messages::doctor_cookie_help, messages::cookie_in_between);
    let is_right = visit.clock_error().abs() <= MAX_CLOCK_ERROR;
    expect(faults, is_right, messages::doctor_clock_help, || messages::clock_differs(visit.clock_error()));
    Ok(())
}

/// What the admin listener answers is for the operator alone.
pub(super) fn admin(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    for (path, word) in [("/metrics", "mecelle_"), ("/livez", "ok\n"), ("/readyz", "ok\n")] {
        let answer = visit.get(path, &[]).map_err(unanswered)?;
        let is_public = answer.status == 200 && !answer.has_type(media::HTML) && answer.text().contains(word);
        expect(faults, !is_public, messages::doctor_admin_help, || messages::admin_public(path));
    }
    Ok(())
}

fn health(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let answer = found(visit, routes::HEALTH, &[])?;
    let is_ok = json(&answer, routes::HEALTH)?["ok"] == true;
    expect(faults, is_ok, PUBLISH, || messages::health_not_ok(routes::HEALTH));
    let is_kept = !answer.names("cache-control", "no-store");
    expect(faults, !is_kept, HEADERS, || messages::answer_cacheable(routes::HEALTH));
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
                messages::answer_language(&path, format_args!("`{language}`"))
            });
            let list = json(&answer, &path)?;
            if operation.path == routes::CONTACT {
                continue;
            }
            expect(faults, list["locale"] == locale.as_str(), QUERY, || {
                messages::answer_language(&path, &list["locale"])
            });
            let items = list["items"].as_array().map_or(0, Vec::len) as u64;
            expect(faults, list["count"] == items, PUBLISH, || {
                messages::items_miscounted(&path, &list["count"], items)
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
            messages::vary_incomplete(path, varies, whole.field("vary"))
        });
        // A host that compresses makes it a weak one, by which caches can ask as well.
        let tag = whole.field("etag").to_owned();
        if tag.is_empty() {
            faults.push(Fault::new(messages::no_etag(path), HEADERS));
            continue;
        }
        let again = visit.get(path, &[("if-none-match", &tag)]).map_err(unanswered)?;
        expect(faults, again.status == 304, HEADERS, || messages::no_revalidation(path, again.status));
        let head = visit.ask("HEAD", path, &[]).map_err(unanswered)?;
        expect(faults, head.status == 200 && head.body.is_empty(), METHODS, || {
            messages::head_status(path, head.status)
        });
    }
    Ok(())
}

fn refusals(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let bad_locale = visit.get(&format!("{}?locale=xx", routes::TEAM), &[]).map_err(unanswered)?;
    expect(faults, bad_locale.status == 400 && bad_locale.is_error(), QUERY, || {
        messages::unknown_locale_status(bad_locale.status)
    });
    let bad_key = visit.get(routes::TEAM, &[("authorization", NEVER_ISSUED)]).map_err(unanswered)?;
    expect(
        faults,
        bad_key.status == 401 && bad_key.field("www-authenticate").contains("resource_metadata"),
        CREDENTIAL,
        || messages::invalid_credential_status(bad_key.status),
    );
    let posted = visit.ask("POST", routes::TEAM, &[]).map_err(unanswered)?;
    expect(faults, posted.status == 405 && posted.field("allow") == "GET, HEAD", METHODS, || {
        messages::list_post_status(posted.status)
    });
    for (answer, what) in [
        (&bad_locale, messages::unknown_locale()),
        (&bad_key, messages::invalid_credential()),
        (&posted, messages::list_post()),
    ] {
        let is_kept = !answer.names("cache-control", "no-store");
        expect(faults, !is_kept, ERRORS, || messages::refusal_cacheable(what));
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
            messages::page_of_other_form(&path, "HTML")
        });
        expect(faults, markdown.has_type("text/markdown"), ACCEPT, || messages::page_of_other_form(&path, "Markdown"));
        expect(faults, html.names("vary", "accept"), VARY, || messages::vary_without_accept(&path));
        for answer in [&html, &markdown] {
            let language = answer.field("content-language");
            let is_meant = language == locale.as_str();
            expect(faults, is_meant, HEADERS, || messages::page_of_other_language(&path, language));
        }
        expect(faults, html.field("content-security-policy").contains("default-src 'none'"), HEADERS, || {
            messages::no_strict_policy(&path)
        });
        let is_guarded = html.field("x-content-type-options") == NOSNIFF;
        expect(faults, is_guarded, HEADERS, || messages::field_lacking(&path, NOSNIFF));
        expect(faults, html.field("set-cookie").is_empty(), HEADERS, || messages::cookie_of_page(&path));
        expect(faults, !html.has_script(), BODIES, || messages::script_injected(&path));
        let is_hidden = html.names(contract::headers::X_ROBOTS_TAG, "noindex");
        expect(faults, !is_hidden, messages::doctor_drafts_help, || messages::page_not_indexed(&path));
    }
    Ok(())
}

/// Documents and their types, which hosts guess wrongly where a name has no ending that they know.
pub(super) const TYPED: [(&str, &str); 12] = [
    (routes::API_CATALOG, media::LINKS),
    (routes::SERVER_CARD_WELL_KNOWN, media::SERVER_CARD),
    (routes::AI_CATALOG, media::AI_CATALOG),
    (routes::AGENT_SKILLS, media::JSON),
    (routes::OPENAPI, media::JSON),
    (routes::OPENAPI_YAML, media::YAML),
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
            faults.push(Fault::new(messages::answer_status(path, answer.status), PUBLISH));
            continue;
        }
        expect(faults, answer.has_type(media_type), TYPES, || {
            messages::type_differs(path, answer.field("content-type"), media_type)
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
        let fault = || messages::document_of_other_site(path, told, visit.origin());
        expect(faults, told == visit.origin(), || meant(visit, told), fault);
    }
    for path in [routes::AI_CATALOG, routes::AGENT_SKILLS] {
        json(&found(visit, path, &[])?, path)?;
    }
    let both = (found(visit, routes::OPENAPI, &[])?, found(visit, routes::API_OPENAPI, &[])?);
    expect(faults, both.0.body == both.1.body, messages::doctor_caches_help, || {
        messages::documents_differ(routes::OPENAPI, routes::API_OPENAPI)
    });
    Ok(())
}

fn addresses(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    for locale in Locale::ALL {
        let path = format!("{}?locale={locale}", routes::PRACTICE_AREAS);
        let list = json(&found(visit, &path, &[])?, &path)?;
        for item in list["items"].as_array().into_iter().flatten() {
            let url = item["url"].as_str().unwrap_or_default();
            if let Some(path) = url.strip_prefix(visit.origin()).filter(|path| path.starts_with('/')) {
                drop(found(visit, path, &[]).map_err(|fault| faults.push(fault)));
            } else {
                let fault = messages::address_leads_away(url, visit.origin());
                faults.push(Fault::new(fault, || meant(visit, url)));
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
            messages::text_of_something_else(path, expected[0])
        });
    }
    let contact = visit.get(routes::SECURITY_TXT, &[]).map_err(unanswered)?;
    expect(faults, contact.status == 200, messages::doctor_security_text_help, || {
        messages::answer_status(routes::SECURITY_TXT, contact.status)
    });
    Ok(())
}

fn unknown(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    missing(visit, faults)?;
    let api = visit.get("/api/v1/nothing", &[]).map_err(unanswered)?;
    let code = api.json().unwrap_or_default()["error"].clone();
    expect(faults, code == ErrorCode::NotFound.as_str(), ERRORS, messages::api_error_not_json);
    Ok(())
}

/// An address at which nothing is must say so, and for no longer than that is true.
pub(super) fn missing(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    for path in ["/en/nothing-stands-here", "/tr/burada-bir-sey-yok"] {
        let answer = visit.get(path, &[("accept", "text/html")]).map_err(unanswered)?;
        expect(faults, answer.status == 404, ERRORS, || messages::missing_page_status(answer.status));
        let control = answer.field("cache-control");
        let is_kept = control.contains("max-age=")
            && !control.contains("max-age=0")
            && !answer.names("cache-control", "no-store");
        expect(faults, !is_kept && answer.field("age").is_empty(), ERRORS, || {
            messages::missing_page_kept(path, control)
        });
    }
    Ok(())
}

/// Whether the site says that MCP is answered there.
pub(super) fn offers_service(visit: &Visit) -> bool {
    let offered = format!("\"{}{}\"", visit.origin(), routes::MCP);
    visit.get(routes::API_CATALOG, &[]).map_or(true, |answer| answer.status != 200 || answer.text().contains(&offered))
}

/// Documents that offer what nothing answers.
pub(super) fn offers(visit: &Visit, faults: &mut Vec<Fault>) {
    for (path, word) in [(routes::API_CATALOG, routes::MCP), (routes::AUTHORIZATION_SERVER, routes::REGISTER)] {
        let Ok(answer) = visit.get(path, &[]) else { continue };
        let offered = format!("\"{}{word}\"", visit.origin());
        expect(faults, answer.status != 200 || !answer.text().contains(&offered), OFFER, || {
            messages::offer_unanswered(path, word)
        });
    }
}
