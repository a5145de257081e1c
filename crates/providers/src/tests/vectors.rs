//! Malformed signatures, after Project Wycheproof: numbers at the limits of a scheme, in other encodings and lengths,
//! and over other digests. Made for the keys of these tests, since those of the collection cannot sign claims.

use aws_lc_rs::signature::{RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA384, RSA_PSS_SHA512};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::testing::{Signer, assertion_claims, base64url, now, verifier};

/// Orders of the groups of P-256 and P-384 (SEC 2), and of Ed25519 (RFC 8032, 5.1).
const P256: &str = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
const P384: &str = "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973";
const ED25519: &str = "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed";

/// Decodes the output of [`base64url`].
fn bytes(text: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text).unwrap()
}

/// Decodes a hexadecimal number.
fn number(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|place| u8::from_str_radix(&text[place..place + 2], 16).unwrap()).collect()
}

/// Adds two numbers of equal length; a carry takes a byte in front.
fn sum(one: &[u8], other: &[u8]) -> Vec<u8> {
    let mut carry = 0;
    let mut sum: Vec<u8> = one
        .iter()
        .zip(other)
        .rev()
        .map(|(one, other)| {
            let [high, low] = (u16::from(*one) + u16::from(*other) + carry).to_be_bytes();
            carry = u16::from(high);
            low
        })
        .collect();
    if carry > 0 {
        sum.push(1);
    }
    sum.reverse();
    sum
}

/// Returns `most - number`, where `number` is at most `most`.
fn less(most: &[u8], number: &[u8]) -> Vec<u8> {
    let inverted: Vec<u8> = number.iter().map(|byte| !byte).collect();
    let mut one = vec![0; most.len()];
    one[most.len() - 1] = 1;
    let sum = sum(&sum(most, &inverted)[1..], &one);
    sum[sum.len() - most.len()..].to_vec()
}

fn small(value: u8, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    bytes[length - 1] = value;
    bytes
}

/// Returns malformed signatures for every scheme: other lengths, and none.
fn of_other_length(signature: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let zeros = vec![0; signature.len()];
    vec![
        ("nothing", Vec::new()),
        ("one byte", vec![0]),
        ("zeros", zeros.clone()),
        ("ones", vec![0xff; signature.len()]),
        ("a byte less", signature[..signature.len() - 1].to_vec()),
        ("a byte less in front", signature[1..].to_vec()),
        ("a byte more", [signature, &[0]].concat()),
        ("a byte more in front", [&[0], signature].concat()),
        ("twice", [signature, signature].concat()),
        ("zeros behind", [signature, &zeros].concat()),
    ]
}

/// Encodes a signature as in X.509, unlike JOSE (RFC 7518, 3.4).
fn der(half: &[u8]) -> Vec<u8> {
    let number = if half[0] < 0x80 { half.to_vec() } else { [&[0], half].concat() };
    [&[2, u8::try_from(number.len()).unwrap()][..], &number].concat()
}

fn elliptic(signature: &[u8], order: &str) -> Vec<(&'static str, Vec<u8>)> {
    let order = number(order);
    let length = order.len();
    let (r, s) = signature.split_at(length);
    let (zero, one) = (small(0, length), small(1, length));
    let sequence = [der(r), der(s)].concat();
    let mut forged = of_other_length(signature);
    forged.extend([
        ("r is zero", [&zero, s].concat()),
        ("s is zero", [r, &zero].concat()),
        ("both are one", [one.clone(), one.clone()].concat()),
        ("r is the order", [&order, s].concat()),
        ("s is the order", [r, &order].concat()),
        ("both are the order", [order.clone(), order.clone()].concat()),
        ("s is one less than the order", [one.clone(), less(&order, &one)].concat()),
        ("halves change places", [s, r].concat()),
        ("r is the other way round", [&*less(&order, r), s].concat()),
        ("r and the order", [&*sum(r, &order), s].concat()),
        ("s and the order", [r, &*sum(s, &order)].concat()),
        ("halves of a byte more", [&[0], r, &[0], s].concat()),
        ("DER", [&[0x30, u8::try_from(sequence.len()).unwrap()][..], &sequence].concat()),
    ]);
    forged
}

