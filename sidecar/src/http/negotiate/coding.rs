//! The content coding, chosen by `Accept-Encoding`.

use contract::manifest::Coding;

use super::list::{Quality, elements};

/// Which codings a file exists in, in the order of [`Coding::ALL`].
pub type Available = [bool; Coding::ALL.len()];

/// Returns the coding for a request with these `Accept-Encoding` fields; `None` is the uncompressed file.
///
/// The highest weight wins; among equals the order of [`Coding::ALL`] decides. A coding is preferred to none, unless
/// `identity` has a higher weight. If nothing is acceptable, the uncompressed file is sent (RFC 9110, 12.5.3), which
/// every client can read.
pub fn coding<'a>(accept_encoding: impl Iterator<Item = &'a [u8]>, available: Available) -> Option<Coding> {
    let mut weights = [None; Coding::ALL.len()];
    let (mut identity, mut any) = (None, None);
    for element in elements(accept_encoding) {
        let slot = if element.name == b"*" {
            &mut any
        } else if element.name.eq_ignore_ascii_case(b"identity") {
            &mut identity
        } else if let Some(index) = index_of(element.name) {
            &mut weights[index]
        } else {
            continue;
        };
        *slot = (*slot).max(Some(element.quality));
    }
    let mut best: (Quality, Option<Coding>) = (0, None);
    for (index, coding) in Coding::ALL.into_iter().enumerate() {
        let quality = weights[index].or(any).unwrap_or(0);
        if available[index] && quality > best.0 {
            best = (quality, Some(coding));
        }
    }
    if identity.is_some_and(|identity| identity > best.0) { None } else { best.1 }
}

fn index_of(name: &[u8]) -> Option<usize> {
    // RFC 9110, 8.4.1.3: `x-gzip` is `gzip`.
    if name.eq_ignore_ascii_case(b"x-gzip") {
        return index_of(Coding::Gzip.as_str().as_bytes());
    }
    Coding::ALL.iter().position(|coding| name.eq_ignore_ascii_case(coding.as_str().as_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: Available = [true; 3];

    fn of(field: &str, available: Available) -> Option<Coding> {
        coding([field.as_bytes()].into_iter(), available)
    }

    #[test]
    fn absent_accept_encoding_means_plain_bytes() {
        assert_eq!(coding([].into_iter(), ALL), None);
        assert_eq!(of("", ALL), None);
        assert_eq!(of("identity", ALL), None);
        assert_eq!(of("deflate, compress", ALL), None);
    }

    #[test]
    fn best_coding_of_equals_is_chosen() {
        assert_eq!(of("gzip, deflate, br, zstd", ALL), Some(Coding::Br));
        assert_eq!(of("gzip, zstd", ALL), Some(Coding::Zstd));
        assert_eq!(of("gzip, deflate, br, zstd", [false, false, true]), Some(Coding::Gzip));
        assert_eq!(of("GZIP", ALL), Some(Coding::Gzip));
        assert_eq!(of("x-gzip", ALL), Some(Coding::Gzip));
        assert_eq!(of("*", ALL), Some(Coding::Br));
    }

    #[test]
    fn weights_come_before_preference() {
        assert_eq!(of("br;q=0.5, gzip;q=0.8", ALL), Some(Coding::Gzip));
        assert_eq!(of("br;q=0, *", ALL), Some(Coding::Zstd));
        assert_eq!(of("identity, gzip;q=0.5", ALL), None);
        assert_eq!(of("identity;q=0.5, gzip;q=0.5", ALL), Some(Coding::Gzip));
    }

    #[test]
    fn forbidden_codings_are_not_used() {
        assert_eq!(of("gzip;q=0", ALL), None);
        assert_eq!(of("*;q=0", ALL), None);
        assert_eq!(of("identity;q=0, gzip;q=0.1", ALL), Some(Coding::Gzip));
        assert_eq!(of("identity;q=0, zstd;q=0.1", ALL), Some(Coding::Zstd));
    }

    #[test]
    fn plain_bytes_are_the_last_resort() {
        assert_eq!(of("identity;q=0", ALL), None);
        assert_eq!(of("br, identity;q=0", [false, true, true]), None);
    }

    /// Makes elements of a field, with weights in tenths.
    fn elements() -> impl Strategy<Value = Vec<(&'static str, u16)>> {
        let names = vec!["br", "zstd", "gzip", "x-gzip", "GZIP", "identity", "*", "deflate"];
        proptest::collection::vec((prop::sample::select(names), 0_u16..=10), 0..6)
    }

    fn field(elements: &[(&str, u16)]) -> String {
        elements.iter().map(|(name, q)| format!("{name};q={}.{}", q / 10, q % 10)).collect::<Vec<_>>().join(", ")
    }

    /// Returns the highest weight of the names for which `is_meant` holds.
    fn highest(elements: &[(&str, u16)], is_meant: impl Fn(&str) -> bool) -> Option<u16> {
        elements.iter().filter(|(name, _)| is_meant(name)).map(|(_, q)| *q).max()
    }

    /// Returns the weight that the client gives to a coding.
    fn weight(elements: &[(&str, u16)], coding: Coding) -> u16 {
        let known = |name: &str| name.to_ascii_lowercase().trim_start_matches("x-") == coding.as_str();
        highest(elements, known).or_else(|| highest(elements, |name| name == "*")).unwrap_or(0)
    }

    proptest! {
        #[test]
        fn accept_encoding_bytes_have_an_answer(fields: Vec<Vec<u8>>, available: Available) {
            let chosen = coding(fields.iter().map(Vec::as_slice), available);
            prop_assert!(chosen.is_none_or(|chosen| available[chosen as usize]));
        }

        #[test]
        fn chosen_coding_exists_and_has_the_highest_weight(
            mut elements in elements(),
            available: Available,
        ) {
            let chosen = of(&field(&elements), available);
            let there = || Coding::ALL.into_iter().filter(|coding| available[*coding as usize]);
            let best = there().map(|coding| weight(&elements, coding)).max().unwrap_or(0);
            let plain = highest(&elements, |name| name == "identity").unwrap_or(0);
            if let Some(chosen) = chosen {
                prop_assert!(available[chosen as usize]);
                prop_assert!(best > 0 && best >= plain);
                prop_assert_eq!(there().find(|coding| weight(&elements, *coding) == best), Some(chosen));
            } else {
                prop_assert!(best == 0 || plain > best);
            }
            elements.reverse();
            prop_assert_eq!(of(&field(&elements), available), chosen);
        }
    }
}
