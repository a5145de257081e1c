//! Structured data for search engines (schema.org), as JSON-LD.
//!
//! The firm is one node with an identifier, referenced by every page. It contains no advertising: no ratings, reviews,
//! prices or claims of expertise.

use citations::{Cited, Law};
use contract::{Locale, text::Date};
use markdown::turkish;
use serde_json::{Value, json};
use site::{AreaEntry, ArticleEntry, Document, MemberEntry, Office, OpeningHours, Page, PageKind};

use super::{feeds, shared::Shared, view::PictureView};

/// Describes a page outside sections. The home page describes the firm and the site.
pub(super) fn page(shared: &Shared, page: &Page) -> String {
    let (document, kind) = (&page.document, page.kind);
    let node = match kind {
        PageKind::Home => return graph(shared, vec![firm(shared), website(shared)], &[]),
        PageKind::Contact => "ContactPage",
        PageKind::About => "AboutPage",
        PageKind::PracticeAreas | PageKind::Team | PageKind::Publications => "CollectionPage",
        _ => "WebPage",
    };
    let mut nodes = vec![web_page(shared, node, document, shared.content.updated(page), None)];
    if kind == PageKind::Contact {
        nodes.push(firm(shared));
    }
    graph(shared, nodes, &[breadcrumb(document)])
}

pub(super) fn practice_area(shared: &Shared, area: &AreaEntry) -> String {
    let page = web_page(shared, "WebPage", &area.document, area.document.updated.as_ref(), None);
    graph(shared, vec![page], &section_trail(shared, PageKind::PracticeAreas, breadcrumb(&area.document)))
}

/// Describes a person as `Person` with a job title, because schema.org deprecates `Attorney`.
pub(super) fn person(shared: &Shared, member: &MemberEntry) -> String {
    let document = &member.document;
    let id = person_id(shared, document);
    let mut node = author(shared, member);
    // The fields of law of the profile, by the names of their pages.
    let areas = member.practice_areas.iter().filter_map(|key| shared.content.practice_area(key));
    let areas = areas.map(|area| area.document.title.as_str());
    let school = |name: &String| json!({ "@type": "EducationalOrganization", "name": name });
    let schools: Vec<Value> = member.alumni_of.iter().map(school).collect();
    let more = json!({
        "jobTitle": member.title,
        "worksFor": firm_reference(shared),
        "email": member.email,
        "telephone": member.telephone,
        "knowsLanguage": list(&member.languages),
        "knowsAbout": list(&areas.collect::<Vec<_>>()),
        "hasCredential": member.bar.as_ref().map(|bar| json!({
            "@type": "EducationalOccupationalCredential",
            "credentialCategory": "license",
            "name": bar,
        })),
        "alumniOf": list(&schools),
        "sameAs": member.linkedin.as_ref().map(|profile| [profile]),
    });
    if let (Value::Object(node), Value::Object(more)) = (&mut node, more) {
        node.extend(more);
    }
    let page = web_page(shared, "ProfilePage", document, document.updated.as_ref(), Some(&id));
    graph(shared, vec![page, node], &section_trail(shared, PageKind::Team, breadcrumb(document)))
}

/// Describes a person as an author: name, page and picture.
fn author(shared: &Shared, member: &MemberEntry) -> Value {
    let document = &member.document;
    without_nulls(json!({
        "@type": "Person",
        "@id": person_id(shared, document),
        "name": document.title,
        "url": shared.site.absolute(&document.path),
        "image": member.portrait.as_ref().map(|portrait| shared.site.absolute(&portrait.path)),
    }))
}

/// Describes an article; the authors' own pages describe them in full.
pub(super) fn publication(shared: &Shared, publication: &ArticleEntry, picture: Option<&PictureView>) -> String {
    let document = &publication.document;
    let url = shared.site.absolute(&document.path);
    let mut authors: Vec<Value> =
        shared.authors(publication).into_iter().map(|member| author(shared, member)).collect();
    let author = if authors.len() == 1 { authors.remove(0) } else { list(&authors) };
    let node = json!({
        "@type": "Article",
        "headline": document.title,
        "inLanguage": document.locale,
        "url": url,
        "mainEntityOfPage": url,
        "image": picture.map(|picture| &picture.url),
        "publisher": firm_reference(shared),
        "description": Some(&document.description).filter(|description| !description.is_empty()),
        "datePublished": publication.date.as_ref().map(feeds::moment),
        "dateModified": publication.updated().map(feeds::moment),
        "author": author,
        "keywords": list(&publication.tags),
        "citation": list(&[cited_laws(shared, document), cited_decisions(shared, document)].concat()),
    });
    graph(shared, vec![node], &section_trail(shared, PageKind::Publications, breadcrumb(document)))
}

