//! Who sends a request, as far as limits are concerned.

/// A client. Never stored in clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// This machine itself, if the site is on it and its clients are not limited.
    Unlimited,
    /// The service itself, which writes to people of its own accord. It has no budget of its own, but everybody's
    /// applies.
    Service,
    /// A client that limits count as one, by number: another machine (its IPv4 address, or the /64 network of its IPv6
    /// address). The two highest numbers stand for all who have no address, and for all who come from this machine and
    /// may be anybody.
    Client(u64),
}
