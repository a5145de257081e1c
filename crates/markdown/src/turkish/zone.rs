//! Names of time zones by their city.

use contract::Locale;

/// Zones whose city has another name in Turkish, or whose offset from UTC is the same all year. Names of cities from
/// Unicode CLDR 48. Other zones are named by the last part of their identifier.
const ZONES: [(&str, &str, &str, Option<&str>); 12] = [
    ("Asia/Baku", "Baku", "Bakü", Some("UTC+4")),
    ("Asia/Dubai", "Dubai", "Dubai", Some("UTC+4")),
    ("Asia/Famagusta", "Famagusta", "Gazimağusa", None),
    ("Asia/Nicosia", "Nicosia", "Lefkoşa", None),
    ("Asia/Riyadh", "Riyadh", "Riyad", Some("UTC+3")),
    ("Europe/Athens", "Athens", "Atina", None),
    ("Europe/Brussels", "Brussels", "Brüksel", None),
    ("Europe/Istanbul", "Istanbul", "İstanbul", Some("UTC+3")),
    ("Europe/London", "London", "Londra", None),
    ("Europe/Moscow", "Moscow", "Moskova", Some("UTC+3")),
    ("Europe/Vienna", "Vienna", "Viyana", None),
    ("Europe/Zurich", "Zurich", "Zürih", None),
];

/// Returns the name of a zone: `Istanbul time (UTC+3)`, `İstanbul saati (UTC+3)`. An offset that changes with the
/// season is left out.
pub(super) fn zone(locale: Locale, id: &str) -> String {
    let known = ZONES.iter().find(|(zone, ..)| *zone == id);
    let city = match (known, locale) {
        (Some((_, english, _, _)), Locale::En) => (*english).to_owned(),
        (Some((_, _, turkish, _)), Locale::Tr) => (*turkish).to_owned(),
        (None, _) => id.rsplit('/').next().unwrap_or(id).replace('_', " "),
    };
    let words = match locale {
        Locale::En => format!("{city} time"),
        Locale::Tr => format!("{city} saati"),
    };
    match known.and_then(|(.., offset)| *offset) {
        Some(offset) => format!("{words} ({offset})"),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zone_is_named_by_its_city_and_its_constant_offset() {
        for (id, english, turkish) in [
            ("Europe/Istanbul", "Istanbul time (UTC+3)", "İstanbul saati (UTC+3)"),
            ("Europe/London", "London time", "Londra saati"),
            ("America/New_York", "New York time", "New York saati"),
        ] {
            assert_eq!((zone(Locale::En, id).as_str(), zone(Locale::Tr, id).as_str()), (english, turkish));
        }
        assert!(ZONES.is_sorted_by_key(|(id, ..)| id));
    }
}
