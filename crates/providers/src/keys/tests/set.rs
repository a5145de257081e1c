//! Which keys of a set are usable.

use serde_json::{Value, json};

use crate::{
    keys::{Algorithm, KeySet},
    testing::{Signer, base64url, with},
};

fn read(keys: &[Value]) -> (KeySet, Vec<&'static str>) {
    let (set, unusable) = KeySet::read(&json!({ "keys": keys }), &Algorithm::ALL).unwrap();
    (set, unusable.into_iter().map(|key| key.reason).collect())
}

fn is_used(jwk: &Value) -> bool {
    read(std::slice::from_ref(jwk)).0.len() == 1
}

fn rsa(modulus_bytes: usize, first: u8, exponent: &[u8]) -> Value {
    let mut modulus = vec![0xff; modulus_bytes];
    modulus[0] = first;
    // Counts down to a number without a small factor.
    let divides =
        |modulus: &[u8], by: u32| modulus.iter().fold(0, |rest, byte| (rest * 256 + u32::from(*byte)) % by) == 0;
    while (3..752).any(|by| divides(&modulus, by)) {
        let last = modulus.len() - 2;
        let next = u16::from_be_bytes([modulus[last], modulus[last + 1]]) - 2;
        modulus[last..].copy_from_slice(&next.to_be_bytes());
    }
    json!({ "kty": "RSA", "kid": "k", "n": base64url(&modulus), "e": base64url(exponent) })
}

#[test]
fn keys_of_every_accepted_kind_are_used() {
    let signers = Signer::of_every_algorithm();
    let keys: Vec<_> = signers.iter().map(|signer| signer.jwk.clone()).collect();
    let (set, unusable) = read(&keys);
    assert_eq!((set.len(), unusable), (5, vec![]));
    for signer in &signers {
        assert_eq!(set.find(Some(signer.kid())).unwrap().algorithm().name(), signer.algorithm);
    }
}

#[test]
fn key_without_use_and_alg_is_used_by_its_type() {
    for (signer, algorithm) in
        [(Signer::es256("k"), "ES256"), (Signer::rs256("k"), "RS256"), (Signer::eddsa("k"), "EdDSA")]
    {
        let bare = with(signer.jwk, &json!({ "alg": null, "use": null }));
        assert_eq!(read(&[bare]).0.find(Some("k")).unwrap().algorithm().name(), algorithm);
    }
    let newer = with(Signer::eddsa("k").jwk, &json!({ "alg": "Ed25519" }));
    assert_eq!(read(&[newer]).0.find(Some("k")).unwrap().algorithm(), Algorithm::EdDsa);
    assert!(!is_used(&with(Signer::es256("k").jwk, &json!({ "alg": "Ed25519" }))));
    let bare = with(Signer::ps256("k").jwk, &json!({ "alg": null }));
    let (set, _) = KeySet::read(&json!({ "keys": [bare] }), &[Algorithm::Ps256]).unwrap();
    assert_eq!(set.find(Some("k")).unwrap().algorithm(), Algorithm::Ps256);
}

#[test]
fn symmetric_key_is_dropped() {
    assert!(!is_used(&json!({ "kty": "oct", "k": "c2VjcmV0", "kid": "k" })));
    assert!(!is_used(&json!({ "kty": "oct", "kid": "k", "alg": "HS256" })));
    assert!(!is_used(&with(Signer::rs256("k").jwk, &json!({ "alg": "HS256" }))));
}

#[test]
fn private_key_that_is_published_is_dropped() {
    for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
        for signer in Signer::of_every_algorithm() {
            assert!(!is_used(&with(signer.jwk, &json!({ name: "AQAB" }))), "{name}");
        }
    }
}

#[test]
fn key_for_something_else_is_dropped() {
    let good = Signer::es256("k").jwk;
    for change in [
        json!({ "use": "enc" }),
        json!({ "use": 1 }),
        json!({ "use": "SIG" }),
        json!({ "key_ops": ["sign"] }),
        json!({ "key_ops": [] }),
        json!({ "key_ops": "verify" }),
        json!({ "key_ops": ["encrypt", "wrapKey"] }),
    ] {
        assert!(!is_used(&with(good.clone(), &change)), "{change}");
    }
    assert!(is_used(&with(good, &json!({ "key_ops": ["verify"] }))));
}

#[test]
fn kty_crv_and_alg_must_agree() {
    let (p256, p384, rsa, ed) =
        (Signer::es256("k").jwk, Signer::es384("k").jwk, Signer::rs256("k").jwk, Signer::eddsa("k").jwk);
    for (jwk, change) in [
        (&p256, json!({ "alg": "ES384" })),
        (&p256, json!({ "alg": "RS256" })),
        (&p256, json!({ "alg": "EdDSA" })),
        (&p256, json!({ "alg": "none" })),
        (&p256, json!({ "alg": "ES512" })),
        (&p256, json!({ "alg": 1 })),
        (&p256, json!({ "crv": "P-384" })),
        (&p256, json!({ "crv": "secp256k1" })),
        (&p256, json!({ "crv": "P-521" })),
        (&p256, json!({ "kty": "OKP" })),
        (&p256, json!({ "kty": "RSA" })),
        (&p256, json!({ "kty": "ec" })),
        (&p384, json!({ "crv": "P-256" })),
        (&p384, json!({ "alg": "ES256" })),
        (&rsa, json!({ "alg": "RS512" })),
        (&rsa, json!({ "alg": "ES256" })),
        (&rsa, json!({ "alg": "RSA-OAEP" })),
        (&rsa, json!({ "kty": "EC" })),
        (&ed, json!({ "crv": "X25519" })),
        (&ed, json!({ "crv": "Ed448" })),
        (&ed, json!({ "alg": "ES256" })),
    ] {
        assert!(!is_used(&with(jwk.clone(), &change)), "{change} {jwk}");
    }
}

