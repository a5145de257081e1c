//! `Accept-Language` (RFC 9110, 12.5.4). Only for forms; pages and the API ignore it.

use contract::Locale;

use super::list::elements;

/// Returns the locale that `fields` prefer, or `None` if they name neither.
pub fn language<'a>(fields: impl Iterator<Item = &'a [u8]>) -> Option<Locale> {
    let mut best: Option<(u16, Locale)> = None;
    for element in elements(fields).filter(|element| element.quality > 0) {
        let primary = element.name.split(|byte| *byte == b'-').next().unwrap_or_default();
        let locale = Locale::ALL.into_iter().find(|locale| primary.eq_ignore_ascii_case(locale.as_str().as_bytes()));
        // Among equal weights, the first counts.
        if let Some(locale) = locale
            && best.is_none_or(|(quality, _)| quality < element.quality)
        {
            best = Some((element.quality, locale));
        }
    }
    best.map(|(_, locale)| locale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_wished_for_locale_wins() {
        for (field, expected) in [
            ("tr", Some(Locale::Tr)),
            ("tr-TR,tr;q=0.9,en-US;q=0.8", Some(Locale::Tr)),
            ("en-GB, tr;q=0.9", Some(Locale::En)),
            ("de, en;q=0.3, TR;q=0.7", Some(Locale::Tr)),
            ("en;q=0, tr;q=0.1", Some(Locale::Tr)),
            ("tr, en", Some(Locale::Tr)),
            ("tr;q=0", None),
            ("*", None),
            ("trx, e", None),
            ("", None),
        ] {
            assert_eq!(language([field.as_bytes()].into_iter()), expected, "{field}");
        }
    }
}
