//! Verifies the credentials of a request.

use std::fmt;

use clock::Time;
use contract::agent_auth::CredentialType;
use registration::{registrar::Registrar, store::CredentialHolder};
use secrets::Digest;
use subtle::ConstantTimeEq as _;

use super::{CredentialField, Presented, PresentedSecret};

/// The sender of a request, as far as it is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Principal {
    /// No credential was sent.
    Anonymous,
    /// A client with the published sandbox key.
    Sandbox,
    /// An agent with an issued credential.
    Agent(CredentialHolder),
}

/// Accepts the sandbox key and selects the credentials to look up in the store.
pub(crate) struct CredentialVerifier {
    sandbox_key: Box<[u8]>,
}

/// The result of verification before the store is queried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verified {
    Is(Principal),
    /// The holder of all credentials with these digests, which the store has to look up.
    Holds(Vec<Digest>),
}

/// Why a request with an issued credential is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// The credential is unknown, expired or revoked.
    Refused,
    /// The store cannot answer. Security: not a refusal, because clients delete a refused credential.
    Unknown,
}

/// A credential is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused;

impl CredentialVerifier {
    /// Creates a verifier that accepts the published sandbox key.
    pub(crate) fn new(sandbox_key: &str) -> Self {
        Self { sandbox_key: sandbox_key.as_bytes().into() }
    }

    /// Verifies `presented`. A request without a credential is anonymous. Every credential must be valid, so that a
    /// mistyped or revoked one is never hidden by another.
    pub(crate) fn verify(&self, presented: Presented<'_>) -> Result<Verified, Refused> {
        match presented {
            Presented::Nothing => Ok(Verified::Is(Principal::Anonymous)),
            Presented::Malformed => Err(Refused),
            Presented::Credentials(credentials) => {
                let mut verified = Verified::Is(Principal::Sandbox);
                for (scheme, secret) in credentials.into_iter().flatten() {
                    // Security: all credentials are compared in constant time, even this public one.
                    if self.sandbox_key.ct_eq(secret.0).into() {
                        continue;
                    }
                    // The same credential in both fields counts once.
                    if scheme == CredentialField::ApiKey
                        && credentials.contains(&Some((CredentialField::Bearer, secret)))
                    {
                        continue;
                    }
                    if scheme != CredentialField::Bearer || !is_issued(secret) {
                        return Err(Refused);
                    }
                    match &mut verified {
                        Verified::Holds(digests) => digests.push(Digest::of(secret.0)),
                        Verified::Is(_) => verified = Verified::Holds(vec![Digest::of(secret.0)]),
                    }
                }
                Ok(verified)
            }
        }
    }
}

impl Verified {
    /// Returns the principal, with a query of the store where needed. All credentials must be valid.
    pub(crate) async fn resolve(self, registrar: &Registrar, now: Time) -> Result<Principal, Denied> {
        let digests = match self {
            Self::Is(principal) => return Ok(principal),
            Self::Holds(digests) => digests,
        };
        let mut principal = Err(Denied::Refused);
        for digest in digests {
            match registrar.check(&digest, now).await {
                Ok(Some(held)) => principal = Ok(Principal::Agent(held)),
                Ok(None) => return Err(Denied::Refused),
                Err(_) => return Err(Denied::Unknown),
            }
        }
        principal
    }
}

/// Whether a secret has the form of an issued credential; others are not looked up.
fn is_issued(secret: PresentedSecret<'_>) -> bool {
    [CredentialType::AccessToken, CredentialType::ApiKey].iter().any(|kind| {
        let rest = secret.0.strip_prefix(kind.prefix().as_bytes());
        rest.is_some_and(|rest| rest.len() == secrets::DIGITS && rest.iter().all(u8::is_ascii_alphanumeric))
    })
}

impl fmt::Debug for CredentialVerifier {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("CredentialVerifier").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use ::registration::{
        store::{Location, Store, testing::runtime},
        testing::{START, registrar},
    };
    use proptest::prelude::*;

    use super::*;

    fn verify(authorization: &[&str], api_key: &[&str]) -> Result<Verified, Refused> {
        CredentialVerifier::new("sandbox-key").verify(Presented::from_fields(
            authorization.iter().map(|value| value.as_bytes()),
            api_key.iter().map(|value| value.as_bytes()),
        ))
    }

    #[test]
    fn absent_credential_is_anonymous() {
        assert_eq!(verify(&[], &[]), Ok(Verified::Is(Principal::Anonymous)));
    }

    #[test]
    fn sandbox_key_is_accepted_in_both_places() {
        assert_eq!(verify(&["Bearer sandbox-key"], &[]), Ok(Verified::Is(Principal::Sandbox)));
        assert_eq!(verify(&[], &["sandbox-key"]), Ok(Verified::Is(Principal::Sandbox)));
        assert_eq!(verify(&["Bearer sandbox-key"], &["sandbox-key"]), Ok(Verified::Is(Principal::Sandbox)));
    }

    #[test]
    fn bad_credential_beside_a_good_one_is_refused() {
        assert_eq!(verify(&["Bearer sandbox-key"], &["other"]), Err(Refused));
        assert_eq!(verify(&["Bearer other", "Bearer sandbox-key"], &[]), Err(Refused));
        assert_eq!(verify(&["Bearer sandbox-key", "Basic eDp5"], &[]), Err(Refused));
    }

    #[test]
    fn same_issued_credential_in_both_places_is_one() {
        let [one, other] = ["1", "2"].map(|digit| format!("at_{}", digit.repeat(27)));
        let bearer = format!("Bearer {one}");
        assert_eq!(verify(&[&bearer], &[&one]), Ok(Verified::Holds(vec![Digest::of(one.as_bytes())])));
        assert_eq!(verify(&[&bearer], &[&other]), Err(Refused));
        assert_eq!(verify(&[], &[&one, &one]), Err(Refused));
        assert_eq!(verify(&["Bearer wrong"], &["wrong"]), Err(Refused));
    }

    #[test]
    fn key_that_merely_resembles_is_refused() {
        for key in ["sandbox-ke", "sandbox-keyy", "Sandbox-key", "sandbox-key, sandbox-key", "at_0123"] {
            assert_eq!(verify(&[&format!("Bearer {key}")], &[]), Err(Refused), "{key}");
            assert_eq!(verify(&[], &[key]), Err(Refused), "{key}");
        }
    }

    #[test]
    fn credential_is_undecided_while_the_store_is_unavailable() {
        let nowhere = Location::Postgres("postgres://mecelle@localhost/none?host=/nonexistent".to_owned());
        let verified = verify(&[&format!("Bearer at_{}", "0".repeat(27))], &[]).unwrap();
        assert!(matches!(verified, Verified::Holds(_)));
        runtime().block_on(async {
            let store = Store::open_with_retries(&nowhere, runtime().handle().clone()).await.unwrap();
            assert_eq!(verified.resolve(&registrar(&store, 7, None), START).await, Err(Denied::Unknown));
        });
    }

    proptest! {
        #[test]
        fn other_keys_are_refused(key in "[!-~]{1,40}") {
            prop_assume!(key != "sandbox-key");
            prop_assert_eq!(verify(&[], &[&key]), Err(Refused));
        }
    }
}
