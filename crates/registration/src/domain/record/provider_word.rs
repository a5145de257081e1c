//! The stored part of a provider's assertion.

use clock::Time;
use providers::{Assertion, Subject};
use serde::{Deserialize, Serialize};

/// A provider's assertion about a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderWord {
    pub(crate) issuer: String,
    /// The provider's display name.
    pub name: String,
    /// Empty if the provider has no tenants.
    pub(crate) tenant: String,
    pub(crate) subject: String,
    pub(crate) client: String,
    /// The `iat` of the assertion.
    pub asserted: Time,
}

impl ProviderWord {
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
