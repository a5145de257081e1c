//! Postal addresses in one line, in the order of the country.

/// Countries in which the postal code follows the city; in the others it precedes it (Universal Postal Union, S42).
const CODE_LAST: [&str; 34] = [
    "AU", "BD", "BH", "BN", "CA", "CN", "CO", "CR", "EG", "GB", "GG", "GI", "ID", "IE", "IM", "IN", "IQ", "JE", "JO",
    "JP", "KR", "LB", "LK", "MT", "NG", "NZ", "PK", "RU", "SA", "SG", "TH", "TW", "US", "ZA",
];

pub(super) struct AddressParts<'a> {
    pub(super) street: &'a str,
    pub(super) postal_code: Option<&'a str>,
    pub(super) city: &'a str,
    /// ISO 3166-1 code.
    pub(super) country: &'a str,
    pub(super) country_name: &'a str,
}

/// Joins the parts of an address: `Deneme Sokak No. 1, 35000 Konak / İzmir, Türkiye`.
pub(super) fn line(parts: &AddressParts) -> String {
    let AddressParts { street, postal_code, city, country, country_name } = parts;
    let place = match postal_code {
        None => (*city).to_owned(),
        Some(code) if CODE_LAST.contains(country) => format!("{city} {code}"),
        Some(code) => format!("{code} {city}"),
    };
    format!("{street}, {place}, {country_name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postal_code_precedes_or_follows_the_city_as_in_the_country() {
        let of = |postal_code, city, country, country_name| {
            line(&AddressParts { street: "1 Example Street", postal_code, city, country, country_name })
        };
        assert_eq!(
            of(Some("06420"), "Çankaya / Ankara", "TR", "Türkiye"),
            "1 Example Street, 06420 Çankaya / Ankara, Türkiye"
        );
        assert_eq!(
            of(Some("EC1A 1AA"), "London", "GB", "United Kingdom"),
            "1 Example Street, London EC1A 1AA, United Kingdom"
        );
        assert_eq!(of(None, "Dubai", "AE", "United Arab Emirates"), "1 Example Street, Dubai, United Arab Emirates");
        assert!(CODE_LAST.is_sorted());
    }
}
