//! Sends the requests of the table of answers, and turns what differs into faults.

use answers::{Names, Row, TABLE};
use contract::{
    Locale,
    headers::{RATE_LIMIT, written},
    media, routes,
};
use findings::messages::{self, Text};
use serde_json::Value;

use super::{
    ERRORS, End, FIELDS, Fault, Faults, HEADERS, METHODS, QUERY, Remedy, TYPES, VARY,
    fault::area,
    get_ok,
    mcp::NO_CACHE,
    visit::{Answer, Visit},
};

pub(super) const TAG: Remedy = messages::doctor_tag_help;

/// If more than half of at least this many fields are missing, something else answers.
const MIN_FIELDS: usize = 6;

/// Placeholders for addresses that the metadata of the authorization server name, each with its member there.
pub(super) const REGISTRATION: [(&str, &str); 6] = [
    ("register", "/agent_auth/register_uri"),
    ("identity", "/agent_auth/identity_endpoint"),
    ("claim", "/agent_auth/claim_uri"),
    ("event", "/agent_auth/revocation_uri"),
    ("token", "/token_endpoint"),
    ("revoke", "/revocation_endpoint"),
];

/// Sends the requests that the table has for a check.
#[expect(clippy::unnecessary_wraps, reason = "a check returns why it stopped")]
pub(super) fn examine(visit: &Visit, faults: &mut Faults, check: &str) -> Result<(), End> {
    let names = names(visit);
    for row in TABLE.rows().filter(|row| row.checks.iter().any(|it| it == check)) {
        if row.offer.as_deref().is_some_and(|offer| !is_offered(visit, offer)) {
            continue;
        }
        // A placeholder without a value is something that this site lacks.
        let Some((path, answer)) = answer(visit, row, names) else { continue };
        match answer {
            Ok(answer) => judge(visit, (row, &path), names, &answer, faults),
            Err(fault) => faults.push(fault),
        }
    }
    Ok(())
}

fn is_offered(visit: &Visit, offer: &str) -> bool {
    let is_there = |path: &str| visit.get(path, &[("accept", media::HTML)]).is_ok_and(|answer| answer.status == 200);
    match offer {
        "mcp" => offers_service(visit),
        "registration" => is_there(routes::AUTHORIZATION_SERVER),
        // This page exists only where e-mail is sent.
        _ => is_there(routes::AUTHORIZATION_SERVER) && is_there(routes::ACCESS),
    }
}

/// Returns the path and the answer of a row; `None` if a placeholder has no value.
pub(super) fn answer(visit: &Visit, row: &Row, names: &Names) -> Option<(String, Result<Answer, Fault>)> {
    let path = names.fill(&row.path)?;
    let mut fields = Vec::new();
    for (name, value) in &row.fields {
        let value = match names.fill(value) {
            Some(value) => value,
            // The tag of the same request without a condition.
            None if value == "{etag}" => {
                let others: Vec<_> =
                    fields.iter().map(|(name, value): &(&str, String)| (*name, value.as_str())).collect();
                let tag = visit.get(&path, &others).ok()?.field("etag").to_owned();
                Some(tag).filter(|tag| !tag.is_empty())?
            }
            None => return None,
        };
        fields.push((name.as_str(), value));
    }
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let answer = if row.method == "POST" {
        visit.post(&path, &fields, &row.body)
    } else {
        visit.ask(&row.method, &path, &fields)
    };
    Some((path, answer))
}

