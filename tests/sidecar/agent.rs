//! Small builds that offer registrations.

use contract::{
    agent_auth::{
        AssertionType, CLAIM_GRANT, CLIENT_METHODS, CredentialType, EVENTS, ID_JAG_PROFILE, IdentityType,
        JWT_BEARER_GRANT,
    },
    discovery::{AgentAuth, AnonymousSupport, AuthorizationServer, IdentityAssertionSupport},
    manifest::{Abilities, Class, PARTS, Part},
    media, routes,
    scopes::Scope,
    text::Uri,
};
use tests::{SITE, SyntheticFirm};

/// Returns a build that offers every kind of registration.
pub(crate) fn build() -> SyntheticFirm {
    build_of(&metadata())
}

/// Returns a build that offers anonymous registration only.
pub(crate) fn anonymous_build() -> SyntheticFirm {
    build_of(&narrowed(metadata(), Abilities { mail: false, providers: false }))
}

/// Returns the part of `metadata` that a service with `abilities` supports.
fn narrowed(mut metadata: AuthorizationServer, abilities: Abilities) -> AuthorizationServer {
    let auth = &mut metadata.agent_auth;
    auth.identity_assertion.assertion_types_supported.retain(|kind| match kind {
        AssertionType::IdJag => abilities.providers,
        AssertionType::VerifiedEmail => abilities.mail,
    });
    if auth.identity_assertion.assertion_types_supported.is_empty() {
        auth.identity_assertion = IdentityAssertionSupport::default();
        auth.identity_types_supported.retain(|kind| *kind != IdentityType::IdentityAssertion);
    }
    if !abilities.providers {
        auth.events_supported.clear();
        metadata.grant_types_supported = vec![CLAIM_GRANT.to_owned()];
        metadata.authorization_grant_profiles_supported.clear();
        metadata.client_id_metadata_document_supported = false;
        metadata.token_endpoint_auth_methods_supported = metadata.response_types_supported.clone();
    }
    metadata
}

fn build_of(metadata: &AuthorizationServer) -> SyntheticFirm {
    let mut build = SyntheticFirm::small();
    let text = serde_json::to_string(metadata).unwrap() + "\n";
    let file = "authorization-server.json";
    let variant = build.compressed(file, &text, media::JSON);
    build.route(routes::AUTHORIZATION_SERVER, Class::Discovery, None, vec![variant]);
    for abilities in Abilities::LESSER {
        let lesser = narrowed(metadata.clone(), abilities);
        // Without mail, other documents are narrower too; this one stands for them.
        if lesser != *metadata || !abilities.mail {
            let (name, text) = (abilities.part_name(file), serde_json::to_string(&lesser).unwrap() + "\n");
            let variant = build.file(&format!("{PARTS}/{name}"), &text, media::JSON);
            build.manifest.parts.push(Part { name, variant });
        }
    }
    build.publish();
    build
}

fn metadata() -> AuthorizationServer {
    let uri = |path: &str| Uri::parse(&format!("{SITE}{path}")).unwrap();
    let none = || vec!["none".to_owned()];
    let both = || vec![CredentialType::ApiKey, CredentialType::AccessToken];
    AuthorizationServer {
        issuer: Uri::parse(SITE).unwrap(),
        authorization_endpoint: uri(routes::AUTHORIZE),
        token_endpoint: uri(routes::TOKEN),
        revocation_endpoint: uri(routes::REVOKE),
        grant_types_supported: vec![JWT_BEARER_GRANT.to_owned(), CLAIM_GRANT.to_owned()],
        response_types_supported: none(),
        token_endpoint_auth_methods_supported: CLIENT_METHODS.map(str::to_owned).to_vec(),
        revocation_endpoint_auth_methods_supported: none(),
        authorization_grant_profiles_supported: vec![ID_JAG_PROFILE.to_owned()],
        client_id_metadata_document_supported: true,
        scopes_supported: Scope::ALL.to_vec(),
        resource: Uri::parse(SITE).unwrap(),
        authorization_servers: vec![Uri::parse(SITE).unwrap()],
        bearer_methods_supported: vec!["header".to_owned()],
        service_documentation: uri("/en"),
        agent_auth: AgentAuth {
            skill: uri(routes::AUTH_MD),
            register_uri: uri(routes::REGISTER),
            claim_uri: uri(routes::CLAIM),
            revocation_uri: uri(routes::PROVIDER_REVOKE),
            identity_endpoint: None,
            claim_endpoint: None,
            events_endpoint: None,
            identity_types_supported: vec![IdentityType::Anonymous, IdentityType::IdentityAssertion],
            identity_assertion: IdentityAssertionSupport {
                assertion_types_supported: vec![AssertionType::IdJag, AssertionType::VerifiedEmail],
                credential_types_supported: both(),
            },
            anonymous: AnonymousSupport { credential_types_supported: both() },
            events_supported: EVENTS.map(str::to_owned).to_vec(),
        },
    }
}
