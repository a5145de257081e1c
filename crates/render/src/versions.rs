//! The languages in which a page exists, for search engines (`hreflang`): in its head and in the sitemap.

use contract::{Locale, PerLocale};
use site::Site;

/// The code for readers of other languages.
const DEFAULT: &str = "x-default";

/// The paths of a page in each of its languages.
pub(super) struct Versions<'a> {
    by_locale: PerLocale<Option<&'a str>>,
    default: &'a str,
}

impl<'a> Versions<'a> {
    /// Returns the versions of the page at `path` in `locale`, itself included: every version lists the same ones.
    pub(super) fn of(site: &'a Site, locale: Locale, path: &'a str, translation: Option<&'a str>) -> Self {
        let home = |locale: Locale| site.home(locale).document.path.as_str();
        if path == "/" || path == home(locale) {
            // Readers of other languages get the start page, which offers the choice.
            return Self { by_locale: PerLocale::build(|locale| Some(home(locale))), default: "/" };
        }
        let by_locale = PerLocale::build(|each| if each == locale { Some(path) } else { translation });
        Self { default: by_locale[Locale::DEFAULT].unwrap_or(path), by_locale }
    }

    /// Returns the language and path of each version.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &'a str)> {
        let of_locales = self.by_locale.iter().filter_map(|(locale, path)| Some((locale.as_str(), (*path)?)));
        of_locales.chain([(DEFAULT, self.default)])
    }
}
