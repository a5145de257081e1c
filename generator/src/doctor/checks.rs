//! Checks of the sidecar, and of an edge module in front of the same files.

use contract::{
    Locale,
    errors::ErrorCode,
    media, routes,
    text::{host_of, is_this_machine},
};
use findings::messages::{self, Text};
use serde_json::Value;

use super::{
    BODIES, ERRORS, End, Fault, Faults, OFFER, PUBLISH, QUERY, Remedy, get_ok,
    judgement::origin_remedy,
    rows::{self, offers_service},
    visit::{Answer, Visit},
};

/// A check. It adds its faults to the list.
pub(super) type Check = fn(&Visit, &mut Faults) -> Result<(), End>;
pub(super) type Named = (fn() -> Text, Check);

const ACCEPT: Remedy = messages::doctor_accept_help;

pub(super) const ALL: [Named; 12] = [
    (messages::examined_transport, transport),
    (messages::examined_health, health),
    (messages::examined_lists, lists),
    (messages::examined_caching, |visit, faults| rows::examine(visit, faults, "caching")),
    (messages::examined_refused, |visit, faults| rows::examine(visit, faults, "refused")),
    (messages::examined_pages, pages),
    (messages::examined_types, |visit, faults| rows::examine(visit, faults, "types")),
    (messages::examined_discovery, discovery),
    (messages::examined_addresses, addresses),
    (messages::examined_texts, texts),
    (messages::examined_unknown, unknown),
    (messages::examined_admin, admin),
];

/// A well-formed credential that belongs to no registration.
pub(super) const NEVER_ISSUED: &str = "Bearer was-never-issued";

/// Seconds by which the server's clock may differ from this machine's. Assertions of agents are valid for minutes.
const MAX_CLOCK_ERROR: i64 = 60;

/// Returns the body of an answer as JSON, or the fault.
pub(super) fn json(answer: &Answer, path: &str) -> Result<Value, Fault> {
    answer.json().map_err(|error| Fault::new(path, messages::answer_not_json(error), PUBLISH))
}

pub(super) fn transport(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let is_safe = visit.origin().starts_with("https://") || is_this_machine(host_of(visit.origin()));
    faults.expect("", is_safe, messages::doctor_tls_help, messages::site_without_tls);
    let answer = visit.get("/", &[])?;
    let has_cookie = !answer.field("set-cookie").is_empty();
    faults.expect("/", !has_cookie, messages::doctor_cookie_help, messages::cookie_in_between);
    let is_right = visit.clock_error().abs() <= MAX_CLOCK_ERROR;
    faults.expect("", is_right, messages::doctor_clock_help, || match visit.clock_error() {
        ahead @ 0.. => messages::clock_ahead(ahead),
        behind => messages::clock_behind(-behind),
    });
    Ok(())
}

/// The admin listener is for the operator only.
pub(super) fn admin(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    for (path, word) in [("/metrics", "mecelle_"), ("/livez", "ok\n"), ("/readyz", "ok\n")] {
        let answer = visit.get(path, &[])?;
        let is_public = answer.status == 200 && !answer.has_type(media::HTML) && answer.text().contains(word);
        faults.expect(path, !is_public, messages::doctor_admin_help, messages::admin_public);
    }
    Ok(())
}

fn health(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let answer = get_ok(visit, routes::HEALTH, &[])?;
    let is_ok = json(&answer, routes::HEALTH)?["ok"] == true;
    faults.expect(routes::HEALTH, is_ok, PUBLISH, messages::health_not_ok);
    Ok(())
}

/// Requests English again after Turkish: a cache must not answer one language with the other.
fn lists(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    for operation in routes::OPERATIONS.iter().filter(|operation| operation.localized) {
        for locale in [Locale::En, Locale::Tr, Locale::En] {
            let path = format!("{}?locale={locale}", operation.path);
            let answer = get_ok(visit, &path, &[])?;
            let list = json(&answer, &path)?;
            let is_list = operation.path != routes::CONTACT;
            // Lists name their locale in the body; another check compares the header field.
            let language = if is_list { &list["locale"] } else { &Value::from(answer.field("content-language")) };
            let language = language.as_str().unwrap_or_default();
            faults.expect(&path, language == locale.as_str() || language.is_empty(), QUERY, || {
                messages::answer_language(language)
            });
            let items = list["items"].as_array().map_or(0, Vec::len) as u64;
            faults.expect(&path, !is_list || list["count"] == items, PUBLISH, || {
                messages::items_miscounted(&list["count"], items)
            });
        }
    }
    Ok(())
}

