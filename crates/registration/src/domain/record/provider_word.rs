//! What is stored of a provider's assertion about a user.

use clock::Time;
use serde::{Deserialize, Serialize};

use crate::domain::{Subject, assertion::Assertion};

/// A provider's word for a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderWord {
    pub(crate) issuer: String,
    /// The provider's name, as shown to people.
    pub name: String,
    /// Empty if the provider has no tenants.
    pub(crate) tenant: String,
    pub(crate) subject: String,
    /// The agent.
    pub(crate) client: String,
    /// When the word was given.
    pub asserted: Time,
}

impl ProviderWord {
    /// Takes the word from `assertion`.
    pub(crate) fn of(assertion: &Assertion) -> Self {
        let Subject { issuer, tenant, name: subject } = assertion.user();
        Self {
            issuer,
            name: assertion.provider_name.clone(),
            tenant,
            subject,
            client: assertion.client_id.clone(),
            asserted: assertion.issued_at,
        }
    }
}
