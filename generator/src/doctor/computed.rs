//! Checks of computed answers: MCP, registration and its pages, search. Every request is one that the service rejects,
//! or that has no effect.

use contract::{
    Locale,
    headers::{MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION, X_REQUEST_ID, written},
    mcp::{CALL_TOOL, HEADER_MISMATCH, REVISIONS, limits, meta},
    media, routes,
};
use findings::messages::{self, Text};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::{
    BODIES, End, FIELDS, Fault, Faults, OFFER, QUERY,
    checks::{self, Named, leads_away, offers},
    get_ok,
    mcp::{MCP_FIELDS, NO_CACHE, initialize},
    rows::{self, offered_service},
    visit::{Answer, Visit},
};

pub(super) const SIDECAR: [Named; 4] = [
    (messages::examined_service, service),
    (messages::examined_registration, registration),
    (messages::examined_forms, forms),
    (messages::examined_search, search),
];
/// Checks of requests that an edge module passes on to a sidecar.
pub(super) const EDGE: [Named; 1] = [(messages::examined_service_behind, service_behind)];

/// The pages of the registration flow, with their methods.
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

fn service(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    offered_service(visit)?;
    let card = get_ok(visit, routes::SERVER_CARD, &[]).and_then(|card| checks::json(&card, routes::SERVER_CARD));
    drop(card.map_err(|fault| faults.push(fault)));
    for id in [1, 2] {
        let answer = call(visit, &[], &initialize(id))?;
        let reply = answer.json().unwrap_or_default();
        if answer.status != 200 || !reply["result"]["serverInfo"].is_object() {
            return Err(Fault::of_status(visit, routes::MCP, &answer).into());
        }
        faults.expect(routes::MCP, reply["id"] == id, NO_CACHE, messages::answered_alike);
    }
    call_without_handshake(visit, faults)?;
    // The largest body: the message is padded with white space.
    let mut largest = initialize(3);
    largest.push_str(&" ".repeat(limits::BODY - largest.len()));
    let refused = |problem: Text| {
        Fault::new(routes::MCP, messages::body_refused(limits::BODY / 1024, problem), messages::doctor_body_help)
    };
    match visit.post(routes::MCP, &MCP_FIELDS, &largest) {
        Ok(answer) if answer.status == 200 => {}
        Ok(answer) => faults.push(refused(Text::verbatim(answer.status))),
        Err(unanswered) => faults.push(refused(unanswered.fault)),
    }
    Ok(())
}

/// Posts a message to the MCP endpoint.
fn call(visit: &Visit, fields: &[(&str, &str)], message: &str) -> Result<Answer, Fault> {
    visit.post(routes::MCP, &[&MCP_FIELDS, fields].concat(), message)
}

/// Calls a tool as in the newest revision, which repeats members of the body in header fields.
fn call_without_handshake(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    const TOOL: &str = "get_contact";
    let revision = REVISIONS[0].name;
    let about = json!({ (meta::PROTOCOL_VERSION): revision, (meta::CLIENT_CAPABILITIES): {} });
    let params = json!({ "name": TOOL, "arguments": {}, "_meta": about });
    let message = json!({ "jsonrpc": "2.0", "id": 4, "method": CALL_TOOL, "params": params }).to_string();
    let answer = call(visit, &[(MCP_PROTOCOL_VERSION, revision), (MCP_METHOD, CALL_TOOL), (MCP_NAME, TOOL)], &message)?;
    let reply = answer.json().unwrap_or_default();
    if reply["error"]["code"] == HEADER_MISMATCH {
        let fields = [written::MCP_PROTOCOL_VERSION, written::MCP_METHOD, written::MCP_NAME].join(", ");
        faults.push(Fault::new(routes::MCP, messages::field_not_passed(fields, answer.status), FIELDS));
    } else if answer.status != 200 || !reply["result"].is_object() {
        faults.push(Fault::of_status(visit, routes::MCP, &answer));
    }
    Ok(())
}

