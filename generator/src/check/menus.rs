//! Whether the menus of `site.toml` lead somewhere.

use super::{entries::language, references::renamed};
use crate::{
    diagnostic::{Code, Finding, Place, Span, nearest},
    site::{Draft, MenuEntry, MenuTarget, PageKind},
    source::{At, Kind, SETTINGS},
};

/// Kinds of entries that menus cannot name.
const ENTRIES: [Kind; 4] = [Kind::PracticeAreas, Kind::Team, Kind::Publications, Kind::Network];

fn finding(code: Code, span: Span, message: String) -> Finding {
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
                let found = finding(Code::MENU_TWICE, entry.span, format!("two entries of `{name}` lead here"));
                findings.push(found.related(Place::new(SETTINGS, first.span), "the other one").help("remove one"));
            }
        }
    }
}

/// Checks an entry that names a page.
fn page(draft: &Draft, key: &str, entry: &At<MenuEntry>, findings: &mut Vec<Finding>) {
    if PageKind::of(key) == PageKind::NotFound {
        let message = format!("page `{key}` has no address: readers get it where nothing else is found");
        findings.push(finding(Code::MENU_TARGET, entry.span, message).help("remove the entry"));
        return;
    }
    if !draft.has(Kind::Pages, key) {
        let found = finding(Code::MENU_TARGET, entry.span, format!("there is no page `{key}`"));
        findings.push(if let Some(name) = draft.misnamed(Kind::Pages, key) {
            renamed(found, name, key)
        } else if let Some(page) = draft.key_of_slug(Kind::Pages, key) {
            found.did_you_mean(Some(page)).help("menus name pages by their folders, which both languages share")
        } else if let Some(kind) = ENTRIES.into_iter().find(|kind| draft.has(*kind, key)) {
            found.help(format!("it is a {}: menus name pages and sections only", kind.noun()))
        } else {
            let found = found.did_you_mean(nearest(key, draft.keys(Kind::Pages)));
            found.help(format!("write `pages/{key}/en.md` and `pages/{key}/tr.md`, or remove the entry"))
        });
        return;
    }
    for locale in &entry.value.locales {
        // What must exist in both languages is reported as missing.
        if draft.record(Kind::Pages, key, *locale).is_none() && Kind::Pages.may_lack_translation(key) {
            let here = language(*locale);
            let message = format!("page `{key}` has no {here} version: the {here} menu leaves it out");
            let found = finding(Code::MENU_LANGUAGE, entry.span, message);
            let other = locale.other();
            findings.push(found.help(format!(
                "write `pages/{key}/{locale}.md`, or say in the entry that this is meant: `languages = [\"{other}\"]`"
            )));
        }
    }
}