/// Adds the faults of the answer to a row.
fn judge(visit: &Visit, (row, path): (&Row, &str), names: &Names, answer: &Answer, faults: &mut Faults) {
    let is_condition = row.status == 304 || row.method == "HEAD";
    let is_form = |form: &&String| [media::HTML, media::MARKDOWN].iter().any(|it| it.starts_with(form.as_str()));
    let form = row.fields.get("accept").filter(is_form);
    match &row.fault {
        _ if answer.status == 415 && answer.is_own() => {
            faults.push(Fault::new(path, messages::field_not_passed("Content-Type", answer.status), FIELDS));
        }
        // Proxies reject requests with 400 too.
        _ if answer.status == 400 && row.status == 400 && !answer.is_own() => {
            faults.push(Fault::of_status(visit, path, answer));
        }
        // Other checks report another form and a lost query. A 304 has no type.
        _ if answer.status == row.status => {
            let is_form = row.status == 304 || form.is_none_or(|form| answer.has_type(form));
            if is_form && row.is_said_by(&answer.body) {
                compare((row, path), names, answer, faults);
            } else if let (Some(word), Some(_)) = (row.says.as_deref(), &row.remedy) {
                let word = word.split('|').next().unwrap_or_default();
                faults.push(Fault::new(path, messages::text_of_something_else(word), || remedy(visit, row)));
            }
        }
        // A cache answers with the response to another request, which another check reports.
        Some(_) if answer.status < 300 && !is_answer_to(row, answer) => {}
        Some(_)
            if row.method == "OPTIONS"
                && !answer.is_error()
                && matches!(answer.status, 200..=299 | 400 | 403..=405) =>
        {
            faults.push(Fault::new(path, messages::preflight_fails(answer.status), METHODS));
        }
        // The address itself is lost, not a field of the request.
        Some(_) if row.lost.is_some() && answer.status == 404 => faults.push(Fault::of_status(visit, path, answer)),
        Some(fault) => {
            let text = || message(fault, row, answer);
            faults.expect_answer(visit, (path, answer), false, || remedy(visit, row), text);
        }
        // Rows with a message of their own report content that should be refused, and lost conditions and methods.
        None if is_condition || answer.status < 300 && row.status >= 400 && !is_computed(path) => {}
        None if row.status == 308 && is_moved(visit, path, answer) => {
            let fault = messages::address_changed(answer.status, row.status);
            faults.push(Fault::new(path, fault, messages::doctor_address_help));
        }
        None => faults.push(Fault::of_status(visit, path, answer)),
    }
}

/// Returns the message of a row about an answer.
fn message(name: &str, row: &Row, answer: &Answer) -> Text {
    let value = |value: &str| match value {
        "status" | "given" => answer.status.to_string(),
        "wanted" => row.status.to_string(),
        _ => row.lost.clone().unwrap_or_default(),
    };
    messages::of_doctor(name, &value).unwrap_or_default()
}

/// Returns the remedy of a row. A proxy that drops queries does not change addresses.
fn remedy(visit: &Visit, row: &Row) -> Text {
    let unknown_locale = format!("{}?locale=xx", routes::TEAM);
    if row.path.contains('?') && visit.get(&unknown_locale, &[]).is_ok_and(|answer| answer.status != 400) {
        return QUERY();
    }
    text(row.remedy.as_deref())
}

/// Returns the message of a remedy.
pub(super) fn text(name: Option<&str>) -> Text {
    name.and_then(|name| messages::of_doctor(name, &|_| String::new())).unwrap_or_default()
}

/// Returns whether the answer belongs to this request, and not, from a cache, to another.
fn is_answer_to(row: &Row, answer: &Answer) -> bool {
    let id = |message: &[u8]| serde_json::from_slice::<Value>(message).unwrap_or_default()["id"].clone();
    id(row.body.as_bytes()) == id(&answer.body)
}

/// Returns whether a proxy changed the address of a request, rather than something else answering.
fn is_moved(visit: &Visit, path: &str, answer: &Answer) -> bool {
    let location = answer.field("location");
    match answer.status {
        300..=399 => location.strip_prefix(visit.origin()).unwrap_or(location) == path.trim_end_matches('/'),
        400.. => answer.is_own(),
        _ => true,
    }
}

/// Compares the fields of an answer with those of a row. An answer that lacks most of them is not the service's.
fn compare((row, path): (&Row, &str), names: &Names, answer: &Answer, faults: &mut Faults) {
    let lacking = row.has.keys().filter(|name| answer.field(name).is_empty()).count();
    if lacking * 2 > row.has.len() && row.has.len() >= MIN_FIELDS {
        let fault = messages::fields_lacking(lacking, row.has.len());
        let remedy = || if answer.status < 400 { messages::doctor_area_help(area(path)) } else { ERRORS() };
        faults.push(Fault::new(path, fault, remedy));
        return;
    }
    for (name, received) in row.differing_fields(names, |name| answer.lines(name)) {
        let wanted = row.has[name].trim_start_matches("~^");
        let remedy = match name {
            "vary" => VARY,
            "etag" => TAG,
            "cache-control" if !received.is_empty() && is_computed(path) => NO_CACHE,
            "cache-control" if !received.is_empty() && answer.status >= 400 => ERRORS,
            "content-type" if answer.has_type(wanted) => continue,
            "content-type" if !received.is_empty() => {
                let fault = messages::type_differs(&received, wanted.split(';').next().unwrap_or_default());
                faults.push(Fault::new(path, fault, TYPES));
                continue;
            }
            "content-type" => TYPES,
            "location" | "content-location" => messages::doctor_location_help,
            _ => HEADERS,
        };
        faults.expect_field(path, (&title(name), &received), false, remedy);
    }
}

