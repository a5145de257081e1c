//! Decides whether what a request presents is valid.

use std::fmt;

use subtle::ConstantTimeEq as _;

use super::{Presented, Principal, Scheme, Secret};

/// Knows every valid credential.
pub(crate) struct Verifier {
    sandbox_key: Box<[u8]>,
}

/// Something was presented and is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused;

impl Verifier {
    /// A verifier that accepts the published key.
    pub(crate) fn new(sandbox_key: &str) -> Self {
        Self { sandbox_key: sandbox_key.as_bytes().into() }
    }

    /// Who presents `presented`. Nothing presented is fine; every credential that is presented must be valid, so
    /// that one that was mistyped or revoked is never hidden by another.
    pub(crate) fn verify(&self, presented: Presented<'_>) -> Result<Principal, Refused> {
        match presented {
            Presented::Nothing => Ok(Principal::Anonymous),
            Presented::Malformed => Err(Refused),
            Presented::Credentials(credentials) => credentials
                .into_iter()
                .flatten()
                .try_fold(Principal::Anonymous, |_, (scheme, secret)| self.verify_one(scheme, secret)),
        }
    }

    fn verify_one(&self, scheme: Scheme, secret: Secret<'_>) -> Result<Principal, Refused> {
        // Security: compared in constant time, as every credential is, although this one is public.
        let is_sandbox = bool::from(self.sandbox_key.ct_eq(secret.0));
        match scheme {
            Scheme::Bearer | Scheme::ApiKey if is_sandbox => Ok(Principal::Sandbox),
            Scheme::Bearer | Scheme::ApiKey => Err(Refused),
        }
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Verifier").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn verify(authorization: &[&str], api_key: &[&str]) -> Result<Principal, Refused> {
        Verifier::new("sandbox-key").verify(Presented::from_fields(
            authorization.iter().map(|value| value.as_bytes()),
            api_key.iter().map(|value| value.as_bytes()),
        ))
    }

    #[test]
    fn no_credential_is_anonymous() {
        assert_eq!(verify(&[], &[]), Ok(Principal::Anonymous));
    }

    #[test]
    fn the_sandbox_key_is_accepted_in_both_places() {
        assert_eq!(verify(&["Bearer sandbox-key"], &[]), Ok(Principal::Sandbox));
        assert_eq!(verify(&[], &["sandbox-key"]), Ok(Principal::Sandbox));
        assert_eq!(verify(&["Bearer sandbox-key"], &["sandbox-key"]), Ok(Principal::Sandbox));
    }

    #[test]
    fn one_bad_credential_spoils_a_good_one() {
        assert_eq!(verify(&["Bearer sandbox-key"], &["other"]), Err(Refused));
        assert_eq!(verify(&["Bearer other", "Bearer sandbox-key"], &[]), Err(Refused));
        assert_eq!(verify(&["Bearer sandbox-key", "Basic eDp5"], &[]), Err(Refused));
    }

    #[test]
    fn a_key_that_merely_resembles_is_refused() {
        for key in ["sandbox-ke", "sandbox-keyy", "Sandbox-key", "sandbox-key, sandbox-key", "at_0123"] {
            assert_eq!(verify(&[&format!("Bearer {key}")], &[]), Err(Refused), "{key}");
            assert_eq!(verify(&[], &[key]), Err(Refused), "{key}");
        }
    }

    proptest! {
        #[test]
        fn nothing_but_the_key_is_the_key(key in "[!-~]{1,40}") {
            prop_assume!(key != "sandbox-key");
            prop_assert_eq!(verify(&[], &[&key]), Err(Refused));
        }
    }
}
