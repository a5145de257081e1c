//! Who is asking.

/// The origin of a request, as far as it was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Principal {
    /// Nobody in particular: no credential was sent.
    Anonymous,
    /// Somebody with the published key.
    Sandbox,
}
