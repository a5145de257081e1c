//! What may be asked for: what the build publishes, less what this service cannot honour.
//!
//! What is published is what is enforced: the arrays of the authorization server metadata are the rule, and the
//! document that is served is the narrowed one.

use contract::{
    agent_auth::{AssertionType, CredentialType, IdentityType, JWT_BEARER_GRANT, NO_CLIENT_METHOD},
    discovery::{AuthorizationServer, IdentityAssertionSupport},
};

/// What this service can do besides answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// Whether it can write to people.
    pub mail: bool,
    /// Whether it trusts any provider.
    pub providers: bool,
}

/// What a service would need in order to honour a document as it was built. At least one field is `true`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Whether mail can be sent.
    pub mail: bool,
    /// Whether a provider is trusted.
    pub providers: bool,
}

/// What may be asked for. Empty if a build publishes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// Credentials for agents without an identity; the first is the default. If empty, they get none.
    pub(crate) anonymous: Vec<CredentialType>,
    /// The kinds of assertion that may establish an identity.
    pub(crate) assertions: Vec<AssertionType>,
    /// Credentials for agents with an identity; the first is the default.
    pub(crate) credentials: Vec<CredentialType>,
    /// The grants of the token endpoint.
    pub(crate) grants: Vec<String>,
    /// Whether the identity profile is on.
    pub(crate) identity: bool,
}

impl Offers {
    /// Returns what `document` offers.
    pub fn of(document: &AuthorizationServer) -> Self {
        let auth = &document.agent_auth;
        let accepts = |identity| auth.identity_types_supported.contains(&identity);
        let anonymous = Some(&auth.anonymous).filter(|_| accepts(IdentityType::Anonymous));
        let asserted = Some(&auth.identity_assertion).filter(|_| accepts(IdentityType::IdentityAssertion));
        Self {
            anonymous: anonymous.map(|offer| offer.credential_types_supported.clone()).unwrap_or_default(),
            assertions: asserted.map(|offer| offer.assertion_types_supported.clone()).unwrap_or_default(),
            credentials: asserted.map(|offer| offer.credential_types_supported.clone()).unwrap_or_default(),
            grants: document.grant_types_supported.clone(),
            identity: auth.identity_endpoint.is_some(),
        }
    }

    /// Whether `grant` is published.
    pub fn has_grant(&self, grant: &str) -> bool {
        self.grants.iter().any(|known| known == grant)
    }

    /// Whether assertions of any kind may be exchanged at the token endpoint.
    pub fn has_exchange(&self) -> bool {
        self.has_grant(JWT_BEARER_GRANT) && (self.identity || self.has_provider_exchange())
    }

    /// Whether those of providers may, for which the token endpoint issues only access tokens.
    pub(crate) fn has_provider_exchange(&self) -> bool {
        self.assertions.contains(&AssertionType::IdJag) && self.credentials.contains(&CredentialType::AccessToken)
    }

    /// Whether agents may register, and be answered, in the identity profile.
    pub const fn has_identity_profile(&self) -> bool {
        self.identity
    }
}

impl Abilities {
    /// Returns `document` without what cannot be honoured; unchanged if everything can be.
    pub fn narrow(self, mut document: AuthorizationServer) -> AuthorizationServer {
        let auth = &mut document.agent_auth;
        auth.identity_assertion.assertion_types_supported.retain(|kind| match kind {
            AssertionType::IdJag => self.providers,
            AssertionType::VerifiedEmail => self.mail,
        });
        if auth.identity_assertion.assertion_types_supported.is_empty() {
            auth.identity_assertion = IdentityAssertionSupport::default();
            auth.identity_types_supported.retain(|kind| *kind != IdentityType::IdentityAssertion);
        }
        if !self.mail {
            auth.identity_types_supported.retain(|kind| *kind != IdentityType::ServiceAuth);
        }
        if auth.identity_types_supported.is_empty() {
            (auth.identity_endpoint, auth.claim_endpoint, auth.events_endpoint) = (None, None, None);
        }
        if !self.providers {
            auth.events_supported.clear();
            // In the identity profile, assertions are the service's own.
            let is_exchanged = auth.identity_endpoint.is_some();
            document.grant_types_supported.retain(|grant| is_exchanged || grant != JWT_BEARER_GRANT);
            document.authorization_grant_profiles_supported.clear();
            document.token_endpoint_auth_methods_supported = vec![NO_CLIENT_METHOD.to_owned()];
        }
        // The claim grant stays. Without mail no other person is asked, but credentials may still be collected for
        // those who were; and a document that names no grant at all means two that are refused (RFC 8414, 2).
        document
    }