fn edwards(signature: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let (point, scalar) = signature.split_at(32);
    let turned = |bytes: &[u8]| bytes.iter().rev().copied().collect::<Vec<u8>>();
    let beyond = turned(&sum(&turned(scalar), &number(ED25519)));
    let (zero, identity) = (small(0, 32), turned(&small(1, 32)));
    let mut high = scalar.to_vec();
    high[31] |= 0x80;
    let mut forged = of_other_length(signature);
    forged.extend([
        ("a scalar beyond the order", [point, &beyond].concat()),
        ("a scalar with its highest bit", [point, &high].concat()),
        ("no scalar", [point, &zero].concat()),
        ("the order for a scalar", [point, &turned(&number(ED25519))].concat()),
        ("the identity and nothing", [identity.clone(), zero.clone()].concat()),
        ("the identity", [&identity, scalar].concat()),
        ("a point of small order", [&zero, scalar].concat()),
        ("halves change places", [scalar, point].concat()),
    ]);
    forged
}

fn rsa(signer: &Signer, signature: &[u8], message: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let modulus = bytes(signer.jwk["n"].as_str().unwrap());
    let one = small(1, modulus.len());
    let other = |way| signer.rsa_signature(way, message).unwrap();
    let mut forged = of_other_length(signature);
    forged.extend([
        ("one", one.clone()),
        ("the modulus", modulus.clone()),
        ("one less than the modulus", less(&modulus, &one)),
        ("the same beyond the modulus", sum(signature, &modulus)),
        ("the other way round", less(&modulus, signature)),
        ("PKCS #1 with SHA-384", other(&RSA_PKCS1_SHA384)),
        ("PKCS #1 with SHA-512", other(&RSA_PKCS1_SHA512)),
        ("PSS with SHA-384", other(&RSA_PSS_SHA384)),
        ("PSS with SHA-512", other(&RSA_PSS_SHA512)),
    ]);
    forged
}

#[tokio::test]
async fn malformed_signature_is_rejected() {
    let signers = Signer::of_every_algorithm();
    let verifier = verifier(&signers.each_ref());
    for signer in &signers {
        let token = signer.assertion(&assertion_claims());
        let (message, signature) = token.rsplit_once('.').unwrap();
        let signature = bytes(signature);
        let forged = match signer.algorithm {
            "ES256" => elliptic(&signature, P256),
            "ES384" => elliptic(&signature, P384),
            "EdDSA" => edwards(&signature),
            _ => rsa(signer, &signature, message.as_bytes()),
        };
        assert!(forged.len() > 15, "{}", signer.algorithm);
        for (what, forged) in forged {
            let token = format!("{message}.{}", base64url(&forged));
            assert!(verifier.assertion(&token, now()).await.is_err(), "{}: {what}", signer.algorithm);
        }
        // Padded, with a line end, or incomplete.
        for text in [format!("{token}="), format!("{token}=="), format!("{token}\n"), token.replacen(message, "", 1)] {
            assert!(verifier.assertion(&text, now()).await.is_err(), "{}: {text:?}", signer.algorithm);
        }
        assert!(verifier.assertion(&token, now()).await.is_ok(), "{}: the one that it is", signer.algorithm);
    }
}

#[tokio::test]
async fn mirrored_elliptic_signature_is_a_replay() {
    let signer = Signer::es256("key");
    let token = signer.assertion(&assertion_claims());
    let (message, signature) = token.rsplit_once('.').unwrap();
    let signature = bytes(signature);
    let (r, s) = signature.split_at(32);
    let other = [r, &*less(&number(P256), s)].concat();
    // JWS accepts both (RFC 7518, 3.4), and each can be computed from the other. Both have the same `jti`, which makes
    // the second a replay.
    let accepted = verifier(&[&signer]).assertion(&format!("{message}.{}", base64url(&other)), now()).await.unwrap();
    let own = verifier(&[&signer]).assertion(&token, now()).await.unwrap();
    assert_eq!(accepted.jti.as_str(), own.jti.as_str());
}
