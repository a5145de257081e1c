//! The search index of a locale: a document for every page that has words of its own.
//!
//! Archives are left out: they repeat titles, and would rank before the pages that the titles belong to.

use std::{
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use contract::manifest;
use search::Builder;

use super::{output::Output, shared::Shared};
use crate::{
    markdown::{self, Plain},
    site::{Document, NetworkFirm, Page, PageKind, PracticeArea, Publication, TeamMember},
};

/// Media type of the index, which only the sidecar reads.
const MEDIA_TYPE: &str = "application/octet-stream";

/// The index while it grows.
pub(super) struct SearchIndex<'s> {
    shared: &'s Shared<'s>,
    /// Builders not in use; there are as many as threads have added documents at the same time.
    idle: Mutex<Vec<Builder>>,
}

/// What a page shows besides its text.
#[derive(Default)]
struct Beside {
    /// Words that say what the page is about: a person's title, a publication's author.
    about: Vec<String>,
    /// Facts placed after the text.
    facts: String,
}

impl<'s> SearchIndex<'s> {
    pub(super) fn new(shared: &'s Shared<'s>) -> Self {
        Self { shared, idle: Mutex::default() }
    }

    /// Adds a fixed page with its words.
    pub(super) fn page(&self, page: &Page, text: Plain) {
        let kind = match page.kind {
            PageKind::PracticeAreas | PageKind::Team | PageKind::Publications | PageKind::GlobalNetwork => "section",
            _ => "page",
        };
        let facts = match page.kind {
            PageKind::GlobalNetwork => self.shared.content.network.iter().map(network_facts).collect(),
            PageKind::Contact => self.contact_facts(),
            _ => String::new(),
        };
        self.add(&page.document, kind, text, &Beside { facts, ..Beside::default() });
    }

    /// Adds a practice area with its words.
    pub(super) fn practice_area(&self, area: &PracticeArea, text: Plain) {
        self.add(&area.document, "practice-area", text, &Beside::default());
    }

    /// Adds a person with the words of their page.
    pub(super) fn person(&self, member: &TeamMember, text: Plain) {
        let areas = member.practice_areas.iter().filter_map(|key| self.shared.content.practice_area(key));
        let mut about = vec![member.title.clone()];
        about.extend(areas.map(|area| area.document.title.clone()));
        let mut facts = self.shared.language_names(&member.languages).join(", ");
        let email = member.email.as_ref().map(ToString::to_string);
        for fact in [&member.bar, &email].into_iter().flatten() {
            facts.push('\n');
            facts.push_str(fact);
        }
        self.add(&member.document, "person", text, &Beside { about, facts });
    }

    /// Adds a publication with its words.
    pub(super) fn publication(&self, publication: &Publication, text: Plain) {
        let shared = self.shared;
        let author = publication.author.as_deref().and_then(|key| shared.member(key));
        let category = publication.category.as_deref().and_then(|key| shared.category(key));
        let about = author.map(|member| member.document.title.clone()).into_iter();
        let about = about.chain(category.map(|category| category.name[shared.locale].clone())).collect();
        self.add(&publication.document, "publication", text, &Beside { about, facts: String::new() });
    }

    /// Adds the index to `output`.
    pub(super) fn finish(&self, output: &mut Output) {
        let locale = self.shared.locale;
        let builders = mem::take(&mut *self.idle());
        output.push_part(manifest::SEARCH, Some(locale), MEDIA_TYPE, Builder::join(locale, builders));
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Builder>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, document: &Document, kind: &str, words: Plain, beside: &Beside) {
        let Plain { mut text, headings, .. } = words;
        if !beside.facts.is_empty() {
            text.push('\n');
            text.push_str(beside.facts.trim_end());
        }
        let headings: Vec<&str> = headings.iter().map(|range| &text[range.clone()]).collect();
        let about = beside.about.iter().map(String::as_str);
        let waiting = self.idle().pop();
        let mut builder = waiting.unwrap_or_else(|| Builder::new(self.shared.locale));
        builder.add(&search::Document {
            id: &document.path,
            title: &document.title,
            url: &self.shared.site.absolute(&document.path),
            kind,
            headings: &headings.into_iter().chain(about).collect::<Vec<_>>(),
            summary: &document.description,
            body: &text,
        });
        self.idle().push(builder);
    }

    fn contact_facts(&self) -> String {
        let contact = &self.shared.content.contact;
        let shown = contact.telephone_display.as_deref().unwrap_or(&contact.telephone);
        let hours = contact.hours.as_ref().map(|hours| {
            let language = &self.shared.language;
            let days = language.weekdays(hours.days.iter().map(String::as_str));
            let times: Vec<_> =
                [&hours.opens, &hours.closes].into_iter().flatten().map(|it| language.time(it)).collect();
            let said = [days, times.join("–")].into_iter().filter(|part| !part.is_empty());
            said.collect::<Vec<_>>().join(", ")
        });
        let languages = self.shared.language_names(&contact.languages).join(", ");
        let email = contact.email.to_string();
        [&contact.description, &contact.address, shown, &email, hours.as_deref().unwrap_or_default(), &languages]
            .join("\n")
    }
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
