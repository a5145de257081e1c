//! Telephone numbers for display.

/// Digits per group of a national number of Türkiye: area or network code, then three, two and two.
const GROUPS: [usize; 4] = [3, 3, 2, 2];

/// Formats `+902325550101` as `+90 232 555 01 01`. Numbers of other countries stay unchanged. Editors can set the
/// domestic form, `(0212) 234 56 78`, with `telephone_display`: readers abroad cannot dial it.
pub fn group_digits(number: &str) -> String {
    let national = number.strip_prefix("+90").unwrap_or_default();
    if national.len() != GROUPS.iter().sum::<usize>() || !national.bytes().all(|byte| byte.is_ascii_digit()) {
        return number.to_owned();
    }
    let mut grouped = "+90".to_owned();
    let mut rest = national;
    for length in GROUPS {
        let (group, others) = rest.split_at(length);
        grouped.push(' ');
        grouped.push_str(group);
        rest = others;
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::group_digits;

    #[test]
    fn only_numbers_of_tuerkiye_are_grouped() {
        assert_eq!(group_digits("+902325550101"), "+90 232 555 01 01");
        assert_eq!(group_digits("+902122345678"), "+90 212 234 56 78");
        assert_eq!(group_digits("+905321234567"), "+90 532 123 45 67");
        for other in ["+90232555010", "+9023255501012", "+442079460000", "+9", "", "+90232555 0101", "+90232555010ı"] {
            assert_eq!(group_digits(other), other);
        }
    }
}
