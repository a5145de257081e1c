//! Names of the request fields for registration, claim, token and revocation.

/// The type of a registration: one of [`crate::agent_auth::IdentityType`].
pub const TYPE: &str = "type";
/// The type of an assertion: one of [`crate::agent_auth::AssertionType`].
pub const ASSERTION_TYPE: &str = "assertion_type";
/// An e-mail address, or the token that a provider signed.
pub const ASSERTION: &str = "assertion";
/// Another name of an e-mail address.
pub const LOGIN_HINT: &str = "login_hint";
/// The requested credential type: one of [`crate::agent_auth::CredentialType`].
pub const REQUESTED_CREDENTIAL_TYPE: &str = "requested_credential_type";
/// The language of messages to a person.
pub const LOCALE: &str = "locale";
/// The address to which the claim request is sent.
pub const EMAIL: &str = "email";
/// The token that identifies a claim.
pub const CLAIM_TOKEN: &str = "claim_token";
/// The code that the page shows to the user.
pub const OTP: &str = "otp";
/// Another name of the code (RFC 8628, 3.3).
pub const USER_CODE: &str = "user_code";
/// The grant type (RFC 6749, 4.5).
pub const GRANT_TYPE: &str = "grant_type";
/// The requested scopes (RFC 6749, 3.3).
pub const SCOPE: &str = "scope";
/// The resource for which the credential is requested (RFC 8707, 2).
pub const RESOURCE: &str = "resource";
/// The credential to revoke (RFC 7009, 2.1).
pub const TOKEN: &str = "token";
/// The provider's token about a sign-out (Back-Channel Logout 1.0, 2.5).
pub const LOGOUT_TOKEN: &str = "logout_token";