/// Describes the laws that an article cites, each with the cited articles.
fn cited_laws(shared: &Shared, document: &Document) -> Vec<Value> {
    let mut laws: Vec<(&Law, Vec<String>)> = Vec::new();
    for cited in &document.cites {
        let Some(law) = cited.law().and_then(|number| shared.site.settings.laws.get(number)) else { continue };
        let at = laws.iter().position(|(known, _)| known.number == law.number).unwrap_or_else(|| {
            laws.push((law, Vec::new()));
            laws.len() - 1
        });
        if let Cited::Article(_, article) = cited {
            let identifier = format!("{}/{}", law.number, article.whole());
            if !laws[at].1.contains(&identifier) {
                laws[at].1.push(identifier);
            }
        }
    }
    let article = |identifier: &String| json!({ "@type": "Legislation", "legislationIdentifier": identifier });
    let law = |(law, articles): &(&Law, Vec<String>)| {
        without_nulls(json!({
            "@type": "Legislation",
            "name": law.name(shared.locale == Locale::Tr),
            "legislationIdentifier": law.number,
            "legislationJurisdiction": "TR",
            "hasPart": list(&articles.iter().map(article).collect::<Vec<_>>()),
        }))
    };
    laws.iter().map(law).collect()
}

/// Describes the decisions of courts that an article cites.
fn cited_decisions(shared: &Shared, document: &Document) -> Vec<Value> {
    let in_turkish = shared.locale == Locale::Tr;
    let mut described: Vec<Value> = Vec::new();
    for cited in &document.cites {
        let Cited::Decision(decision) = cited else { continue };
        let node = json!({
            "@type": "CreativeWork",
            "name": decision.name(in_turkish),
            "identifier": cited.to_string(),
            "creator": { "@type": "GovernmentOrganization", "name": decision.court.name(in_turkish) },
        });
        if !described.contains(&node) {
            described.push(node);
        }
    }
    described
}

pub(super) fn archive(shared: &Shared, path: &str, title: &str, description: &str) -> String {
    let node = json!({
        "@type": "CollectionPage",
        "url": shared.site.absolute(path),
        "name": title,
        "description": description,
        "inLanguage": shared.locale,
        "isPartOf": { "@id": website_id(shared) },
        "publisher": firm_reference(shared),
    });
    graph(shared, vec![node], &section_trail(shared, PageKind::Publications, (title, path)))
}

fn breadcrumb(document: &Document) -> (&str, &str) {
    (&document.title, &document.path)
}

/// Returns the breadcrumbs of a page in a section.
fn section_trail<'s>(shared: &Shared<'s>, section: PageKind, page: (&'s str, &'s str)) -> Vec<(&'s str, &'s str)> {
    shared.page(section).map(breadcrumb).into_iter().chain([page]).collect()
}

/// Describes the firm with its further offices. A one-line address has no separate country, so none is given: it would
/// be a guess.
fn firm(shared: &Shared) -> Value {
    let contact = &shared.content.contact;
    let firm = &shared.site.settings.firm;
    let address = match contact.offices.first() {
        Some(main) => postal_address(main),
        None => json!({ "@type": "PostalAddress", "streetAddress": contact.address }),
    };
    let others: Vec<Value> = contact.offices.iter().skip(1).map(|office| branch(shared, office)).collect();
    json!({
        "@type": "LegalService",
        "@id": firm_id(shared),
        "name": firm.name[shared.locale],
        "description": firm.description[shared.locale],
        "url": shared.site.absolute("/"),
        "logo": shared.site.absolute(&firm.logo),
        "image": shared.site.absolute(&firm.logo),
        "email": contact.email,
        "telephone": contact.telephone,
        "address": address,
        "hasMap": contact.directions,
        "sameAs": contact.linkedin.as_ref().map(|profile| [profile]),
        "openingHoursSpecification": contact.hours.as_ref().and_then(opening_hours),
        "knowsLanguage": list(&contact.languages),
        "areaServed": contact.offices.first().map(areas_served),
        "subOrganization": list(&others),
    })
}

/// Describes an office other than the main one.
fn branch(shared: &Shared, office: &Office) -> Value {
    without_nulls(json!({
        "@type": "LegalService",
        "@id": shared.site.absolute(&format!("/#office-{}", office.key)),
        "name": format!("{}, {}", shared.site.settings.firm.name[shared.locale], office.name),
        "parentOrganization": firm_reference(shared),
        "email": office.email,
        "telephone": office.telephone,
        "address": postal_address(office),
        "areaServed": areas_served(office),
        "openingHoursSpecification": office.hours.as_ref().and_then(opening_hours),
        "hasMap": office.directions,
    }))
}

