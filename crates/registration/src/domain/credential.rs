//! The state machine of a credential: absent, active, revoked. Pure.
//!
//! Using a secret does not replace it: a lost reply would lock the agent out.
//!
//! Changes of the credential's row are returned as [`Effect`]s, applied with the new state.

use std::time::Duration;

use clock::Time;
use contract::{agent_auth::CredentialType, scopes::Scope};
use secrets::Digest;
use serde::{Deserialize, Serialize};

use super::{audit::RegistrationChange, effect::Effect};

/// How long after a claim a lost credential can be replaced.
pub(crate) const REPAIR: Duration = Duration::from_mins(10);

/// How long after a claim a poll issues nothing: a poll that an agent has started before would otherwise replace the
/// credential that the agent has just received for the code.
pub(crate) const GRACE: Duration = Duration::from_mins(2);

/// The credential of a registration: one at a time, but for [`Active::earlier`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Credential {
    #[default]
    Absent,
    Active(Active),
    Revoked,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Active {
    pub digest: Digest,
    #[serde(rename = "type")]
    pub(crate) kind: CredentialType,
    pub(crate) scopes: Vec<Scope>,
    pub expires: Time,
    /// Whether it was issued after a claim.
    pub(crate) is_claimed: bool,
}

impl Active {
    fn issue_effect(&self) -> Effect {
        Effect::Issue { digest: self.digest.clone(), scopes: self.scopes.clone(), expires: self.expires }
    }
}

/// What a poll may issue after a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redemption {
    /// The first credential.
    First,
    /// A new one instead of that from before the claim: the agent has lost it or wants another.
    Replace,
    /// A new one if the old one was never used: its reply was lost.
    ReplaceUnused,
    /// Nothing more.
    Spent,
}

impl Credential {
    /// Issues `new` and revokes the previous one.
    pub(crate) fn issue(self, new: Active) -> (Self, Vec<Effect>) {
        let mut effects = self.revoke().1;
        effects.extend(issue_effects(&new));
        (Self::Active(new), effects)
    }

    /// Issues `new` instead of a credential that must be unused.
    pub(crate) fn reissue(self, new: Active) -> (Self, Vec<Effect>) {
        let mut effects = Vec::with_capacity(2);
        if let Self::Active(old) = self {
            effects.push(Effect::RevokeUnused(old.digest));
        }
        effects.extend(issue_effects(&new));
        (Self::Active(new), effects)
    }

    /// Issues what a claim brings: the same secret with more scopes and a later expiry, or `new` if none is in force.
    /// An expired secret is not revived.
    pub(crate) fn upgrade(self, new: Active, now: Time) -> (Self, Vec<Effect>) {
        match self {
            Self::Active(active) if now < active.expires => {
                let wide = Active { scopes: new.scopes, expires: new.expires, ..active };
                let effects = vec![wide.issue_effect()];
                (Self::Active(wide), effects)
            }
            other => other.issue(new),
        }
    }

    pub(crate) fn revoke(self) -> (Self, Vec<Effect>) {
        match self {
            Self::Active(active) => (Self::Revoked, vec![Effect::Revoke(active.digest)]),
            Self::Absent | Self::Revoked => (Self::Revoked, Vec::new()),
        }
    }

    /// Returns what a poll may issue for a registration that was claimed at `claimed`.
    ///
    /// Security: counted from the claim, whatever was issued since; otherwise polling would bring new credentials for
    /// ever.
    pub(crate) fn redemption(&self, claimed: Time, now: Time) -> Redemption {
        match self {
            _ if now >= claimed.plus(REPAIR) => Redemption::Spent,
            Self::Absent => Redemption::First,
            Self::Active(active) if active.is_claimed => Redemption::ReplaceUnused,
            Self::Active(_) => Redemption::Replace,
            Self::Revoked => Redemption::Spent,
        }
    }

    /// Returns the credential that a poll must leave in place at `now`, if there is one in the first minutes after a
    /// claim at `claimed`. It may have been used; only [`Effect::RequireUnused`] decides that.
    pub(crate) fn kept_by_polls(&self, claimed: Time, now: Time) -> Option<&Active> {
        self.active().filter(|active| now < claimed.plus(GRACE) && now < active.expires)
    }

    /// Returns the active credential, expired or not.
    pub const fn active(&self) -> Option<&Active> {
        match self {
            Self::Active(active) => Some(active),
            Self::Absent | Self::Revoked => None,
        }
    }
}

/// Returns the effects that accept a new secret and audit it.
fn issue_effects(new: &Active) -> [Effect; 2] {
    [new.issue_effect(), Effect::Audit(RegistrationChange::CredentialIssued)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_millis(5_000);

    fn active(name: &str, is_claimed: bool) -> Active {
        Active {
            digest: Digest::of(name.as_bytes()),
            kind: CredentialType::ApiKey,
            scopes: Scope::BEFORE_CLAIM.to_vec(),
            expires: NOW.plus(Duration::from_hours(24)),
            is_claimed,
        }
    }

    #[test]
    fn issuing_revokes_the_previous_credential() {
        let (first, effects) = Credential::Absent.issue(active("one", false));
        assert_eq!(effects, issue_effects(&active("one", false)));
        let (_, effects) = first.issue(active("two", true));
        let old = Digest::of(b"one");
        assert_eq!(effects[0], Effect::Revoke(old));
        assert_eq!(effects[1..], issue_effects(&active("two", true)));
    }

    #[test]
    fn upgrade_keeps_the_secret_unless_it_has_expired() {
        let (one, _) = Credential::Absent.issue(active("one", false));
        let (wide, effects) = one.clone().upgrade(active("two", true), NOW);
        assert_eq!(wide.active().unwrap().digest, Digest::of(b"one"));
        assert_eq!(effects.len(), 1);
        let expired = one.active().unwrap().expires;
        let (new, effects) = one.upgrade(active("two", true), expired);
        assert_eq!(new.active().unwrap().digest, Digest::of(b"two"));
        assert_eq!(effects[0], Effect::Revoke(Digest::of(b"one")), "the old one is over for good");
        assert_eq!(Credential::Absent.upgrade(active("two", true), NOW).0, new);
    }

    #[test]
    fn revoked_credential_stays_revoked() {
        let (revoked, _) = Credential::Absent.issue(active("one", true)).0.revoke();
        assert_eq!(revoked, Credential::Revoked);
        assert_eq!(revoked.clone().revoke(), (Credential::Revoked, Vec::new()));
        assert_eq!(revoked.redemption(NOW, NOW), Redemption::Spent);
    }

    #[test]
    fn lost_reply_can_be_repaired_for_ten_minutes() {
        assert_eq!(Credential::Absent.redemption(NOW, NOW), Redemption::First);
        let kept = Credential::Active(active("one", false));
        assert_eq!(kept.redemption(NOW, NOW), Redemption::Replace);
        assert_eq!(kept.redemption(NOW, NOW.plus(REPAIR)), Redemption::Spent);
        let claimed = Credential::Active(active("one", true));
        assert_eq!(claimed.redemption(NOW, NOW), Redemption::ReplaceUnused);
        assert_eq!(claimed.redemption(NOW, NOW.plus(REPAIR)), Redemption::Spent);
        assert_eq!(Credential::Absent.redemption(NOW, NOW.plus(REPAIR)), Redemption::Spent);
    }
}
