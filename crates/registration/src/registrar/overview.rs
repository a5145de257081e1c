//! The operator's view of registrations: a list, one in detail, and statistics.
//!
//! Security: mailboxes are masked, and neither secrets nor their digests are shown.

use std::{collections::BTreeMap, fmt::Write as _, num::NonZeroUsize};

use clock::{Time, timestamp};
use contract::scopes::Scope;
use mail::masked;
use secrets::RegistrationId;
use serde::Serialize;
use serde_json::Value;

use crate::{
    domain::{RegistrationRecord, claim::ClaimPhase, credential::Credential},
    store::{Store, StoreError},
};

/// Printed for a missing value.
const NOTHING: &str = "-";
/// Printed for the missing mailbox of a provider's user.
const NO_MAILBOX: &str = "no mailbox known";
pub const STATES: [&str; 6] = ["unclaimed", "pending", "claimed", "expired", "denied", "revoked"];

/// Selects registrations for a list.
#[derive(Clone, Debug, Default)]
pub struct RegistrationFilter {
    /// One of [`STATES`].
    pub state: Option<String>,
    /// Earliest creation.
    pub since: Option<Time>,
    /// Maximum number.
    pub limit: Option<NonZeroUsize>,
}

/// Registrations, newest first.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub struct RegistrationList {
    summaries: Vec<Summary>,
    /// Number of older ones beyond the limit.
    #[serde(skip)]
    pub left_off: usize,
}

#[derive(Debug, Serialize)]
struct Summary {
    registration_id: String,
    registration_type: &'static str,
    state: &'static str,
    /// `none`, `active`, `expired` or `revoked`.
    credential: &'static str,
    created: String,
    /// The mailbox that has claimed or may claim it, masked.
    email: Option<String>,
    provider: Option<String>,
}

/// A registration in detail.
#[derive(Debug, Serialize)]
pub struct Detail {
    #[serde(flatten)]
    summary: Summary,
    /// When it was denied or revoked, or expired, and by what: [`By`](crate::domain::By), or `expiry`. Unknown if an
    /// earlier version ended it.
    ended: Option<String>,
    ended_by: Option<&'static str>,
    /// The provider's client, otherwise the registration.
    agent: String,
    issuer: Option<String>,
    match_phrase: Option<String>,
    scopes: Vec<Scope>,
    claimable_until: Option<String>,
    credential_expires: Option<String>,
    credential_first_used: Option<String>,
}

/// Statistics of registrations and mail.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    registrations: usize,
    /// By type, then by state.
    by_type: BTreeMap<&'static str, BTreeMap<&'static str, usize>>,
    /// By state of the credential.
    credentials: BTreeMap<&'static str, usize>,
    mail: Mail,
}

/// E-mails waiting to be sent.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Mail {
    waiting: i64,
    /// Time that the oldest has waited.
    oldest_seconds: u64,
}

/// Returns the registrations that match `filter`, newest first.
pub async fn list(store: &Store, filter: &RegistrationFilter, now: Time) -> Result<RegistrationList, StoreError> {
    let most = filter.limit.map_or(usize::MAX, NonZeroUsize::get);
    let mut listed = RegistrationList::default();
    each(store, |record| {
        let is_new = filter.since.is_none_or(|since| since <= record.created);
        if is_new && filter.state.as_deref().is_none_or(|wanted| wanted == state(&record, now)) {
            listed.summaries.push(summary(&record, now));
        }
        // Keep only a few of those beyond the limit in memory.
        if listed.summaries.len() >= most.saturating_mul(2) {
            listed.keep_newest(most);
        }
    })
    .await?;
    listed.keep_newest(most);
    Ok(listed)
}

