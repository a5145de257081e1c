//! Public keys, parsed from JWK.

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ParsedPublicKey};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use contract::id_jag::MAX_KEY_ID_CHARACTERS;
use jsonwebtoken::{DecodingKey, crypto};
use serde_json::{Map, Value};

use super::{Algorithm, modulus, small_order};

/// A public key and its only algorithm (RFC 8725, 3.1).
#[derive(Clone, Debug)]
pub(crate) struct VerificationKey {
    algorithm: Algorithm,
    material: DecodingKey,
}

/// Members of private or symmetric keys (RFC 7518, 6).
const PRIVATE: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// Accepted bits of an RSA modulus.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2048..=8192;

impl VerificationKey {
    /// Parses a JWK (RFC 7517) for verifying. `allowed` are the provider's algorithms.
    pub(super) fn parse(jwk: &Map<String, Value>, allowed: &[Algorithm]) -> Result<Self, &'static str> {
        // Security: with a published private key, anyone can sign.
        if PRIVATE.iter().any(|name| jwk.contains_key(*name)) {
            return Err("it holds a private or symmetric key");
        }
        if !matches!(jwk.get("use").map(Value::as_str), None | Some(Some("sig"))) {
            return Err("its `use` is not `sig`");
        }
        let verifies = match jwk.get("key_ops") {
            None => true,
            Some(Value::Array(operations)) => operations.iter().any(|operation| operation == "verify"),
            Some(_) => false,
        };
        if !verifies {
            return Err("its `key_ops` do not name `verify`");
        }
        let named = match jwk.get("alg").map(Value::as_str) {
            None => None,
            Some(Some(name)) => Some(Algorithm::parse(name).ok_or("its `alg` is not accepted")?),
            Some(None) => return Err("its `alg` is not a text"),
        };
        let (algorithm, material) = match text(jwk, "kty")? {
            "EC" => elliptic(jwk)?,
            "OKP" => edwards(jwk)?,
            "RSA" => (rsa_algorithm(named, allowed), rsa(jwk)?),
            _ => return Err("its `kty` is not accepted"),
        };
        if named.is_some_and(|named| named != algorithm) {
            return Err("its `alg` does not go with its `kty` and `crv`");
        }
        if !allowed.contains(&algorithm) {
            return Err("its algorithm is not one that the provider may use");
        }
        Ok(Self { algorithm, material })
    }

    pub(crate) fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Whether `signature` of `message` is by this key. A malformed one is not.
    pub(crate) fn verifies(&self, message: &str, signature: &str) -> bool {
        crypto::verify(signature, message.as_bytes(), &self.material, self.algorithm.verified_as()).unwrap_or(false)
    }
}

/// Returns the `kid`. Security: a `kid` that no token may have is an error.
pub(super) fn id(jwk: &Map<String, Value>) -> Result<Option<&str>, &'static str> {
    match jwk.get("kid").map(Value::as_str) {
        None => Ok(None),
        Some(Some(id)) if id.chars().count() <= MAX_KEY_ID_CHARACTERS && !id.chars().any(char::is_control) => {
            Ok(Some(id))
        }
        Some(_) => Err("its `kid` is not a text of at most 128 characters"),
    }
}

fn elliptic(jwk: &Map<String, Value>) -> Result<(Algorithm, DecodingKey), &'static str> {
    let (algorithm, bytes, curve) = match text(jwk, "crv")? {
        "P-256" => (Algorithm::Es256, 32, &ECDSA_P256_SHA256_FIXED),
        "P-384" => (Algorithm::Es384, 48, &ECDSA_P384_SHA384_FIXED),
        _ => return Err("its `crv` is not accepted"),
    };
    let (x, y) = (number(jwk, "x")?, number(jwk, "y")?);
    if x.len() != bytes || y.len() != bytes {
        return Err("its coordinates are not of the length of its `crv`");
    }
    let point = [&[0x04][..], &x, &y].concat();
    if ParsedPublicKey::new(curve, &point).is_err() {
        return Err("its point is not on its curve");
    }
    Ok((algorithm, DecodingKey::from_ec_der(&point)))
}

fn edwards(jwk: &Map<String, Value>) -> Result<(Algorithm, DecodingKey), &'static str> {
    if text(jwk, "crv")? != "Ed25519" {
        return Err("its `crv` is not accepted");
    }
    let x = number(jwk, "x")?;
    let Ok(point) = <[u8; 32]>::try_from(x.as_slice()) else {
        return Err("its coordinate is not of the length of its `crv`");
    };
    if small_order::is_weak(point) {
        return Err("its point is of small order or not in its canonical form, so that others can sign for it");
    }
    Ok((Algorithm::EdDsa, DecodingKey::from_ed_der(&x)))
}

/// Returns the algorithm of an RSA key, which its type does not imply: without `alg` RS256, as nearly all providers
/// mean it, unless only PS256 is allowed.
fn rsa_algorithm(named: Option<Algorithm>, allowed: &[Algorithm]) -> Algorithm {
    let unnamed = if allowed.contains(&Algorithm::Rs256) { Algorithm::Rs256 } else { Algorithm::Ps256 };
    named.filter(|named| matches!(named, Algorithm::Rs256 | Algorithm::Ps256)).unwrap_or(unnamed)
}

fn rsa(jwk: &Map<String, Value>) -> Result<DecodingKey, &'static str> {
    let (modulus, exponent) = (number(jwk, "n")?, number(jwk, "e")?);
    // Leading zeros are invalid (RFC 7518, 2) but harmless.
    let (modulus, exponent) = (strip_zeros(&modulus), strip_zeros(&exponent));
    let bits = modulus.first().map_or(0, |first| modulus.len() * 8 - first.leading_zeros() as usize);
    if !RSA_BITS.contains(&bits) {
        return Err("its modulus has fewer than 2048 or more than 8192 bits");
    }
    let is_odd = |number: &[u8]| number.last().is_some_and(|last| last & 1 == 1);
    // At least 65537 (FIPS 186-5, 5.4), within the library's limits.
    if !is_odd(modulus) || !is_odd(exponent) || !(3..=4).contains(&exponent.len()) {
        return Err("its modulus or exponent is not accepted");
    }
    if modulus::has_small_factor(modulus) {
        return Err("its modulus has a small factor, as one has that was not copied exactly");
    }
    if modulus::has_mark(modulus) {
        return Err("it was made by a library whose keys are broken (CVE-2017-15361)");
    }
    Ok(DecodingKey::from_rsa_raw_components(modulus, exponent))
}

fn strip_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}

fn text<'a>(jwk: &'a Map<String, Value>, name: &str) -> Result<&'a str, &'static str> {
    jwk.get(name).and_then(Value::as_str).ok_or("a member that it needs is missing or not a text")
}

fn number(jwk: &Map<String, Value>, name: &str) -> Result<Vec<u8>, &'static str> {
    URL_SAFE_NO_PAD.decode(text(jwk, name)?).map_err(|_| "a number in it is not in Base64url")
}
