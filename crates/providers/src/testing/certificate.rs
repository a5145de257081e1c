//! Certificates for tests, with the part of RFC 5280 that TLS requires.

use std::sync::Arc;

use aws_lc_rs::{
    encoding::{AsDer as _, PublicKeyX509Der},
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use rustls::{
    ServerConfig,
    crypto::aws_lc_rs::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer},
};

const SEQUENCE: u8 = 0x30;
const ECDSA_WITH_SHA256: &[u8] = &[0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];
const COMMON_NAME: &[u8] = &[0x06, 3, 0x55, 4, 3];
const BASIC_CONSTRAINTS: &[u8] = &[0x06, 3, 0x55, 0x1d, 19];
const SUBJECT_ALTERNATIVE_NAME: &[u8] = &[0x06, 3, 0x55, 0x1d, 17];
const TRUE: &[u8] = &[1, 1, 0xff];

/// A key pair with a certificate.
pub struct Certified {
    name: &'static str,
    pair: EcdsaKeyPair,
    pub der: Vec<u8>,
}

impl Certified {
    /// Creates a self-signed authority.
    pub fn authority() -> Self {
        let (name, pair) = ("Test Authority", new_pair());
        let constraints = extension(BASIC_CONSTRAINTS, TRUE, &tlv(SEQUENCE, &[TRUE]));
        let der = certificate(name, &pair, name, &pair, &constraints);
        Self { name, pair, der }
    }

    /// Creates a host with a certificate of this authority.
    #[must_use]
    pub fn host(&self, host: &'static str) -> Self {
        let pair = new_pair();
        let names = extension(SUBJECT_ALTERNATIVE_NAME, &[], &tlv(SEQUENCE, &[&tlv(0x82, &[host.as_bytes()])]));
        let der = certificate(host, &pair, self.name, &self.pair, &names);
        Self { name: host, pair, der }
    }

    /// Returns the TLS configuration of a server with this certificate.
    pub fn server(&self) -> Arc<ServerConfig> {
        let key = self.pair.to_pkcs8v1().unwrap().as_ref().to_vec();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![CertificateDer::from(self.der.clone())], PrivateKeyDer::try_from(key).unwrap());
        Arc::new(config.unwrap())
    }
}

fn new_pair() -> EcdsaKeyPair {
    EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap()
}

fn certificate(subject: &str, pair: &EcdsaKeyPair, issuer: &str, signer: &EcdsaKeyPair, extension: &[u8]) -> Vec<u8> {
    let public: PublicKeyX509Der<'_> = pair.public_key().as_der().unwrap();
    let algorithm = tlv(SEQUENCE, &[ECDSA_WITH_SHA256]);
    let validity = tlv(SEQUENCE, &[&tlv(0x17, &[b"200101000000Z"]), &tlv(0x17, &[b"491231235959Z"])]);
    let version_and_number = [0xa0, 3, 2, 1, 2, 2, 1, 7];
    let to_sign = tlv(
        SEQUENCE,
        &[
            &version_and_number,
            &algorithm,
            &name(issuer),
            &validity,
            &name(subject),
            public.as_ref(),
            &tlv(0xa3, &[&tlv(SEQUENCE, &[extension])]),
        ],
    );
    let signature = signer.sign(&SystemRandom::new(), &to_sign).unwrap();
    tlv(SEQUENCE, &[&to_sign, &algorithm, &tlv(0x03, &[&[0], signature.as_ref()])])
}

fn name(common: &str) -> Vec<u8> {
    let attribute = tlv(SEQUENCE, &[COMMON_NAME, &tlv(0x0c, &[common.as_bytes()])]);
    tlv(SEQUENCE, &[&tlv(0x31, &[&attribute])])
}

fn extension(kind: &[u8], critical: &[u8], value: &[u8]) -> Vec<u8> {
    tlv(SEQUENCE, &[kind, critical, &tlv(0x04, &[value])])
}

/// Encodes tag, length and contents (ITU-T X.690).
fn tlv(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
    let contents = contents.concat();
    let length = u16::try_from(contents.len()).unwrap().to_be_bytes();
    let mut der = vec![tag];
    match length {
        [0, short @ 0..0x80] => der.push(short),
        [0, long] => der.extend([0x81, long]),
        long => der.extend([&[0x82][..], &long].concat()),
    }
    der.extend(contents);
    der
}
