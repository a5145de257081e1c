//! Responses of the content API: the five resources of the specification, byte for byte.

use std::{collections::BTreeMap, str::FromStr};

use contract::{
    Locale, PerLocale,
    manifest::{Axis, Class},
    media,
    resources::{
        ContactResponse, HealthResponse, Hours, List, PracticeArea, PracticeAreaList, Publication, PublicationList,
        TeamList, TeamMember,
    },
    routes,
    text::{Slug, Uri},
};
use findings::messages::{self, Text};
use serde::Serialize;
use site::{Document, PageKind, Site};

use super::{
    RenderError,
    output::{File, Output, RouteDraft, VariantDraft},
    shared::Shared,
};

type Resource = fn(&PerLocale<Shared>) -> Result<Output, RenderError>;

/// The lists and the contact details, one job each.
pub(super) const JOBS: [Resource; 4] = [
    |shared| localized(routes::PRACTICE_AREAS, shared, practice_areas),
    |shared| localized(routes::TEAM, shared, team),
    |shared| localized(routes::PUBLICATIONS, shared, publications),
    |shared| localized(routes::CONTACT, shared, contact),
];

/// Renders the health of the service, which is constant for a build.
pub(super) fn health(site: &Site) -> Result<Output, RenderError> {
    let answer = HealthResponse { ok: true, service: site.settings.service.clone(), sandbox: true };
    let mut output = Output::default();
    let file = json_file(routes::HEALTH);
    output.push_as(routes::HEALTH, file, Class::Health, media::JSON, json(&answer)?, VariantDraft::english());
    Ok(output)
}

pub(super) fn practice_areas(shared: &Shared) -> Result<PracticeAreaList, RenderError> {
    let items = shared.content.practice_areas.iter().map(|area| {
        Ok(PracticeArea {
            name: area.document.title.clone(),
            slug: slug(&area.document)?,
            url: url(shared, &area.document.path)?,
            summary: area.document.description.clone(),
        })
    });
    list(shared, items)
}

pub(super) fn team(shared: &Shared) -> Result<TeamList, RenderError> {
    let items = shared.content.team.iter().map(|member| {
        Ok(TeamMember {
            name: member.document.title.clone(),
            title: member.title.clone(),
            slug: slug(&member.document)?,
            url: url(shared, &member.document.path)?,
            email: member.email.clone(),
            linkedin: member.linkedin.clone(),
        })
    });
    list(shared, items)
}

pub(super) fn publications(shared: &Shared) -> Result<PublicationList, RenderError> {
    newest(shared, usize::MAX)
}

/// Returns the newest publications of a locale, at most `most`.
pub(super) fn newest(shared: &Shared, most: usize) -> Result<PublicationList, RenderError> {
    let items = shared.content.publications.iter().take(most).map(|publication| {
        let document = &publication.document;
        Ok(Publication {
            title: document.title.clone(),
            slug: slug(document)?,
            url: url(shared, &document.path)?,
            excerpt: Some(document.description.clone()).filter(|excerpt| !excerpt.is_empty()),
            date: publication.date.clone(),
            author: shared.author_names(publication),
            category: shared.category_name(publication).map(str::to_owned),
        })
    });
    list(shared, items)
}

pub(super) fn contact(shared: &Shared) -> Result<ContactResponse, RenderError> {
    let contact = &shared.content.contact;
    let page = |kind: PageKind| shared.page(kind).map(|page| page.path.as_str());
    let overview = routes::in_locale(shared.locale, routes::LLMS_TXT);
    let urls = [
        ("home", page(PageKind::Home)),
        ("practiceAreas", page(PageKind::PracticeAreas)),
        ("team", page(PageKind::Team)),
        ("publications", page(PageKind::Publications)),
        ("globalNetwork", page(PageKind::GlobalNetwork)),
        ("contact", page(PageKind::Contact)),
        ("developers", page(PageKind::Developers)),
        ("api", Some(routes::API_BASE)),
        ("openapi", Some(routes::OPENAPI)),
        ("mcp", shared.site.settings.agents.service.then_some(routes::MCP)),
        ("llms", Some(overview.as_str())),
    ];
    let there = urls.into_iter().filter_map(|(name, path)| Some((name, path?)));
    let urls: Result<BTreeMap<_, _>, RenderError> =
        there.map(|(name, path)| Ok((name.to_owned(), url(shared, path)?))).collect();
    Ok(ContactResponse {
        firm: shared.site.settings.firm.name[shared.locale].clone(),
        description: contact.description.clone(),
        email: contact.email.clone(),
        telephone: contact.telephone.clone(),
        telephone_display: contact.telephone_display.clone(),
        address: contact.address.clone(),
        directions_url: contact.directions.clone(),
        linkedin_url: contact.linkedin.clone(),
        urls: urls?,
        hours: contact.hours.as_ref().map(|hours| Hours {
            days: Some(shared.day_names(&hours.days)).filter(|names| !names.is_empty()),
            opens: hours.opens.clone(),
            closes: hours.closes.clone(),
            time_zone: hours.time_zone.clone(),
        }),
        languages: Some(shared.language_names(&contact.languages)).filter(|names| !names.is_empty()),
    })
}

fn list<T>(shared: &Shared, items: impl Iterator<Item = Result<T, RenderError>>) -> Result<List<T>, RenderError> {
    let items: Result<Vec<T>, RenderError> = items.collect();
    Ok(List::new(shared.site.settings.firm.name[shared.locale].clone(), shared.locale, items?))
}

fn localized<T: Serialize>(
    path: &str,
    shared: &PerLocale<Shared>,
    answer: impl Fn(&Shared) -> Result<T, RenderError>,
) -> Result<Output, RenderError> {
    let mut output = Output::default();
    let mut variants = Vec::new();
    for locale in Locale::ALL {
        let file = format!("{}.{locale}.json", path.trim_start_matches('/'));
        output.files.push(File {
            path: file.clone(),
            media_type: media::JSON,
            bytes: json(&answer(&shared[locale])?)?,
        });
        variants.push(VariantDraft { file, locale: Some(locale), ..VariantDraft::default() });
    }
    output.routes.push(RouteDraft {
        path: path.to_owned(),
        class: Class::Api,
        axis: Some(Axis::Locale),
        variants,
        not_found_below: None,
    });
    Ok(output)
}

fn slug(document: &Document) -> Result<Slug, RenderError> {
    document.slug.clone().ok_or_else(|| RenderError::Inconsistent(messages::slug_unknown(&document.path)))
}

/// Returns the absolute address of a path.
pub(super) fn url(shared: &Shared, path: &str) -> Result<Uri, RenderError> {
    let address = shared.site.absolute(path);
    Uri::from_str(&address).map_err(|_| RenderError::Inconsistent(messages::address_not_made(&address)))
}

/// Returns the file of a JSON response whose path has no extension.
pub(super) fn json_file(path: &str) -> String {
    format!("{}.json", path.trim_start_matches('/'))
}

/// Serializes a JSON response: compact, with a final newline.
pub(super) fn json(value: &impl Serialize) -> Result<Vec<u8>, RenderError> {
    let mut bytes = serde_json::to_vec(value).map_err(|error| RenderError::Inconsistent(Text::verbatim(error)))?;
    bytes.push(b'\n');
    Ok(bytes)
}
