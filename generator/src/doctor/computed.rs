//! Addresses whose answers are computed: MCP, registration, its pages, search. Each is asked something that its service refuses
//! before it does anything, or that starts nothing.

use contract::{
    Locale,
    headers::{MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION, written},
    mcp::{CALL_TOOL, HEADER_MISMATCH, REVISIONS, limits, meta},
    media, routes,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::{
    Fault, Remedy,
    checks::{self, BODIES, HEADERS, METHODS, Named, OFFER, QUERY, expect, meant, offers, offers_service},
    found, unanswered,
    visit::{Answer, Visit},
};
use crate::messages::{self, Text};

/// What the sidecar computes.
pub(super) const SIDECAR: [Named; 4] = [
    (messages::examined_service, service),
    (messages::examined_registration, registration),
    (messages::examined_forms, forms),
    (messages::examined_search, search),
];
/// What an edge module passes on, or says that nothing answers.
pub(super) const EDGE: [Named; 1] = [(messages::examined_service_behind, service_behind)];

/// The fields of a call that every MCP server answers.
pub(super) const MCP_FIELDS: [(&str, &str); 2] =
    [("content-type", media::JSON), ("accept", "application/json, text/event-stream")];

const FIELDS: Remedy = messages::doctor_request_fields_help;
const NO_CACHE: Remedy = messages::doctor_computed_help;

/// The members of the metadata that name where programs post to, with what the service there refuses.
const POSTED: [(&str, &str, &str); 6] = [
    ("/agent_auth/register_uri", media::JSON, "{}"),
    ("/agent_auth/identity_endpoint", media::JSON, "{}"),
    ("/agent_auth/claim_uri", media::JSON, "{}"),
    ("/agent_auth/revocation_uri", "application/secevent+jwt", "none"),
    ("/token_endpoint", media::FORM, "grant_type=none"),
    ("/revocation_endpoint", media::FORM, ""),
];

/// The pages of the registration flow, and whether they are opened or sent.
const PAGES: [(&str, &str); 8] = [
    ("GET", routes::AUTHORIZE),
    ("GET", routes::ACCESS),
    ("GET", routes::CLAIM_VIEW),
    ("GET", routes::ACCESS_VIEW),
    ("GET", routes::MAIL_STOP),
    ("POST", routes::CLAIM_CHALLENGE),
    ("POST", routes::CLAIM_DENY),
    ("POST", routes::ACCESS_REVOKE),
];

/// Returns what to do about an answer with this status from an address that should answer otherwise.
fn remedy(status: u16) -> Text {
    match status {
        403 => messages::doctor_host_help(),
        405 | 501 => METHODS(),
        413 => messages::doctor_body_help(),
        415 => FIELDS(),
        429 => messages::doctor_wait_help(),
        _ => messages::doctor_answer_help(),
    }
}

/// Returns the call with which a client of MCP begins.
pub(super) fn initialize(id: u32) -> String {
    let client = json!({ "name": "mecelle-doctor", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": id, "method": "initialize", "params": params }).to_string()
}

fn service(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    if !offers_service(visit) {
        return Ok(());
    }
    let card = found(visit, routes::SERVER_CARD, &[]).and_then(|card| checks::json(&card, routes::SERVER_CARD));
    faults.extend(card.err());
    for id in [1, 2] {
        let answer = call(visit, &[], &initialize(id))?;
        let said = answer.json().unwrap_or_default();
        if answer.status != 200 || !said["result"]["serverInfo"].is_object() {
            return Err(uncalled(&answer));
        }
        expect(faults, said["id"] == id, NO_CACHE, || messages::answered_alike(routes::MCP));
    }
    called_without_handshake(visit, faults)?;
    // White space around a message means nothing.
    let mut largest = initialize(3);
    largest.push_str(&" ".repeat(limits::BODY - largest.len()));
    let refused = |given: Text| {
        Fault::new(messages::body_refused(routes::MCP, limits::BODY / 1024, given), messages::doctor_body_help)
    };
    match visit.post(routes::MCP, &MCP_FIELDS, &largest) {
        Ok(answer) if answer.status == 200 => {}
        Ok(answer) => faults.push(refused(Text::verbatim(answer.status))),
        Err(why) => faults.push(refused(why)),
    }
    Ok(())
}

/// Posts a message to the MCP endpoint.
fn call(visit: &Visit, fields: &[(&str, &str)], message: &str) -> Result<Answer, Fault> {
    visit.post(routes::MCP, &[&MCP_FIELDS, fields].concat(), message).map_err(unanswered)
}

/// The fault of a call that was not answered with a result.
fn uncalled(answer: &Answer) -> Fault {
    Fault::new(messages::mcp_fails(routes::MCP, answer.status), || remedy(answer.status))
}

/// Calls a tool as the newest revision does, which repeats in header fields what the body says.
fn called_without_handshake(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    const TOOL: &str = "get_contact";
    let revision = REVISIONS[0].name;
    let about = json!({ (meta::PROTOCOL_VERSION): revision, (meta::CLIENT_CAPABILITIES): {} });
    let params = json!({ "name": TOOL, "arguments": {}, "_meta": about });
    let message = json!({ "jsonrpc": "2.0", "id": 4, "method": CALL_TOOL, "params": params }).to_string();
    let answer = call(visit, &[(MCP_PROTOCOL_VERSION, revision), (MCP_METHOD, CALL_TOOL), (MCP_NAME, TOOL)], &message)?;
    let said = answer.json().unwrap_or_default();
    if said["error"]["code"] == HEADER_MISMATCH {
        let fields = [written::MCP_PROTOCOL_VERSION, written::MCP_METHOD, written::MCP_NAME].join(", ");
        let fault = messages::field_not_passed(fields, routes::MCP, answer.status);
        faults.push(Fault::new(fault, FIELDS));
    } else if answer.status != 200 || !said["result"].is_object() {
        faults.push(uncalled(&answer));
    }
    Ok(())
}

/// Returns the metadata of the authorization server, if the site has any.
fn metadata(visit: &Visit) -> Option<Value> {
    let answer = visit.get(routes::AUTHORIZATION_SERVER, &[]).ok()?;
    if answer.status == 200 { answer.json().ok() } else { None }
}

/// Every address that the metadata offers to programs must answer by itself.
fn registration(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let Some(metadata) = metadata(visit) else { return Ok(()) };
    for (member, media_type, body) in POSTED {
        let Some(url) = metadata.pointer(member).and_then(Value::as_str) else { continue };
        if let Some(path) = url.strip_prefix(visit.origin()) {
            refused(visit, path, (media_type, body), faults);
        } else {
            faults.push(Fault::new(messages::address_leads_away(url, visit.origin()), || meant(visit, url)));
        }
    }
    if metadata.pointer("/agent_auth/claim_uri").is_some() {
        refused(visit, routes::CLAIM_COMPLETE, (media::JSON, "{}"), faults);
    }
    let opened = visit.get(routes::REGISTER, &[]).map_err(unanswered)?;
    expect(faults, opened.status == 405 && opened.names("allow", "POST"), METHODS, || {
        messages::registration_fails(routes::REGISTER, opened.status)
    });
    Ok(())
}

/// Posts what the service behind `path` refuses, which it must do itself.
fn refused(visit: &Visit, path: &str, (media_type, body): (&str, &str), faults: &mut Vec<Fault>) {
    let answer = match visit.post(path, &[("content-type", media_type)], body) {
        Ok(answer) => answer,
        Err(why) => return faults.push(unanswered(why)),
    };
    let is_told = answer.is_error() || answer.json().is_ok_and(|told| told["err"].is_string());
    if answer.status == 415 && is_told {
        let fault = messages::field_not_passed("Content-Type", path, answer.status);
        return faults.push(Fault::new(fault, FIELDS));
    }
    expect(
        faults,
        answer.status == 400 && is_told && answer.has_type(media::JSON),
        || remedy(answer.status),
        || messages::not_of_the_service(path, answer.status, answer.field("content-type"), "JSON"),
    );
    expect(faults, answer.names("cache-control", "no-store"), NO_CACHE, || messages::answer_cacheable(path));
}

/// The pages that people open by a link of a message, and what they send from there.
fn forms(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    if metadata(visit).is_none() {
        return Ok(());
    }
    for (method, path) in PAGES {
        let sent =
            if method == "GET" { visit.get(path, &[]) } else { visit.post(path, &[("content-type", media::FORM)], "") };
        let answer = match sent {
            Ok(answer) => answer,
            Err(why) => {
                faults.push(unanswered(why));
                continue;
            }
        };
        let is_own = answer.has_type(media::HTML)
            && answer.status < 500
            && answer.field("content-security-policy").contains("default-src 'none'");
        expect(
            faults,
            is_own,
            || remedy(answer.status),
            || messages::not_of_the_service(path, answer.status, answer.field("content-type"), "HTML"),
        );
        expect(faults, answer.names("cache-control", "no-store"), NO_CACHE, || messages::answer_cacheable(path));
        expect(faults, answer.field("x-frame-options") == "DENY", HEADERS, || {
            messages::field_lacking(path, "X-Frame-Options")
        });
        expect(faults, !answer.has_script(), BODIES, || messages::script_injected(path));
    }
    // The service asks these where a form comes from, and refuses that of another site.
    for (name, value) in [("Origin", "https://form.example"), (written::SEC_FETCH_SITE, "cross-site")] {
        let fields = [("content-type", media::FORM), (name, value)];
        let answer = visit.post(routes::ACCESS, &fields, "").map_err(unanswered)?;
        expect(faults, answer.status == 403, FIELDS, || {
            messages::field_not_passed(name, routes::ACCESS, answer.status)
        });
    }
    // These pages have no address of their own in each language.
    for locale in Locale::ALL {
        let answer = visit.get(routes::AUTHORIZE, &[("accept-language", locale.as_str())]).map_err(unanswered)?;
        let language = answer.field("content-language");
        expect(faults, language == locale.as_str(), FIELDS, || {
            messages::field_not_passed("Accept-Language", routes::AUTHORIZE, format_args!("`{language}`"))
        });
    }
    Ok(())
}

/// Two questions have two answers. The words have letters that are written differently in an address.
fn search(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    if !offers_service(visit) {
        return Ok(());
    }
    let described = visit.get(&routes::in_locale(Locale::DEFAULT, routes::OPENSEARCH), &[]).map_err(unanswered)?;
    let text = described.text();
    // A site without a search page has no description of it.
    let Some(path) = text.split(visit.origin()).nth(1).and_then(|rest| rest.split('{').next()) else { return Ok(()) };
    for word in ["İstanbul", "Çeşme"] {
        let path = format!("{path}{}", utf8_percent_encode(word, NON_ALPHANUMERIC));
        let answer = visit.get(&path, &[]).map_err(unanswered)?;
        if answer.status == 200 {
            expect(faults, answer.text().contains(word), QUERY, || messages::question_unanswered(&path, word));
        } else {
            faults.push(Fault::new(messages::answer_status(&path, answer.status), || remedy(answer.status)));
        }
    }
    Ok(())
}

fn service_behind(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let mcp = visit.post(routes::MCP, &MCP_FIELDS, &initialize(1)).map_err(unanswered)?;
    let agent = visit.get(routes::REGISTER, &[]).map_err(unanswered)?;
    if mcp.status == 200 && agent.status == 405 {
        return registration(visit, faults);
    }
    expect(faults, [mcp.status, agent.status].iter().all(|status| *status == 503), OFFER, || {
        let answers = [(routes::MCP, mcp.status), (routes::REGISTER, agent.status)];
        Text::list(answers.map(|(path, status)| messages::answer_status(path, status))).unwrap_or_default()
    });
    offers(visit, faults);
    Ok(())
}
