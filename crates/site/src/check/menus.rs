//! Checks of the menus in `site.toml`.

use std::collections::HashSet;

use content::{At, Kind, RESERVED_PAGES, Record, SETTINGS};
use contract::Locale;
use findings::{
    Code, Finding, Place, Span, is_slip,
    messages::{self, Text},
    nearest,
};

use super::references::with_misnamed_folder;
use crate::{Draft, MenuEntry, MenuTarget, PageKind};

/// Kinds of entries that menus cannot name.
const ENTRIES: [Kind; 4] = [Kind::PracticeAreas, Kind::Team, Kind::Publications, Kind::Network];

fn finding(code: Code, span: Span, message: Text) -> Finding {
    Finding::new(code, Place::new(SETTINGS, span), message)
}

pub(super) fn all(draft: &Draft, findings: &mut Vec<Finding>) {
    let settings = &draft.settings;
    for (name, menu) in [("navigation", &settings.navigation), ("footer", &settings.footer)] {
        let menu = menu.as_deref().unwrap_or_default();
        for (at, entry) in menu.iter().enumerate() {
            if let MenuTarget::Page(key) = &entry.value.target {
                page(draft, key, entry, findings);
            }
            let is_it = |other: &&At<MenuEntry>| {
                other.value.target == entry.value.target
                    && other.value.locales.iter().any(|locale| entry.value.locales.contains(locale))
            };
            if let Some(first) = menu[..at].iter().find(is_it) {
                let found = finding(Code::MENU_TWICE, entry.span, messages::menu_entry_twice(name));
                let found = found.related(Place::new(SETTINGS, first.span), messages::other_menu_entry());
                findings.push(found.help(messages::menu_entry_twice_help()));
            }
        }
    }
}

/// The pages of the default main menu, as far as they exist.
const USUAL: [&str; 6] = ["practice-areas", "team", "publications", "global-network", "about", "contact"];

/// Checks that a menu or a link leads to each page that the firm added.
pub(super) fn reachable(draft: &Draft, findings: &mut Vec<Finding>) {
    let settings = &draft.settings;
    let mut own = draft.keys(Kind::Pages).filter(|key| is_of_the_firm(draft, key)).peekable();
    if !settings.readable || own.peek().is_none() {
        return;
    }
    let menus = settings.navigation.iter().chain(&settings.footer).flatten();
    let in_menus: HashSet<(&str, Locale)> = menus
        .filter_map(|entry| match &entry.value.target {
            MenuTarget::Page(key) => Some((key.as_str(), &entry.value.locales)),
            MenuTarget::Elsewhere(_) => None,
        })
        .flat_map(|(key, locales)| locales.iter().map(move |locale| (key, *locale)))
        .collect();
    let links = draft.records.iter().flat_map(|record| {
        let links = record.prose.iter().flat_map(|prose| &prose.links);
        links.map(|link| (link.destination.split('#').next().unwrap_or_default(), record.locale))
    });
    let linked: HashSet<(&str, Locale)> = links.collect();
    let is_reached = |page: &Record| {
        let is_linked = |target: String| linked.contains(&(target.as_str(), page.locale));
        in_menus.contains(&(page.key.as_str(), page.locale))
            || is_linked(format!("@/pages/{}", page.key))
            || draft.path(page).is_some_and(is_linked)
    };
    for key in own {
        let mut pages = Locale::ALL.into_iter().filter_map(|locale| draft.record(Kind::Pages, key, locale));
        let Some(page) = pages.find(|page| !is_reached(page)) else { continue };
        let message = messages::page_not_reached(key);
        let found = Finding::new(Code::PAGE_NOT_REACHED, Place::file(page.file.as_str()), message);
        let has_both = draft.record(Kind::Pages, key, page.locale.other()).is_some();
        let found = found.help(if has_both {
            messages::page_not_reached_help(key)
        } else {
            messages::page_of_one_language_not_reached_help(key, page.locale)
        });
        let others: Vec<&str> = USUAL.into_iter().filter(|key| draft.has(Kind::Pages, key)).collect();
        findings.push(if settings.navigation.is_some() {
            found
        } else {
            found.help(messages::menu_of_tables_help(others.join(", ")))
        });
    }
}

/// Returns whether the firm added the page: its key is neither special nor reserved, nor a slip for a missing page.
fn is_of_the_firm(draft: &Draft, key: &str) -> bool {
    let is_slip = |(name, _): (&str, _)| is_slip(key, name) && !draft.has(Kind::Pages, name);
    PageKind::of(key) == PageKind::Free && !RESERVED_PAGES.contains(&key) && !PageKind::NAMED.into_iter().any(is_slip)
}

/// Checks an entry that names a page.
fn page(draft: &Draft, key: &str, entry: &At<MenuEntry>, findings: &mut Vec<Finding>) {
    if PageKind::of(key) == PageKind::NotFound {
        let message = messages::page_without_address(key);
        findings.push(finding(Code::MENU_TARGET, entry.span, message).help(messages::menu_entry_removal_help()));
        return;
    }
    if !draft.has(Kind::Pages, key) {
        let found = finding(Code::MENU_TARGET, entry.span, messages::entry_unknown(Kind::Pages.noun(), key));
        findings.push(if let Some(name) = draft.misnamed_folder(Kind::Pages, key) {
            with_misnamed_folder(found, name, key)
        } else if let Some(page) = draft.key_of_slug(Kind::Pages, key) {
            found.did_you_mean(Some(page)).help(messages::menu_page_by_slug_help())
        } else if let Some(kind) = ENTRIES.into_iter().find(|kind| draft.has(*kind, key)) {
            found.help(messages::menu_page_of_kind_help(kind.noun()))
        } else {
            let found = found.did_you_mean(nearest(key, draft.keys(Kind::Pages)));
            found.help(messages::menu_page_unknown_help(key))
        });
        return;
    }
    for locale in &entry.value.locales {
        // A page that must exist in both languages is reported as missing elsewhere.
        if draft.record(Kind::Pages, key, *locale).is_none() && Kind::Pages.may_lack_translation(key) {
            let message = messages::menu_page_untranslated(key, messages::language(*locale));
            let found = finding(Code::MENU_LANGUAGE, entry.span, message);
            findings.push(found.help(messages::menu_page_untranslated_help(key, locale, locale.other())));
        }
    }
}
