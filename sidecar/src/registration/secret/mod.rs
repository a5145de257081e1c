//! Secrets: what they look like, how they are made, and the digests by which they are kept.
//!
//! Security: a random secret has more than 160 bits, so its plain SHA-256 can be stored. What must be shown again
//! later (codes, links, names of attempts) is not random but derived from a seed in the store and a pepper beside it:
//! who has one of the two has nothing.

use std::fmt;

use contract::agent_auth::CredentialType;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

mod entropy;
mod pepper;

use self::pepper::Key;

pub use self::entropy::Entropy;
pub(crate) use self::{
    entropy::NoEntropy,
    pepper::{Pepper, PepperError},
};

/// A secret in clear. It is printed nowhere.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// Takes over what somebody sent.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, to be sent to the one whom it is for.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// What the store knows it by.
    pub(crate) fn digest(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[secret]")
    }
}

/// SHA-256 of a secret, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Digest(String);

impl Digest {
    /// The digest of `bytes`.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(hexadecimal(&Sha256::digest(bytes)))
    }

    /// 64 hexadecimal digits.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) struct $name(pub(crate) Secret);

        impl $name {
            /// Takes over what somebody sent. A wrong text is simply not known to the store.
            pub(crate) fn new(text: impl Into<String>) -> Self {
                Self(Secret::new(text))
            }
        }
    )* };
}

tokens! {
    /// With which an agent claims its registration.
    ClaimToken;
    /// In the link that a person was sent to agree to a claim.
    LinkToken;
    /// In the link that a person was sent to see what agents hold.
    AccessToken;
    /// In the link with which a person wants no more messages.
    StopToken;
}

/// Names a registration. No secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct RegistrationId(String);

impl RegistrationId {
    /// Takes over a name.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The name.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RegistrationId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// From which the secrets of an attempt or of a link are derived. Worth nothing without the pepper.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Seed(String);

impl Seed {
    /// Takes over a seed of the store.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Number of base-62 digits of a secret: 160.7 bits.
pub(crate) const DIGITS: usize = 27;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

impl Entropy {
    /// A new credential.
    pub(crate) fn credential(&self, kind: CredentialType) -> Result<Secret, NoEntropy> {
        Ok(Secret(self.token(kind.prefix())?))
    }

    /// A new claim token.
    pub(crate) fn claim_token(&self) -> Result<ClaimToken, NoEntropy> {
        Ok(ClaimToken(Secret(self.token("clm_")?)))
    }

    /// A new name of a registration.
    pub(crate) fn registration(&self) -> Result<RegistrationId, NoEntropy> {
        Ok(RegistrationId(self.token("reg_")?))
    }

    /// A new seed, from which `pepper` derives with the key that is in use now, and will later too.
    pub(crate) fn seed(&self, pepper: &Pepper) -> Result<Seed, NoEntropy> {
        Ok(Seed(self.token(&format!("{}-", pepper.key("").name()))?))
    }

    fn token(&self, prefix: &str) -> Result<String, NoEntropy> {
        let mut text = prefix.to_owned();
        while text.len() < prefix.len() + DIGITS {
            append(&mut text, &self.bytes::<32>()?, prefix.len() + DIGITS);
        }
        Ok(text)
    }
}

impl Pepper {
    /// The code of the attempt `seed`: six digits, the same for as long as the attempt lasts.
    pub(crate) fn code(&self, seed: &Seed) -> Secret {
        let bytes = derive(self.key_of(seed), b"code", seed.0.as_bytes());
        let number = bytes.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        Secret(format!("{:06}", number % 1_000_000))
    }

