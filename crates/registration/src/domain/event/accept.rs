//! What must hold for a provider's report once its signature has been verified.

use std::time::Duration;

use clock::Time;
use contract::{
    agent_auth::{self, VERIFICATION_EVENT},
    id_jag::{AUD, EVENTS, EXP, IAT, ISS, JTI, NBF, NONCE, SUB, SUB_ID, TENANT},
};
use serde_json::{Map, Value};

use super::{Demand, EventErrorKind, EventSubject, ProviderEvent};
use crate::domain::{
    Mailbox,
    providers::{Claims, JtiDigest, Kind, Provider, SKEW, named},
};

/// The greatest age of a report: a provider that could not deliver it keeps trying for some days.
const OLDEST: Duration = Duration::from_hours(7 * 24);

impl ProviderEvent {
    /// Accepts the claims of a token of this `kind`, signed by `provider`, if they are meant for one of `audiences`.
    /// Both kinds of reports may carry any published event.
    ///
    /// A security event may be meant for others too (RFC 8417, 2.2): a provider that reports to several services signs
    /// one token for all of them. An event grants nothing, so another receiver who sends it here does no more than the
    /// provider wanted.
    pub(in crate::domain) fn accept(
        claims: &Claims,
        kind: Kind,
        provider: &Provider,
        audiences: &[String],
        now: Time,
    ) -> Result<Self, EventErrorKind> {
        let named = claims.texts(AUD)?.ok_or("`aud` is missing")?;
        let is_alone = named.len() == 1 || kind == Kind::SecurityEvent;
        if !is_alone || !named.iter().any(|name| audiences.iter().any(|audience| audience == name)) {
            return Err(EventErrorKind::InvalidAudience);
        }
        let issued_at = check_times(claims, now)?;
        if claims.has(NONCE) {
            // Security: an identity token must never be taken for a report (Back-Channel Logout, 2.4).
            return Err(EventErrorKind::InvalidRequest("it has a `nonce`, as no report of an event does"));
        }
        let jti = JtiDigest::of_report(claims.required_text(JTI)?);
        let events = claims.members(EVENTS)?.ok_or(EVENTS.missing)?;
        if events.is_empty() || !events.values().all(Value::is_object) {
            return Err(EventErrorKind::InvalidRequest(EVENTS.malformed));
        }
        let is_ending = |kind: &String| kind != VERIFICATION_EVENT && agent_auth::EVENTS.contains(&kind.as_str());
        let demand =
            if events.keys().any(is_ending) { Demand::Revoke(subject(claims, provider)?) } else { Demand::Acknowledge };
        Ok(Self { issuer: provider.issuer.clone(), jti, issued_at, demand })
    }
}

/// Checks the times and returns when the report was made. An expiry is not required (RFC 8417, 2.2), but counts if
/// there is one.
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

/// Returns whom the report is about: `sub_id` (RFC 9493), else `sub`. A session alone (`sid`) names nobody who is known
/// here.
fn subject(claims: &Claims, provider: &Provider) -> Result<EventSubject, EventErrorKind> {
    let tenant = claims.text(TENANT)?.map(str::to_owned);
    let Some(members) = claims.members(SUB_ID)? else {
        let subject = claims.text(SUB)?.ok_or("it names no subject (`sub` or `sub_id`)")?.to_owned();
        return Ok(EventSubject::Subject { tenant, subject });
    };
    let named = by_form(members, tenant, provider)?;
    // Security: two names that might belong to two people identify no one person.
    match (&named, claims.text(SUB)?) {
        (EventSubject::Subject { subject, .. }, Some(other)) if subject != other => {
            Err(EventErrorKind::InvalidRequest("`sub` and `sub_id` name different subjects"))
        }
        _ => Ok(named),
    }
}

fn by_form(
    members: &Map<String, Value>,
    tenant: Option<String>,
    provider: &Provider,
) -> Result<EventSubject, EventErrorKind> {
    let text = |name: &str| members.get(name).and_then(named);
    match text("format") {
        Some("iss_sub") => {
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
