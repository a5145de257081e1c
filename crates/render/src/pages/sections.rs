//! Pages outside sections: home, the section lists, contact, plain pages and the 404 page.

use contract::{forms::Slot, manifest::Class};
use site::{ArticleEntry, LinkForm, NetworkFirm, Page, PageKind};

use super::{
    Locals, archives, body_of, body_with,
    frame::{Data, Frame},
};
use crate::{
    RenderError, auth_md, json_ld,
    output::Output,
    shared::Shared,
    view::{
        AreasView, CountryView, HomeView, Markup, NetworkFirmView, NetworkView, PlainView, PublicationsView,
        SearchView, TeamView,
    },
};

/// Maximum number of publications on the home page.
const ON_HOME: usize = 5;
/// Maximum number of people on the home page.
const PEOPLE_ON_HOME: usize = 8;
/// Number of publications on the section's page, besides those in no archive. Older ones are in archives by year and
/// category, whose addresses stay the same when articles are added; numbered pages would shift.
const NEWEST: usize = 50;

pub(super) fn single(locals: Locals, of: &Page) -> Result<Output, RenderError> {
    let shared = locals.shared;
    match of.kind {
        PageKind::Home => page(locals, of, "home", Data::same(home(shared))),
        PageKind::PracticeAreas => page(locals, of, "practice-areas", Data::same(areas(shared))),
        PageKind::Team => page(locals, of, "team", Data::same(team(shared))),
        PageKind::Publications => page(locals, of, "publications", Data::same(publications(shared))),
        PageKind::GlobalNetwork => page(locals, of, "global-network", network(shared)),
        PageKind::Contact => page(locals, of, "contact", Data::same(PlainView {})),
        PageKind::Search => {
            let empty = SearchView { query: String::new(), results: Markup::new("") };
            // Its text is about searching, so it must not be found by a search.
            Ok(Output { text: None, ..page(locals, of, "search", Data::same(empty))? })
        }
        PageKind::NotFound => not_found(locals, of),
        PageKind::About
        | PageKind::Developers
        | PageKind::PrivacyNotice
        | PageKind::LegalNotice
        | PageKind::Accessibility
        | PageKind::Free => page(locals, of, "page", Data::same(PlainView {})),
    }
}

fn page<D: serde::Serialize>(
    locals: Locals,
    of: &Page,
    template: &'static str,
    data: Data<D>,
) -> Result<Output, RenderError> {
    let shared = locals.shared;
    let Page { document, kind } = of;
    let not_found = not_found_path(shared.locale);
    let path = if *kind == PageKind::NotFound { &not_found } else { &document.path };
    // The 404 page has no address for structured data or an index, and search results are not a page of their own.
    let indexed = !matches!(kind, PageKind::Search | PageKind::NotFound);
    let frame = Frame {
        path,
        parts: if *kind == PageKind::Home { Vec::new() } else { vec![shared.trail(None)] },
        section_path: path,
        json_ld: if indexed { json_ld::page(shared, of) } else { String::new() },
        updated: shared.content.updated(of),
        indexed,
        ..Frame::of(document, template, PageKind::Home)
    };
    let body = match kind {
        PageKind::Developers => {
            body_with(&locals, document, &auth_md::assertion(shared, locals.pages, locals.agents)?)?
        }
        _ => body_of(&locals, document)?,
    };
    frame.render(locals, body, data)
}

/// Returns the path of the 404 page: static hosts look for `404.html` at the root.
fn not_found_path(locale: contract::Locale) -> String {
    if locale == contract::Locale::DEFAULT { "/404".to_owned() } else { format!("/{locale}/404") }
}

/// Renders the 404 page of its locale; the default locale's answers the whole site.
fn not_found(locals: Locals, of: &Page) -> Result<Output, RenderError> {
    let of_default = locals.shared.locale == contract::Locale::DEFAULT;
    let below = if of_default { String::new() } else { format!("/{}", locals.shared.locale) };
    let mut output = page(locals, of, "not-found", Data::same(PlainView {}))?;
    // It has no address: its twin is not a route, and the page answers only below a prefix.
    output.routes.retain(|route| route.class == Class::Page);
    for route in &mut output.routes {
        route.not_found_below = Some(below.clone());
        for variant in &mut route.variants {
            variant.location = None;
            variant.link = None;
        }
    }
    Ok(output)
}

/// Renders the search page with slots for the sidecar.
pub(super) fn results(locals: Locals, of: &Page) -> Result<Output, RenderError> {
    let results = Markup::new(&Slot::Results.marker());
    page(locals, of, "search", Data::same(SearchView { query: Slot::Query.marker(), results }))
}

fn home(shared: &Shared) -> HomeView {
    HomeView {
        areas: shared.content.practice_areas.iter().map(|area| shared.area_card(area)).collect(),
        people: shared.content.team.iter().take(PEOPLE_ON_HOME).map(|member| shared.person_card(member)).collect(),
        more_people: shared.content.team.len() > PEOPLE_ON_HOME,
        publications: shared.cards(shared.content.publications.iter().take(ON_HOME)),
    }
}

fn areas(shared: &Shared) -> AreasView {
    AreasView { areas: shared.content.practice_areas.iter().map(|area| shared.area_card(area)).collect() }
}

fn team(shared: &Shared) -> TeamView {
    TeamView { people: shared.content.team.iter().map(|member| shared.person_card(member)).collect() }
}

fn publications(shared: &Shared) -> PublicationsView {
    let other = &shared.site.content[shared.locale.other()].publications;
    let only_there = other.iter().filter(|publication| publication.document.translation.is_none());
    PublicationsView {
        publications: shared.cards(listed_publications(shared)),
        total: shared.language.number(shared.content.publications.len() as u64),
        laws: shared.archives.law_links.clone(),
        years: shared.archives.year_links.clone(),
        categories: shared.archives.category_links.clone(),
        other_language_only: shared.cards(only_there.take(NEWEST)),
    }
}

/// Returns the newest publications, and those in no archive.
fn listed_publications<'a>(shared: &Shared<'a>) -> impl Iterator<Item = &'a ArticleEntry> {
    let all = shared.content.publications.iter().enumerate();
    let is_listed =
        |(place, publication): &(usize, &ArticleEntry)| *place < NEWEST || !archives::is_archived(publication);
    all.filter(is_listed).map(|(_, publication)| publication)
}

fn network(shared: &Shared) -> Data<NetworkView> {
    let html = |firm: &NetworkFirm| {
        markdown::to_html(&firm.note, shared.locale, &shared.note_targets(firm, LinkForm::RootRelative)).html
    };
    // On this page, each reference label belongs to only one firm. No key contains a full stop.
    let twin = |firm: &NetworkFirm| markdown::with_own_labels(&shared.note_twin(firm), &format!("{}.", firm.key));
    Data { html: countries(shared, html), markdown: Some(countries(shared, twin)) }
}

fn countries(shared: &Shared, note: impl Fn(&NetworkFirm) -> String) -> NetworkView {
    let firm = |firm: &NetworkFirm| NetworkFirmView {
        name: firm.name.clone(),
        city: firm.city.clone(),
        relation: firm.relation.as_str(),
        network: firm.network.clone(),
        url: firm.url.as_ref().map(ToString::to_string),
        note: note(firm),
    };
    let by_country = shared.content.network.chunk_by(|one, other| one.country == other.country);
    let countries = by_country.map(|firms| CountryView {
        code: firms[0].country.clone(),
        name: firms[0].country_name.clone(),
        firms: firms.iter().map(firm).collect(),
    });
    NetworkView { countries: countries.collect() }
}
