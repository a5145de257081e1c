//! The search index of a locale: a document for every page with a text of its own.
//!
//! Archives are left out: they repeat titles, and would rank before the pages of these titles.

use std::{
    collections::BTreeSet,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use citations::Cited;
use contract::{
    Locale,
    forms::search::{SearchContact, SearchFacts},
    manifest,
    text::Date,
};
use markdown::Plain;
use search::{Builder, PERSON};
use site::{AreaEntry, ArticleEntry, Document, MemberEntry, NetworkFirm, Page, PageKind, laws_path};

use super::{RenderError, Theme, archive_index::law_title, output::Output, shared::Shared, view::HoursView};

const PUBLICATION: &str = "publication";
const SECTION: &str = "section";

/// Media type of the index; only the sidecar reads it.
const MEDIA_TYPE: &str = "application/octet-stream";

/// The name of the profile network, the same in every language.
const LINKEDIN: &str = "LinkedIn";

/// The index while documents are added.
pub(super) struct SearchIndex<'s> {
    shared: &'s Shared<'s>,
    theme: &'s Theme,
    /// Idle builders; there are as many as threads that added documents at the same time.
    idle: Mutex<Vec<Builder>>,
}

/// Content of a page besides its text.
#[derive(Default)]
struct PageExtras {
    /// Words about the subject: a person's title, a publication's author.
    about: Vec<String>,
    /// Telephone numbers as digits, with which queries are compared.
    numbers: Vec<String>,
    /// Facts after the text.
    facts: String,
    result_facts: SearchFacts,
}

impl<'s> SearchIndex<'s> {
    pub(super) fn new(shared: &'s Shared<'s>, theme: &'s Theme) -> Self {
        Self { shared, theme, idle: Mutex::default() }
    }

    /// Adds a page outside sections.
    ///
    /// # Errors
    /// If the theme lacks the name of a fact.
    pub(super) fn add_page(&self, page: &Page, text: Plain) -> Result<(), RenderError> {
        let kind = match page.kind {
            PageKind::PracticeAreas | PageKind::Team | PageKind::Publications | PageKind::GlobalNetwork => SECTION,
            _ => "page",
        };
        let extras = match page.kind {
            PageKind::GlobalNetwork => {
                let facts = self.shared.content.network.iter().map(network_facts).collect();
                PageExtras { facts, ..PageExtras::default() }
            }
            PageKind::Contact => self.contact()?,
            _ => PageExtras::default(),
        };
        self.add(&page.document, kind, text, &extras);
        Ok(())
    }

    pub(super) fn add_practice_area(&self, area: &AreaEntry, text: Plain) {
        let result_facts =
            SearchFacts { subjects: self.subjects(std::slice::from_ref(&area.document.key)), ..SearchFacts::default() };
        self.add(&area.document, "practice-area", text, &PageExtras { result_facts, ..PageExtras::default() });
    }

    /// Adds a person.
    ///
    /// # Errors
    /// If the theme lacks the name of a fact.
    pub(super) fn add_person(&self, member: &MemberEntry, text: Plain) -> Result<(), RenderError> {
        let areas = member.practice_areas.iter().filter_map(|key| self.shared.content.practice_area(key));
        let mut about = vec![member.title.clone()];
        about.extend(areas.map(|area| area.document.title.clone()));
        let facts = [
            (self.word("contact/email")?, member.email.as_ref().map(ToString::to_string)),
            (self.word("contact/telephone")?, member.telephone.as_deref().map(contract::text::telephone::group_digits)),
            (self.word("person/bar")?, member.bar.clone()),
            (self.word("contact/languages")?, self.languages(&member.languages)),
            (LINKEDIN.to_owned(), member.linkedin.as_ref().map(ToString::to_string)),
        ];
        let facts = facts.iter().filter_map(line).collect();
        // Without a number of their own, people are reached through the office, as on the pages.
        let office = self.shared.contact_view();
        let through_office = format!("{} {}", self.word("contact/office")?, office.telephone_display);
        let contact = SearchContact {
            email: member.email.as_ref().map(ToString::to_string),
            telephone_display: Some(
                member.telephone.as_deref().map_or(through_office, contract::text::telephone::group_digits),
            ),
            telephone: Some(member.telephone.clone().unwrap_or(office.telephone)),
            ..SearchContact::default()
        };
        let subjects = self.subjects(&member.practice_areas);
        let numbers = member.telephone.as_deref().map(digits).into_iter().collect();
        let result_facts = SearchFacts { subjects, contact: Some(contact), ..SearchFacts::default() };
        self.add(&member.document, PERSON, text, &PageExtras { about, numbers, facts, result_facts });
        Ok(())
    }

