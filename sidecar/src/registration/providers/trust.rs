//! The trust list.

use std::path::Path;

pub(crate) use crate::config::ConfigError as TrustError;

/// Every provider that is trusted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trust {}

impl Trust {
    /// Reads the trust list at `path`.
    pub(crate) fn load(_path: &Path) -> Result<Self, TrustError> {
        Ok(Self {})
    }

    /// Whether nobody is trusted.
    pub(crate) fn is_empty(&self) -> bool {
        true
    }
}
