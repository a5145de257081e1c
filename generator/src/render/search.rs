//! The search index of a locale: a document for every page that has words of its own.
//!
//! Archives are left out: they repeat titles, and would stand before the pages that the titles belong to.

use contract::manifest;
use search::Builder;

use super::{output::Output, shared::Shared};
use crate::{
    markdown::{self, Plain},
    site::{Document, NetworkFirm, Page, PageKind, PracticeArea, Publication, TeamMember},
};

/// Media type of the index; nobody but the sidecar reads it.
const MEDIA_TYPE: &str = "application/octet-stream";

/// The index, as it grows.
pub(super) struct SearchIndex<'s, 'a> {
    shared: &'s Shared<'a>,
    builder: Builder,
}

/// What a page shows beside its text.
#[derive(Default)]
struct Beside {
    /// Words that say what the page is about: a person's title, a publication's author.
    about: Vec<String>,
    /// Facts that stand after the text.
    facts: String,
}

impl<'s, 'a> SearchIndex<'s, 'a> {
    pub(super) fn new(shared: &'s Shared<'a>) -> Self {
        Self { shared, builder: Builder::new(shared.locale) }
    }

    /// Takes a fixed page with its Markdown.
    pub(super) fn page(&mut self, page: &Page, text: &str) {
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

    /// Takes a practice area with its Markdown.
    pub(super) fn practice_area(&mut self, area: &PracticeArea, text: &str) {
        self.add(&area.document, "practice-area", text, &Beside::default());
    }

    /// Takes a person with the Markdown.
    pub(super) fn person(&mut self, member: &TeamMember, text: &str) {
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

    /// Takes a publication with its Markdown.
    pub(super) fn publication(&mut self, publication: &Publication, text: &str) {
        let shared = self.shared;
        let author = publication.author.as_deref().and_then(|key| shared.member(key));
        let category = publication.category.as_deref().and_then(|key| shared.category(key));
        let about = author.map(|member| member.document.title.clone()).into_iter();
        let about = about.chain(category.map(|category| category.name[shared.locale].clone())).collect();
        self.add(&publication.document, "publication", text, &Beside { about, facts: String::new() });
    }

    /// Adds the index to `output`.
    pub(super) fn finish(self, output: &mut Output) {
        output.push_part(manifest::SEARCH, Some(self.shared.locale), MEDIA_TYPE, self.builder.build());
    }

    fn add(&mut self, document: &Document, kind: &str, text: &str, beside: &Beside) {
        let Plain { mut text, headings } = markdown::plain(text);
        if !beside.facts.is_empty() {
            text.push('\n');
            text.push_str(beside.facts.trim_end());
        }
        let headings: Vec<&str> = headings.iter().map(|range| &text[range.clone()]).collect();
        let about = beside.about.iter().map(String::as_str);
        self.builder.add(&search::Document {
            id: &document.path,
            title: &document.title,
            url: &self.shared.site.absolute(&document.path),
            kind,
            headings: &headings.into_iter().chain(about).collect::<Vec<_>>(),
            summary: &document.description,
            body: &text,
        });
    }

    fn contact_facts(&self) -> String {
        let contact = &self.shared.content.contact;
        let shown = contact.telephone_display.as_deref().unwrap_or(&contact.telephone);
        let hours = contact.hours.as_ref().map(|hours| {
            let language = &self.shared.language;
            let days = language.weekdays(hours.days.iter().map(String::as_str));
            format!("{days}, {}–{}", language.time(&hours.opens), language.time(&hours.closes))
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