fn pages(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    for locale in Locale::ALL {
        let path = format!("/{locale}");
        let html = get_ok(visit, &path, &[("accept", "text/html")])?;
        let markdown = get_ok(visit, &path, &[("accept", "text/markdown")])?;
        let again = get_ok(visit, &path, &[("accept", "text/html")])?;
        for (answer, form, media_type) in
            [(&html, "HTML", media::HTML), (&markdown, "Markdown", media::MARKDOWN), (&again, "HTML", media::HTML)]
        {
            // Another check reports a missing type.
            let is_meant = answer.has_type(media_type) || answer.media_type().is_empty();
            faults.expect(&path, is_meant, ACCEPT, || messages::page_of_other_form(form));
        }
        faults.expect(&path, html.field("set-cookie").is_empty(), messages::doctor_cookie_help, || {
            messages::cookie_in_between()
        });
        faults.expect(&path, !html.has_script(), BODIES, messages::script_injected);
        let is_hidden = html.names(contract::headers::X_ROBOTS_TAG, "noindex");
        faults.expect(&path, !is_hidden, messages::doctor_drafts_help, messages::page_not_indexed);
    }
    Ok(())
}

fn discovery(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    get_ok(visit, routes::API_CATALOG, &[])?;
    let described = [(routes::PROTECTED_RESOURCE, "resource"), (routes::AUTHORIZATION_SERVER, "issuer")];
    let described = if offers_service(visit) { &described[..] } else { &described[..1] };
    for &(path, member) in described {
        let document = json(&get_ok(visit, path, &[])?, path)?;
        let value = document[member].as_str().unwrap_or_default();
        let fault = || messages::document_of_other_site(value, visit.origin());
        faults.expect(path, value == visit.origin(), || origin_remedy(visit, value), fault);
    }
    for path in [routes::AI_CATALOG, routes::AGENT_SKILLS] {
        json(&get_ok(visit, path, &[])?, path)?;
    }
    let both = (get_ok(visit, routes::OPENAPI, &[])?, get_ok(visit, routes::API_OPENAPI, &[])?);
    faults.expect(routes::OPENAPI, both.0.body == both.1.body, messages::doctor_caches_help, || {
        messages::documents_differ(routes::API_OPENAPI)
    });
    Ok(())
}

fn addresses(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    for locale in Locale::ALL {
        let path = format!("{}?locale={locale}", routes::PRACTICE_AREAS);
        let list = json(&get_ok(visit, &path, &[])?, &path)?;
        for item in list["items"].as_array().into_iter().flatten() {
            let url = item["url"].as_str().unwrap_or_default();
            if let Some(path) = url.strip_prefix(visit.origin()).filter(|path| path.starts_with('/')) {
                drop(get_ok(visit, path, &[]).map_err(|fault| faults.push(fault)));
            } else {
                faults.push(leads_away(visit, url));
            }
        }
    }
    Ok(())
}

/// Returns the fault of an address in a document that leads to another site.
pub(super) fn leads_away(visit: &Visit, url: &str) -> Fault {
    Fault::new(url, messages::address_leads_away(visit.origin()), || origin_remedy(visit, url))
}

pub(super) fn texts(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    rows::examine(visit, faults, "texts")?;
    // An expired security.txt is not published. If nothing below /.well-known is reachable, another check reports that.
    let contact = visit.get(routes::SECURITY_TXT, &[])?;
    let is_reachable = visit.get(routes::API_CATALOG, &[])?.status == 200;
    faults.expect(
        routes::SECURITY_TXT,
        contact.status == 200 || !is_reachable,
        messages::doctor_security_text_help,
        || messages::answer_status(contact.status),
    );
    Ok(())
}

fn unknown(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    missing(visit, faults)?;
    let path = "/api/v1/nothing";
    let api = visit.get(path, &[])?;
    let code = api.json().unwrap_or_default()["error"].clone();
    let is_error = code == ErrorCode::NotFound.as_str();
    if api.status == 404 {
        faults.expect(path, is_error, ERRORS, messages::api_error_not_json);
    } else {
        faults.expect_answer(visit, (path, &api), is_error, ERRORS, messages::api_error_not_json);
    }
    Ok(())
}

/// An unknown address must be answered with 404, which no cache may store.
pub(super) fn missing(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    for path in ["/en/nothing-stands-here", "/tr/burada-bir-sey-yok"] {
        let answer = visit.get(path, &[("accept", "text/html")])?;
        faults.expect_answer(visit, (path, &answer), answer.status == 404, ERRORS, || {
            messages::missing_page_status(answer.status)
        });
        let control = answer.field("cache-control");
        let is_kept = control.contains("max-age=")
            && !control.contains("max-age=0")
            && !answer.names("cache-control", "no-store");
        faults
            .expect(path, !is_kept && answer.field("age").is_empty(), ERRORS, || messages::missing_page_kept(control));
    }
    Ok(())
}

/// Adds a fault for each document that offers a service although nothing answers there.
pub(super) fn offers(visit: &Visit, faults: &mut Faults) {
    for (path, word) in [(routes::API_CATALOG, routes::MCP), (routes::AUTHORIZATION_SERVER, routes::REGISTER)] {
        let Ok(answer) = visit.get(path, &[]) else { continue };
        let offered = format!("\"{}{word}\"", visit.origin());
        faults.expect(path, answer.status != 200 || !answer.text().contains(&offered), OFFER, || {
            messages::offer_unanswered(word)
        });
    }
}
