//! Archives of publications: one page for each year, each category and each cited law of a locale.

use citations::Cited;
use contract::{Locale, PerLocale, text::Date};
use markdown::turkish::nested;
use site::{ArticleEntry, CitedLaw, PageKind};

use super::{
    Locals,
    frame::{Data, Frame},
    source_text::TextForms,
};
use crate::{
    RenderError,
    archive_index::{article_number, law_title, series_name},
    feeds, json_ld,
    output::Output,
    shared::Shared,
    theme::{Theme, ThemeError},
    view::{CitedArticleView, LawView, Prepared, PublicationCard, PublicationsView},
};

/// The publications of a year, on a category or on a law, newest first.
#[derive(Debug)]
pub(crate) struct Archive<'a> {
    pub(crate) locale: Locale,
    pub(crate) path: String,
    title: String,
    /// A sentence about the archive.
    pub(crate) description: String,
    /// Path of the same archive in the other locale.
    translation: Option<String>,
    publications: Vec<&'a ArticleEntry>,
    of: ArchiveOf<'a>,
}

/// What the publications of an archive have in common.
#[derive(Clone, Copy, Debug)]
enum ArchiveOf<'a> {
    Year,
    /// The key.
    Category(&'a str),
    Law(&'a CitedLaw<'a>),
}

impl Archive<'_> {
    pub(crate) fn heading(&self, shared: &Shared) -> String {
        match shared.page(PageKind::Publications) {
            Some(section) if self.law().is_none() => format!("{}: {}", section.title, self.title),
            _ => self.title.clone(),
        }
    }

    /// Whether links to the page are rarely shared.
    pub(super) fn is_rarely_shared(&self) -> bool {
        !matches!(self.of, ArchiveOf::Category(_))
    }

    /// Returns the law to which the page belongs.
    pub(crate) fn law(&self) -> Option<&CitedLaw<'_>> {
        if let ArchiveOf::Law(law) = self.of { Some(law) } else { None }
    }

    /// Returns the key of the category to which the page belongs.
    pub(crate) fn category(&self) -> Option<&str> {
        if let ArchiveOf::Category(key) = self.of { Some(key) } else { None }
    }

    /// Returns whether the archive has feeds beside it.
    pub(crate) fn has_feeds(&self) -> bool {
        self.category().is_some() && self.updated().is_some()
    }

    pub(crate) fn updated(&self) -> Option<&Date> {
        self.publications.iter().find_map(|publication| publication.date.as_ref())
    }

    pub(crate) fn translation(&self) -> Option<&str> {
        self.translation.as_deref()
    }
}

/// Returns every archive of the site.
///
/// # Errors
/// If the words of their descriptions are missing.
pub(crate) fn archives<'a>(shared: &'a PerLocale<Shared<'a>>, theme: &Theme) -> Result<Vec<Archive<'a>>, ThemeError> {
    let mut archives = Vec::new();
    for (locale, here) in shared.iter() {
        let of_year = ArchiveSentences::new(theme, here, "year")?;
        let of_subject = ArchiveSentences::new(theme, here, "subject")?;
        let of_law = ArchiveSentences::new(theme, here, "law")?;
        let law_heading = theme.word(locale, "law/heading")?;
        let (index, other) = (&here.archives, &shared[locale.other()].archives);
        for (year, publications) in index.years.iter().rev() {
            archives.push(Archive {
                locale,
                path: index.year_path(*year),
                title: year.to_string(),
                description: of_year.of(&year.to_string(), publications.len()),
                translation: other.years.contains_key(year).then(|| other.year_path(*year)),
                publications: publications.clone(),
                of: ArchiveOf::Year,
            });
        }
        for category in &here.site.settings.categories {
            let publications = index.of_category(&category.key);
            if !publications.is_empty() {
                archives.push(Archive {
                    locale,
                    path: index.category_path(category),
                    title: category.name[locale].clone(),
                    description: of_subject.of(&category.name[locale], publications.len()),
                    translation: (!other.of_category(&category.key).is_empty()).then(|| other.category_path(category)),
                    publications: publications.to_vec(),
                    of: ArchiveOf::Category(category.key.as_str()),
                });
            }
        }
        for cited in &index.laws {
            let other = other.laws.iter().find(|other| other.law.number == cited.law.number);
            archives.push(Archive {
                locale,
                path: cited.path.clone(),
                title: law_heading.replace("{law}", &law_title(locale, cited.law)),
                description: of_law.of(&cited.law.number, cited.publications.len()),
                translation: other.map(|other| other.path.clone()),
                publications: cited.publications.iter().map(|place| &here.content.publications[*place]).collect(),
                of: ArchiveOf::Law(cited),
            });
        }
    }
    Ok(archives)
}