    /// Returns what this service lacks of what `document` counts on.
    pub fn missing(self, document: &AuthorizationServer) -> Option<Missing> {
        // Any registration may be claimed, which takes a message. If no agent can register, there is nothing to claim.
        let is_open = !document.agent_auth.identity_types_supported.is_empty();
        let mail = is_open && !self.mail;
        // What the document does not count on takes nothing from it.
        let providers = Self { mail: true, ..self }.narrow(document.clone()) != *document;
        (mail || providers).then_some(Missing { mail, providers })
    }
}

#[cfg(test)]
mod tests {
    use contract::{
        agent_auth::{CLAIM_GRANT, CLIENT_METHODS, EVENTS, ID_JAG_PROFILE},
        discovery::{AgentAuth, AnonymousSupport},
        scopes::Scope,
        text::Uri,
    };

    use super::*;

    fn document() -> AuthorizationServer {
        let uri = || Uri::parse("https://firm.example/x").unwrap();
        let both = vec![CredentialType::AccessToken, CredentialType::ApiKey];
        AuthorizationServer {
            issuer: uri(),
            authorization_endpoint: uri(),
            token_endpoint: uri(),
            revocation_endpoint: uri(),
            grant_types_supported: vec![JWT_BEARER_GRANT.to_owned(), CLAIM_GRANT.to_owned()],
            response_types_supported: vec![NO_CLIENT_METHOD.to_owned()],
            token_endpoint_auth_methods_supported: CLIENT_METHODS.map(str::to_owned).to_vec(),
            revocation_endpoint_auth_methods_supported: vec![NO_CLIENT_METHOD.to_owned()],
            authorization_grant_profiles_supported: vec![ID_JAG_PROFILE.to_owned()],
            scopes_supported: Scope::ALL.to_vec(),
            resource: uri(),
            authorization_servers: vec![uri()],
            bearer_methods_supported: Vec::new(),
            service_documentation: uri(),
            agent_auth: AgentAuth {
                skill: uri(),
                register_uri: uri(),
                claim_uri: uri(),
                revocation_uri: uri(),
                identity_endpoint: None,
                claim_endpoint: None,
                events_endpoint: None,
                identity_types_supported: vec![IdentityType::Anonymous, IdentityType::IdentityAssertion],
                identity_assertion: IdentityAssertionSupport {
                    assertion_types_supported: vec![AssertionType::IdJag, AssertionType::VerifiedEmail],
                    credential_types_supported: both.clone(),
                },
                anonymous: AnonymousSupport { credential_types_supported: both },
                events_supported: EVENTS.map(str::to_owned).to_vec(),
            },
        }
    }

    #[test]
    fn service_that_can_do_everything_publishes_what_was_built() {
        assert_eq!(Abilities { mail: true, providers: true }.narrow(document()), document());
    }

    #[test]
    fn assertions_and_events_are_not_offered_without_providers() {
        let narrow = Abilities { mail: true, providers: false }.narrow(document());
        assert_eq!(Offers::of(&narrow).assertions, [AssertionType::VerifiedEmail]);
        assert_eq!(narrow.grant_types_supported, [CLAIM_GRANT]);
        assert_eq!(narrow.token_endpoint_auth_methods_supported, [NO_CLIENT_METHOD]);
        assert!(narrow.agent_auth.events_supported.is_empty());
    }