/// Expects `no-store` on an answer that is computed for one request.
pub(super) fn expect_no_store(path: &str, answer: &Answer, faults: &mut Faults) {
    let value = answer.lines("cache-control").join(", ");
    let remedy = if value.is_empty() { HEADERS } else { NO_CACHE };
    // Another check reports a cached 404.
    let holds = answer.status == 404 || answer.names("cache-control", "no-store");
    faults.expect_field(path, ("Cache-Control", &value), holds, remedy);
}

/// Returns whether the answers of an address are computed for each request, whatever their status.
fn is_computed(path: &str) -> bool {
    [routes::MCP, "/agent/", "/oauth2/"].iter().any(|it| path.starts_with(it))
}

/// Returns the name of a field in its usual capitals.
fn title(name: &str) -> String {
    let parts = name.split('-').map(|part| match part {
        "www" => "WWW".to_owned(),
        "etag" => "ETag".to_owned(),
        RATE_LIMIT => written::RATE_LIMIT.to_owned(),
        part => part[..1].to_ascii_uppercase() + &part[1..],
    });
    parts.collect::<Vec<_>>().join("-")
}

/// Returns the values of the table's placeholders at the site.
pub(super) fn names(visit: &Visit) -> &Names {
    visit.names.get_or_init(|| look_up(visit))
}

/// Looks up the values on the site. What only the build knows is a pattern.
fn look_up(visit: &Visit) -> Names {
    let html = [("accept", media::HTML)];
    let page = format!("/{}", Locale::DEFAULT);
    let linked = |path: &str, is_meant: fn(&str) -> bool| {
        let page = get_ok(visit, path, &html).ok()?;
        page.text().split('"').find(|path| is_meant(path)).map(str::to_owned)
    };
    let contact = get_ok(visit, routes::CONTACT, &[]).ok().and_then(|answer| answer.json().ok());
    let contact = contact
        .and_then(|contact| contact["urls"]["contact"].as_str()?.strip_prefix(visit.origin()).map(str::to_owned));
    let card = contact.and_then(|path| linked(&path, |path| path.starts_with('/') && path.ends_with(".vcf")));
    let found = [
        ("site", Some(visit.origin().to_owned())),
        ("css", linked(&page, |path| path.starts_with(routes::ASSETS))),
        ("vcard", card),
        ("search", search_path(visit)),
        ("page", Some(page)),
        ("page_tr", Some(format!("/{}", Locale::Tr))),
        ("script", Some("~(script-src 'sha256-[^' ]+'; )?".to_owned())),
        ("usage", Some("~.+".to_owned())),
    ];
    let metadata = visit.get(routes::AUTHORIZATION_SERVER, &[]).ok().and_then(|answer| answer.json().ok());
    let addresses = REGISTRATION.map(|(name, member)| {
        let path = metadata.as_ref().and_then(|it| it.pointer(member)?.as_str()?.strip_prefix(visit.origin()));
        (name, path.map(str::to_owned))
    });
    let found = found.into_iter().chain(addresses).filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Names(found.collect())
}

/// Returns the path of a search up to its words, as the site describes it for browsers.
fn search_path(visit: &Visit) -> Option<String> {
    let described = get_ok(visit, &routes::in_locale(Locale::DEFAULT, routes::OPENSEARCH), &[]).ok()?;
    let text = described.text();
    let path = text.split(visit.origin()).nth(1)?.split('{').next()?;
    text.contains("<OpenSearchDescription").then(|| path.to_owned())
}

/// Returns whether the API catalogue names the MCP endpoint.
pub(super) fn offers_service(visit: &Visit) -> bool {
    offered_service(visit).is_ok()
}

/// Returns an error with the reason if the API catalogue names no MCP endpoint of this site.
pub(super) fn offered_service(visit: &Visit) -> Result<(), End> {
    let Ok(catalog) = visit.get(routes::API_CATALOG, &[]) else { return Ok(()) };
    let text = catalog.text();
    if catalog.status != 200 || text.contains(&format!("\"{}{}\"", visit.origin(), routes::MCP)) {
        return Ok(());
    }
    let is_elsewhere = text.contains(&format!("{}\"", routes::MCP));
    Err(End::Unjudged(if is_elsewhere { messages::unjudged_origin() } else { messages::unjudged_not_offered() }))
}