pub async fn show(store: &Store, id: &str, now: Time) -> Result<Option<Detail>, StoreError> {
    let Some(record) = store.record(&RegistrationId::new(id)).await? else { return Ok(None) };
    let first_used = match record.credential.active() {
        Some(active) => store.first_used(&active.digest).await?,
        None => None,
    };
    let expired = (state(&record, now) == "expired").then(|| (record.claim.deadline(), "expiry"));
    let end = record.end.map(|end| (end.at, end.by.as_str())).or(expired);
    Ok(Some(Detail {
        ended: end.map(|(time, _)| format_time(time)),
        ended_by: end.map(|(_, by)| by),
        agent: record.agent().to_owned(),
        issuer: record.provider.as_ref().map(|provider| provider.issuer.clone()),
        match_phrase: record.match_phrase.map(|phrase| phrase.to_string()),
        scopes: record.scopes.clone(),
        claimable_until: record.claim.is_waiting().then(|| format_time(record.claim.deadline())),
        credential_expires: record.credential.active().map(|active| format_time(active.expires)),
        credential_first_used: first_used.map(format_time),
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

impl RegistrationList {
    fn keep_newest(&mut self, most: usize) {
        let order = |one: &Summary, other: &Summary| {
            other.created.cmp(&one.created).then_with(|| one.registration_id.cmp(&other.registration_id))
        };
        self.summaries.sort_unstable_by(order);
        self.left_off += self.summaries.len().saturating_sub(most);
        self.summaries.truncate(most);
    }

    /// Returns the list as a table with a header.
    pub fn table(&self) -> String {
        let names = ["REGISTRATION", "TYPE", "STATE", "CREDENTIAL", "CREATED", "EMAIL", "PROVIDER"].map(str::to_owned);
        let rows = self.summaries.iter().map(|it| {
            let of = |text: &Option<String>| text.clone().unwrap_or_else(|| NOTHING.to_owned());
            let (kind, state, credential) = (it.registration_type.into(), it.state.into(), it.credential.into());
            let email = match (&it.email, &it.provider) {
                (None, Some(_)) => NO_MAILBOX.to_owned(),
                (email, _) => of(email),
            };
            [it.registration_id.clone(), kind, state, credential, it.created.clone(), email, of(&it.provider)]
        });
        columns(&[names].into_iter().chain(rows).collect::<Vec<_>>())
    }
}

/// Returns the JSON fields of `value`, one in a line.
pub fn table(value: &impl Serialize) -> String {
    let mut rows = Vec::new();
    let mut value = serde_json::to_value(value).unwrap_or_default();
    if value["provider"].is_string() && value["email"].is_null() {
        value["email"] = NO_MAILBOX.into();
    }
    flatten(String::new(), value, &mut rows);
    columns(&rows)
}

fn flatten(name: String, value: Value, rows: &mut Vec<[String; 2]>) {
    let text = match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                flatten(if name.is_empty() { field } else { format!("{name}.{field}") }, value, rows);
            }
            return;
        }
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        Value::String(text) => text,
        Value::Null => NOTHING.to_owned(),
        other => other.to_string(),
    };
    rows.push([name, text]);
}

/// Returns `rows` as aligned columns.
fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; N] = std::array::from_fn(width);
    let mut table = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        let separator = if table.is_empty() { "" } else { "\n" };
        let _ = write!(table, "{separator}{}", line.trim_end());
    }
    table
}

/// Calls `see` with every registration, ordered by ID.
async fn each(store: &Store, mut see: impl FnMut(RegistrationRecord)) -> Result<(), StoreError> {
    let mut last = String::new();
    loop {
        let batch = store.records_after(last.clone()).await?;
        let Some(record) = batch.last() else { return Ok(()) };
        record.id.as_str().clone_into(&mut last);
        batch.into_iter().for_each(&mut see);
    }
}

fn summary(record: &RegistrationRecord, now: Time) -> Summary {
    Summary {
        registration_id: record.id.as_str().to_owned(),
        registration_type: record.kind.as_str(),
        state: state(record, now),
        credential: credential(record, now),
        created: format_time(record.created),
        email: record.mailbox().map(|mailbox| masked(mailbox.as_str())),
        provider: record.provider.as_ref().map(|provider| provider.name.clone()),
    }
}

pub(super) fn state(record: &RegistrationRecord, now: Time) -> &'static str {
    match record.claim.status(now) {
        ClaimPhase::Unclaimed => "unclaimed",
        ClaimPhase::Initiated(_) | ClaimPhase::Shown(_) | ClaimPhase::Over(_) => "pending",
        ClaimPhase::Claimed { .. } => "claimed",
        ClaimPhase::Expired => "expired",
        ClaimPhase::Denied => "denied",
        ClaimPhase::Revoked => "revoked",
    }
}

fn credential(record: &RegistrationRecord, now: Time) -> &'static str {
    match &record.credential {
        Credential::Absent => "none",
        Credential::Active(active) if now < active.expires => "active",
        Credential::Active(_) => "expired",
        Credential::Revoked => "revoked",
    }
}