    #[test]
    fn missing_abilities_are_those_the_document_needs() {
        let nothing = Abilities { mail: false, providers: false };
        assert_eq!(nothing.missing(&document()), Some(Missing { mail: true, providers: true }));
        let trusting = Abilities { mail: false, providers: true };
        assert_eq!(trusting.missing(&document()), Some(Missing { mail: true, providers: false }));
        assert_eq!(Abilities { mail: true, providers: true }.missing(&document()), None);
        let of_nobody = Abilities { mail: true, providers: false }.narrow(document());
        assert_eq!(nothing.missing(&of_nobody), Some(Missing { mail: true, providers: false }));
        assert_eq!(nothing.missing(&nothing.narrow(document())), Some(Missing { mail: true, providers: false }));
        let mut closed = nothing.narrow(document());
        closed.agent_auth.identity_types_supported.clear();
        assert_eq!(nothing.missing(&closed), None);
    }

    #[test]
    fn array_is_there_when_it_is_empty() {
        let mut of_users = document();
        of_users.agent_auth.identity_types_supported = vec![IdentityType::IdentityAssertion];
        of_users.agent_auth.anonymous = AnonymousSupport::default();
        let narrow = Abilities { mail: false, providers: false }.narrow(of_users);
        let written = serde_json::to_value(&narrow.agent_auth).unwrap();
        for empty in [
            &written["identity_types_supported"],
            &written["identity_assertion"]["assertion_types_supported"],
            &written["identity_assertion"]["credential_types_supported"],
            &written["anonymous"]["credential_types_supported"],
            &written["events_supported"],
        ] {
            assert!(empty.as_array().is_some_and(Vec::is_empty), "{written}");
        }
        assert_eq!(serde_json::from_value::<AgentAuth>(written).unwrap(), narrow.agent_auth);
    }

    #[test]
    fn identity_profile_offers_no_more_than_the_service_can_do() {
        let mut both = document();
        let auth = &mut both.agent_auth;
        auth.identity_types_supported.push(IdentityType::ServiceAuth);
        (auth.identity_endpoint, auth.claim_endpoint) = (Some(auth.skill.clone()), Some(auth.skill.clone()));
        assert!(Offers::of(&both).has_identity_profile() && !Offers::of(&document()).has_identity_profile());
        let by_mail = Abilities { mail: true, providers: false }.narrow(both.clone());
        assert!(Offers::of(&by_mail).has_exchange() && !Offers::of(&by_mail).has_provider_exchange());
        let nothing = Abilities { mail: false, providers: false };
        let anonymous = nothing.narrow(both.clone());
        assert_eq!(anonymous.agent_auth.identity_types_supported, [IdentityType::Anonymous]);
        assert_eq!(anonymous.grant_types_supported, [JWT_BEARER_GRANT, CLAIM_GRANT]);
        both.agent_auth.identity_types_supported.retain(|kind| *kind != IdentityType::Anonymous);
        let closed = nothing.narrow(both);
        assert_eq!((closed.agent_auth.identity_endpoint, closed.agent_auth.claim_endpoint), (None, None));
        assert_eq!(closed.grant_types_supported, [CLAIM_GRANT]);
    }

    #[test]
    fn claims_are_not_offered_without_mail() {
        let narrow = Abilities { mail: false, providers: false }.narrow(document());
        assert_eq!(narrow.agent_auth.identity_types_supported, [IdentityType::Anonymous]);
        assert_eq!(narrow.agent_auth.identity_assertion, IdentityAssertionSupport::default());
        assert_eq!(narrow.grant_types_supported, [CLAIM_GRANT]);
        assert!(!Offers::of(&narrow).anonymous.is_empty());
    }
}