    pub(super) fn add_publication(&self, publication: &ArticleEntry, text: Plain) {
        let shared = self.shared;
        let category = publication.category.as_deref().and_then(|key| shared.category(key));
        let authors = shared.authors(publication).into_iter().map(|member| member.document.title.clone());
        let about = authors.chain(category.map(|category| category.name[shared.locale].clone()));
        let about = about.chain(publication.tags.iter().cloned()).collect();
        let result_facts = SearchFacts {
            as_of: publication.document.updated.as_ref().map(ToString::to_string),
            year: publication.date.as_ref().map(Date::year).map(|year| year.to_string()),
            subjects: publication.category.iter().cloned().collect(),
            contact: None,
            ..SearchFacts::default()
        };
        self.add(
            &publication.document,
            PUBLICATION,
            text,
            &PageExtras { about, result_facts, ..PageExtras::default() },
        );
    }

    /// Adds a publication that exists only in the other language, `there`, so that words of this language find it:
    /// those of its subject and authors, and the synonyms of its title, headings and tags.
    pub(super) fn add_foreign_publication(&self, there: &Shared<'_>, publication: &ArticleEntry, text: &Plain) {
        let (locale, document) = (self.shared.locale, &publication.document);
        let of_category = publication.category.as_deref().and_then(|key| self.shared.category(key));
        let area = of_category.and_then(|it| self.shared.content.practice_area(it.practice_area.as_deref()?));
        let category = of_category.map(|category| category.name[locale].as_str());
        let authors = publication.authors.iter().filter_map(|key| self.shared.member(key));
        let headings = text.headings.iter().map(|range| &text.text[range.clone()]);
        let texts: Vec<&str> = std::iter::once(document.description.as_str())
            .chain(headings)
            .chain(publication.tags.iter().map(String::as_str))
            .collect();
        let groups = self.shared.site.settings.synonyms.iter();
        let pairs = || {
            groups.clone().map(|group| match locale {
                Locale::En => (group.tr.as_slice(), group.en.as_slice()),
                Locale::Tr => (group.en.as_slice(), group.tr.as_slice()),
            })
        };
        let title = search::translated(there.locale, &document.title, pairs());
        let title: Vec<&str> = category.into_iter().chain(title).collect();
        let mut headings = search::translated(there.locale, &texts.join("\n"), pairs());
        headings.extend(area.map(|area| area.document.title.as_str()));
        headings.extend(authors.map(|member| member.document.title.as_str()));
        // Without an address: results come from the other index.
        let title = &title.join(", ");
        self.write(&search::IndexedDocument {
            id: &document.path,
            title,
            headings: &headings,
            ..search::IndexedDocument::default()
        });
    }

    /// Returns the keys of the categories of these practice areas.
    fn subjects(&self, areas: &[String]) -> Vec<String> {
        let categories = self.shared.site.settings.categories.iter();
        let is_of = |area: &String| areas.contains(area);
        categories.filter(|it| it.practice_area.as_ref().is_some_and(is_of)).map(|it| it.key.clone()).collect()
    }

    /// Adds the index to `output`.
    pub(super) fn finish(&self, output: &mut Output) {
        let locale = self.shared.locale;
        self.add_laws();
        let builders = mem::take(&mut *self.idle());
        let groups = self.shared.site.settings.synonyms.iter();
        let synonyms: Vec<Vec<String>> = groups.map(|group| [&group.en[..], &group.tr].concat()).collect();
        output.push_part(manifest::SEARCH, Some(locale), MEDIA_TYPE, Builder::join(locale, builders, &synonyms));
    }

