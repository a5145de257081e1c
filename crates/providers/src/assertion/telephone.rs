//! Telephone numbers, in one form, so that they can be compared.

/// Parses a telephone number in international form (E.164).
pub(super) fn telephone(text: &str) -> Option<String> {
    let digits = text.strip_prefix('+')?;
    let is_number = (7..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !digits.starts_with('0')).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn telephone_number_is_international() {
        assert!(telephone("+905321234567").is_some());
        for text in ["905321234567", "+0532123456", "+90 532 1234567", "+123456", "+1234567890123456", "+٩٠٥٣٢١٢٣٤٥٦"]
        {
            assert_eq!(telephone(text), None, "{text}");
        }
    }
}
