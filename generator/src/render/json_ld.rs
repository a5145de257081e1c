//! Structured data for search engines (schema.org), as JSON-LD.
//!
//! The firm is one node with an identifier that every page refers to. Nothing here promotes: no ratings, no reviews,
//! no prices, no claims of knowledge.

mod nodes;

use contract::Locale;
use markdown::turkish;

use self::nodes::{
    Archive, Article, Author, BreadcrumbList, Graph, LegalService, ListItem, Node, OpeningHours, Person, PostalAddress,
    Reference, WebPage, WebSite,
};
use super::shared::Shared;
use crate::site::{Document, Page, PageKind, PracticeArea, Publication, TeamMember};

/// Describes a fixed page. The home page describes the firm and the site.
pub(super) fn page(shared: &Shared, page: &Page) -> String {
    let (document, kind) = (&page.document, page.kind);
    let node = match kind {
        PageKind::Home => return graph(shared, vec![firm(shared), website(shared)], &[]),
        PageKind::Contact => "ContactPage",
        PageKind::About => "AboutPage",
        PageKind::PracticeAreas | PageKind::Team | PageKind::Publications => "CollectionPage",
        _ => "WebPage",
    };
    let modified = shared.content.updated(page);
    let mut nodes = vec![Node::Page(WebPage { modified, ..web_page(shared, node, document) })];
    if kind == PageKind::Contact {
        nodes.push(firm(shared));
    }
    graph(shared, nodes, &[step(document)])
}

/// Describes a practice area.
pub(super) fn practice_area(shared: &Shared, area: &PracticeArea) -> String {
    let section = &shared.page(PageKind::PracticeAreas).document;
    let page = web_page(shared, "WebPage", &area.document);
    graph(shared, vec![Node::Page(page)], &[step(section), step(&area.document)])
}

/// Describes a person: schema.org deprecates `Attorney`, so people are `Person` with a job title.
pub(super) fn person(shared: &Shared, member: &TeamMember) -> String {
    let document = &member.document;
    let node = Person {
        kind: "Person",
        id: person_id(shared, document),
        name: &document.title,
        url: shared.site.absolute(&document.path),
        title: &member.title,
        firm: firm_reference(shared),
        email: member.email.as_ref(),
        languages: &member.languages,
        profiles: member.linkedin.as_ref().map(|profile| [profile]),
    };
    let entity = Some(Reference { id: person_id(shared, document) });
    let page = WebPage { entity, ..web_page(shared, "ProfilePage", document) };
    let section = &shared.page(PageKind::Team).document;
    graph(shared, vec![Node::Page(page), Node::Person(node)], &[step(section), step(document)])
}

/// Describes an article.
pub(super) fn publication(shared: &Shared, publication: &Publication) -> String {
    let document = &publication.document;
    let url = shared.site.absolute(&document.path);
    let node = Article {
        kind: "Article",
        headline: &document.title,
        language: document.locale,
        url: &url,
        page: &url,
        publisher: firm_reference(shared),
        description: &document.description,
        published: publication.date.as_ref(),
        modified: publication.updated(),
        author: shared.author(publication).map(|member| Author {
            kind: "Person",
            id: person_id(shared, &member.document),
            name: &member.document.title,
        }),
    };
    let section = &shared.page(PageKind::Publications).document;
    graph(shared, vec![Node::Article(node)], &[step(section), step(document)])
}

/// Describes an archive of publications.
pub(super) fn archive(shared: &Shared, path: &str, title: &str, description: &str) -> String {
    let node = Archive {
        kind: "CollectionPage",
        url: shared.site.absolute(path),
        name: title,
        description,
        language: shared.locale,
        site: Reference { id: website_id(shared) },
    };
    let section = &shared.page(PageKind::Publications).document;
    graph(shared, vec![Node::Archive(node)], &[step(section), (title, path)])
}

/// Returns the breadcrumb of a document: one on the way to a page, or the page itself.
fn step(document: &Document) -> (&str, &str) {
    (&document.title, &document.path)
}

fn firm<'a>(shared: &Shared<'a>) -> Node<'a> {
    let contact = &shared.content.contact;
    let firm = &shared.site.settings.firm;
    // Without `opens`, schema.org considers a place closed, so days alone are left out.
    let hours = contact.hours.as_ref().and_then(|hours| {
        Some(OpeningHours {
            kind: "OpeningHoursSpecification",
            days: hours.days.iter().filter_map(|day| turkish::weekday(Locale::En, day)).collect(),
            opens: hours.opens.as_deref()?,
            closes: hours.closes.as_deref(),
        })
    });
    Node::Firm(LegalService {
        kind: "LegalService",
        id: firm_id(shared),
        name: &firm.name[shared.locale],
        description: &firm.description[shared.locale],
        url: shared.site.absolute("/"),
        logo: shared.site.absolute(&firm.logo),
        email: &contact.email,
        telephone: &contact.telephone,
        address: PostalAddress { kind: "PostalAddress", line: &contact.address },
        hours: hours.map(|hours| [hours]),
        languages: &contact.languages,
    })
}

fn website<'a>(shared: &Shared<'a>) -> Node<'a> {
    Node::Site(WebSite {
        kind: "WebSite",
        id: website_id(shared),
        url: shared.site.absolute("/"),
        name: &shared.site.settings.firm.name[shared.locale],
        languages: Locale::ALL,
        publisher: firm_reference(shared),
    })
}

fn web_page<'a>(shared: &Shared, kind: &'static str, document: &'a Document) -> WebPage<'a> {
    WebPage {
        kind,
        url: shared.site.absolute(&document.path),
        name: &document.title,
        description: &document.description,
        language: document.locale,
        site: Reference { id: website_id(shared) },
        about: firm_reference(shared),
        modified: document.updated.as_ref(),
        entity: None,
    }
}

/// Returns the nodes of a page, with its breadcrumbs from the home page down to the page: names and paths.
fn graph<'a>(shared: &Shared<'a>, mut nodes: Vec<Node<'a>>, trail: &[(&'a str, &'a str)]) -> String {
    if !trail.is_empty() {
        let home = step(&shared.page(PageKind::Home).document);
        let steps = std::iter::once(home).chain(trail.iter().copied()).enumerate().map(|(at, (name, path))| ListItem {
            kind: "ListItem",
            position: at + 1,
            name,
            item: shared.site.absolute(path),
        });
        nodes.push(Node::Trail(BreadcrumbList { kind: "BreadcrumbList", steps: steps.collect() }));
    }
    // Writing strings and numbers to memory cannot fail.
    let graph = Graph { context: "https://schema.org", nodes: &nodes };
    let text = serde_json::to_string(&graph).unwrap_or_default();
    // Security: `</script>` and `<!--` must not end the script element that contains this text.
    if text.contains('<') { text.replace('<', "\\u003c") } else { text }
}

fn firm_id(shared: &Shared) -> String {
    shared.site.absolute("/#firm")
}

fn firm_reference(shared: &Shared) -> Reference {
    Reference { id: firm_id(shared) }
}

fn website_id(shared: &Shared) -> String {
    shared.site.absolute("/#website")
}

/// Returns the identifier of a person. It is the same in both languages: that of the default locale's page.
fn person_id(shared: &Shared, document: &Document) -> String {
    let path = match (document.locale == Locale::DEFAULT, &document.translation) {
        (false, Some(translation)) => translation,
        _ => &document.path,
    };
    format!("{}#person", shared.site.absolute(path))
}
