//! What programs send to register, to claim, to be handed a credential and to end one: the names of its fields.

/// How an agent registers: one of [`crate::agent_auth::IdentityType`], or [`SERVICE_AUTH`].
pub const TYPE: &str = "type";
/// The name that later versions of the protocol give a registration by e-mail, as a value of [`TYPE`].
pub const SERVICE_AUTH: &str = "service_auth";
/// What an assertion is: one of [`crate::agent_auth::AssertionType`].
pub const ASSERTION_TYPE: &str = "assertion_type";
/// An e-mail address, or what a provider has signed.
pub const ASSERTION: &str = "assertion";
/// Another name of an e-mail address.
pub const LOGIN_HINT: &str = "login_hint";
/// Which credential is wished for: one of [`crate::agent_auth::CredentialType`].
pub const REQUESTED_CREDENTIAL_TYPE: &str = "requested_credential_type";
/// The language in which a person is written to.
pub const LOCALE: &str = "locale";
/// Whom a claim asks.
pub const EMAIL: &str = "email";
/// What a claim is known by.
pub const CLAIM_TOKEN: &str = "claim_token";
/// The code that a person was shown.
pub const OTP: &str = "otp";
/// Another name of the code (RFC 8628, 3.3).
pub const USER_CODE: &str = "user_code";
/// For what a credential is asked (RFC 6749, 4.5).
pub const GRANT_TYPE: &str = "grant_type";
/// The scopes that are wished for (RFC 6749, 3.3).
pub const SCOPE: &str = "scope";
/// Where the credential is to be used (RFC 8707, 2).
pub const RESOURCE: &str = "resource";
/// The credential that is to end (RFC 7009, 2.1).
pub const TOKEN: &str = "token";
/// What a provider has signed when its user signed off (Back-Channel Logout 1.0, 2.5).
pub const LOGOUT_TOKEN: &str = "logout_token";
