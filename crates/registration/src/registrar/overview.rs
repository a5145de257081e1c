//! What operators see of registrations: each in a line, one as a whole, and how many there are.
//!
//! Security: mailboxes are masked, and neither secrets nor their digests are shown.

use std::{collections::BTreeMap, fmt::Write as _};

use clock::{Time, timestamp};
use contract::scopes::Scope;
use mail::masked;
use serde::Serialize;

use crate::{
    domain::{Record, RegistrationId, claim::ClaimStatus, credential::Credential},
    store::{Store, StoreError},
};

/// The states in which a registration can be.
pub const STATES: [&str; 6] = ["unclaimed", "pending", "claimed", "expired", "denied", "revoked"];

/// A registration in short.
#[derive(Debug, Serialize)]
pub struct Summary {
    registration_id: String,
    registration_type: &'static str,
    state: &'static str,
    /// `none`, `active`, `expired` or `revoked`.
    credential: &'static str,
    created: String,
    /// The mailbox that it belongs to or that may claim it, masked.
    email: Option<String>,
    provider: Option<String>,
}

/// A registration as a whole.
#[derive(Debug, Serialize)]
pub struct Detail {
    #[serde(flatten)]
    summary: Summary,
    /// The client that a provider vouches for, otherwise the registration.
    agent: String,
    issuer: Option<String>,
    match_phrase: Option<String>,
    scopes: Vec<Scope>,
    /// Until when it can be claimed.
    claimable_until: Option<String>,
    credential_expires: Option<String>,
    credential_first_used: Option<String>,
}

/// How many registrations there are, and what waits to be sent.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    registrations: usize,
    /// By type, then by state.
    by_type: BTreeMap<&'static str, BTreeMap<&'static str, usize>>,
    /// By what has become of the credential.
    credentials: BTreeMap<&'static str, usize>,
    mail: Mail,
}

/// The emails that wait to be sent.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Mail {
    waiting: i64,
    /// For how long the oldest of them has waited.
    oldest_seconds: u64,
}

/// Returns the registrations in `state`, or all of them, ordered by name.
pub async fn list(store: &Store, state: Option<&str>, now: Time) -> Result<Vec<Summary>, StoreError> {
    let mut summaries = Vec::new();
    each(store, |record| {
        let summary = summary(&record, now);
        summaries.extend(state.is_none_or(|state| state == summary.state).then_some(summary));
    })
    .await?;
    Ok(summaries)
}

/// Returns the registration of this name, if there is one.
pub async fn show(store: &Store, id: &str, now: Time) -> Result<Option<Detail>, StoreError> {
    let Some(record) = store.record(&RegistrationId::new(id)).await? else { return Ok(None) };
    let first_used = match record.credential.active() {
        Some(active) => store.first_used(&active.digest).await?,
        None => None,
    };
    Ok(Some(Detail {
        agent: record.agent().to_owned(),
        issuer: record.provider.as_ref().map(|provider| provider.issuer.clone()),
        match_phrase: record.match_phrase.map(|phrase| phrase.to_string()),
        scopes: record.scopes.clone(),
        claimable_until: record.claim.is_waiting().then(|| at(record.claim.deadline())),
        credential_expires: record.credential.active().map(|active| at(active.expires)),
        credential_first_used: first_used.map(at),
        summary: summary(&record, now),
    }))
}

/// Counts the registrations and the emails.
pub async fn stats(store: &Store, now: Time) -> Result<Stats, StoreError> {
    let (waiting, oldest) = store.waiting_emails(now).await?;
    let mut counted = Stats { mail: Mail { waiting, oldest_seconds: oldest.as_secs() }, ..Stats::default() };
    each(store, |record| {
        counted.registrations += 1;
        let by_state = counted.by_type.entry(record.kind.as_str()).or_default();
        *by_state.entry(state(&record, now)).or_default() += 1;
        *counted.credentials.entry(credential(&record, now)).or_default() += 1;
    })
    .await?;
    Ok(counted)
}

/// Returns the registrations as columns under their names.
#[must_use]
pub fn table(summaries: &[Summary]) -> String {
    let cells = |it: &Summary| {
        let of = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let (kind, state, credential) = (it.registration_type.into(), it.state.into(), it.credential.into());
        [it.registration_id.clone(), kind, state, credential, it.created.clone(), of(&it.email), of(&it.provider)]
    };
    let names = ["REGISTRATION", "TYPE", "STATE", "CREDENTIAL", "CREATED", "EMAIL", "PROVIDER"].map(str::to_owned);
    let rows: Vec<[String; 7]> = [names].into_iter().chain(summaries.iter().map(cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; 7] = std::array::from_fn(width);
    let mut table = String::new();
    for row in &rows {
        let start = table.len();
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(table, "{cell:width$}  ");
        }
        let end = start + table[start..].trim_end().len();
        table.truncate(end);
        table.push('\n');
    }
    table.truncate(table.trim_end().len());
    table
}

