//! Keys of providers, kept for as long as they may be.

/// Keys of providers.
#[derive(Debug, Default)]
pub(crate) struct Keys {}

impl Keys {
    /// Keys that are fetched over HTTPS where the trust list does not hold them.
    pub(crate) fn over_https() -> Self {
        Self {}
    }
}
