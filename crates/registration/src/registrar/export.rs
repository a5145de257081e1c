//! The export of everything about a mailbox, for its reader.

use contract::scopes::Scope;
use providers::Subject;
use secrets::Mailbox;
use serde::Serialize;

use super::overview::format_time;
use crate::{
    domain::RegistrationRecord,
    store::{Store, StoreError, Watermark, WatermarkSubject},
};

/// The export. Security: holds no secrets.
#[derive(Debug, Serialize)]
pub struct Export {
    email: String,
    known_since: Option<String>,
    registrations: Vec<ExportedRegistration>,
    linked_to: Vec<User>,
    access_links: Vec<ExportedLink>,
    provider_statements: Vec<Statement>,
    letters_waiting: usize,
    wants_no_messages: bool,
}

#[derive(Debug, Serialize)]
struct ExportedRegistration {
    registration_id: String,
    registration_type: &'static str,
    created: String,
    state: &'static str,
    agent: String,
    provider: Option<String>,
    match_phrase: Option<String>,
    provider_user: Option<User>,
    asserted: Option<String>,
    scopes: Vec<Scope>,
    credential_expires: Option<String>,
    ended: Option<String>,
    ended_by: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct User {
    issuer: String,
    tenant: String,
    subject: String,
}

/// An access link, without its secret.
#[derive(Debug, Serialize)]
struct ExportedLink {
    locale: &'static str,
    expires: String,
}

/// That a provider made statements about the user or the mailbox.
#[derive(Debug, Serialize)]
struct Statement {
    issuer: String,
    tenant: Option<String>,
    /// `None` for the mailbox.
    subject: Option<String>,
    /// Statements made up to this time are void.
    void_before: Option<String>,
    kept_until: String,
}

/// Returns everything that is stored about `mailbox`.
pub async fn export(store: &Store, mailbox: &Mailbox) -> Result<Export, StoreError> {
    let personal_data = store.personal_data(mailbox).await?;
    let links = store.links_of(mailbox).await?;
    let users: Vec<_> = personal_data
        .records
        .iter()
        .filter_map(RegistrationRecord::subject)
        .chain(personal_data.delegations.clone())
        .collect();
    let marks = store.watermarks_of(mailbox, users).await?;
    Ok(Export {
        email: mailbox.as_str().to_owned(),
        known_since: personal_data.known_since.map(format_time),
        registrations: personal_data.records.iter().map(export_record).collect(),
        linked_to: personal_data.delegations.into_iter().map(User::from).collect(),
        access_links: links
            .into_iter()
            .map(|link| ExportedLink { locale: link.locale.as_str(), expires: format_time(link.expires) })
            .collect(),
        provider_statements: marks.into_iter().map(Statement::from).collect(),
        letters_waiting: personal_data.emails,
        wants_no_messages: personal_data.has_opted_out,
    })
}

fn export_record(record: &RegistrationRecord) -> ExportedRegistration {
    ExportedRegistration {
        registration_id: record.id.as_str().to_owned(),
        registration_type: record.kind.as_str(),
        created: format_time(record.created),
        state: record.claim.name(),
        agent: record.agent().to_owned(),
        provider: record.provider.as_ref().map(|provider| provider.name.clone()),
        match_phrase: record.match_phrase.map(|phrase| phrase.to_string()),
        provider_user: record.subject().map(User::from),
        asserted: record.provider.as_ref().map(|provider| format_time(provider.asserted)),
        scopes: record.scopes.clone(),
        credential_expires: record.credential.active().map(|active| format_time(active.expires)),
        ended: record.end.map(|end| format_time(end.at)),
        ended_by: record.end.map(|end| end.by.as_str()),
    }
}

impl From<Subject> for User {
    fn from(Subject { issuer, tenant, name }: Subject) -> Self {
        Self { issuer, tenant, subject: name }
    }
}

impl From<Watermark> for Statement {
    fn from(Watermark { issuer, about, void_before, expires }: Watermark) -> Self {
        let (tenant, subject) = match about {
            WatermarkSubject::Mailbox => (None, None),
            WatermarkSubject::User(name) => (None, Some(name)),
            WatermarkSubject::Subject { tenant, name } => (Some(tenant), Some(name)),
        };
        Self { issuer, tenant, subject, void_before: void_before.map(format_time), kept_until: format_time(expires) }
    }
}
