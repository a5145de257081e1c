//! A provider's signing key. It signs any input with the cryptographic library directly, not with the JWT library that
//! verifies.

use std::{convert::Infallible, sync::LazyLock};

use aws_lc_rs::{
    rand::SystemRandom,
    rsa::KeySize,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm,
        Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RSA_PSS_SHA256, RsaEncoding, RsaKeyPair,
    },
};
pub use dev_provider::base64url;
use dev_provider::{compact, public_jwk};
use serde_json::{Value, json};

/// A key pair, its public half as a JWK.
pub struct Signer {
    pair: Pair,
    pub algorithm: &'static str,
    pub jwk: Value,
}

enum Pair {
    Elliptic(EcdsaKeyPair),
    Edwards(Ed25519KeyPair),
    Rsa(&'static RsaKeyPair, &'static dyn RsaEncoding),
}

/// Generating RSA keys is slow; two serve all tests.
static RSA: LazyLock<[RsaKeyPair; 2]> =
    LazyLock::new(|| [0, 1].map(|_| RsaKeyPair::generate(KeySize::Rsa2048).unwrap()));

impl Signer {
    pub fn es256(kid: &str) -> Self {
        Self::elliptic(kid, &ECDSA_P256_SHA256_FIXED_SIGNING, "ES256", "P-256")
    }

    pub fn es384(kid: &str) -> Self {
        Self::elliptic(kid, &ECDSA_P384_SHA384_FIXED_SIGNING, "ES384", "P-384")
    }

    pub fn eddsa(kid: &str) -> Self {
        let pair = Ed25519KeyPair::generate().unwrap();
        let x = base64url(pair.public_key().as_ref());
        let jwk = json!({ "kty": "OKP", "crv": "Ed25519", "x": x, "kid": kid, "alg": "EdDSA", "use": "sig" });
        Self { pair: Pair::Edwards(pair), algorithm: "EdDSA", jwk }
    }

    /// Returns the shared key for RSA PKCS#1.
    pub fn rs256(kid: &str) -> Self {
        Self::rsa(kid, &RSA[0], &RSA_PKCS1_SHA256, "RS256")
    }

    /// Returns the shared key for RSA-PSS.
    pub fn ps256(kid: &str) -> Self {
        Self::rsa(kid, &RSA[1], &RSA_PSS_SHA256, "PS256")
    }

    /// Returns one signer for each algorithm.
    pub fn of_every_algorithm() -> [Self; 5] {
        [Self::es256("e2"), Self::es384("e3"), Self::rs256("r"), Self::ps256("p"), Self::eddsa("ed")]
    }

    fn elliptic(kid: &str, way: &'static EcdsaSigningAlgorithm, algorithm: &'static str, curve: &str) -> Self {
        let pair = EcdsaKeyPair::generate(way).unwrap();
        let jwk = public_jwk(&pair, kid, algorithm, curve);
        Self { pair: Pair::Elliptic(pair), algorithm, jwk }
    }

    fn rsa(kid: &str, pair: &'static RsaKeyPair, way: &'static dyn RsaEncoding, algorithm: &'static str) -> Self {
        let public = pair.public_key();
        let n = base64url(public.modulus().big_endian_without_leading_zero());
        let e = base64url(public.exponent().big_endian_without_leading_zero());
        let jwk = json!({ "kty": "RSA", "n": n, "e": e, "kid": kid, "alg": algorithm, "use": "sig" });
        Self { pair: Pair::Rsa(pair, way), algorithm, jwk }
    }

    /// Returns the DER of an RSA public key, which an attacker knows as well.
    pub fn public_der(&self) -> Vec<u8> {
        match &self.pair {
            Pair::Rsa(pair, _) => pair.public_key().as_ref().to_vec(),
            Pair::Elliptic(pair) => pair.public_key().as_ref().to_vec(),
            Pair::Edwards(pair) => pair.public_key().as_ref().to_vec(),
        }
    }

    pub fn kid(&self) -> &str {
        self.jwk["kid"].as_str().unwrap()
    }

    /// Returns a valid header.
    pub fn header(&self, typ: &str) -> Value {
        json!({ "typ": typ, "alg": self.algorithm, "kid": self.kid() })
    }

    pub fn assertion(&self, claims: &Value) -> String {
        self.sign(&self.header("oauth-id-jag+jwt"), claims)
    }

    pub fn sign(&self, header: &Value, claims: &Value) -> String {
        self.sign_text(&header.to_string(), &claims.to_string())
    }

    /// Signs a token of these parts, which need not be JSON.
    pub fn sign_text(&self, header: &str, claims: &str) -> String {
        let signature = |message: &[u8]| Ok::<_, Infallible>(self.signature(message));
        compact(header, claims, signature).unwrap()
    }

    fn signature(&self, message: &[u8]) -> Vec<u8> {
        match &self.pair {
            Pair::Elliptic(pair) => pair.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec(),
            Pair::Edwards(pair) => pair.sign(message).as_ref().to_vec(),
            Pair::Rsa(_, way) => self.rsa_signature(*way, message).unwrap(),
        }
    }

    /// Signs with `way` if this is an RSA key.
    pub fn rsa_signature(&self, way: &'static dyn RsaEncoding, message: &[u8]) -> Option<Vec<u8>> {
        let Pair::Rsa(pair, _) = &self.pair else { return None };
        let mut signature = vec![0; pair.public_modulus_len()];
        pair.sign(way, &SystemRandom::new(), message, &mut signature).unwrap();
        Some(signature)
    }
}

/// Merges `changes` into `claims`; null removes a member.
pub fn with(mut claims: Value, changes: &Value) -> Value {
    let members = claims.as_object_mut().unwrap();
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            members.remove(name);
        } else {
            members.insert(name.clone(), value.clone());
        }
    }
    claims
}
