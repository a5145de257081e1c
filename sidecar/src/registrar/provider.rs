//! What a provider reports.

use std::time::Duration;

use super::Registrar;
use crate::{
    Time,
    registration::{
        Refusal, Spent, Subject,
        event::{Demand, EventRefusal, EventSubject, ProviderEvent},
    },
    store::Reported,
};

/// How long an event is remembered: longer than one may be old.
const REMEMBERED: Duration = Duration::from_hours(24 * 8);

impl Registrar {
    /// Verifies a logout token and applies it; says how many registrations ended.
    pub(crate) async fn logout(&self, jwt: &str, now: Time) -> Result<usize, Refusal> {
        let Some(providers) = &self.0.providers else { return Err(Refusal::Event(EventRefusal::InvalidIssuer)) };
        let event = providers.logout(jwt, now).await?;
        self.provider_event(event, now).await
    }

    /// The same for a security event token.
    pub(crate) async fn security_event(&self, jwt: &str, now: Time) -> Result<usize, Refusal> {
        let Some(providers) = &self.0.providers else { return Err(Refusal::Event(EventRefusal::InvalidIssuer)) };
        let event = providers.event(jwt, now).await?;
        self.provider_event(event, now).await
    }

    /// Applies a verified event; says how many registrations ended by it. One that comes twice is answered like the
    /// first, and ends nothing.
    pub(crate) async fn provider_event(&self, event: ProviderEvent, now: Time) -> Result<usize, Refusal> {
        let ProviderEvent { issuer, jti, issued_at, demand } = event;
        let spent = Spent { issuer: issuer.clone(), jti: jti.as_str().to_owned(), expires: now.plus(REMEMBERED) };
        let about = match demand {
            Demand::Acknowledge => {
                self.0.store.acknowledge(spent).await?;
                return Ok(0);
            }
            Demand::Revoke(EventSubject::Subject { tenant: Some(tenant), subject }) => {
                Reported::Subject(Subject { issuer, tenant, name: subject })
            }
            // Security: logout tokens and most events have no word for a tenant. Whose they mean cannot be told, and what is
            // taken back must not stay.
            Demand::Revoke(EventSubject::Subject { tenant: None, subject }) => Reported::User { issuer, name: subject },
            Demand::Revoke(EventSubject::Email(email)) => Reported::Email { issuer, email },
        };
        Ok(self.0.store.withdraw(spent, about, issued_at, now).await?)
    }
}
