//! Every page as a resource, and the templates of their addresses.

use contract::{
    Locale, PerLocale,
    mcp::{CataloguePage, LawChanged, RESOURCE_TYPE, Template},
    routes,
    text::Date,
};
use serde_json::json;
use site::{ChangeOfLaw, PageKind, twin_path};

use super::{Raw, raw};
use crate::{
    RenderError,
    feeds::moment,
    pages::{Archive, start_description, start_title},
    shared::Shared,
};

/// Variables in the path of a page, in the order of its segments.
const VARIABLES: [&str; 3] = ["locale", "section", "slug"];

/// The data of a page that is available without rendering it.
struct PageSummary<'a> {
    path: &'a str,
    locale: Locale,
    title: &'a str,
    description: &'a str,
    translation: Option<&'a str>,
    compared: Option<&'a Date>,
    is_stale: bool,
    law_changes: &'a [ChangeOfLaw],
    updated: Option<&'a Date>,
}

/// Returns every page: the start page, then pages, practice areas and people in both languages, then the articles, then
/// the archives, because many clients read only the first part of the list; and the instructions for agents, which are
/// read like a page.
pub(super) fn all(shared: &PerLocale<Shared>, archives: &[Archive]) -> Result<Vec<CataloguePage<Raw>>, RenderError> {
    let here = &shared[Locale::DEFAULT];
    let (title, description) = (start_title(here.site), start_description(here.site));
    let start = PageSummary {
        path: "/",
        locale: Locale::DEFAULT,
        title: &title,
        description: &description,
        translation: Some(&shared[Locale::DEFAULT.other()].home().path),
        compared: None,
        is_stale: false,
        law_changes: &[],
        updated: None,
    };
    let mut pages = vec![page(here, &start)?];
    for are_articles in [false, true] {
        for (locale, shared) in shared.iter() {
            let documents = shared.content.documents();
            let those = documents.filter(|(kind, ..)| (*kind == Some(PageKind::Publications)) == are_articles);
            for (_, document, updated) in those {
                let known = PageSummary {
                    path: &document.path,
                    locale,
                    title: &document.title,
                    description: &document.description,
                    translation: document.translation.as_deref(),
                    compared: document.compared.as_ref(),
                    is_stale: document.is_stale,
                    law_changes: &document.law_changes,
                    updated,
                };
                pages.push(page(shared, &known)?);
            }
        }
    }
    for (locale, shared) in shared.iter() {
        for archive in archives.iter().filter(|archive| archive.locale == locale) {
            let title = archive.heading(shared);
            let known = PageSummary {
                path: &archive.path,
                locale,
                title: &title,
                description: &archive.description,
                translation: archive.translation(),
                compared: None,
                is_stale: false,
                law_changes: &[],
                updated: archive.updated(),
            };
            pages.push(page(shared, &known)?);
        }
    }
    pages.push(CataloguePage {
        path: routes::AUTH_MD.to_owned(),
        twin: routes::AUTH_MD.to_owned(),
        locale: Locale::DEFAULT,
        title: "Access for agents".to_owned(),
        translation: None,
        compared: None,
        stale: false,
        law_changed: Vec::new(),
        updated: None,
        resource: None,
    });
    Ok(pages)
}

fn page(shared: &Shared, known: &PageSummary) -> Result<CataloguePage<Raw>, RenderError> {
    let twin = twin_path(known.path);
    let name = twin.trim_start_matches('/').trim_end_matches(".md");
    // The page as an entry of the resource list.
    let mut resource = json!({
        "uri": shared.site.absolute(&twin),
        "name": name,
        "title": known.title,
        "mimeType": RESOURCE_TYPE,
    });
    if !known.description.is_empty() {
        resource["description"] = known.description.into();
    }
    if let Some(updated) = known.updated {
        // Clients reject a date without a time.
        resource["annotations"] = json!({ "lastModified": moment(updated) });
    }
    Ok(CataloguePage {
        path: known.path.to_owned(),
        locale: known.locale,
        title: known.title.to_owned(),
        translation: known.translation.map(str::to_owned),
        compared: known.compared.map(ToString::to_string),
        stale: known.is_stale,
        law_changed: known.law_changes.iter().map(|change| law_changed(change, known.locale)).collect(),
        updated: known.updated.map(ToString::to_string),
        resource: Some(raw(&resource)?),
        twin,
    })
}

pub(super) fn law_changed(change: &ChangeOfLaw, locale: Locale) -> LawChanged {
    LawChanged {
        law: change.law.value.clone(),
        articles: change.articles.iter().map(ToString::to_string).collect(),
        in_force: change.in_force.to_string(),
        what: change.what[locale].clone(),
    }
}

/// Returns the templates for clients, and the patterns for completion by the sidecar.
pub(super) fn templates(shared: &Shared) -> Result<(Raw, Vec<Template>), RenderError> {
    let kinds = [
        (3, "entry", "An entry of a section", "A practice area, a person, a publication or an archive."),
        (2, "page", "A page or a section", "A section of the site, or a page that stands for itself."),
        (1, "home", "The home page", "The home page in one language."),
    ];
    let mut described = Vec::new();
    let mut patterns = Vec::new();
    for (depth, name, title, description) in kinds {
        // In a path of two segments the slug stands in the place of the section.
        let mut variables: Vec<String> = VARIABLES.iter().take(depth).map(|name| (*name).to_owned()).collect();
        if depth == 2 {
            VARIABLES[2].clone_into(&mut variables[1]);
        }
        let path = format!("/{{{}}}", variables.join("}/{"));
        let uri = shared.site.absolute(&twin_path(&path));
        described.push(json!({
            "uriTemplate": uri,
            "name": name,
            "title": title,
            "description": format!("{description} `locale` is `en` or `tr`."),
            "mimeType": RESOURCE_TYPE,
        }));
        patterns.push(Template { uri, variables });
    }
    Ok((raw(&json!({ "resourceTemplates": described }))?, patterns))
}
