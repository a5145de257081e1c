//! Damaged and forged bytes of an index.

use bytes::Bytes;
use contract::Locale;
use proptest::prelude::*;

use super::{TURKISH, bytes};
use crate::{
    Index, IndexError,
    format::{HEADER, MARK, VERSION, checksum},
};

/// Corrects the checksum, as an attacker would.
fn sign(bytes: &mut [u8]) {
    if bytes.len() >= 24 {
        let sum = checksum(&bytes[24..]);
        bytes[16..24].copy_from_slice(&sum.to_le_bytes());
    }
}

fn ask(bytes: Vec<u8>) {
    if let Ok(index) = Index::parse(Bytes::from(bytes)) {
        for query in ["iş hukuku", "sozlesme", "\"açık rıza\"", "tazmnat", "k", "12/3"] {
            let hits = index.search(query, 50);
            assert!(hits.iter().all(|hit| hit.snippet().chars().count() <= 240));
        }
    }
}

#[test]
fn damage_to_any_byte_is_detected() {
    let whole = bytes(Locale::Tr, TURKISH);
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        assert!(Index::parse(Bytes::from(damaged)).is_err(), "byte {at}");
    }
    for length in 0..whole.len() {
        assert!(Index::parse(Bytes::from(whole[..length].to_vec())).is_err(), "length {length}");
    }
}

#[test]
fn other_files_versions_and_damage_are_distinguished() {
    let whole = bytes(Locale::Tr, TURKISH);
    let parse = |bytes: &[u8]| Index::parse(Bytes::copy_from_slice(bytes)).err();
    assert_eq!(parse(b""), Some(IndexError::Unknown));
    assert_eq!(parse(&[0; 4096]), Some(IndexError::Unknown));
    assert_eq!(parse(&whole[..whole.len() - 1]), Some(IndexError::Damaged));
    let mut version = whole.clone();
    version[4] += 1;
    assert_eq!(parse(&version), Some(IndexError::Version(VERSION + 1)));
}

#[test]
fn one_forged_byte_causes_no_panic() {
    let whole = bytes(Locale::Tr, TURKISH);
    for at in (24..HEADER).chain((HEADER..whole.len()).step_by(7)) {
        for change in [0x01, 0x80, 0xff] {
            let mut forged = whole.clone();
            forged[at] ^= change;
            sign(&mut forged);
            ask(forged);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn arbitrary_bytes_are_refused_or_harmless(mut bytes in prop::collection::vec(any::<u8>(), 0..600), marked in any::<bool>()) {
        if marked && bytes.len() >= HEADER {
            bytes[..4].copy_from_slice(&MARK);
            bytes[4..8].copy_from_slice(&VERSION.to_le_bytes());
            bytes[8..16].copy_from_slice(b"tr\0\0\0\0\0\0");
            sign(&mut bytes);
            prop_assert_ne!(Index::parse(Bytes::copy_from_slice(&bytes)).err(), Some(IndexError::Unknown));
        }
        ask(bytes);
    }

    #[test]
    fn many_forged_bytes_cause_no_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40)) {
        let mut forged = bytes(Locale::Tr, TURKISH);
        let length = forged.len();
        for (at, byte) in changes {
            let at = at.index(length);
            if at >= HEADER {
                forged[at] = byte;
            }
        }
        sign(&mut forged);
        ask(forged);
    }
}
