//! `/`: the only page without a language; it offers both.

use contract::{Locale, PerLocale};
use site::{PageKind, Site};

use super::{
    Locals,
    frame::{Data, Frame, language_of},
    source_text::TextForms,
};
use crate::{
    RenderError, json_ld,
    output::Output,
    shared::Shared,
    view::{StartLanguage, StartView},
};

/// Separator between the texts of the two languages.
const BETWEEN: &str = " · ";

pub(super) fn start(shared: &PerLocale<Shared>, locals: Locals) -> Result<Output, RenderError> {
    let languages = shared.iter().map(|(locale, shared)| {
        let firm = &shared.site.settings.firm;
        let path = shared.home().path.clone();
        StartLanguage {
            locale: locale.as_str(),
            language: language_of(locale),
            name: firm.name[locale].clone(),
            tagline: firm.tagline[locale].clone(),
            url: shared.site.absolute(&path),
            path,
        }
    });
    let data = StartView { languages: languages.collect() };
    let shared = &shared[Locale::DEFAULT];
    let (title, description) = (title(shared.site), description(shared.site));
    let home = shared.content.pages.home();
    let frame = Frame {
        path: "/",
        title: &title,
        description: &description,
        // The content of this page is in the settings, which have no date.
        updated: None,
        // Both languages are on this page.
        compared: None,
        is_stale: false,
        law_changes: &[],
        json_ld: json_ld::page(shared, home),
        ..Frame::of(&home.document, "start", PageKind::Home)
    };
    frame.render(locals, TextForms::default(), Data::same(data))
}

/// Returns the firm's names in both languages: search results must distinguish the page from a locale's home page.
pub(crate) fn title(site: &Site) -> String {
    in_both(&site.settings.firm.name)
}

/// Returns the taglines in both languages.
pub(crate) fn description(site: &Site) -> String {
    in_both(&site.settings.firm.tagline)
}

fn in_both(text: &PerLocale<String>) -> String {
    if text.en == text.tr { text.en.clone() } else { [text.en.as_str(), &text.tr].join(BETWEEN) }
}
