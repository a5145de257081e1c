//! Tells builds apart that were loaded one after the other.

use std::sync::atomic::{AtomicU64, Ordering};

/// A build that was loaded. Loaded again, it is another edition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edition(u64);

impl Edition {
    /// Returns an edition that never was.
    pub(super) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
