//! Where randomness comes from: the system, or a seed in tests.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rand::{
    Rng as _, SeedableRng as _, TryRng as _,
    rngs::{StdRng, SysRng},
};

/// A source of random bytes. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Entropy(Source);

#[derive(Clone, Debug, Default)]
enum Source {
    #[default]
    System,
    Seeded(Arc<Mutex<StdRng>>),
}

/// The system has no random bytes to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoEntropy;

impl Entropy {
    /// The system's source.
    #[must_use]
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// Security: for tests; everything that is made from it can be foretold.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(Source::Seeded(Arc::new(Mutex::new(StdRng::seed_from_u64(seed)))))
    }

    /// A length of time below `most`, in milliseconds; none at all where there is no randomness, as then nothing else is
    /// to be had either.
    pub(crate) fn moment(&self, most: Duration) -> Duration {
        let number = u32::from_le_bytes(self.bytes().unwrap_or_default());
        let most = u32::try_from(most.as_millis()).unwrap_or(u32::MAX).max(1);
        Duration::from_millis(u64::from(number % most))
    }

    pub(super) fn bytes<const N: usize>(&self) -> Result<[u8; N], NoEntropy> {
        let mut bytes = [0; N];
        match &self.0 {
            Source::System => SysRng.try_fill_bytes(&mut bytes).map_err(|_| NoEntropy)?,
            Source::Seeded(rng) => rng.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes),
        }
        Ok(bytes)
    }
}
