//! `/`: the one page that belongs to no language and offers both.

use contract::{Locale, PerLocale};

use super::frame::{Body, Data, Frame, language_of};
use crate::{
    render::{
        RenderError, json_ld,
        output::Output,
        shared::Shared,
        theme::Pages,
        view::{StartLanguage, StartView},
    },
    site::PageKind,
};

pub(super) fn start(shared: &PerLocale<Shared>, pages: &Pages) -> Result<Output, RenderError> {
    let languages = shared.iter().map(|(locale, shared)| {
        let firm = &shared.site.settings.firm;
        let path = shared.page(PageKind::Home).document.path.clone();
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
    let home = &shared.page(PageKind::Home).document;
    let frame = Frame {
        path: "/",
        title: &shared.site.settings.firm.name[Locale::DEFAULT],
        json_ld: json_ld::page(shared, home, PageKind::Home),
        ..Frame::of(home, "start", PageKind::Home)
    };
    frame.render(shared, pages, Body::default(), Data::same(data))
}
