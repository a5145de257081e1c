//! The two languages of the service, and values that exist once per language.

use std::{fmt, ops::Index, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

// Specification, "Query parameter `locale`". The next line is published with every schema.
/// A language the firm publishes in: exactly `en` or `tr`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "documented variants are published as a choice of schemas, which clients misread")]
pub enum Locale {
    // English, the default of the API.
    En,
    // Turkish.
    Tr,
}

impl Locale {
    /// Both locales, in the order in which every output lists them.
    pub const ALL: [Self; 2] = [Self::En, Self::Tr];
    /// The locale of a request without one.
    pub const DEFAULT: Self = Self::En;

    /// Returns the code on the wire, in paths and in `lang` attributes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Tr => "tr",
        }
    }

    /// Returns the other locale.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::En => Self::Tr,
            Self::Tr => Self::En,
        }
    }
}

impl fmt::Display for Locale {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A locale code that is neither `en` nor `tr`, compared byte for byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownLocale;

impl FromStr for Locale {
    type Err = UnknownLocale;

    fn from_str(code: &str) -> Result<Self, UnknownLocale> {
        Self::ALL.into_iter().find(|locale| locale.as_str() == code).ok_or(UnknownLocale)
    }
}

/// One value for each locale.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerLocale<T> {
    /// The English value.
    pub en: T,
    /// The Turkish value.
    pub tr: T,
}

impl<T> PerLocale<T> {
    /// Builds both values with the same function.
    pub fn build(mut each: impl FnMut(Locale) -> T) -> Self {
        Self { en: each(Locale::En), tr: each(Locale::Tr) }
    }

    /// Returns the value of `locale`, mutable.
    pub fn of_mut(&mut self, locale: Locale) -> &mut T {
        match locale {
            Locale::En => &mut self.en,
            Locale::Tr => &mut self.tr,
        }
    }

    /// Returns both values with their locales, in the order of [`Locale::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Locale, &T)> {
        Locale::ALL.into_iter().map(|locale| (locale, &self[locale]))
    }
}

impl<T> Index<Locale> for PerLocale<T> {
    type Output = T;

    fn index(&self, locale: Locale) -> &T {
        match locale {
            Locale::En => &self.en,
            Locale::Tr => &self.tr,
        }
    }
}