pub(super) fn format_time(time: Time) -> String {
    timestamp(time.millis())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clock::Clock;
    use contract::Locale;
    use secrets::Mailbox;

    use super::*;
    use crate::{
        domain::By,
        registrar::{Caller, Identity, RegistrationRequest},
        store::{
            Selection,
            testing::{runtime, stores},
        },
        testing::{link, registrar, registration_request},
    };

    /// Returns the rows of a table, with one space between their cells.
    fn rows(table: &str) -> Vec<String> {
        table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    fn names(listed: &RegistrationList) -> Vec<&str> {
        listed.summaries.iter().map(|it| &*it.registration_id).collect()
    }

    #[test]
    fn newest_registrations_come_first_and_the_rest_is_counted() {
        for kept in stores() {
            let (store, clock) = (&kept.store, Clock::manual());
            let registrar = registrar(store, 8, None);
            runtime().block_on(async {
                let mut made = Vec::new();
                for _ in 0..5 {
                    let new = registration_request(Identity::Anonymous);
                    made.push(registrar.register(new, &Caller::Unlimited, clock.now()).await.unwrap().id);
                    clock.advance(Duration::from_mins(1));
                }
                let newest: Vec<_> = made.iter().rev().map(RegistrationId::as_str).collect();
                let all = list(store, &RegistrationFilter::default(), clock.now()).await.unwrap();
                assert_eq!((names(&all), all.left_off), (newest.clone(), 0), "{}", kept.name);
                let two = RegistrationFilter { limit: NonZeroUsize::new(2), ..RegistrationFilter::default() };
                let listed = list(store, &two, clock.now()).await.unwrap();
                assert_eq!((names(&listed), listed.left_off), (newest[..2].to_vec(), 3));
                let late = RegistrationFilter { since: Time::parse("2026-01-01T00:01:00Z"), ..two.clone() };
                let listed = list(store, &late, clock.now()).await.unwrap();
                assert_eq!((names(&listed), listed.left_off), (newest[..2].to_vec(), 2), "the first is too old");
                let claimed = RegistrationFilter { state: Some("claimed".to_owned()), ..two };
                let listed = list(store, &claimed, clock.now()).await.unwrap();
                assert_eq!((names(&listed), listed.left_off), (vec![], 0));
            });
        }
    }

    #[test]
    fn end_of_a_registration_is_shown_with_time_and_party() {
        for kept in stores() {
            let (store, clock) = (&kept.store, Clock::manual());
            let registrar = registrar(store, 9, None);
            runtime().block_on(async {
                let mut made = Vec::new();
                for _ in 0..3 {
                    let new = registration_request(Identity::Anonymous);
                    made.push(registrar.register(new, &Caller::Unlimited, clock.now()).await.unwrap());
                }
                clock.advance(Duration::from_mins(1));
                registrar.revoke_token(&made[0].issued.as_ref().unwrap().credential, clock.now()).await.unwrap();
                clock.advance(Duration::from_mins(1));
                let one = Selection::One(made[1].id.clone());
                assert_eq!(store.revoke(&one, By::Operator, clock.now()).await.unwrap().all, 1);
                let email = registration_request(Identity::Email(Mailbox::parse("ayse@person.example").unwrap()));
                let denied = registrar.register(email, &Caller::Unlimited, clock.now()).await.unwrap();
                registrar.deny(&link(&registrar, clock.now()).await, clock.now()).await.unwrap();
                clock.advance(Duration::from_hours(48));
                assert_eq!(store.revoke(&one, By::User, clock.now()).await.unwrap().all, 0, "it is over");
                for (made, state, ended, by) in [
                    (&made[0], "revoked", "2026-01-01T00:01:00.000Z", "holder"),
                    (&made[1], "revoked", "2026-01-01T00:02:00.000Z", "operator"),
                    (&denied, "denied", "2026-01-01T00:02:00.000Z", "user"),
                    (&made[2], "expired", "2026-01-02T00:00:00.000Z", "expiry"),
                ] {
                    let details = show(store, made.id.as_str(), clock.now()).await.unwrap().unwrap();
                    let row_end = (details.summary.state, details.ended.as_deref(), details.ended_by);
                    assert_eq!(row_end, (state, Some(ended), Some(by)), "{}", kept.name);
                }
            });
        }
    }

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
                let all = list(store, &RegistrationFilter::default(), clock.now()).await.unwrap();
                assert_eq!((all.summaries.len(), all.left_off), (2, 0));
                let printed = all.table() + &serde_json::to_string(&all).unwrap();
                assert!(printed.contains(email.id.as_str()) && printed.contains("a***@p***.example"), "{printed}");
                assert!(!printed.contains("ayse"), "{printed}");
                let pending = RegistrationFilter { state: Some("pending".to_owned()), ..RegistrationFilter::default() };
                assert_eq!(names(&list(store, &pending, clock.now()).await.unwrap()), [email.id.as_str()]);
                let issued = anonymous.issued.unwrap().credential;
                store.use_credential(&issued.digest(), clock.now()).await.unwrap();
                let detail = show(store, anonymous.id.as_str(), clock.now()).await.unwrap().unwrap();
                let rows = rows(&table(&detail));
                assert!(rows.contains(&"scopes openid profile mcp.read content.read".to_owned()), "{rows:?}");
                assert!(rows.contains(&"ended_by -".to_owned()), "{rows:?}");
                let detail = serde_json::to_string(&detail).unwrap();
                assert!(detail.contains("\"credential_first_used\":\"2026-01-01T00:00:00"), "{detail}");
                assert!(!detail.contains(issued.digest().as_str()), "{detail}");
                assert!(show(store, "reg_unknown", clock.now()).await.unwrap().is_none());
                clock.advance(Duration::from_mins(2));
                let counted = stats(store, clock.now()).await.unwrap();
                assert_eq!(counted.mail, Mail { waiting: 1, oldest_seconds: 120 });
                let rows = self::rows(&table(&counted));
                assert!(rows.contains(&"by_type.anonymous.unclaimed 1".to_owned()), "{rows:?}");
                clock.advance(Duration::from_hours(24 * 200));
                let stats = stats(store, clock.now()).await.unwrap();
                assert_eq!(stats.registrations, 2);
                assert_eq!(stats.by_type["email-verification"]["expired"], 1);
                assert!(list(store, &pending, clock.now()).await.unwrap().summaries.is_empty());
                for state in stats.by_type.values().flat_map(BTreeMap::keys) {
                    assert!(STATES.contains(state), "{state}");
                }
            });
        }
    }
}
