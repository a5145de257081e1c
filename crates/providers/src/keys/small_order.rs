//! Detects weak Ed25519 keys: points of small order, and non-canonical encodings.

/// The points of small order without their sign bit (Chalkias, Garillot and Nikolaenko, "Taming the many `EdDSAs`",
/// table 1).
const SMALL_ORDER: [[u8; 32]; 5] = [
    word(0, 0),
    word(1, 0),
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
        0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20,
        0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
    word(0xec, 0xff),
];

/// The order of the field, 2^255 - 19. A `y` not below it has a second encoding.
const PRIME: [u8; 32] = word(0xed, 0xff);

/// Whether `point` is of small order or not canonical.
pub(super) fn is_weak(mut point: [u8; 32]) -> bool {
    point[31] &= 0x7f;
    SMALL_ORDER.contains(&point) || point.iter().rev().ge(PRIME.iter().rev())
}

/// Returns a 255-bit number, little-endian: `first`, then `others`.
const fn word(first: u8, others: u8) -> [u8; 32] {
    let mut word = [others; 32];
    word[0] = first;
    word[31] &= 0x7f;
    word
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::{Algorithm as Library, DecodingKey, crypto};
    use serde_json::json;

    use super::*;
    use crate::{
        keys::{Algorithm, KeySet},
        testing::{Signer, base64url},
    };

    fn is_used(point: [u8; 32]) -> bool {
        let keys = json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "kid": "k", "x": base64url(&point) }] });
        KeySet::read(&keys, &Algorithm::ALL).unwrap().0.len() == 1
    }

    #[test]
    fn small_order_and_non_canonical_keys_are_not_used() {
        for sign in [0, 0x80] {
            // Of small order.
            for mut point in SMALL_ORDER {
                point[31] |= sign;
                assert!(!is_used(point), "{point:02x?}");
            }
            // Not in canonical form.
            for first in 0xed..=0xff {
                let mut point = word(first, 0xff);
                point[31] |= sign;
                assert!(!is_used(point), "{point:02x?}");
            }
        }
    }

    #[test]
    fn other_keys_are_used() {
        for number in 0..100 {
            let signer = Signer::eddsa(&format!("k{number}"));
            assert_eq!(KeySet::read(&json!({ "keys": [signer.jwk] }), &Algorithm::ALL).unwrap().0.len(), 1);
        }
        let mut highest = word(0xeb, 0xff);
        assert!(is_used(highest), "one below -1");
        highest[31] = 0x7e;
        assert!(is_used(highest));
    }

    #[test]
    fn library_accepts_a_forged_signature_of_order_one() {
        let mut forged = [0; 64];
        forged[0] = 1;
        let key = DecodingKey::from_ed_der(&word(1, 0));
        let fits = crypto::verify(&base64url(&forged), b"any.token", &key, Library::EdDSA);
        assert!(fits.unwrap(), "the library does not look at this");
    }
}
