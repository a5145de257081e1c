//! Encoding of tokens (RFC 7515, 7.1) and public keys (RFC 7517).

use aws_lc_rs::signature::{EcdsaKeyPair, KeyPair as _};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

/// Encodes bytes as base64url without padding.
pub fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns a token of these texts, which need not be JSON, signed by `sign`.
pub fn compact<E>(header: &str, claims: &str, sign: impl FnOnce(&[u8]) -> Result<Vec<u8>, E>) -> Result<String, E> {
    let message = format!("{}.{}", base64url(header.as_bytes()), base64url(claims.as_bytes()));
    let signature = base64url(&sign(message.as_bytes())?);
    Ok(format!("{message}.{signature}"))
}

/// Returns the public key as a JWK.
pub fn public_jwk(pair: &EcdsaKeyPair, kid: &str, algorithm: &str, curve: &str) -> Value {
    // The first byte marks an uncompressed point.
    let point = pair.public_key().as_ref().get(1..).unwrap_or_default();
    let (x, y) = point.split_at(point.len() / 2);
    let (x, y) = (base64url(x), base64url(y));
    json!({ "kty": "EC", "crv": curve, "x": x, "y": y, "kid": kid, "alg": algorithm, "use": "sig" })
}
