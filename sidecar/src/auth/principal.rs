//! The principal of a request.

use registration::store::CredentialHolder;

/// The sender of a request, as far as it is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Principal {
    /// No credential was sent.
    Anonymous,
    /// A client with the published sandbox key.
    Sandbox,
    /// An agent with an issued credential.
    Agent(CredentialHolder),
}
