//! All publications of a locale by year, by category and by cited law, and the links to their archives.

use std::collections::BTreeMap;

use citations::{Article, Law, Series};
use contract::Locale;
use site::{ArticleEntry, Category, CitedLaw, PageKind, Site};

use super::view::{ArchiveLink, Prepared};

/// Publications of a locale, newest first in each year and category.
pub(super) struct ArchiveIndex<'a> {
    locale: Locale,
    /// Public path of the section, the parent of the archives.
    section: &'a str,
    pub(super) years: BTreeMap<u16, Vec<&'a ArticleEntry>>,
    /// Publications by category key.
    categories: BTreeMap<&'a str, Vec<&'a ArticleEntry>>,
    /// The cited laws, by number.
    pub(super) laws: Vec<CitedLaw<'a>>,
    /// Links to the pages of the cited laws.
    pub(super) law_links: Prepared<Vec<ArchiveLink>>,
    /// Links to the archives of the years, newest first.
    pub(super) year_links: Prepared<Vec<ArchiveLink>>,
    /// Links to the archives of the categories, in the order of the settings.
    pub(super) category_links: Prepared<Vec<ArchiveLink>>,
}

/// Returns number and name of a law, as the locale cites it.
pub(super) fn law_title(locale: Locale, law: &Law) -> String {
    match locale {
        Locale::En => format!("{} (Law No. {})", law.name(false), law.number),
        Locale::Tr => format!("{} sayılı {}", law.number, law.name(true)),
    }
}

/// Returns the name of a numbering of articles among the words of the theme.
pub(super) fn series_name(series: Series) -> &'static str {
    match series {
        Series::Main => "article",
        Series::Additional => "additional",
        Series::Provisional => "provisional",
        Series::Repeated => "repeated",
    }
}

/// Returns the number of an article without its numbering: `553`, `107/A`, `550–555`.
pub(super) fn article_number(article: &Article) -> String {
    let letter = article.letter.map_or_else(String::new, |letter| format!("/{letter}"));
    let last = article.last.map_or_else(String::new, |last| format!("–{last}"));
    format!("{}{letter}{last}", article.first)
}

impl<'a> ArchiveIndex<'a> {
    /// Builds the index and prepares the links, which every archive shows.
    pub(super) fn new(site: &'a Site, locale: Locale) -> Self {
        let mut index = Self {
            locale,
            // Without this page there are no publications and no archives.
            section: site.page(locale, PageKind::Publications).map_or("", |page| &page.document.path),
            years: BTreeMap::new(),
            categories: BTreeMap::new(),
            laws: site.cited_laws(locale),
            law_links: Prepared::new(&Vec::new()),
            year_links: Prepared::new(&Vec::new()),
            category_links: Prepared::new(&Vec::new()),
        };
        for publication in &site.content[locale].publications {
            if let Some(date) = &publication.date {
                index.years.entry(date.year()).or_default().push(publication);
            }
            if let Some(key) = publication.category.as_deref() {
                index.categories.entry(key).or_default().push(publication);
            }
        }
        let link = |title: String, path: String, count: usize| {
            let url = site.absolute(&path);
            ArchiveLink { title, path, url, count }
        };
        let laws = index.laws.iter().map(|of| link(law_title(locale, of.law), of.path.clone(), of.publications.len()));
        index.law_links = Prepared::new(&laws.collect());
        let years = index.years.iter().rev();
        let years = years.map(|(year, of)| link(year.to_string(), index.year_path(*year), of.len()));
        index.year_links = Prepared::new(&years.collect());
        let categories = site.settings.categories.iter();
        let categories = categories.map(|category| {
            let count = index.of_category(&category.key).len();
            link(category.name[locale].clone(), index.category_path(category), count)
        });
        index.category_links = Prepared::new(&categories.filter(|link| link.count > 0).collect());
        index
    }

    pub(super) fn of_category(&self, key: &str) -> &[&'a ArticleEntry] {
        self.categories.get(key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn year_path(&self, year: u16) -> String {
        format!("{}/{year}", self.section)
    }

    pub(super) fn category_path(&self, category: &Category) -> String {
        format!("{}/{}", self.section, category.slug[self.locale])
    }
}
