//! The menus of `site.toml`: `[[navigation]]` and `[[footer]]`.

use contract::{Locale, PerLocale, text::Uri};
use findings::{Code, Finding, messages};

use super::{At, Values, prose::path_on_site, reader::FieldSource, setting_values::SECTIONS};

#[derive(Clone, Debug)]
pub struct MenuEntry {
    pub target: MenuTarget,
    /// Replaces the title of the page.
    pub label: PerLocale<Option<String>>,
    /// The languages whose menus contain the entry.
    pub locales: Vec<Locale>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MenuTarget {
    /// The page with this key.
    Page(String),
    /// An address of another site.
    Elsewhere(Uri),
}

/// Returns a menu; `None` if `site.toml` has no table of this name. The span of an entry is that of its target.
pub(super) fn menu(
    values: &Values,
    name: &str,
    origin: Option<&str>,
    source: FieldSource,
    findings: &mut Vec<Finding>,
) -> Option<Vec<At<MenuEntry>>> {
    let entry = |group: &At<Values>| entry(group, name, origin, source, findings);
    let entries = values.groups(name).iter().filter_map(entry).collect();
    values.has(name).then_some(entries)
}

fn entry(
    At { value: values, span, .. }: &At<Values>,
    menu: &str,
    origin: Option<&str>,
    source: FieldSource,
    findings: &mut Vec<Finding>,
) -> Option<At<MenuEntry>> {
    let mut report = |span, message, help| findings.push(source.finding(Code::MENU_ENTRY, span, message).help(help));
    let wrong = match ["section", "page", "url"].into_iter().filter(|name| values.has(name)).count() {
        0 => Some((messages::menu_entry_without_target(menu), messages::menu_entry_target_help())),
        1 => None,
        _ => Some((messages::menu_entry_with_targets(menu), messages::menu_entry_targets_help(menu))),
    };
    if let Some((message, help)) = wrong {
        report(*span, message, help);
        return None;
    }
    let locales: Vec<Locale> =
        values.list("languages").into_iter().flat_map(|list| list.value).map(|it| it.value).collect();
    let locales = if locales.is_empty() { Locale::ALL.to_vec() } else { locales };
    let label = values.each("label");
    let section = values.parse("section", |name| SECTIONS.into_iter().find(|(known, _)| *known == name));
    let page = section.map(|section| section.map(|(_, key)| key.to_owned())).or_else(|| values.get("page"));
    let target = match page {
        Some(page) => page.map(MenuTarget::Page),
        None => values.get("url")?.map(MenuTarget::Elsewhere),
    };
    if let MenuTarget::Elsewhere(url) = &target.value {
        let unnamed: Vec<&Locale> = locales.iter().filter(|locale| label[**locale].is_none()).collect();
        if !unnamed.is_empty() && !values.has_failed("label") {
            let unnamed: Vec<String> = unnamed.into_iter().map(|locale| format!("`{locale}`")).collect();
            let labels: Vec<String> = locales.iter().map(|locale| format!("{locale} = \"…\"")).collect();
            let help = messages::words_to_write(format!("label = {{ {} }}", labels.join(", ")));
            report(target.span, messages::menu_entry_without_words(unnamed.join(", ")), help);
        }
        if origin.is_some_and(|origin| path_on_site(origin, url.as_str()).is_some()) {
            report(target.span, messages::menu_address_of_site(), messages::menu_address_of_site_help());
        }
    }
    let label = PerLocale { en: label.en.map(|text: At<String>| text.value), tr: label.tr.map(|text| text.value) };
    Some(target.map(|target| MenuEntry { target, label, locales }))
}
