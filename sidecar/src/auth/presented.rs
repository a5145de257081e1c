//! The credentials of a request, before they are verified.

use std::fmt;

/// A credential as it was sent. Security: never printed; compare it only in constant time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PresentedSecret<'a>(pub(super) &'a [u8]);

impl fmt::Debug for PresentedSecret<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[redacted]")
    }
}

/// The header field that carried a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CredentialField {
    /// `Authorization: Bearer …` (RFC 6750).
    Bearer,
    /// `X-Api-Key`, which is only for the sandbox key.
    ApiKey,
}

/// The most credentials of one request; honest clients send one.
const MAX_CREDENTIALS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presented<'a> {
    /// No credential; allowed.
    Nothing,
    /// One or more credentials, in the order of the request.
    Credentials([Option<(CredentialField, PresentedSecret<'a>)>; MAX_CREDENTIALS]),
    /// Another scheme, or too many credentials; rejected.
    Malformed,
}

impl<'a> Presented<'a> {
    /// Parses all values of `Authorization` and `X-Api-Key`. An empty value, and `Bearer` without a token, are no
    /// credential: generated clients without a key send them.
    pub(crate) fn from_fields(
        authorization: impl Iterator<Item = &'a [u8]>,
        api_key: impl Iterator<Item = &'a [u8]>,
    ) -> Self {
        let is_present = |value: &&[u8]| !value.is_empty() && !value.eq_ignore_ascii_case(b"Bearer");
        let bearers = authorization.map(<[u8]>::trim_ascii).filter(is_present);
        let bearers = bearers.map(|value| bearer(value).map(|token| (CredentialField::Bearer, PresentedSecret(token))));
        let keys = api_key.map(<[u8]>::trim_ascii).filter(|value| !value.is_empty());
        let keys = keys.map(|key| Some((CredentialField::ApiKey, PresentedSecret(key))));
        let mut found = [None; MAX_CREDENTIALS];
        let mut count = 0;
        for credential in bearers.chain(keys) {
            if credential.is_none() || count == MAX_CREDENTIALS {
                return Self::Malformed;
            }
            found[count] = credential;
            count += 1;
        }
        if count == 0 { Self::Nothing } else { Self::Credentials(found) }
    }
}

/// Returns the token of a Bearer credential. The scheme's name is case-insensitive (RFC 9110, 11.1).
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn presented<'a>(authorization: &[&'a str], api_key: &[&'a str]) -> Presented<'a> {
        Presented::from_fields(
            authorization.iter().map(|value| value.as_bytes()),
            api_key.iter().map(|value| value.as_bytes()),
        )
    }

    fn credentials<'a>(found: &[(CredentialField, &'a str)]) -> Presented<'a> {
        let mut all = [None; MAX_CREDENTIALS];
        for (place, (scheme, secret)) in all.iter_mut().zip(found) {
            *place = Some((*scheme, PresentedSecret(secret.as_bytes())));
        }
        Presented::Credentials(all)
    }

    #[test]
    fn absent_fields_are_no_credential() {
        assert_eq!(presented(&[], &[]), Presented::Nothing);
    }

    #[test]
    fn bearer_token_is_found_whatever_the_case_of_its_scheme() {
        for value in ["Bearer k", "bearer k", "BEARER k", "  Bearer   k  "] {
            assert_eq!(presented(&[value], &[]), credentials(&[(CredentialField::Bearer, "k")]), "{value}");
        }
    }

    #[test]
    fn both_fields_are_kept_in_order() {
        let both = presented(&["Bearer a"], &["b"]);
        assert_eq!(both, credentials(&[(CredentialField::Bearer, "a"), (CredentialField::ApiKey, "b")]));
    }

    #[test]
    fn other_schemes_are_malformed() {
        for value in ["Basic YTpi", "Basic", "Basic ", "k", "Bearerk", "Token k", "Bearer:", "\"\""] {
            assert_eq!(presented(&[value], &[]), Presented::Malformed, "{value:?}");
            assert_eq!(presented(&[value, ""], &[""]), Presented::Malformed, "{value:?}");
        }
    }

    #[test]
    fn empty_values_are_no_credential() {
        for value in ["", " ", "\t", "Bearer", "Bearer ", "bearer  ", " BEARER\t"] {
            assert_eq!(presented(&[value], &[]), Presented::Nothing, "{value:?}");
            let good = credentials(&[(CredentialField::Bearer, "good")]);
            assert_eq!(presented(&["Bearer good", value], &["", " "]), good, "{value:?}");
        }
        assert_eq!(presented(&[], &["", " "]), Presented::Nothing);
        assert_eq!(presented(&[""], &["k"]), credentials(&[(CredentialField::ApiKey, "k")]));
    }

    #[test]
    fn more_credentials_than_anyone_needs_are_malformed() {
        assert_eq!(presented(&["Bearer k"; MAX_CREDENTIALS + 1], &[]), Presented::Malformed);
    }

    #[test]
    fn secret_is_never_printed() {
        assert!(!format!("{:?}", presented(&["Bearer hunter2"], &["hunter2"])).contains("hunter2"));
    }

    proptest! {
        #[test]
        fn field_bytes_are_understood_or_refused_without_a_panic(
            authorization: Vec<Vec<u8>>, api_key: Vec<Vec<u8>>,
        ) {
            let read = Presented::from_fields(
                authorization.iter().map(Vec::as_slice), api_key.iter().map(Vec::as_slice),
            );
            let is_empty = |value: &Vec<u8>| value.trim_ascii().is_empty();
            let is_bare = |value: &Vec<u8>| is_empty(value) || value.trim_ascii().eq_ignore_ascii_case(b"bearer");
            let is_nothing = authorization.iter().all(is_bare) && api_key.iter().all(is_empty);
            prop_assert_eq!(read == Presented::Nothing, is_nothing);
        }
    }
}