pub(super) fn is_archived(publication: &ArticleEntry) -> bool {
    publication.date.is_some() || publication.category.is_some()
}

/// Sentences that describe the archives of one kind in a locale.
struct ArchiveSentences<'a> {
    shared: &'a Shared<'a>,
    one: String,
    many: String,
}

impl<'a> ArchiveSentences<'a> {
    fn new(theme: &Theme, shared: &'a Shared<'a>, kind: &str) -> Result<Self, ThemeError> {
        let word = |key: String| theme.word(shared.locale, &format!("publications/archive/{key}"));
        Ok(Self { shared, one: word(format!("{kind}_one"))?, many: word(kind.to_owned())? })
    }

    fn of(&self, name: &str, count: usize) -> String {
        let sentence = if count == 1 { &self.one } else { &self.many };
        let firm = &self.shared.site.settings.firm.name[self.shared.locale];
        let count = self.shared.language.number(count as u64);
        let name = nested(name, sentence.split("{name}").next().and_then(|before| before.chars().next_back()));
        sentence.replace("{count}", &count).replace("{firm}", firm).replace("{name}", &name)
    }
}

pub(super) fn render(locals: Locals, archive: &Archive) -> Result<Output, RenderError> {
    let shared = locals.shared;
    let section = shared.page(PageKind::Publications);
    let title = archive.heading(shared);
    let frame = Frame {
        kind: if archive.law().is_some() { "law" } else { "publications-archive" },
        locale: archive.locale,
        path: &archive.path,
        title: &title,
        description: &archive.description,
        translation: archive.translation.as_deref(),
        compared: None,
        is_stale: false,
        law_changes: &[],
        fallback: PageKind::Publications,
        updated: archive.updated(),
        parts: vec![shared.trail(section)],
        section_path: section.map_or("", |section| &section.path),
        json_ld: json_ld::archive(shared, &archive.path, &title, &archive.description),
        indexed: true,
        feeds: match archive.of {
            ArchiveOf::Category(key) => feeds::page_feeds(&archive.path, &title, shared.by_category(key)),
            ArchiveOf::Year | ArchiveOf::Law(_) => Vec::new(),
        },
    };
    if let ArchiveOf::Law(cited) = archive.of {
        return frame.render(locals, TextForms::default(), Data::same(law(shared, cited)));
    }
    let data = PublicationsView {
        publications: shared.cards(archive.publications.iter().copied()),
        total: shared.language.number(archive.publications.len() as u64),
        laws: Prepared::new(&Vec::new()),
        years: shared.archives.year_links.clone(),
        categories: shared.archives.category_links.clone(),
        other_language_only: Vec::new(),
    };
    frame.render(locals, TextForms::default(), Data::same(data))
}

fn law(shared: &Shared, cited: &CitedLaw) -> LawView {
    let number = &cited.law.number;
    let card = |place: &usize, of: &Cited| {
        let publication = &shared.content.publications[*place];
        let days = publication.document.changes_since(of).into_iter();
        PublicationCard {
            law_changed: days.map(|day| shared.date(day)).collect(),
            ..shared.publication_card(publication)
        }
    };
    let cards = |places: &[usize], of: &Cited| places.iter().map(|place| card(place, of)).collect();
    let articles = cited.articles.iter().map(|(article, places)| CitedArticleView {
        series: series_name(article.series),
        number: article_number(article),
        publications: cards(places, &Cited::Article(number.clone(), article.clone())),
    });
    LawView {
        number: number.clone(),
        abbreviations: cited.law.abbreviations.clone(),
        changes: cited.changes.iter().map(|change| shared.law_change(change)).collect(),
        articles: articles.collect(),
        as_whole: cards(&cited.as_whole, &Cited::Law(number.clone())),
    }
}
