//! Values derived by HMAC from the pepper and a seed or a mailbox: codes, links and masks.
//!
//! They are not stored, because they can be derived again. Each use has its own label, so that one value reveals
//! nothing about another.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

use super::{
    AccessToken, DIGITS, Digest, Entropy, LinkToken, Mailbox, NoEntropy, Pepper, Secret, Seed, StopToken, append,
    digest::hexadecimal, is_same, pepper::PepperKey,
};

impl Pepper {
    /// Creates a seed, bound to the current key even after the key is replaced.
    pub fn seed(&self, entropy: &Entropy) -> Result<Seed, NoEntropy> {
        Ok(Seed(entropy.token(&format!("{}-", self.key("").name()))?))
    }

    /// Returns the code of the attempt `seed`: six digits, always the same.
    pub fn code(&self, seed: &Seed) -> Secret {
        let bytes = derive(self.key_of(seed), b"code", seed.0.as_bytes());
        let number = bytes.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        Secret::generated(format!("{:06}", number % 1_000_000))
    }

    /// Whether `text` has the form of a code.
    pub fn is_code(text: &Secret) -> bool {
        text.0.len() == 6 && text.0.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Returns the secret of the claim link.
    pub fn link(&self, seed: &Seed) -> LinkToken {
        LinkToken(Secret::generated(token(self.key_of(seed), "cvt_", b"link", &seed.0)))
    }

    /// Returns the ID of the attempt for the agent.
    pub fn attempt(&self, seed: &Seed) -> Secret {
        Secret::generated(token(self.key_of(seed), "cla_", b"attempt", &seed.0))
    }

    /// Returns the secret of the access link.
    pub fn access(&self, seed: &Seed) -> AccessToken {
        AccessToken(Secret::generated(token(self.key_of(seed), "cav_", b"access", &seed.0)))
    }

    /// Returns a counter's key, from which `text` cannot be guessed without the pepper.
    pub fn mark(&self, text: &str) -> String {
        hexadecimal(&derive(self.key(""), b"mark", text.as_bytes())[..16])
    }

    /// Returns a keyed digest of `mailbox` for comparison. An attacker with only the store cannot check guesses.
    pub fn mask(&self, mailbox: &Mailbox) -> Digest {
        Self::mask_with(self.key(""), mailbox)
    }

    /// Whether `mask` is of `mailbox`, with any key.
    pub fn is_mask(&self, mask: &Digest, mailbox: &Mailbox) -> bool {
        self.keys().iter().any(|key| Self::mask_with(key, mailbox) == *mask)
    }

    fn mask_with(key: &PepperKey, mailbox: &Mailbox) -> Digest {
        Digest::from_bytes(&derive(key, b"mailbox", mailbox.as_str().as_bytes()))
    }

    /// Returns the secret of the unsubscribe link. It is not stored: it contains the mailbox's digest and cannot be
    /// made without the pepper.
    pub fn stop(&self, mailbox: &Digest) -> StopToken {
        StopToken(Secret::generated(token(
            self.key(""),
            &format!("stp_{}", mailbox.as_str()),
            b"stop",
            mailbox.as_str(),
        )))
    }

    /// Returns the mailbox's digest of the unsubscribe link, or `None` if the link is not genuine.
    pub fn mailbox_of_stop_link(&self, stop: &StopToken) -> Option<Digest> {
        let text = stop.0.reveal();
        let mailbox = Digest::new(text.strip_prefix("stp_")?.get(..64)?);
        let is_made_with = |key: &PepperKey| {
            let made = token(key, &format!("stp_{}", mailbox.as_str()), b"stop", mailbox.as_str());
            is_same(made.as_bytes(), text.as_bytes())
        };
        self.keys().iter().any(is_made_with).then_some(mailbox)
    }

    /// Whether `seed` was made with a key that is none of these.
    pub fn is_foreign(&self, seed: &Seed) -> bool {
        let name = name_of_key(seed);
        !name.is_empty() && self.keys().iter().all(|key| key.name() != name)
    }

    fn key_of(&self, seed: &Seed) -> &PepperKey {
        self.key(name_of_key(seed))
    }
}

fn name_of_key(seed: &Seed) -> &str {
    seed.0.split_once('-').map_or("", |(name, _)| name)
}

fn token(key: &PepperKey, prefix: &str, label: &[u8], input: &str) -> String {
    let mut text = prefix.to_owned();
    let mut round = 0_u8;
    while text.len() < prefix.len() + DIGITS {
        let input = [input.as_bytes(), &[round]].concat();
        append(&mut text, &derive(key, label, &input), prefix.len() + DIGITS);
        round = round.wrapping_add(1);
    }
    text
}

fn derive(key: &PepperKey, label: &[u8], input: &[u8]) -> [u8; 32] {
    // HMAC accepts keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key.bytes()) else { return Sha256::digest(input).into() };
    mac.update(label);
    mac.update(&[0]);
    mac.update(input);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_secrets_are_stable_and_differ_by_use_seed_and_pepper() {
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
    fn seeds_are_unique() {
        let (pepper, entropy) = (Pepper::fixed(1), Entropy::seeded(1));
        assert_ne!(pepper.seed(&entropy).unwrap(), pepper.seed(&entropy).unwrap());
    }

    #[test]
    fn secrets_of_a_former_key_stay_the_same() {
        let (old, both) = (Pepper::fixed(1), Pepper::of(&[2, 1]));
        let seed = old.seed(&Entropy::seeded(1)).unwrap();
        assert!(Pepper::fixed(2).is_foreign(&seed) && !both.is_foreign(&seed) && !old.is_foreign(&Seed::new("a")));
        assert_eq!(old.code(&seed), both.code(&seed));
        assert_eq!(old.link(&seed), both.link(&seed));
        let new = both.seed(&Entropy::seeded(1)).unwrap();
        assert_eq!(both.link(&new), Pepper::of(&[1, 2]).link(&new), "known before it is in use");
        assert_ne!(both.link(&new), old.link(&new));
    }

    #[test]
    fn unsubscribe_link_contains_its_mailbox_and_cannot_be_forged() {
        let (old, both, mailbox) = (Pepper::fixed(1), Pepper::of(&[2, 1]), Digest::of(b"a@person.example"));
        let stop = old.stop(&mailbox);
        assert_eq!(old.mailbox_of_stop_link(&stop), Some(mailbox.clone()));
        assert_eq!(both.mailbox_of_stop_link(&stop), Some(mailbox));
        assert_eq!(Pepper::fixed(2).mailbox_of_stop_link(&stop), None);
        let other = stop.0.reveal().replace("stp_", "stp_0");
        let short = &stop.0.reveal()[..stop.0.reveal().len() - 1];
        for text in ["", "stp_", "stp_\u{15f}", &other, short] {
            assert_eq!(old.mailbox_of_stop_link(&StopToken::new(text)), None, "{text}");
        }
    }

    #[test]
    fn denials_are_recognised_with_every_key_and_never_without_one() {
        let (old, both) = (Pepper::fixed(1), Pepper::of(&[2, 1]));
        let [one, other] = ["a@person.example", "b@person.example"].map(|text| Mailbox::parse(text).unwrap());
        let mask = old.mask(&one);
        assert!(old.is_mask(&mask, &one) && both.is_mask(&mask, &one));
        assert!(!old.is_mask(&mask, &other) && !Pepper::fixed(2).is_mask(&mask, &one));
        assert_ne!(mask, one.digest(), "no plain digest");
    }
}
