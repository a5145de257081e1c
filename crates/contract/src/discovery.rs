//! Shapes of the discovery documents: API catalog, OAuth metadata, MCP server card, AI catalog, agent skills.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    agent_auth::{AssertionType, CredentialType, IdentityType},
    scopes::Scope,
    text::Uri,
};

/// Member of the security scheme in the OpenAPI description that holds the published sandbox key (OpenAPI 3.1,
/// "Specification Extensions").
pub const OPENAPI_SANDBOX_KEY: &str = "x-sandbox-key";

/// An API catalog (RFC 9727) in the JSON form of a linkset (RFC 9264).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linkset {
    /// The link contexts.
    pub linkset: Vec<LinkContext>,
}

/// All links of one resource. Each relation is an array, even if it holds one link (RFC 9264, 4.2.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkContext {
    /// The resource that the links describe.
    pub anchor: Uri,
    /// Targets by relation.
    #[serde(flatten)]
    pub relations: BTreeMap<String, Vec<LinkTarget>>,
}

/// The target of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkTarget {
    /// Address of the target.
    pub href: Uri,
    /// Media type of the target.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Title for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// Protected resource metadata (RFC 9728; specification, "Discovery metadata").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtectedResource {
    /// The audience of an identity assertion.
    pub resource: Uri,
    /// Name of the firm.
    pub resource_name: String,
    /// Logo of the firm.
    pub resource_logo_uri: Uri,
    /// Issuers whose credentials are accepted.
    pub authorization_servers: Vec<Uri>,
    /// Every scope.
    pub scopes_supported: Vec<Scope>,
    /// [`BEARER_METHODS`].
    pub bearer_methods_supported: Vec<String>,
    /// Documentation for developers.
    pub resource_documentation: Uri,
    /// Legal notice, if the firm publishes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_policy_uri: Option<Uri>,
}

/// How a credential is sent: in the header field only (RFC 9728, 2).
pub const BEARER_METHODS: [&str; 1] = ["header"];

/// Authorization server metadata (RFC 8414; specification, "Discovery metadata").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthorizationServer {
    /// Identifier of the authorization server: the site itself.
    pub issuer: Uri,
    /// Authorization endpoint. It supports no response type, but clients reject metadata without it.
    pub authorization_endpoint: Uri,
    /// Token endpoint.
    pub token_endpoint: Uri,
    /// Revocation endpoint (RFC 7009).
    pub revocation_endpoint: Uri,
    /// Grant types of the token endpoint; empty if nothing is offered, because without the member the defaults of
    /// RFC 8414, 2 would apply.
    #[serde(default)]
    pub grant_types_supported: Vec<String>,
    /// `none`: there is no sign-in, so the authorization endpoint answers every request with an error.
    pub response_types_supported: Vec<String>,
    /// All client methods if assertions are exchanged, because the trust list may give a client a secret; else `none`.
    pub token_endpoint_auth_methods_supported: Vec<String>,
    /// `none`: possession of the token suffices.
    pub revocation_endpoint_auth_methods_supported: Vec<String>,
    /// Profiles of the identity assertion grant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authorization_grant_profiles_supported: Vec<String>,
    /// Whether the `client_id` of an assertion may be the address of a client metadata document: where assertions are
    /// exchanged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub client_id_metadata_document_supported: bool,
    /// Every scope.
    pub scopes_supported: Vec<Scope>,
    /// As in the protected resource metadata, which prevails; some agents read only this document.
    pub resource: Uri,
    /// As in the protected resource metadata.
    pub authorization_servers: Vec<Uri>,
    /// As in the protected resource metadata.
    pub bearer_methods_supported: Vec<String>,
    /// Documentation for developers.
    pub service_documentation: Uri,
    /// The registration flow.
    pub agent_auth: AgentAuth,
}

/// The `agent_auth` block of the authorization server metadata. Arrays of what is not offered are empty, not absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentAuth {
    /// Instructions for agents.
    pub skill: Uri,
    /// POST target of a registration.
    pub register_uri: Uri,
    /// POST target that starts or continues a claim ceremony.
    pub claim_uri: Uri,
    /// POST target of an agent provider's revocation.
    pub revocation_uri: Uri,
    /// POST target of a registration in the identity profile, if that profile is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity_endpoint: Option<Uri>,
    /// POST target that starts a claim ceremony in this profile; `/complete` below it ends one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_endpoint: Option<Uri>,
    /// `revocation_uri` under its name in this profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events_endpoint: Option<Uri>,
    /// Accepted registration types.
    pub identity_types_supported: Vec<IdentityType>,
    /// Offers for asserted identities.
    pub identity_assertion: IdentityAssertionSupport,
    /// Offers without an identity.
    pub anonymous: AnonymousSupport,
    /// Accepted events of agent providers.
    pub events_supported: Vec<String>,
}

/// Offers for asserted identities.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityAssertionSupport {
    /// Accepted assertion shapes.
    pub assertion_types_supported: Vec<AssertionType>,
    /// Credentials on offer; the first is the default.
    pub credential_types_supported: Vec<CredentialType>,
}

/// Offers for anonymous registrations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnonymousSupport {
    /// Credentials on offer; the first is the default.
    pub credential_types_supported: Vec<CredentialType>,
}
