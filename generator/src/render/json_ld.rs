//! Structured data for search engines (schema.org), as JSON-LD.
//!
//! The firm is one node with an identifier that every page refers to. Nothing here promotes: no ratings, no reviews,
//! no prices, no claims of knowledge.

use contract::Locale;
use serde_json::{Map, Value, json};

use super::shared::Shared;
use crate::site::{Document, PageKind, PracticeArea, Publication, TeamMember};

/// A fixed page. The home page describes the firm and the site.
pub(super) fn page(shared: &Shared, document: &Document, kind: PageKind) -> String {
    let node = match kind {
        PageKind::Home => return graph(shared, vec![firm(shared), website(shared)], &[]),
        PageKind::Contact => "ContactPage",
        PageKind::About => "AboutPage",
        PageKind::PracticeAreas | PageKind::Team | PageKind::Publications => "CollectionPage",
        _ => "WebPage",
    };
    let mut nodes = vec![web_page(shared, node, document)];
    if kind == PageKind::Contact {
        nodes.push(firm(shared));
    }
    graph(shared, nodes, &[document])
}

/// A practice area.
pub(super) fn practice_area(shared: &Shared, area: &PracticeArea) -> String {
    let section = &shared.page(PageKind::PracticeAreas).document;
    graph(shared, vec![web_page(shared, "WebPage", &area.document)], &[section, &area.document])
}

/// A person: schema.org deprecates `Attorney`, so people are `Person` with a job title.
pub(super) fn person(shared: &Shared, member: &TeamMember) -> String {
    let document = &member.document;
    let mut node = object(json!({
        "@type": "Person",
        "@id": person_id(shared, document),
        "name": document.title,
        "url": shared.site.absolute(&document.path),
        "jobTitle": member.title,
        "worksFor": { "@id": firm_id(shared) },
    }));
    if let Some(email) = &member.email {
        node.insert("email".into(), json!(email));
    }
    if !member.languages.is_empty() {
        node.insert("knowsLanguage".into(), json!(member.languages));
    }
    if let Some(profile) = &member.linkedin {
        node.insert("sameAs".into(), json!([profile]));
    }
    let mut page = object(web_page(shared, "ProfilePage", document));
    page.insert("mainEntity".into(), json!({ "@id": person_id(shared, document) }));
    let section = &shared.page(PageKind::Team).document;
    graph(shared, vec![page.into(), node.into()], &[section, document])
}

/// An article.
pub(super) fn publication(shared: &Shared, publication: &Publication) -> String {
    let document = &publication.document;
    let url = shared.site.absolute(&document.path);
    let mut node = object(json!({
        "@type": "Article",
        "headline": document.title,
        "inLanguage": document.locale,
        "url": url,
        "mainEntityOfPage": url,
        "publisher": { "@id": firm_id(shared) },
    }));
    if !document.description.is_empty() {
        node.insert("description".into(), json!(document.description));
    }
    if let Some(date) = &publication.date {
        node.insert("datePublished".into(), json!(date));
    }
    if let Some(date) = document.updated.as_ref().or(publication.date.as_ref()) {
        node.insert("dateModified".into(), json!(date));
    }
    if let Some(author) = publication.author.as_deref().and_then(|key| shared.member(key)) {
        node.insert(
            "author".into(),
            json!({ "@type": "Person", "@id": person_id(shared, &author.document), "name": author.document.title }),
        );
    }
    let section = &shared.page(PageKind::Publications).document;
    graph(shared, vec![node.into()], &[section, document])
}

/// An archive of publications.
pub(super) fn archive(shared: &Shared, path: &str, title: &str) -> String {
    let node = json!({
        "@type": "CollectionPage",
        "url": shared.site.absolute(path),
        "name": title,
        "inLanguage": shared.locale,
        "isPartOf": { "@id": website_id(shared) },
    });
    graph(shared, vec![node], &[&shared.page(PageKind::Publications).document])
}

fn firm(shared: &Shared) -> Value {
    let contact = &shared.content.contact;
    let firm = &shared.site.settings.firm;
    let mut node = object(json!({
        "@type": "LegalService",
        "@id": firm_id(shared),
        "name": firm.name[shared.locale],
        "description": firm.description[shared.locale],
        "url": shared.site.absolute("/"),
        "logo": shared.site.absolute(&firm.logo),
        "email": contact.email,
        "telephone": contact.telephone,
        "address": contact.address,
    }));
    if let Some(hours) = &contact.hours {
        let days: Vec<&str> = hours.days.iter().filter_map(|day| day_of_week(day)).collect();
        node.insert(
            "openingHoursSpecification".into(),
            json!([{
                "@type": "OpeningHoursSpecification",
                "dayOfWeek": days,
                "opens": hours.opens,
                "closes": hours.closes,
            }]),
        );
    }
    if !contact.languages.is_empty() {
        node.insert("knowsLanguage".into(), json!(contact.languages));
    }
    node.into()
}

fn website(shared: &Shared) -> Value {
    json!({
        "@type": "WebSite",
        "@id": website_id(shared),
        "url": shared.site.absolute("/"),
        "name": shared.site.settings.firm.name[shared.locale],
        "inLanguage": Locale::ALL,
        "publisher": { "@id": firm_id(shared) },
    })
}

fn web_page(shared: &Shared, kind: &str, document: &Document) -> Value {
    let mut node = object(json!({
        "@type": kind,
        "url": shared.site.absolute(&document.path),
        "name": document.title,
        "description": document.description,
        "inLanguage": document.locale,
        "isPartOf": { "@id": website_id(shared) },
        "about": { "@id": firm_id(shared) },
    }));
    if let Some(date) = &document.updated {
        node.insert("dateModified".into(), json!(date));
    }
    node.into()
}

/// The nodes of a page, with its breadcrumbs from the home page down to `trail`.
fn graph(shared: &Shared, mut nodes: Vec<Value>, trail: &[&Document]) -> String {
    if !trail.is_empty() {
        let home = &shared.page(PageKind::Home).document;
        let steps = std::iter::once(&home).chain(trail).enumerate().map(|(at, document)| {
            json!({
                "@type": "ListItem",
                "position": at + 1,
                "name": document.title,
                "item": shared.site.absolute(&document.path),
            })
        });
        nodes.push(json!({ "@type": "BreadcrumbList", "itemListElement": steps.collect::<Vec<_>>() }));
    }
    let text = json!({ "@context": "https://schema.org", "@graph": nodes }).to_string();
    // Security: `</script>` and `<!--` must not end the script element that holds this text.
    text.replace('<', "\\u003c")
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn day_of_week(day: &str) -> Option<&'static str> {
    Some(match day {
        "mon" => "Monday",
        "tue" => "Tuesday",
        "wed" => "Wednesday",
        "thu" => "Thursday",
        "fri" => "Friday",
        "sat" => "Saturday",
        "sun" => "Sunday",
        _ => return None,
    })
}

fn firm_id(shared: &Shared) -> String {
    shared.site.absolute("/#firm")
}

fn website_id(shared: &Shared) -> String {
    shared.site.absolute("/#website")
}

/// A person has one identifier in both languages: that of the default locale's page.
fn person_id(shared: &Shared, document: &Document) -> String {
    let path = match (document.locale == Locale::DEFAULT, &document.translation) {
        (false, Some(translation)) => translation,
        _ => &document.path,
    };
    format!("{}#person", shared.site.absolute(path))
}
