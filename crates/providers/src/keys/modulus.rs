//! Detects weak RSA moduli: with a small factor, or made by a faulty smart-card library (ROCA, CVE-2017-15361).

/// Whether a number below 752 divides the odd modulus (NIST SP 800-89, 5.3.3). Of moduli with a typing error, five in
/// six have such a factor.
pub(super) fn has_small_factor(modulus: &[u8]) -> bool {
    (3..752).step_by(2).any(|number| remainder(modulus, number) == 0)
}

/// Primes modulo which moduli of that library are recognisable.
const TELLING: [u32; 17] = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157];

/// Whether the modulus is a power of 65537 modulo each of these primes. Of good moduli, one in two hundred million is.
pub(super) fn has_mark(modulus: &[u8]) -> bool {
    TELLING.iter().all(|prime| is_power(remainder(modulus, *prime), *prime))
}

fn remainder(number: &[u8], divisor: u32) -> u32 {
    number.iter().fold(0, |rest, byte| (rest << 8 | u32::from(*byte)) % divisor)
}

fn is_power(number: u32, prime: u32) -> bool {
    let mut power = 1;
    (0..prime).any(|_| {
        let is_it = power == number;
        power = power * (65_537 % prime) % prime;
        is_it
    })
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    use serde_json::json;

    use super::*;
    use crate::{
        keys::{Algorithm, KeySet},
        testing::Signer,
    };

    /// A modulus of that library, from the vectors of Project Wycheproof.
    const MARKED: &str = "AanFpofbj7KjD4Lf-N2hVMKR7yewSyXhhbirIMTGpfYEhZ_lnt5UoK98DnKIgArXGTu3MaW_HhFw16HGaTDUHqPrId7fe\
        4r11CqRw09yBFuW79V8sYIwHdzCaWflUI6auImYbVfoN9_nD5n8N8SY9DwXw7mwZM9wREPXoDPgOoIWl6q_MPsp7n0zs3Z5ZaiQWOOzl1S9Oh\
        wAfSiiOwz6efnXEaxuTEtPd7BjSx7NaFka8Dx9U7YqXy2RFj1O9PjyaDGuRh7YXsX3iMUSP_wSyHQg_c_qHRtKUsNSGCT7OZg0hzm2KphtjnayK\
        JvC64vAbROBR4Ubg6Bxg9IQVZ-QYyE";

    #[test]
    fn roca_key_is_not_used() {
        assert!(has_mark(&URL_SAFE_NO_PAD.decode(MARKED).unwrap()));
        let keys = json!({ "keys": [{ "kty": "RSA", "kid": "k", "n": MARKED, "e": "AQAB" }] });
        assert_eq!(KeySet::read(&keys, &Algorithm::ALL).unwrap().0.len(), 0);
    }

    #[test]
    fn generated_rsa_keys_are_not_weak() {
        for signer in [Signer::rs256("k"), Signer::ps256("k")] {
            let modulus = URL_SAFE_NO_PAD.decode(signer.jwk["n"].as_str().unwrap()).unwrap();
            assert!(!has_mark(&modulus) && !has_small_factor(&modulus));
        }
    }
}
