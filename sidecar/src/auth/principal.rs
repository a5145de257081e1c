//! Who is asking.

use registration::store::CredentialHolder;

/// The one who makes a request, as far as that was proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Principal {
    /// No credential was sent.
    Anonymous,
    /// Somebody with the published key.
    Sandbox,
    /// An agent with a credential that was issued to it.
    Agent(CredentialHolder),
}