#[test]
fn coordinates_have_the_length_of_their_curve() {
    for bytes in [0, 1, 31, 33, 64] {
        let value = base64url(&vec![7; bytes]);
        for name in ["x", "y"] {
            assert!(!is_used(&with(Signer::es256("k").jwk, &json!({ name: value }))), "{name} {bytes}");
        }
        assert!(!is_used(&with(Signer::eddsa("k").jwk, &json!({ "x": value }))), "{bytes}");
    }
    for value in [json!("not base64!"), json!("AAAA="), json!(7), Value::Null] {
        assert!(!is_used(&with(Signer::es256("k").jwk, &json!({ "y": value }))), "{value}");
    }
}

#[test]
fn point_that_is_not_on_its_curve_is_dropped() {
    for signer in [Signer::es256("k"), Signer::es384("k")] {
        // One character copied wrongly.
        let x = signer.jwk["x"].as_str().unwrap();
        let typed = format!("{}{}", if x.starts_with('A') { 'B' } else { 'A' }, &x[1..]);
        let (set, reasons) = read(&[with(signer.jwk.clone(), &json!({ "x": typed }))]);
        assert_eq!((set.len(), &reasons[..]), (0, &["its point is not on its curve"][..]));
    }
}

#[test]
fn rsa_modulus_has_no_small_factor() {
    for (last, by) in [(0xff, "3"), (0xfd, "another")] {
        let mut modulus = [0xff; 256];
        modulus[255] = last;
        let jwk = json!({ "kty": "RSA", "kid": "k", "n": base64url(&modulus), "e": "AQAB" });
        let (set, reasons) = read(&[jwk]);
        assert!(set.len() == 0 && reasons[0].starts_with("its modulus has a small factor"), "{by}: {reasons:?}");
    }
}

#[test]
fn rsa_modulus_has_2048_to_8192_bits() {
    const F4: [u8; 3] = [1, 0, 1];
    for (bytes, first, is_allowed) in [
        (64, 0xff, false),
        (128, 0xff, false),
        (256, 0x7f, false),
        (256, 0x80, true),
        (512, 0xff, true),
        (1024, 0xff, true),
        (1025, 1, false),
        (257, 0, true),
    ] {
        assert_eq!(is_used(&rsa(bytes, first, &F4)), is_allowed, "{bytes} bytes from {first:02x}");
    }
    for exponent in [&[][..], &[1], &[3], &[17], &[0, 1], &[1, 0, 0], &[1, 0, 0, 0, 1]] {
        assert!(!is_used(&rsa(256, 0xff, exponent)), "{exponent:?}");
    }
    let even = json!({ "kty": "RSA", "n": base64url(&[0xfe; 256]), "e": base64url(&F4) });
    assert!(!is_used(&even));
}

#[test]
fn two_keys_with_one_name_are_both_rejected() {
    let (one, other, third) = (Signer::es256("k").jwk, Signer::eddsa("k").jwk, Signer::es256("l").jwk);
    let (set, unusable) = read(&[one.clone(), other, third]);
    assert_eq!((set.len(), unusable.len()), (1, 2));
    assert!(set.find(Some("k")).is_none());
    // Even if the other key is unusable: which of them the provider means is unknown.
    let (set, _) = read(&[one.clone(), json!({ "kty": "oct", "k": "AA", "kid": "k" })]);
    assert_eq!(set.len(), 0);
    let (set, _) = read(&[one.clone(), one.clone(), one]);
    assert_eq!(set.len(), 0);
}

#[test]
fn kid_that_no_token_may_have_is_skipped() {
    for kid in [json!("k".repeat(129)), json!("k\u{0}"), json!("k\n"), json!(1), json!({})] {
        assert!(!is_used(&with(Signer::es256("k").jwk, &json!({ "kid": kid }))), "{kid}");
    }
}

#[test]
fn document_that_is_no_key_set_or_a_very_long_one_is_refused_as_a_whole() {
    for text in ["", "<html>", "[]", "{}", "{\"keys\":{}}", "{\"keys\":null}", "null"] {
        assert!(KeySet::parse(text.as_bytes(), &Algorithm::ALL).is_err(), "{text}");
    }
    let many = |count| json!({ "keys": vec![json!({}); count] });
    assert!(KeySet::read(&many(32), &Algorithm::ALL).is_ok());
    assert!(KeySet::read(&many(33), &Algorithm::ALL).is_err());
}

#[test]
fn key_that_cannot_be_read_does_not_spoil_the_others() {
    let (set, unusable) = read(&[json!(1), json!({}), json!([]), Signer::es256("k").jwk, json!(null)]);
    assert_eq!((set.len(), unusable.len()), (1, 4));
}

#[test]
fn examples_of_the_standards_are_verified() {
    for (standard, jwk, token) in [
        (
            "RFC 7515, A.3",
            json!({
                "kty": "EC", "crv": "P-256", "kid": "k",
                "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
            }),
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290\
             Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
        ),
        (
            "RFC 8037, A.4",
            json!({ "kty": "OKP", "crv": "Ed25519", "kid": "k", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }),
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhi\
             jcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
        ),
    ] {
        let (set, _) = read(&[jwk]);
        let (message, signature) = token.rsplit_once('.').unwrap();
        assert!(set.find(Some("k")).unwrap().verifies(message, signature), "{standard}");
        assert!(!set.find(Some("k")).unwrap().verifies(&message.to_uppercase(), signature), "{standard}");
    }
}