/// Returns the metadata of the authorization server, or why registration cannot be examined.
fn metadata(visit: &Visit) -> Result<Value, End> {
    let answer = visit.get(routes::AUTHORIZATION_SERVER, &[])?;
    match answer.status {
        200 => Ok(checks::json(&answer, routes::AUTHORIZATION_SERVER)?),
        404 if answer.is_error() => Err(End::Unjudged(messages::unjudged_not_offered())),
        _ => Err(Fault::of_status(visit, routes::AUTHORIZATION_SERVER, &answer).into()),
    }
}

/// Checks every address of the metadata.
fn registration(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let metadata = metadata(visit)?;
    let urls = rows::REGISTRATION.iter().filter_map(|(_, member)| metadata.pointer(member)?.as_str());
    for url in urls.filter(|url| !url.strip_prefix(visit.origin()).is_some_and(|path| path.starts_with('/'))) {
        faults.push(leads_away(visit, url));
    }
    rows::examine(visit, faults, "registration")
}

/// Checks the pages of the registration flow and the forms on them.
fn forms(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    metadata(visit)?;
    for (method, path) in PAGES {
        let sent =
            if method == "GET" { visit.get(path, &[]) } else { visit.post(path, &[("content-type", media::FORM)], "") };
        let answer = match sent {
            Ok(answer) => answer,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        if answer.status >= 500 || !answer.is_own() {
            faults.push(Fault::of_status(visit, path, &answer));
            continue;
        }
        faults.expect(path, !answer.has_script(), BODIES, messages::script_injected);
        rows::expect_no_store(path, &answer, faults);
    }
    rows::examine(visit, faults, "forms")?;
    // This page is the same address in both languages. A cache repeats the identifier of the request that it has answered.
    let mut last = visit.get(routes::AUTHORIZE, &[])?.field(X_REQUEST_ID).to_owned();
    for locale in Locale::ALL {
        let answer = visit.get(routes::AUTHORIZE, &[("accept-language", locale.as_str())])?;
        let (language, id) = (answer.field("content-language"), answer.field(X_REQUEST_ID).to_owned());
        // Other checks report another status and a missing `Content-Language`.
        let holds = answer.status != 200 || language.is_empty() || language == locale.as_str();
        let is_cached = !id.is_empty() && id == last;
        faults.expect(routes::AUTHORIZE, holds, if is_cached { NO_CACHE } else { FIELDS }, || {
            let given = || messages::field_not_passed("Accept-Language", format_args!("`{language}`"));
            if is_cached { messages::answered_alike() } else { given() }
        });
        last = id;
    }
    Ok(())
}

/// Searches twice: each answer must contain its word. The words need percent-encoding.
fn search(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let described_at = routes::in_locale(Locale::DEFAULT, routes::OPENSEARCH);
    let described = visit.get(&described_at, &[])?;
    let text = described.text();
    let path = text.split(visit.origin()).nth(1).and_then(|rest| rest.split('{').next());
    let is_described = described.status == 200 && text.contains("<OpenSearchDescription");
    let Some(path) = path.filter(|_| is_described) else {
        return Err(match described.status {
            404 if described.is_own() => End::Unjudged(messages::unjudged_not_offered()),
            _ if is_described => End::Unjudged(messages::unjudged_origin()),
            _ => Fault::of_status(visit, &described_at, &described).into(),
        });
    };
    for word in ["İstanbul", "Çeşme"] {
        let path = format!("{path}{}", utf8_percent_encode(word, NON_ALPHANUMERIC));
        let answer = visit.get(&path, &[])?;
        if answer.status == 200 {
            faults.expect(&path, answer.text().contains(word), QUERY, || messages::question_unanswered(word));
        } else {
            faults.push(Fault::of_status(visit, &path, &answer));
        }
    }
    Ok(())
}

fn service_behind(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let mcp = visit.post(routes::MCP, &MCP_FIELDS, &initialize(1))?;
    let agent = visit.get(routes::REGISTER, &[])?;
    if mcp.status == 200 && agent.status == 405 {
        return registration(visit, faults);
    }
    for (path, answer) in [(routes::MCP, mcp), (routes::REGISTER, agent)] {
        match answer.status {
            503 => {}
            502 | 504 | 520..=530 => faults.push(Fault::of_status(visit, path, &answer)),
            status => faults.push(Fault::new(path, messages::answer_status(status), OFFER)),
        }
    }
    offers(visit, faults);
    Ok(())
}
