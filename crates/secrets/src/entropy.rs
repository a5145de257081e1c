//! Sources of randomness, and random secrets.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use contract::agent_auth::CredentialType;
use rand::{
    Rng as _, SeedableRng as _, TryRng as _,
    rngs::{StdRng, SysRng},
};

use super::{ClaimToken, DIGITS, RegistrationId, Secret, append};

/// A source of random bytes, shared by its clones.
#[derive(Clone, Debug, Default)]
pub struct Entropy(RandomSource);

#[derive(Clone, Debug, Default)]
enum RandomSource {
    #[default]
    System,
    Seeded(Arc<Mutex<StdRng>>),
}

/// The system returned no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoEntropy;

impl Entropy {
    pub fn system() -> Self {
        Self(RandomSource::System)
    }

    /// Creates a source from `seed`. Security: for tests only; predictable.
    pub fn seeded(seed: u64) -> Self {
        Self(RandomSource::Seeded(Arc::new(Mutex::new(StdRng::seed_from_u64(seed)))))
    }

    /// Returns a random duration below `most`, in whole milliseconds; zero without randomness, where no link can be
    /// made either.
    pub fn delay(&self, most: Duration) -> Duration {
        let number = u32::from_le_bytes(self.bytes().unwrap_or_default());
        let most = u32::try_from(most.as_millis()).unwrap_or(u32::MAX).max(1);
        Duration::from_millis(u64::from(number % most))
    }

    pub fn bytes<const N: usize>(&self) -> Result<[u8; N], NoEntropy> {
        let mut bytes = [0; N];
        match &self.0 {
            RandomSource::System => SysRng.try_fill_bytes(&mut bytes).map_err(|_| NoEntropy)?,
            RandomSource::Seeded(rng) => rng.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes),
        }
        Ok(bytes)
    }

    pub fn credential(&self, kind: CredentialType) -> Result<Secret, NoEntropy> {
        Ok(Secret::generated(self.token(kind.prefix())?))
    }

    pub fn claim_token(&self) -> Result<ClaimToken, NoEntropy> {
        Ok(ClaimToken(Secret::generated(self.token("clm_")?)))
    }

    pub fn registration(&self) -> Result<RegistrationId, NoEntropy> {
        Ok(RegistrationId(self.token("reg_")?))
    }

    pub(super) fn token(&self, prefix: &str) -> Result<String, NoEntropy> {
        let mut text = prefix.to_owned();
        while text.len() < prefix.len() + DIGITS {
            append(&mut text, &self.bytes::<32>()?, prefix.len() + DIGITS);
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_have_their_prefix_and_27_digits() {
        let entropy = Entropy::seeded(1);
        for (kind, prefix) in [(CredentialType::AccessToken, "at_"), (CredentialType::ApiKey, "ak_")] {
            let secret = entropy.credential(kind).unwrap();
            assert!(secret.reveal().starts_with(prefix) && secret.reveal().len() == prefix.len() + DIGITS);
        }
    }
}
