//! Names of the fields that programs send to register, to claim, to obtain a credential and to revoke one.

/// How an agent registers: one of [`crate::agent_auth::IdentityType`].
pub const TYPE: &str = "type";
/// What an assertion is: one of [`crate::agent_auth::AssertionType`].
pub const ASSERTION_TYPE: &str = "assertion_type";
/// An e-mail address, or what a provider has signed.
pub const ASSERTION: &str = "assertion";
/// Another name of an e-mail address.
pub const LOGIN_HINT: &str = "login_hint";
/// The kind of credential that is requested: one of [`crate::agent_auth::CredentialType`].
pub const REQUESTED_CREDENTIAL_TYPE: &str = "requested_credential_type";
/// The language of messages to a person.
pub const LOCALE: &str = "locale";
/// The address of the person whom a claim asks.
pub const EMAIL: &str = "email";
/// The token that identifies a claim.
pub const CLAIM_TOKEN: &str = "claim_token";
/// The code that a person was shown.
pub const OTP: &str = "otp";
/// Another name of the code (RFC 8628, 3.3).
pub const USER_CODE: &str = "user_code";
/// The grant on which a credential is requested (RFC 6749, 4.5).
pub const GRANT_TYPE: &str = "grant_type";
/// The requested scopes (RFC 6749, 3.3).
pub const SCOPE: &str = "scope";
/// Where the credential is to be used (RFC 8707, 2).
pub const RESOURCE: &str = "resource";
/// The credential to revoke (RFC 7009, 2.1).
pub const TOKEN: &str = "token";
/// What a provider has signed when its user signed out (Back-Channel Logout 1.0, 2.5).
pub const LOGOUT_TOKEN: &str = "logout_token";
