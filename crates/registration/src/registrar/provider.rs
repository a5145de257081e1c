//! Reports of providers: logout tokens and security events.

use std::time::Duration;

use clock::Time;
use providers::{Demand, EventErrorKind, EventSubject, ProviderEvent, Subject};

use super::Registrar;
use crate::{
    domain::{RegistrationError, Spent},
    store::ReportedUser,
};

/// How long an event's `jti` is kept: longer than the age up to which events are accepted.
const REMEMBERED: Duration = Duration::from_hours(24 * 8);

impl Registrar {
    /// Verifies and applies a logout token. Returns the number of registrations that ended.
    pub async fn logout(&self, jwt: &str, now: Time) -> Result<usize, RegistrationError> {
        let rules = self.rules();
        let Some(providers) = &rules.providers else {
            return Err(RegistrationError::Event(EventErrorKind::InvalidIssuer));
        };
        let event = providers.logout(jwt, now).await?;
        self.provider_event(event, now).await
    }

    /// Verifies and applies a security event token. Returns the number of registrations that ended.
    pub async fn security_event(&self, jwt: &str, now: Time) -> Result<usize, RegistrationError> {
        let rules = self.rules();
        let Some(providers) = &rules.providers else {
            return Err(RegistrationError::Event(EventErrorKind::InvalidIssuer));
        };
        let event = providers.event(jwt, now).await?;
        self.provider_event(event, now).await
    }

    /// Applies a verified event. Returns the number of registrations that it ended; a repeated event ends none and has
    /// the same answer.
    pub(crate) async fn provider_event(&self, event: ProviderEvent, now: Time) -> Result<usize, RegistrationError> {
        let ProviderEvent { issuer, jti, issued_at, demand } = event;
        let spent = Spent { issuer: issuer.clone(), jti: jti.as_str().to_owned(), expires: now.plus(REMEMBERED) };
        let about = match demand {
            Demand::Acknowledge => {
                self.0.store.acknowledge(spent).await?;
                return Ok(0);
            }
            Demand::Revoke(EventSubject::Subject { tenant: Some(tenant), subject }) => {
                ReportedUser::Subject(Subject { issuer, tenant, name: subject })
            }
            // Security: logout tokens and most events name no tenant, so the user of every tenant loses access.
            Demand::Revoke(EventSubject::Subject { tenant: None, subject }) => {
                ReportedUser::User { issuer, name: subject }
            }
            Demand::Revoke(EventSubject::Email(email)) => ReportedUser::Email { issuer, email },
        };
        Ok(self.0.store.withdraw(spent, about, issued_at, now).await?)
    }
}
