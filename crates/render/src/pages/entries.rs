//! Pages of entries: a practice area, a person, a publication.

use content::Assistant;
use site::{AreaEntry, ArticleChange, ArticleEntry, MemberEntry, PageKind, card_paths};

use super::{
    Locals, body_of,
    frame::{Data, Frame},
};
use crate::{
    RenderError, feeds, json_ld,
    output::Output,
    shared::{ListedPublication, Shared},
    theme::SharedPart,
    vcards,
    view::{AreaView, AssistantView, ChangeView, PersonView, PublicationView},
};

/// Maximum number of publications on the page of an area.
const ON_AREA: usize = 8;
/// Maximum number of related publications on the page of a publication.
const RELATED: usize = 4;

pub(super) fn area(locals: Locals, area: &AreaEntry) -> Result<Output, RenderError> {
    let shared = locals.shared;
    let document = &area.document;
    let key = document.key.as_str();
    let people = shared.content.team.iter().filter(|member| member.practice_areas.iter().any(|area| area == key));
    let categories = shared.site.settings.categories.iter().filter(|it| it.practice_area.as_deref() == Some(key));
    let mut publications: Vec<_> = categories.flat_map(|category| shared.by_category(&category.key)).collect();
    publications.sort_by_key(|listed| listed.place);
    let data = AreaView {
        people: people.map(|member| shared.person_card(member)).collect(),
        publications: publications.into_iter().take(ON_AREA).map(|listed| listed.card.clone()).collect(),
    };
    let section = shared.page(PageKind::PracticeAreas);
    let frame = Frame {
        parts: vec![shared.trail(section)],
        section_path: section.map_or("", |section| &section.path),
        json_ld: json_ld::practice_area(shared, area),
        ..Frame::of(document, "practice-area", PageKind::PracticeAreas)
    };
    let body = body_of(&locals, document)?;
    frame.render(locals, body, Data::same(data))
}

pub(super) fn person(locals: Locals, member: &MemberEntry) -> Result<Output, RenderError> {
    let shared = locals.shared;
    let document = &member.document;
    let areas = member.practice_areas.iter().filter_map(|key| shared.content.practice_area(key));
    let has_card = vcards::has_card(member);
    let [vcard_path, vcard_old_path] = card_paths(&document.path).map(|path| has_card.then_some(path));
    let data = PersonView {
        job_title: member.title.clone(),
        lang: shared.name_language(member),
        email: member.email.as_ref().map(ToString::to_string),
        telephone: member.telephone.clone(),
        telephone_display: member.telephone.as_deref().map(contract::text::telephone::group_digits),
        linkedin: member.linkedin.as_ref().map(ToString::to_string),
        bar: member.bar.clone(),
        alumni_of: member.alumni_of.clone(),
        languages: shared.language_names(&member.languages),
        areas: areas.map(|area| shared.document_link(&area.document)).collect(),
        portrait: shared.portrait(member),
        initials: member.initials(),
        vcard_path,
        vcard_old_path,
        publications: shared.by_author(&document.key).iter().map(|listed| listed.card.clone()).collect(),
    };
    let section = shared.page(PageKind::Team);
    let frame = Frame {
        parts: vec![shared.trail(section)],
        section_path: section.map_or("", |section| &section.path),
        json_ld: json_ld::person(shared, member),
        feeds: feeds::page_feeds(&document.path, &document.title, shared.by_author(&document.key)),
        ..Frame::of(document, "person", PageKind::Team)
    };
    let body = body_of(&locals, document)?;
    frame.render(locals, body, Data::same(data))
}

pub(super) fn publication(locals: Locals, publication: &ArticleEntry) -> Result<Output, RenderError> {
    let shared = locals.shared;
    let document = &publication.document;
    let category = publication.category.as_deref().and_then(|key| shared.category(key));
    let area = category.and_then(|it| it.practice_area.as_deref()).and_then(|key| shared.content.practice_area(key));
    let same_category = publication.category.as_deref().map_or(&[][..], |key| shared.by_category(key));
    let related = same_category.iter().filter(|other| other.publication.document.key != document.key).take(RELATED);
    let related: Vec<&ListedPublication> = related.collect();
    let authors = shared.authors(publication);
    let change = |it: &ArticleChange| ChangeView { date: shared.date(&it.date), text: it.text.clone() };
    let changes = publication.changes.iter().map(change);
    let data = PublicationView {
        excerpt: Some(document.description.clone()).filter(|excerpt| !excerpt.is_empty()),
        date: publication.date.as_ref().map(|date| shared.date(date)),
        reviewed: document.updated.as_ref().map(|date| shared.date(date)),
        unreviewed: publication.is_unreviewed,
        changes: changes.collect(),
        authors: authors.iter().map(|member| shared.person_card(member)).collect(),
        author_names: shared.author_names(publication),
        category: shared.category_link(publication),
        tags: publication.tags.clone(),
        area: area.map(|area| shared.document_link(&area.document)),
        laws: shared.cited_laws(document),
        assistants: assistants(shared, &document.path),
        reading_minutes: reading_minutes(shared, document.words),
    };
    let section = shared.page(PageKind::Publications);
    let mut parts = vec![shared.trail(section)];
    if !authors.is_empty() {
        let keys: Vec<&str> = authors.iter().map(|author| author.document.key.as_str()).collect();
        let cards = move || authors.iter().map(|author| shared.person_card(author)).collect::<Vec<_>>();
        parts.push(SharedPart::new("authors", keys, cards));
    }
    if !related.is_empty() {
        let keys: Vec<&str> = related.iter().map(|other| other.publication.document.key.as_str()).collect();
        let cards = move || related.iter().map(|other| other.card.clone()).collect::<Vec<_>>();
        parts.push(SharedPart::new("related", keys, cards));
    }
    let frame = Frame {
        updated: publication.updated(),
        parts,
        section_path: section.map_or("", |section| &section.path),
        json_ld: json_ld::publication(shared, publication, locals.picture.as_ref()),
        ..Frame::of(document, "publication", PageKind::Publications)
    };
    let body = body_of(&locals, document)?;
    frame.render(locals, body, Data::same(data))
}

/// Returns the time to read `words`, in minutes, at least one. Turkish words are longer, so fewer are read per minute.
fn reading_minutes(shared: &Shared, words: u32) -> u32 {
    let words_a_minute = match shared.locale {
        contract::Locale::En => 200,
        contract::Locale::Tr => 180,
    };
    words.div_ceil(words_a_minute).max(1)
}

/// Returns the addresses that open the page at `path` in an assistant.
fn assistants(shared: &Shared, path: &str) -> Vec<AssistantView> {
    let article: String = shared
        .site
        .absolute(path)
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect();
    let view = |it: &Assistant| AssistantView { name: it.name.clone(), url: it.url.replace("{url}", &article) };
    shared.site.settings.assistants.iter().map(view).collect()
}
