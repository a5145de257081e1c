//! The provider: its key and its tokens (RFC 7515, 7.1; RFC 7517).

use std::path::Path;

use aws_lc_rs::{
    encoding::AsBigEndian as _,
    rand::{SystemRandom, fill},
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use contract::{
    agent_auth::LOGOUT_EVENT,
    id_jag::{
        ALG, AUD, AUTH_TIME, CLIENT_ID, EMAIL, EMAIL_VERIFIED, EVENTS, EXP, IAT, ISS, JTI, KID, LOGOUT_TYPE,
        MAX_LIFETIME, SUB, TYP, TYPE,
    },
};
use serde_json::{Value, json};

use crate::{ISSUER, ProviderError};

/// The key identifier (`kid`).
const NAME: &str = "dev-provider";
const ALGORITHM: &str = "ES256";
const CURVE: &str = "P-256";
/// The problem of a file without a key.
const NO_KEY: &str = "it contains no private key for ES256; name the key file of `sidecar dev-provider`, or move this one away and run `sidecar dev-provider` again";
const NO_RANDOMNESS: &str = "the system returns no random numbers";

/// A provider that signs any claims. Security: only a service that no other machine can reach trusts it.
#[derive(Debug)]
pub struct DevProvider {
    pair: EcdsaKeyPair,
    /// The public key.
    jwk: Value,
}

impl DevProvider {
    pub(crate) fn generate() -> Result<Self, &'static str> {
        EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).map(Self::with).map_err(|_| NO_RANDOMNESS)
    }

    pub fn load(file: &Path) -> Result<Self, ProviderError> {
        let text = std::fs::read(file).map_err(|error| ProviderError::new(file, &error))?;
        let jwk: Value = serde_json::from_slice(&text).unwrap_or_default();
        Self::parse(&jwk).ok_or_else(|| ProviderError::new(file, &NO_KEY))
    }

    fn parse(jwk: &Value) -> Option<Self> {
        if jwk.get("crv")? != CURVE {
            return None;
        }
        let bytes = |name| URL_SAFE_NO_PAD.decode(jwk.get(name)?.as_str()?).ok();
        // An uncompressed point.
        let point = [vec![4], bytes("x")?, bytes("y")?].concat();
        let way = &ECDSA_P256_SHA256_FIXED_SIGNING;
        EcdsaKeyPair::from_private_key_and_public_key(way, &bytes("d")?, &point).map(Self::with).ok()
    }

    fn with(pair: EcdsaKeyPair) -> Self {
        let jwk = public_jwk(&pair, NAME, ALGORITHM, CURVE);
        Self { pair, jwk }
    }

    pub(crate) fn private_jwk(&self) -> Result<String, &'static str> {
        let private = self.pair.private_key().as_be_bytes().map_err(|_| "the key cannot be written")?;
        let mut jwk = self.jwk.clone();
        jwk["d"] = base64url(private.as_ref()).into();
        Ok(format!("{jwk:#}\n"))
    }

    /// Returns the public key's `x`, which identifies the key in a trust list.
    pub(crate) fn x(&self) -> &str {
        self.jwk["x"].as_str().unwrap_or_default()
    }

    pub(crate) fn trust_list(&self) -> String {
        format!(
            "# Written by `sidecar dev-provider`: with {} beside this file, tokens for any user can be signed.\n\
             # A service that other machines can reach refuses this list.\n\
             dev = true\n\n\
             [[provider]]\n\
             issuer = \"{ISSUER}\"\n\
             name = \"Demonstration provider\"\n\
             jwks = '{}'\n",
            crate::KEY_FILE,
            json!({ "keys": [self.jwk] })
        )
    }

    /// Signs an identity assertion: the user of `email` has just signed in. `audience` is the service, `now` is in
    /// seconds since the epoch.
    pub fn assertion(&self, email: &str, audience: &str, now: u64) -> Result<String, &'static str> {
        let claims = json!({
            AUTH_TIME.name: now,
            EXP.name: now + MAX_LIFETIME / 2,
            CLIENT_ID.name: ISSUER,
            EMAIL.name: email,
            EMAIL_VERIFIED.name: true,
        });
        self.sign(TYPE, email, audience, now, claims)
    }

    /// Signs a logout token for the same user, which revokes registrations that rest on an assertion.
    pub fn logout(&self, email: &str, audience: &str, now: u64) -> Result<String, &'static str> {
        self.sign(LOGOUT_TYPE, email, audience, now, json!({ EVENTS.name: { LOGOUT_EVENT: {} } }))
    }

    /// Signs `claims` with the claims of every token; the subject is the e-mail address.
    fn sign(&self, typ: &str, user: &str, audience: &str, now: u64, mut claims: Value) -> Result<String, &'static str> {
        let mut unique = [0; 16];
        fill(&mut unique).map_err(|_| NO_RANDOMNESS)?;
        for (claim, value) in [
            (ISS, json!(ISSUER)),
            (SUB, json!(user)),
            (AUD, json!(audience)),
            (JTI, json!(base64url(&unique))),
            (IAT, json!(now)),
        ] {
            claims[claim.name] = value;
        }
        let header = json!({ TYP.name: typ, ALG.name: ALGORITHM, KID.name: NAME });
        let signature = |message: &[u8]| {
            let signed = self.pair.sign(&SystemRandom::new(), message);
            signed.map(|signature| signature.as_ref().to_vec()).map_err(|_| "the key cannot sign")
        };
        compact(&header.to_string(), &claims.to_string(), signature)
    }
}

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

pub fn public_jwk(pair: &EcdsaKeyPair, kid: &str, algorithm: &str, curve: &str) -> Value {
    // The first byte marks an uncompressed point.
    let point = pair.public_key().as_ref().get(1..).unwrap_or_default();
    let (x, y) = point.split_at(point.len() / 2);
    let (x, y) = (base64url(x), base64url(y));
    json!({ "kty": "EC", "crv": curve, "x": x, "y": y, "kid": kid, "alg": algorithm, "use": "sig" })
}
