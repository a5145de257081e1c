//! Checks a provider's report after its signature was verified.

use std::time::Duration;

use clock::Time;
use contract::{
    agent_auth::{EVENTS as PUBLISHED, LOGOUT_EVENT, OTHER_EVENTS, VERIFICATION_EVENT},
    id_jag::{AUD, EVENTS, EXP, IAT, ISS, JTI, NBF, NONCE, SUB, SUB_ID, TENANT},
};
use secrets::Mailbox;
use serde_json::{Map, Value};

use super::{Demand, EventErrorKind, EventSubject, ProviderEvent};
use crate::{
    JtiDigest, SKEW,
    signed::{Claims, TokenKind, named},
    trust::Provider,
};

/// Maximum age of a report: a provider retries delivery for some days.
const OLDEST: Duration = Duration::from_hours(7 * 24);

const NO_LOGOUT: &str =
    "a logout token has the event `http://schemas.openid.net/event/backchannel-logout`; send others as `secevent+jwt`";

impl ProviderEvent {
    /// Checks the claims of a token of this `kind`, signed by `provider`. A security event may be any
    /// published one; a logout token must carry that of logout (Back-Channel Logout, 2.4).
    ///
    /// A security event may have several audiences (RFC 8417, 2.2): a provider signs one token for all its services. An
    /// event grants nothing, so another receiver who forwards it does no harm.
    pub(crate) fn accept(
        claims: &Claims,
        kind: TokenKind,
        provider: &Provider,
        audiences: &[String],
        now: Time,
    ) -> Result<Self, EventErrorKind> {
        let named = claims.texts(AUD)?.ok_or("`aud` is missing")?;
        let is_alone = named.len() == 1 || kind == TokenKind::SecurityEvent;
        let mut own = audiences.iter().chain(&provider.event_audiences);
        if !is_alone || !own.any(|audience| named.contains(&audience.as_str())) {
            return Err(EventErrorKind::InvalidAudience);
        }
        let issued_at = check_times(claims, now)?;
        if claims.has(NONCE) {
            // Security: an identity token must never be taken for a report (Back-Channel Logout, 2.4).
            return Err(EventErrorKind::InvalidRequest("it has a `nonce`, as no report of an event does"));
        }
        let jti = JtiDigest::of_report(claims.required_text(JTI)?);
        let ending = ending(claims)?;
        if kind == TokenKind::Logout && !claims.events()?.contains_key(LOGOUT_EVENT) {
            return Err(EventErrorKind::InvalidRequest(NO_LOGOUT));
        }
        let demand =
            if ending.is_empty() { Demand::Acknowledge } else { Demand::Revoke(subject(claims, &ending, provider)?) };
        Ok(Self { issuer: provider.issuer.clone(), jti, issued_at, demand })
    }
}

/// Returns the members of each event that ends access. Unknown members of `events` may be anything: Keycloak adds a
/// Boolean (RFC 8417, 2).
fn ending(claims: &Claims) -> Result<Vec<Map<String, Value>>, EventErrorKind> {
    let events = claims.events()?;
    let is_ending =
        |kind: &str| kind != VERIFICATION_EVENT && PUBLISHED.iter().chain(&OTHER_EVENTS).any(|known| *known == kind);
    let ending = events.into_iter().filter(|(kind, _)| is_ending(kind));
    ending
        .map(|(_, event)| match event {
            Value::Object(members) => Ok(members),
            _ => Err(EventErrorKind::InvalidRequest(EVENTS.malformed)),
        })
        .collect()
}

/// Checks the times and returns `iat`. `exp` is optional (RFC 8417, 2.2).
fn check_times(claims: &Claims, now: Time) -> Result<Time, EventErrorKind> {
    let issued_at = claims.required_time(IAT)?;
    if issued_at > now.plus(SKEW) || claims.time(NBF)?.is_some_and(|from| from > now.plus(SKEW)) {
        return Err(EventErrorKind::InvalidRequest("it comes from the future (`iat` or `nbf`)"));
    }
    if now.since(issued_at) > OLDEST || claims.time(EXP)?.is_some_and(|end| now >= end.plus(SKEW)) {
        return Err(EventErrorKind::InvalidRequest("its time has passed (`exp`, or seven days after `iat`)"));
    }
    Ok(issued_at)
}

/// Returns the subject: `sub_id` (RFC 9493), else that inside the events, as in drafts and at Google, Okta and Apple,
/// else `sub`. A session (`sid`) alone identifies no user here.
fn subject(
    claims: &Claims,
    events: &[Map<String, Value>],
    provider: &Provider,
) -> Result<EventSubject, EventErrorKind> {
    let tenant = claims.text(TENANT)?.map(str::to_owned);
    let alone = |subject: &str| EventSubject::Subject { tenant: tenant.clone(), subject: subject.to_owned() };
    let mut named = Vec::new();
    if let Some(members) = claims.members(SUB_ID)? {
        named.push(subject_by_format(members, tenant.clone(), provider)?);
    }
    for event in events {
        match (event.get("subject"), event.get(SUB.name)) {
            (Some(Value::Object(members)), _) => named.push(subject_by_format(members, tenant.clone(), provider)?),
            (Some(_), _) => return Err(EventErrorKind::InvalidRequest("the `subject` of an event is not an object")),
            (None, Some(subject)) => named.push(alone(crate::signed::named(subject).ok_or(SUB.malformed)?)),
            (None, None) => {}
        }
    }
    let sub = claims.text(SUB)?;
    let first = named.first().cloned().or_else(|| sub.map(alone)).ok_or("it names no subject (`sub` or `sub_id`)")?;
    // Security: two different subjects identify no one person.
    let is_other = |subject: &EventSubject| match (subject, sub) {
        (EventSubject::Subject { subject, .. }, Some(sub)) => subject != sub,
        _ => false,
    };
    if is_other(&first) || named.iter().any(|other| *other != first) {
        return Err(EventErrorKind::InvalidRequest("it names different subjects (in `sub`, `sub_id` or its events)"));
    }
    Ok(first)
}

fn subject_by_format(
    members: &Map<String, Value>,
    tenant: Option<String>,
    provider: &Provider,
) -> Result<EventSubject, EventErrorKind> {
    let text = |name: &str| members.get(name).and_then(named);
    // Of a complex subject, the user (Shared Signals Framework 1.0, 3.2).
    if let (None | Some("complex"), Some(Value::Object(user))) = (text("format"), members.get("user")) {
        if user.contains_key("user") {
            return Err(EventErrorKind::InvalidRequest(SUB_ID.malformed));
        }
        return subject_by_format(user, tenant, provider);
    }
    // Drafts of RFC 9493 had another name, and values with hyphens.
    match text("format").or_else(|| text("subject_type")) {
        Some("iss_sub" | "iss-sub") => {
            // Security: a provider speaks for its own users only.
            if text(ISS.name) != Some(&provider.issuer) {
                return Err(EventErrorKind::InvalidRequest("`sub_id` names a subject of another issuer"));
            }
            let subject = text(SUB.name).ok_or(SUB_ID.malformed)?.to_owned();
            Ok(EventSubject::Subject { tenant, subject })
        }
        Some("email") => {
            let mailbox = text("email").and_then(Mailbox::parse);
            mailbox.map(EventSubject::Email).ok_or(EventErrorKind::InvalidRequest(SUB_ID.malformed))
        }
        _ => Err(EventErrorKind::InvalidRequest("`sub_id` is not of the format `iss_sub` or `email`")),
    }
}
