//! The offers to agents: what the build publishes and the service can do.
//!
//! The published authorization server metadata are what is enforced.

use contract::{
    agent_auth::{AssertionType, CredentialType, IdentityType, JWT_BEARER_GRANT},
    discovery::AuthorizationServer,
    manifest::Abilities,
};

/// The offers. Empty if the build publishes none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// Credential types for agents without an identity; the first is the default. Empty if they cannot register.
    pub(crate) anonymous: Vec<CredentialType>,
    /// Assertion types that establish an identity.
    pub(crate) assertions: Vec<AssertionType>,
    /// Credential types for agents with an identity; the first is the default.
    pub(crate) credentials: Vec<CredentialType>,
    /// Grant types of the token endpoint.
    pub(crate) grants: Vec<String>,
    pub(crate) identity: bool,
}

impl Offers {
    /// Returns the offers of `document` that a service with `abilities` can honour.
    pub fn of(document: &AuthorizationServer, abilities: Abilities) -> Self {
        let auth = &document.agent_auth;
        let accepts = |identity| auth.identity_types_supported.contains(&identity);
        let anonymous = Some(&auth.anonymous).filter(|_| accepts(IdentityType::Anonymous));
        let asserted = Some(&auth.identity_assertion).filter(|_| accepts(IdentityType::IdentityAssertion));
        let mut offers = Self {
            anonymous: anonymous.map(|offer| offer.credential_types_supported.clone()).unwrap_or_default(),
            assertions: asserted.map(|offer| offer.assertion_types_supported.clone()).unwrap_or_default(),
            credentials: asserted.map(|offer| offer.credential_types_supported.clone()).unwrap_or_default(),
            grants: document.grant_types_supported.clone(),
            identity: auth.identity_endpoint.is_some(),
        };
        offers.assertions.retain(|kind| match kind {
            AssertionType::IdJag => abilities.providers,
            AssertionType::VerifiedEmail => abilities.mail,
        });
        offers
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.anonymous.is_empty() && self.assertions.is_empty()
    }

    pub fn has_grant(&self, grant: &str) -> bool {
        self.grants.iter().any(|known| known == grant)
    }

    /// Whether the token endpoint exchanges assertions of any kind.
    pub fn has_exchange(&self) -> bool {
        self.has_grant(JWT_BEARER_GRANT) && (self.identity || self.has_provider_exchange())
    }

    /// Whether the token endpoint exchanges providers' assertions; for these it issues access tokens only.
    pub(crate) fn has_provider_exchange(&self) -> bool {
        self.has_provider_registration() && self.credentials.contains(&CredentialType::AccessToken)
    }

    /// Whether agents can register with a provider's assertion.
    pub(crate) fn has_provider_registration(&self) -> bool {
        self.assertions.contains(&AssertionType::IdJag)
    }

    /// Returns the registration types on offer, as the metadata lists them.
    pub fn identity_types(&self) -> Vec<IdentityType> {
        let by_hint = self.identity && self.assertions.contains(&AssertionType::VerifiedEmail);
        let types = [
            (!self.anonymous.is_empty(), IdentityType::Anonymous),
            (!self.assertions.is_empty(), IdentityType::IdentityAssertion),
            (by_hint, IdentityType::ServiceAuth),
        ];
        types.into_iter().filter(|(is_offered, _)| *is_offered).map(|(_, kind)| kind).collect()
    }

    /// Whether agents can register in the identity profile.
    pub const fn has_identity_profile(&self) -> bool {
        self.identity
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn offers_are_limited_to_the_abilities_of_the_service() {
        let url = "https://firm.example";
        let document = serde_json::from_value(json!({
            "issuer": url, "authorization_endpoint": url, "token_endpoint": url, "revocation_endpoint": url,
            "grant_types_supported": [JWT_BEARER_GRANT], "response_types_supported": ["none"],
            "token_endpoint_auth_methods_supported": ["none"], "revocation_endpoint_auth_methods_supported": ["none"],
            "scopes_supported": [], "resource": url, "authorization_servers": [url], "bearer_methods_supported": [],
            "service_documentation": url,
            "agent_auth": {
                "skill": url, "register_uri": url, "claim_uri": url, "revocation_uri": url,
                "identity_types_supported": ["identity_assertion"],
                "identity_assertion": {
                    "assertion_types_supported": [AssertionType::IdJag, AssertionType::VerifiedEmail],
                    "credential_types_supported": ["api_key"],
                },
                "anonymous": { "credential_types_supported": ["api_key"] },
                "events_supported": [],
            },
        }));
        let document: AuthorizationServer = document.unwrap();
        for (mail, providers, expected) in [
            (true, true, &[AssertionType::IdJag, AssertionType::VerifiedEmail][..]),
            (true, false, &[AssertionType::VerifiedEmail]),
            (false, true, &[AssertionType::IdJag]),
            (false, false, &[]),
        ] {
            let offers = Offers::of(&document, Abilities { mail, providers });
            assert_eq!((&offers.assertions[..], offers.is_empty()), (expected, expected.is_empty()));
            assert!(offers.anonymous.is_empty(), "its type is not listed");
        }
    }

    #[test]
    fn exchange_of_own_assertions_does_not_imply_that_of_providers() {
        let both = Offers { grants: vec![JWT_BEARER_GRANT.to_owned()], identity: true, ..Offers::default() };
        assert!(both.has_exchange() && !both.has_provider_exchange() && both.has_identity_profile());
        assert!(!Offers { identity: false, ..both }.has_exchange());
    }
}