    /// Adds the pages of the cited laws, which their numbers, names and abbreviations find.
    fn add_laws(&self) {
        for cited in &self.shared.archives.laws {
            let term = citations::search_terms(&Cited::Law(cited.law.number.clone()));
            let names = cited.law.abbreviations.iter().map(String::as_str);
            self.write(&search::IndexedDocument {
                id: &cited.path,
                title: &law_title(self.shared.locale, cited.law),
                url: &self.shared.site.absolute(&cited.path),
                kind: SECTION,
                translation: &format!("{}{}", laws_path(self.shared.locale.other()), cited.law.number),
                headings: &names.collect::<Vec<_>>(),
                terms: &term.iter().map(String::as_str).collect::<Vec<_>>(),
                facts: "{}",
                ..search::IndexedDocument::default()
            });
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Builder>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, document: &Document, kind: &str, words: Plain, extras: &PageExtras) {
        let Plain { mut text, headings, .. } = words;
        let mut result_facts = extras.result_facts.clone();
        result_facts.cites = cited_articles(document);
        let terms = document.cites.iter().flat_map(citations::search_terms).collect::<BTreeSet<_>>();
        let terms = terms.iter().chain(&extras.numbers).map(String::as_str);
        if !extras.facts.is_empty() {
            text.push('\n');
            text.push_str(extras.facts.trim_end());
        }
        let headings: Vec<&str> = headings.iter().map(|range| &text[range.clone()]).collect();
        let about = extras.about.iter().map(String::as_str);
        let result_facts = serde_json::to_string(&result_facts).unwrap_or_default();
        self.write(&search::IndexedDocument {
            id: &document.path,
            title: &document.title,
            url: &self.shared.site.absolute(&document.path),
            kind,
            headings: &headings.into_iter().chain(about).collect::<Vec<_>>(),
            terms: &terms.collect::<Vec<_>>(),
            summary: &document.description,
            body: &text,
            translation: document.translation.as_deref().unwrap_or_default(),
            facts: &result_facts,
        });
    }

    fn write(&self, document: &search::IndexedDocument<'_>) {
        let waiting = self.idle().pop();
        let mut builder = waiting.unwrap_or_else(|| Builder::new(self.shared.locale));
        builder.add(document);
        self.idle().push(builder);
    }

    /// Returns the facts of the contact page. Their names rank as its subject: a search for `telephone` must find this
    /// page before articles that contain the word.
    fn contact(&self) -> Result<PageExtras, RenderError> {
        let contact = self.shared.contact_view();
        let offices = contact.offices.iter().filter_map(|office| office.telephone.as_deref());
        let numbers: Vec<String> = std::iter::once(contact.telephone.as_str()).chain(offices).map(digits).collect();
        let hours = contact.hours.map(hours_line);
        let facts = [
            (self.word("contact/address")?, Some(contact.address)),
            (self.word("contact/telephone")?, Some(contact.telephone_display)),
            (self.word("contact/email")?, Some(contact.email)),
            (self.word("contact/hours")?, hours),
            (self.word("contact/languages")?, self.languages(&self.shared.content.contact.languages)),
            (self.word("contact/directions")?, contact.directions),
            (LINKEDIN.to_owned(), contact.linkedin),
        ];
        let about = facts.iter().filter(|(_, fact)| fact.is_some()).map(|(name, _)| name.clone()).collect();
        let lines = facts.iter().filter_map(line);
        let offices = contact.offices.into_iter().map(|office| {
            let facts = [Some(office.address), office.telephone_display, office.email, office.hours.map(hours_line)];
            format!("{}: {}\n", office.name, facts.into_iter().flatten().collect::<Vec<_>>().join(", "))
        });
        let facts = std::iter::once(contact.description + "\n").chain(lines).chain(offices).collect();
        Ok(PageExtras { about, numbers, facts, ..PageExtras::default() })
    }

    fn word(&self, key: &str) -> Result<String, RenderError> {
        Ok(self.theme.word(self.shared.locale, key)?)
    }

    fn languages(&self, codes: &[String]) -> Option<String> {
        Some(self.shared.language_names(codes).join(", ")).filter(|names| !names.is_empty())
    }
}

/// Returns a telephone number without its signs.
fn digits(telephone: &str) -> String {
    telephone.chars().filter(char::is_ascii_digit).collect()
}

/// Returns the laws and articles that a text cites, each once, as [`Cited`] is written.
fn cited_articles(document: &Document) -> Vec<String> {
    let article = |cited: &Cited| match cited {
        Cited::Law(_) => Some(cited.to_string()),
        Cited::Article(law, article) => Some(format!("{law}/{}", article.whole())),
        Cited::Decision(_) => None,
    };
    document.cites.iter().filter_map(article).collect::<BTreeSet<_>>().into_iter().collect()
}

fn hours_line(hours: HoursView) -> String {
    let times: Vec<_> = [hours.opens, hours.closes].into_iter().flatten().collect();
    let texts = [hours.days, Some(times.join("–")), hours.time_zone].into_iter().flatten();
    texts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Formats a fact as the Markdown of a page does.
fn line((name, fact): &(String, Option<String>)) -> Option<String> {
    fact.as_ref().map(|fact| format!("{name}: {fact}\n"))
}

fn network_facts(firm: &NetworkFirm) -> String {
    let note = markdown::plain(&firm.note).text;
    format!(
        "{}, {}, {}. {}\n{note}\n",
        firm.name,
        firm.city,
        firm.country_name,
        firm.network.as_deref().unwrap_or_default()
    )
}
