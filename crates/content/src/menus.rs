//! The menus of `site.toml`: `[[navigation]]` and `[[footer]]`.

use contract::{Locale, PerLocale, text::Uri};
use findings::{Code, messages};

use super::{
    At,
    fields::{Fields, Group},
    node::Node,
    problem::{Problem, Reading},
    prose::path_on_site,
    types,
    values::{self, LINE},
    web_addresses,
};

/// Maximum number of entries in one menu: every page shows all of them.
const MAX_ENTRIES: usize = 30;

/// The form of an address of another site.
const HTTPS: &str = concat!("^https://", types::address!(), "$");

/// The values of `section`, each with the key of its page.
const SECTIONS: [(&str, &str); 6] = [
    ("practice-areas", "practice-areas"),
    ("team", "team"),
    ("publications", "publications"),
    ("global-network", "global-network"),
    // The name of the section's folder.
    ("network", "global-network"),
    ("contact", "contact"),
];

/// The values of `languages`.
const LOCALES: [(&str, Locale); 2] = [("en", Locale::En), ("tr", Locale::Tr)];

/// An entry of a menu.
#[derive(Clone, Debug)]
pub struct MenuEntry {
    pub target: MenuTarget,
    /// Replaces the title of the page.
    pub label: PerLocale<Option<String>>,
    /// The languages whose menus contain the entry.
    pub locales: Vec<Locale>,
}

/// The target of a menu entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MenuTarget {
    /// The page with this key.
    Page(String),
    /// An address of another site.
    Elsewhere(Uri),
}

/// A menu entry before its checks as a whole.
struct MenuEntryDraft {
    entry: Option<At<MenuEntry>>,
    /// The number of its targets; it must be one.
    targets: usize,
    /// The languages without a label, if the target is an address of another site.
    unnamed: Vec<Locale>,
}

/// Reads a menu. Returns `None` if `site.toml` has no table of this name. The span of an entry is that of its target.
pub(super) fn menu(fields: &mut Fields, name: &'static str, origin: Option<&str>) -> Option<Vec<At<MenuEntry>>> {
    let drafts = fields.groups(name, Some(MAX_ENTRIES), entry);
    if !fields.has(name) {
        return None;
    }
    for Group { span, .. } in drafts.iter().skip(MAX_ENTRIES).take(1) {
        let message = messages::menu_too_long(name, drafts.len(), MAX_ENTRIES);
        let finding = fields.finding(Code::MENU_ENTRY, *span, message);
        fields.report(finding.help(messages::menu_too_long_help()));
    }
    let mut menu = Vec::with_capacity(drafts.len().min(MAX_ENTRIES));
    for Group { value: MenuEntryDraft { entry, targets, unnamed }, span, .. } in drafts.into_iter().take(MAX_ENTRIES) {
        if targets != 1 {
            let message = match targets {
                0 => messages::menu_entry_without_target(name),
                _ => messages::menu_entry_with_targets(name),
            };
            let finding = fields.finding(Code::MENU_ENTRY, span, message);
            fields.report(finding.help(messages::menu_entry_target_help()));
            continue;
        }
        let Some(entry) = entry else { continue };
        if !unnamed.is_empty() {
            let listed =
                |locales: &[Locale], one: fn(&Locale) -> String| locales.iter().map(one).collect::<Vec<_>>().join(", ");
            let message = messages::menu_entry_without_words(listed(&unnamed, |locale| format!("`{locale}`")));
            let labels = listed(&entry.value.locales, |locale| format!("{locale} = \"…\""));
            let finding = fields.finding(Code::MENU_ENTRY, entry.span, message);
            fields.report(finding.help(messages::words_to_write(format!("label = {{ {labels} }}"))));
        }
        if let (MenuTarget::Elsewhere(url), Some(origin)) = (&entry.value.target, origin)
            && path_on_site(origin, url.as_str()).is_some()
        {
            let finding = fields.finding(Code::MENU_ENTRY, entry.span, messages::menu_address_of_site());
            fields.report(finding.help(messages::menu_address_of_site_help()));
        }
        menu.push(entry);
    }
    Some(menu)
}

fn entry(fields: &mut Fields) -> MenuEntryDraft {
    let names = ["section", "page", "url"];
    let targets = names.into_iter().filter(|name| fields.has(name)).count();
    let section = fields.optional("section", &types::one_of(&SECTIONS));
    let page = fields.optional("page", &types::key());
    let url = fields.optional("url", &types::pattern(https, HTTPS, messages::form_https));
    let label = fields.group("label", |label| {
        PerLocale::build(|locale| label.optional(locale.as_str(), &types::text(LINE)).map(|text| text.value))
    });
    let lost_label = label.as_ref().map_or(fields.has("label"), |label| !label.failed.is_empty());
    let label = label.map(|label| label.value).unwrap_or_default();
    let locales = fields.list("languages", &types::one_of(&LOCALES));
    let locales: Vec<Locale> =
        locales.map(|list| list.value.into_iter().map(|locale| locale.value).collect()).unwrap_or_default();
    let locales = if locales.is_empty() { Locale::ALL.to_vec() } else { locales };
    let page = section.map(|key| At::new(key.value.to_owned(), key.span)).or(page);
    let target = page.map(|key| At::new(MenuTarget::Page(key.value), key.span));
    let target = target.or_else(|| url.map(|url| At::new(MenuTarget::Elsewhere(url.value), url.span)));
    let is_elsewhere = target.as_ref().is_some_and(|target| matches!(target.value, MenuTarget::Elsewhere(_)));
    let is_unnamed = |locale: &&Locale| is_elsewhere && !lost_label && label[**locale].is_none();
    let unnamed = locales.iter().filter(is_unnamed).copied().collect();
    let entry = target.map(|target| At::new(MenuEntry { target: target.value, label, locales }, target.span));
    MenuEntryDraft { entry, targets, unnamed }
}

/// Reads an `https` address of another site.
fn https(node: &Node) -> Reading<Uri> {
    let (text, _) = values::scalar(node)?;
    if text.starts_with('/') && !text.starts_with("//") {
        let problem = Problem::new(Code::MENU_ENTRY, messages::menu_path_of_site(text));
        return Err(Some(problem.help(messages::menu_address_of_site_help())));
    }
    let uri = web_addresses::uri(node)?;
    if uri.as_str().starts_with("https://") {
        return Ok(uri);
    }
    Err(Some(Problem::new(Code::BAD_URI, values::expected(messages::https_wanted(), uri.as_str()))))
}