fn areas_served(office: &Office) -> Value {
    let areas = office.areas_served.iter().map(|name| json!({ "@type": "AdministrativeArea", "name": name }));
    list(&areas.collect::<Vec<_>>())
}

fn postal_address(office: &Office) -> Value {
    without_nulls(json!({
        "@type": "PostalAddress",
        "streetAddress": office.street,
        "postalCode": office.postal_code,
        "addressLocality": office.city,
        "addressCountry": office.country,
    }))
}

/// Describes office hours; `None` without `opens`, because schema.org would then consider the office closed.
fn opening_hours(hours: &OpeningHours) -> Option<[Value; 1]> {
    let opens = hours.opens.as_deref()?;
    let days: Vec<&str> = hours.days.iter().filter_map(|day| turkish::weekday(Locale::En, day)).collect();
    Some([without_nulls(json!({
        "@type": "OpeningHoursSpecification",
        "dayOfWeek": list(&days),
        "opens": opens,
        "closes": hours.closes,
    }))])
}

fn website(shared: &Shared) -> Value {
    json!({
        "@type": "WebSite",
        "@id": website_id(shared),
        "url": shared.site.absolute("/"),
        "name": shared.site.settings.firm.name[shared.locale],
        "inLanguage": Locale::ALL,
        "publisher": firm_reference(shared),
        "potentialAction": search_action(shared),
    })
}

/// Describes the search, if the site has one.
fn search_action(shared: &Shared) -> Option<Value> {
    let target = shared.search_url("{search_term_string}")?;
    Some(json!({
        "@type": "SearchAction",
        "target": { "@type": "EntryPoint", "urlTemplate": target },
        "query-input": "required name=search_term_string",
    }))
}

fn web_page(shared: &Shared, kind: &str, document: &Document, modified: Option<&Date>, entity: Option<&str>) -> Value {
    json!({
        "@type": kind,
        "url": shared.site.absolute(&document.path),
        "name": document.title,
        "description": document.description,
        "inLanguage": document.locale,
        "isPartOf": { "@id": website_id(shared) },
        "about": { "@id": firm_id(shared) },
        "publisher": firm_reference(shared),
        "dateModified": modified,
        "mainEntity": entity.map(|id| json!({ "@id": id })),
    })
}

/// Returns a list, or null for an empty one.
fn list<T: serde::Serialize>(items: &[T]) -> Value {
    if items.is_empty() { Value::Null } else { json!(items) }
}

pub(super) fn without_nulls(mut node: Value) -> Value {
    if let Value::Object(members) = &mut node {
        members.retain(|_, value| !value.is_null());
    }
    node
}

/// Returns the nodes of a page as a graph with breadcrumbs; `trail` lists names and paths below the home page.
fn graph(shared: &Shared, mut nodes: Vec<Value>, trail: &[(&str, &str)]) -> String {
    if !trail.is_empty() {
        let home = breadcrumb(shared.home());
        let steps = std::iter::once(home).chain(trail.iter().copied()).enumerate().map(|(at, (name, path))| {
            json!({ "@type": "ListItem", "position": at + 1, "name": name, "item": shared.site.absolute(path) })
        });
        nodes.push(json!({ "@type": "BreadcrumbList", "itemListElement": steps.collect::<Vec<_>>() }));
    }
    let nodes: Vec<Value> = nodes.into_iter().map(without_nulls).collect();
    let text = json!({ "@context": "https://schema.org", "@graph": nodes }).to_string();
    // Security: `</script>` and `<!--` must not end the script element around this text.
    if text.contains('<') { text.replace('<', "\\u003c") } else { text }
}

fn firm_id(shared: &Shared) -> String {
    shared.site.absolute("/#firm")
}

/// Refers to the firm from another node: as an `Organization`, because search engines expect an address in every
/// `LegalService`.
fn firm_reference(shared: &Shared) -> Value {
    json!({
        "@type": "Organization",
        "@id": firm_id(shared),
        "name": shared.site.settings.firm.name[shared.locale],
        "url": shared.site.absolute("/"),
        "logo": shared.site.absolute(&shared.site.settings.firm.logo),
    })
}

fn website_id(shared: &Shared) -> String {
    shared.site.absolute("/#website")
}

/// Returns the identifier of a person: the same in both languages, based on the default locale's page.
fn person_id(shared: &Shared, document: &Document) -> String {
    let path = match (document.locale == Locale::DEFAULT, &document.translation) {
        (false, Some(translation)) => translation,
        _ => &document.path,
    };
    format!("{}#person", shared.site.absolute(path))
}