    /// Whether `text` looks like a code: else it is none, whatever the attempt.
    pub(crate) fn is_code(text: &Secret) -> bool {
        text.0.len() == 6 && text.0.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// The secret of the link to the claim page of the attempt `seed`.
    pub(crate) fn link(&self, seed: &Seed) -> LinkToken {
        LinkToken(Secret(token(self.key_of(seed), "cvt_", b"link", &seed.0)))
    }

    /// The name of the attempt `seed` towards the agent.
    pub(crate) fn attempt(&self, seed: &Seed) -> Secret {
        Secret(token(self.key_of(seed), "cla_", b"attempt", &seed.0))
    }

    /// The secret of the link to what agents hold.
    pub(crate) fn access(&self, seed: &Seed) -> AccessToken {
        AccessToken(Secret(token(self.key_of(seed), "cav_", b"access", &seed.0)))
    }

    /// A key for counters under which `text` is not found again without the pepper.
    pub(crate) fn mark(&self, text: &str) -> String {
        hexadecimal(&derive(self.key(""), b"mark", text.as_bytes())[..16])
    }

    /// The secret of the link with which whoever reads the mailbox of this digest wants no more messages. It needs no
    /// row in the store: it names the mailbox by its digest, and nobody else can make it.
    pub(crate) fn stop(&self, mailbox: &Digest) -> StopToken {
        StopToken(Secret(token(self.key(""), &format!("stp_{}", mailbox.0), b"stop", &mailbox.0)))
    }

    /// Whose link `stop` is; nobody's where it was not made here.
    pub(crate) fn stopped_by(&self, stop: &StopToken) -> Option<Digest> {
        let text = stop.0.reveal();
        let mailbox = Digest(text.strip_prefix("stp_")?.get(..64)?.to_owned());
        let is_made_with = |key: &Key| {
            let made = token(key, &format!("stp_{}", mailbox.0), b"stop", &mailbox.0);
            bool::from(made.as_bytes().ct_eq(text.as_bytes()))
        };
        self.keys().iter().any(is_made_with).then_some(mailbox)
    }

    /// The key from which everything of `seed` follows, however long it is in use.
    fn key_of(&self, seed: &Seed) -> &Key {
        self.key(seed.0.split_once('-').map_or("", |(name, _)| name))
    }
}

fn token(key: &Key, prefix: &str, label: &[u8], input: &str) -> String {
    let mut text = prefix.to_owned();
    let mut round = 0_u8;
    while text.len() < prefix.len() + DIGITS {
        let input = [input.as_bytes(), &[round]].concat();
        append(&mut text, &derive(key, label, &input), prefix.len() + DIGITS);
        round = round.wrapping_add(1);
    }
    text
}

fn derive(key: &Key, label: &[u8], input: &[u8]) -> [u8; 32] {
    // A key of any length is accepted; 32 octets always are.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key.bytes()) else { return Sha256::digest(input).into() };
    mac.update(label);
    mac.update(&[0]);
    mac.update(input);
    mac.finalize().into_bytes().into()
}

/// Appends base-62 digits made from `bytes` until `text` has `length` characters. Bytes that would favour the first
/// digits are left out.
fn append(text: &mut String, bytes: &[u8], length: usize) {
    let digits = bytes.iter().filter(|byte| **byte < 248).map(|byte| char::from(ALPHABET[usize::from(byte % 62)]));
    text.extend(digits.take(length.saturating_sub(text.len())));
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
        let pepper = Pepper::fixed(1);
        assert_ne!(entropy.seed(&pepper).unwrap(), entropy.seed(&pepper).unwrap());
    }

    #[test]
    fn what_is_derived_is_stable_and_differs_by_use_seed_and_pepper() {
        let (pepper, other) = (Pepper::fixed(1), Pepper::fixed(2));
        let (seed, next) = (Seed::new("a"), Seed::new("b"));
        assert_eq!(pepper.code(&seed), pepper.code(&seed));
        assert_eq!(pepper.code(&seed).reveal().len(), 6);
        assert_ne!(pepper.link(&seed), pepper.link(&next));
        assert_ne!(pepper.link(&seed), other.link(&seed));
        assert_ne!(pepper.link(&seed).0.reveal()[4..], pepper.attempt(&seed).reveal()[4..]);
        assert_ne!(pepper.link(&seed).0.reveal()[4..], pepper.access(&seed).0.reveal()[4..]);
    }

    #[test]
    fn what_was_derived_with_a_former_key_stays_the_same() {
        let (old, both) = (Pepper::fixed(1), Pepper::of(&[2, 1]));
        let seed = Entropy::seeded(1).seed(&old).unwrap();
        assert_eq!(old.code(&seed), both.code(&seed));
        assert_eq!(old.link(&seed), both.link(&seed));
        let new = Entropy::seeded(1).seed(&both).unwrap();
        assert_eq!(both.link(&new), Pepper::of(&[1, 2]).link(&new), "known before it is in use");
        assert_ne!(both.link(&new), old.link(&new));
    }

    #[test]
    fn a_link_that_stops_messages_names_its_mailbox_and_cannot_be_made_by_others() {
        let (old, both, mailbox) = (Pepper::fixed(1), Pepper::of(&[2, 1]), Digest::of(b"a@person.example"));
        let stop = old.stop(&mailbox);
        assert_eq!(old.stopped_by(&stop), Some(mailbox.clone()));
        assert_eq!(both.stopped_by(&stop), Some(mailbox));
        assert_eq!(Pepper::fixed(2).stopped_by(&stop), None);
        let other = stop.0.reveal().replace("stp_", "stp_0");
        let short = &stop.0.reveal()[..stop.0.reveal().len() - 1];
        for text in ["", "stp_", "stp_\u{15f}", &other, short] {
            assert_eq!(old.stopped_by(&StopToken::new(text)), None, "{text}");
        }
    }

    #[test]
    fn a_secret_is_never_printed() {
        let token = LinkToken::new("cvt_hunter2");
        assert!(!format!("{token:?}").contains("hunter2"));
    }
}
