//! Verifies what providers sign.

use super::Trust;
use crate::{
    Time,
    registration::{
        assertion::{Assertion, AssertionError},
        event::{EventError, ProviderEvent},
    },
};

/// Verifies what the providers of the trust list sign for one of the audiences.
#[derive(Debug)]
pub(crate) struct Verifier {}

impl Verifier {
    /// A verifier for tokens whose audience is exactly one of `audiences`.
    pub(crate) fn new(_trust: Trust, _audiences: Vec<String>, _keys: super::Keys) -> Self {
        Self {}
    }

    /// Verifies an identity assertion (ID-JAG).
    pub(crate) async fn assertion(&self, _jwt: &str, _now: Time) -> Result<Assertion, AssertionError> {
        Err(AssertionError::InvalidIssuer)
    }

    /// Verifies a logout token (`OpenID` Connect Back-Channel Logout 1.0).
    pub(crate) async fn logout(&self, _jwt: &str, _now: Time) -> Result<ProviderEvent, EventError> {
        Err(EventError::InvalidIssuer)
    }

    /// Verifies a security event token (RFC 8417).
    pub(crate) async fn event(&self, _jwt: &str, _now: Time) -> Result<ProviderEvent, EventError> {
        Err(EventError::InvalidIssuer)
    }
}
