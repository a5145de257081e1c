//! Names of the registration flow (specification, "Registration").

use crate::named;

/// Grant type for polling for a claimed credential.
pub const CLAIM_GRANT: &str = "urn:mecelle:agent-auth:grant-type:claim";
/// Grant type of an identity assertion (RFC 7523).
pub const JWT_BEARER_GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/// Name of [`CLAIM_GRANT`] in the public protocol.
pub const CLAIM_GRANT_ALIAS: &str = "urn:workos:agent-auth:grant-type:claim";
/// Client authentication methods for the exchange of an assertion: none, or a secret in the header or in the body
/// (RFC 6749, 2.3.1).
pub const CLIENT_METHODS: [&str; 3] = [NO_CLIENT_METHOD, "client_secret_basic", "client_secret_post"];
/// The first of [`CLIENT_METHODS`], and the only one if no assertions are exchanged.
pub const NO_CLIENT_METHOD: &str = "none";
/// The response type of an authorization request (RFC 6749, 3.1.1).
pub const RESPONSE_TYPE: &str = "response_type";
/// The client identifier (RFC 6749, 2.2).
pub const CLIENT_ID: &str = "client_id";
/// The client secret in the body (RFC 6749, 2.3.1).
pub const CLIENT_SECRET: &str = "client_secret";
/// Profile of the identity assertion grant that the authorization server supports.
pub const ID_JAG_PROFILE: &str = "urn:ietf:params:oauth:grant-profile:id-jag";

named! {
    /// How an agent may register.
    pub enum IdentityType {
        /// Without a user; a claim may follow.
        Anonymous "anonymous",
        /// With an assertion of a user's identity.
        IdentityAssertion "identity_assertion",
        /// With the user's e-mail address; the name in [`Profile::Identity`].
        ServiceAuth "service_auth",
    }
}

named! {
    /// A wire form of registration: addresses, fields and error codes. Both offer the same registrations.
    pub enum Profile {
        /// The profile of the specification.
        Specification "specification",
        /// The profile of public clients, version 0.7 of the auth.md protocol.
        Identity "identity",
    }
}

named! {
    /// A kind of assertion of a user's identity.
    pub enum AssertionType {
        /// A token signed by a trusted agent provider.
        IdJag "urn:ietf:params:oauth:token-type:id-jag",
        /// The user's e-mail address, confirmed by a claim ceremony.
        VerifiedEmail "verified_email",
    }
}

named! {
    /// A kind of credential that is issued.
    pub enum CredentialType {
        /// Short-lived.
        AccessToken "access_token",
        /// Long-lived.
        ApiKey "api_key",
    }
}

named! {
    /// The origin of a registration.
    pub enum RegistrationType {
        /// An assertion of an agent provider.
        Provider "agent-provider",
        /// The user's e-mail address.
        Email "email-verification",
        /// Without a user.
        Anonymous "anonymous",
    }
}

impl From<RegistrationType> for IdentityType {
    fn from(kind: RegistrationType) -> Self {
        match kind {
            RegistrationType::Provider => Self::IdentityAssertion,
            RegistrationType::Email => Self::ServiceAuth,
            RegistrationType::Anonymous => Self::Anonymous,
        }
    }
}

impl CredentialType {
    /// Returns the prefix of credentials of this type, by which secret scanners find them.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::AccessToken => "at_",
            Self::ApiKey => "ak_",
        }
    }
}

/// A provider's test event, which ends no registration (Shared Signals Framework).
pub const VERIFICATION_EVENT: &str = "https://schemas.openid.net/secevent/ssf/event-type/verification";

/// The event of a user's sign-out at the provider (Back-Channel Logout 1.0).
pub const LOGOUT_EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// Supported events of agent providers; all but [`VERIFICATION_EVENT`] end registrations.
pub const EVENTS: [&str; 7] = [
    "https://schemas.workos.com/events/agent/auth/identity/assertion/revoked",
    LOGOUT_EVENT,
    "https://schemas.openid.net/secevent/caep/event-type/session-revoked",
    "https://schemas.openid.net/secevent/risc/event-type/account-disabled",
    "https://schemas.openid.net/secevent/risc/event-type/account-purged",
    "https://schemas.openid.net/secevent/risc/event-type/credential-compromise",
    VERIFICATION_EVENT,
];

/// Events of Google and Apple that also end registrations. They are not published: the first is the former name of an
/// event in [`EVENTS`], the others are these providers' own.
pub const OTHER_EVENTS: [&str; 5] = [
    "https://schemas.openid.net/secevent/risc/event-type/sessions-revoked",
    "https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked",
    "consent-revoked",
    "account-delete",
    "account-deleted",
];