/// Calls `see` with every registration, ordered by name.
async fn each(store: &Store, mut see: impl FnMut(Record)) -> Result<(), StoreError> {
    let mut last = String::new();
    loop {
        let batch = store.records_after(last.clone()).await?;
        let Some(record) = batch.last() else { return Ok(()) };
        record.id.as_str().clone_into(&mut last);
        batch.into_iter().for_each(&mut see);
    }
}

fn summary(record: &Record, now: Time) -> Summary {
    Summary {
        registration_id: record.id.as_str().to_owned(),
        registration_type: record.kind.as_str(),
        state: state(record, now),
        credential: credential(record, now),
        created: at(record.created),
        email: record.mailbox().map(|mailbox| masked(mailbox.as_str())),
        provider: record.provider.as_ref().map(|provider| provider.name.clone()),
    }
}

/// Returns the state of [`STATES`] at `now`.
fn state(record: &Record, now: Time) -> &'static str {
    match record.claim.status(now) {
        ClaimStatus::Unclaimed => "unclaimed",
        ClaimStatus::Initiated(_) | ClaimStatus::Shown(_) | ClaimStatus::Over(_) => "pending",
        ClaimStatus::Claimed { .. } => "claimed",
        ClaimStatus::Expired => "expired",
        ClaimStatus::Denied => "denied",
        ClaimStatus::Revoked => "revoked",
    }
}

fn credential(record: &Record, now: Time) -> &'static str {
    match &record.credential {
        Credential::Absent => "none",
        Credential::Active(active) if now < active.expires => "active",
        Credential::Active(_) => "expired",
        Credential::Revoked => "revoked",
    }
}

fn at(time: Time) -> String {
    timestamp(time.millis())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clock::Clock;
    use contract::Locale;

    use super::*;
    use crate::{
        domain::Mailbox,
        registrar::{Caller, Identity, RegistrationRequest},
        store::testing::{runtime, stores},
        testing::registrar,
    };

    #[test]
    fn operator_sees_registrations_without_addresses_and_secrets() {
        for kept in stores() {
            let (store, clock) = (&kept.store, Clock::manual());
            let registrar = registrar(store, 7, None);
            runtime().block_on(async {
                let new = |identity| RegistrationRequest { identity, credential: None, locale: Locale::En };
                let caller = Caller::Unlimited;
                let anonymous = registrar.register(new(Identity::Anonymous), &caller, clock.now()).await.unwrap();
                let mailbox = Mailbox::parse("ayse@person.example").unwrap();
                let email = registrar.register(new(Identity::Email(mailbox)), &caller, clock.now()).await.unwrap();
                let all = list(store, None, clock.now()).await.unwrap();
                assert_eq!(all.len(), 2);
                let shown = table(&all) + &serde_json::to_string(&all).unwrap();
                assert!(shown.contains(email.id.as_str()) && shown.contains("a***@p***.example"), "{shown}");
                assert!(!shown.contains("ayse"), "{shown}");
                let pending = list(store, Some("pending"), clock.now()).await.unwrap();
                assert_eq!(pending.iter().map(|it| &*it.registration_id).collect::<Vec<_>>(), [email.id.as_str()]);
                let issued = anonymous.issued.unwrap().credential;
                store.held(&issued.digest(), clock.now()).await.unwrap();
                let detail = show(store, anonymous.id.as_str(), clock.now()).await.unwrap().unwrap();
                let detail = serde_json::to_string(&detail).unwrap();
                assert!(detail.contains("\"credential_first_used\":\"2026-01-01T00:00:00"), "{detail}");
                assert!(!detail.contains(issued.digest().as_str()), "{detail}");
                assert!(show(store, "reg_unknown", clock.now()).await.unwrap().is_none());
                clock.advance(Duration::from_mins(2));
                let mail = stats(store, clock.now()).await.unwrap().mail;
                assert_eq!(mail, Mail { waiting: 1, oldest_seconds: 120 });
                clock.advance(Duration::from_hours(24 * 200));
                let stats = stats(store, clock.now()).await.unwrap();
                assert_eq!(stats.registrations, 2);
                assert_eq!(stats.by_type["email-verification"]["expired"], 1);
                assert!(list(store, Some("pending"), clock.now()).await.unwrap().is_empty());
                for state in stats.by_type.values().flat_map(BTreeMap::keys) {
                    assert!(STATES.contains(state), "{state}");
                }
            });
        }
    }
}
