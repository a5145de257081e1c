//! Who sends a request, as far as limits are concerned.

/// A client. It is never stored in clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// This machine itself, where the site is and clients of it are not limited.
    Unlimited,
    /// The service itself, which writes to people of its own accord. It has no part of its own, and everybody's holds.
    Service,
    /// Whom limits count as one, by number: another machine (its IPv4 address, or the /64 network of its IPv6 address); or
    /// with the two highest all who have no address, and all who come from this machine and may be anybody.
    Client(u64),
}
