//! Clients of providers in the trust list, and client authentication at the token endpoint.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::percent_decode_str;
use secrets::{Digest, Secret, is_same};

/// A client of the trust list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TrustedClient {
    /// The `client_id` of assertions, compared character by character.
    pub(crate) id: String,
    /// The digest of its secret, which the client must then send.
    pub(crate) secret: Option<Digest>,
}

/// The client authentication of a request (RFC 6749, 2.3.1).
#[derive(Clone, Default)]
pub struct PresentedClient {
    id: Option<String>,
    /// `client_secret` in the body.
    secret: Option<Secret>,
    /// Identifier and secret of the header, joined by a colon.
    pair: Option<Secret>,
}

/// Why the client authentication of a request cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientAuthError {
    /// The header is not `Basic`.
    Scheme,
    /// Both header and body have a secret (RFC 6749, 2.3).
    Twice,
}

impl PresentedClient {
    /// Reads `Authorization`, and `client_id` and `client_secret` of the body.
    pub fn read(authorization: Option<&[u8]>, id: Option<&str>, secret: Option<&str>) -> Result<Self, ClientAuthError> {
        if authorization.is_some() && secret.is_some() {
            return Err(ClientAuthError::Twice);
        }
        let pair = authorization.map(|value| pair(value).ok_or(ClientAuthError::Scheme)).transpose()?;
        Ok(Self { id: id.map(str::to_owned), secret: secret.map(Secret::new), pair })
    }

    /// Whether the request comes from the client `id`, which must prove it if it has a secret.
    ///
    /// Security: a secret for a client without one is wrong too (RFC 7523, 3).
    pub fn is(&self, id: &str, digest: Option<&Digest>) -> bool {
        let is_named = self.id.as_ref().is_none_or(|named| named == id);
        let sent: Vec<Digest> = match (&self.pair, &self.secret) {
            (Some(pair), _) => secrets(pair.reveal(), id).collect(),
            (None, Some(secret)) => vec![secret.digest()],
            (None, None) => return is_named && digest.is_none(),
        };
        let matches =
            |expected: &Digest| sent.iter().any(|sent| is_same(sent.as_str().as_bytes(), expected.as_str().as_bytes()));
        is_named && digest.is_some_and(matches)
    }
}

/// Decodes a `Basic` header (RFC 7617, 2).
fn pair(value: &[u8]) -> Option<Secret> {
    let (scheme, encoded) = value.trim_ascii().split_at_checked("Basic ".len())?;
    let decoded = STANDARD.decode(encoded.trim_ascii()).ok().filter(|_| scheme.eq_ignore_ascii_case(b"Basic "))?;
    String::from_utf8(decoded).ok().map(Secret::new)
}

/// Returns digests of the possible secrets of the client `id` in `pair`. Both halves should be form-encoded, but many
/// clients send them unencoded, and an identifier may be a URL with a colon.
fn secrets(pair: &str, id: &str) -> impl Iterator<Item = Digest> {
    let plain = pair.strip_prefix(id).and_then(|rest| rest.strip_prefix(':')).map(str::to_owned);
    let encoded =
        pair.split_once(':').and_then(|(name, secret)| (decode_form(name)? == id).then(|| decode_form(secret))?);
    plain.into_iter().chain(encoded).map(|secret| Digest::of(secret.as_bytes()))
}

fn decode_form(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "https://agents.example/client";
    const SECRET: &str = "a+b/c%3D:d";

    fn basic(pair: &str) -> Result<PresentedClient, ClientAuthError> {
        PresentedClient::read(Some(format!("Basic {}", STANDARD.encode(pair)).as_bytes()), None, None)
    }

    fn is(client: &PresentedClient) -> bool {
        client.is(ID, Some(&Digest::of(SECRET.as_bytes())))
    }

    #[test]
    fn secret_is_read_from_the_header_with_and_without_encoding_and_from_the_body() {
        assert!(is(&basic(&format!("{ID}:{SECRET}")).unwrap()));
        assert!(is(&basic("https%3A%2F%2Fagents.example%2Fclient:a%2Bb%2Fc%253D%3Ad").unwrap()));
        assert!(is(&PresentedClient::read(None, Some(ID), Some(SECRET)).unwrap()));
        assert!(is(&PresentedClient::read(None, None, Some(SECRET)).unwrap()));
    }

    #[test]
    fn client_with_a_secret_must_send_it_and_one_without_must_not() {
        let nothing = PresentedClient::default();
        assert!(!is(&nothing) && nothing.is(ID, None));
        for pair in [":", ID, &format!("{ID}:"), &format!("{ID}:{SECRET}x"), &format!("other:{SECRET}"), SECRET] {
            let client = basic(pair).unwrap();
            assert!(!is(&client) && !client.is(ID, None), "{pair}");
        }
        let posted = |id, secret| PresentedClient::read(None, id, secret).unwrap();
        assert!(!is(&posted(Some("other"), Some(SECRET))) && !is(&posted(Some(ID), Some("x"))));
        assert!(!posted(Some(ID), Some(SECRET)).is(ID, None));
        assert!(posted(Some(ID), None).is(ID, None) && !posted(Some("other"), None).is(ID, None));
    }

    #[test]
    fn header_that_is_not_basic_and_two_secrets_are_refused() {
        for value in ["", "Basic", "Basic !", "Bearer x", "Basic gIA=", "basicYTpi"] {
            let refused = PresentedClient::read(Some(value.as_bytes()), None, None).err();
            assert_eq!(refused, Some(ClientAuthError::Scheme), "{value}");
        }
        let twice = PresentedClient::read(Some(b"Basic YTpi"), Some("a"), Some("b"));
        assert_eq!(twice.err(), Some(ClientAuthError::Twice));
    }
}
