//! `site.toml`, field by field.

use citations::{Law, Laws};
use contract::{
    PerLocale,
    text::{Date, Slug, Uri, host_of, is_this_machine},
};
use findings::{Code, Finding, messages};
use markdown::{Numbering, is_picture};

use super::{
    Agents, At, ChangeOfLaw, MenuEntry, SynonymGroup, Values,
    agent_settings::agents,
    fields::{SITE, fields_of},
    menus::menu,
    node::{Pair, Value},
    reader::{FieldSource, read},
    text::Lines,
    theme_settings::{ThemeSettings, theme},
    toml,
};

/// The readable values of `site.toml`.
#[derive(Debug, Default)]
pub struct SettingsDraft {
    /// With those from `laws.toml`.
    pub laws: Laws,
    /// The laws from `laws.toml`.
    pub own_laws: Vec<At<Law>>,
    /// From `law-changes.toml`.
    pub law_changes: Vec<ChangeOfLaw>,
    /// From `synonyms.toml`.
    pub synonyms: Vec<SynonymGroup>,
    pub site_url: Option<At<Uri>>,
    pub service: Option<At<String>>,
    pub sandbox_key: Option<At<String>>,
    /// Whole months.
    pub review_after: Option<At<u16>>,
    pub feed_id: Option<At<String>>,
    pub name: Option<PerLocale<String>>,
    pub short_name: Option<At<String>>,
    pub tagline: Option<PerLocale<String>>,
    pub description: Option<PerLocale<String>>,
    pub disclaimer: Option<PerLocale<String>>,
    pub logo: Option<At<String>>,
    pub share_picture: Option<At<String>>,
    pub security_contact: Option<At<String>>,
    pub security_expires: Option<At<Date>>,
    pub crawlers: Option<Crawlers>,
    pub agents: Option<Agents>,
    pub mcp_name: Option<At<String>>,
    pub mcp_title: Option<PerLocale<String>>,
    /// `None` if the file has no table `navigation`; likewise `footer`.
    pub navigation: Option<Vec<At<MenuEntry>>>,
    pub footer: Option<Vec<At<MenuEntry>>>,
    pub theme: ThemeSettings,
    pub numbering: Numbering,
    pub checks: Checks,
    pub categories: Vec<CategoryDraft>,
    pub assistants: Vec<Assistant>,
    /// `None` if the file has no table `editor`.
    pub editor: Option<EditorSettings>,
    /// Whether the list of categories is unreadable, so that the existing ones are unknown.
    pub lost_categories: bool,
    /// Whether `site.toml` names a picture in an unreadable field.
    pub lost_pictures: bool,
    /// Whether the file is readable; otherwise absent values may be present.
    pub readable: bool,
}

/// The permissions of crawlers (Content-Signal).
#[derive(Clone, Copy, Debug)]
pub struct Crawlers {
    /// Build a search index.
    pub search: bool,
    /// Use content as the input for an answer.
    pub ai_input: bool,
    /// Train models.
    pub ai_train: bool,
}

/// The editor in the browser.
#[derive(Clone, Debug, Default)]
pub struct EditorSettings {
    /// The place of the texts; without one, the editor opens folders of the machine on which it runs.
    pub forge: Option<EditorForge>,
    /// Owner and name of the repository at the forge.
    pub repository: String,
    pub branch: Option<String>,
    /// Folder of the texts in the repository.
    pub folder: String,
    /// Origin of the firm's own forge.
    pub server: Option<String>,
    /// Identifier of the OAuth application, for PKCE.
    pub application: Option<String>,
    /// Origin of the service that signs in at GitHub.
    pub sign_in: Option<String>,
    /// Whether a save becomes a pull request.
    pub review: bool,
}

impl EditorSettings {
    /// Returns the origin to which the editor sends requests besides its own.
    pub fn forge_origin(&self) -> Option<&str> {
        let public = match self.forge? {
            EditorForge::Github => "https://api.github.com",
            EditorForge::Gitlab => "https://gitlab.com",
            EditorForge::Gitea => "https://gitea.com",
        };
        Some(self.server.as_deref().unwrap_or(public))
    }
}

contract::names! {
    /// A program that keeps repositories and their reviews.
    pub enum EditorForge {
        Github "github",
        Gitlab "gitlab",
        /// Gitea or Forgejo.
        Gitea "gitea",
    }
}

/// An assistant in which a reader can open an article.
#[derive(Clone, Debug)]
pub struct Assistant {
    pub name: String,
    /// Its address, with `{url}` once.
    pub url: String,
}

/// The advisory checks that run.
#[derive(Clone, Copy, Debug)]
pub struct Checks {
    pub advertising: bool,
    pub personal_data: bool,
}

impl Default for Checks {
    fn default() -> Self {
        Self { advertising: true, personal_data: true }
    }
}

/// The readable values of a category.
#[derive(Clone, Debug)]
pub struct CategoryDraft {
    pub key: Option<At<String>>,
    pub name: Option<PerLocale<String>>,
    pub slug: PerLocale<Option<At<Slug>>>,
    /// Former slugs, in either language.
    pub aliases: Vec<At<Slug>>,
    pub practice_area: Option<At<String>>,
}

impl SettingsDraft {
    /// Returns the pictures beside `site.toml` that it names.
    pub fn pictures(&self) -> impl Iterator<Item = &At<String>> {
        self.logo.iter().chain(&self.share_picture).chain(&self.theme.icon)
    }
}

/// Reads `site.toml`.
pub fn read_settings(text: &str, file: &str) -> (SettingsDraft, Vec<Finding>) {
    let (pairs, mut findings) = toml::parse(text, &Lines::of(text), file);
    let Some(pairs) = pairs else { return (SettingsDraft::default(), findings) };
    let source = FieldSource::toml(file);
    let (values, more) = read(source, fields_of(SITE), &pairs);
    findings.extend(more);
    let mut draft = draft(&values, source, &mut findings);
    let is_lost = |name| values.group("firm").has_failed(name);
    draft.lost_pictures = is_lost("logo") || is_lost("share_picture") || name_others(&pairs, &draft);
    (draft, findings)
}

fn draft(values: &Values, source: FieldSource, findings: &mut Vec<Finding>) -> SettingsDraft {
    let [firm, security, crawlers, checks, numbered, mcp] =
        ["firm", "security", "crawlers", "checks", "numbering", "mcp"].map(|name| values.group(name));
    let is_on = |name| checks.get(name).is_none_or(|switch: At<String>| switch.value == "warn");
    let site_url = values.get("site_url");
    findings.extend(site_url.as_ref().and_then(|url| warn_of_plain_http(url, source)));
    let origin = site_url.as_ref().map(|url: &At<Uri>| url.value.as_str());
    let [navigation, footer] = ["navigation", "footer"].map(|name| menu(values, name, origin, source, findings));
    SettingsDraft {
        laws: Laws::default(),
        own_laws: Vec::new(),
        law_changes: Vec::new(),
        synonyms: Vec::new(),
        service: values.get("service"),
        sandbox_key: values.get("sandbox_key"),
        review_after: values.get("review_after"),
        feed_id: values.get("feed_id"),
        name: firm.both("name"),
        short_name: firm.get("short_name"),
        tagline: firm.both("tagline"),
        description: firm.both("description"),
        disclaimer: firm.both("disclaimer"),
        logo: firm.get("logo"),
        share_picture: firm.get("share_picture"),
        security_contact: security.get("contact"),
        security_expires: security.get("expires"),
        crawlers: self::crawlers(crawlers),
        agents: agents(values, source, findings),
        mcp_name: mcp.get("name"),
        mcp_title: mcp.both("title"),
        navigation,
        footer,
        theme: theme(values.group("theme")),
        numbering: numbering(numbered),
        checks: Checks { advertising: is_on("advertising"), personal_data: is_on("kvkk") },
        categories: values.groups("category").iter().map(|category| self::category(&category.value)).collect(),
        assistants: values.groups("assistant").iter().filter_map(|group| assistant(&group.value)).collect(),
        editor: values.find("editor").map(|_| editor(values.group("editor"))),
        lost_categories: values.has_failed("category"),
        lost_pictures: false,
        readable: true,
        site_url,
    }
}

fn crawlers(values: &Values) -> Option<Crawlers> {
    let flag = |name| values.get(name).map(|flag| flag.value);
    Some(Crawlers { search: flag("search")?, ai_input: flag("ai_input")?, ai_train: flag("ai_train")? })
}

/// Returns how nested numbered lists are counted.
fn numbering(values: &Values) -> Numbering {
    let nested: Option<At<String>> = values.get("nested");
    match nested.as_ref().map(|nested| nested.value.as_str()) {
        Some("decimal") => Numbering::Decimal,
        Some("letters") => Numbering::Letters,
        _ => Numbering::Legal,
    }
}

fn editor(values: &Values) -> EditorSettings {
    let text = |name| values.get(name).map(|text: At<String>| text.value);
    EditorSettings {
        forge: text("forge").and_then(|name| EditorForge::parse(&name)),
        repository: text("repository").unwrap_or_default(),
        branch: text("branch"),
        folder: text("folder").unwrap_or_else(|| "content".to_owned()),
        server: text("server"),
        application: text("application"),
        sign_in: text("sign_in"),
        review: values.get("review").is_none_or(|review: At<bool>| review.value),
    }
}

fn assistant(values: &Values) -> Option<Assistant> {
    let text = |name| values.get(name).map(|text: At<String>| text.value);
    Some(Assistant { name: text("name")?, url: text("url")? })
}

fn category(values: &Values) -> CategoryDraft {
    CategoryDraft {
        key: values.get("key"),
        name: values.both("name"),
        slug: values.each("slug"),
        aliases: values.list("aliases").map(|list| list.value).unwrap_or_default(),
        practice_area: values.get("practice_area"),
    }
}

/// Returns whether one of `pairs` names a picture in a field that is not read: outside its group, or misspelt.
fn name_others(pairs: &[Pair], draft: &SettingsDraft) -> bool {
    pairs.iter().any(|pair| match &pair.node.value {
        Value::Scalar { text, .. } => is_picture(text) && draft.pictures().all(|picture| picture.value != *text),
        Value::Map(inner) => name_others(inner, draft),
        Value::List(_) | Value::Refused => false,
    })
}

fn warn_of_plain_http(url: &At<Uri>, source: FieldSource) -> Option<Finding> {
    let finding = source.finding(Code::ORIGIN_WITHOUT_TLS, url.span, messages::origin_without_tls());
    is_plain_http(&url.value).then(|| finding.help(messages::origin_without_tls_help()))
}

/// Returns whether an address uses plain HTTP and another host than this machine.
fn is_plain_http(uri: &Uri) -> bool {
    uri.as_str().starts_with("http://") && !is_this_machine(host_of(uri.as_str()))
}

#[cfg(test)]
mod tests {
    use contract::Locale;

    use super::*;
    use crate::reader::TABLES;

    /// Returns the findings about unknown fields.
    fn unknown(text: &str) -> Vec<Finding> {
        let (_, findings) = read_settings(text, "site.toml");
        findings.into_iter().filter(|finding| finding.code == Code::UNKNOWN_FIELD).collect()
    }

    #[test]
    fn assistant_is_an_https_address_with_the_place_of_the_article() {
        let read = |url: &str| read_settings(&format!("[[assistant]]\nname = \"A\"\nurl = \"{url}\"\n"), "site.toml");
        for good in
            ["https://a.example/new?q={url}", "https://a.example/{url}", "https://a.example/?q=Read%20{url}&x=1"]
        {
            assert_eq!(read(good).0.assistants[0].url, good);
        }
        let bad = [
            "http://a.example/?q={url}",
            "https://a.example/",
            "https://a.example{url}",
            "https://{url}/",
            "https://a.example/?q={url}&r={url}",
            "javascript:alert({url})",
            "https://a.example/?q={url} \\\"onclick=",
        ];
        for bad in bad {
            let (draft, findings) = read(bad);
            let finding = findings.iter().find(|finding| finding.code == Code::BAD_URI);
            assert!(draft.assistants.is_empty() && finding.is_some(), "{bad}: {findings:?}");
        }
    }

    #[test]
    fn finding_about_a_misplaced_key_names_its_table() {
        for (key, table) in TABLES.iter() {
            let own = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
            assert!(unknown(&format!("{own}{key} = \"a\"\n")).is_empty(), "{key} is a key of {table}");
            let found = unknown(&format!("[[category]]\nkey = \"a\"\n{key} = \"a\"\n"));
            let [finding] = found.as_slice() else { panic!("{key}: {found:?}") };
            assert!(finding.message[Locale::En].contains("below the table `category`"), "{finding:?}");
            let place =
                if table.is_empty() { "above the first table".to_owned() } else { format!("below `[{table}]`") };
            assert!(finding.help[0][Locale::En].contains(&place), "{finding:?}");
        }
        assert!(unknown("share_picture = \"a.png\"\n")[0].message[Locale::En].contains("outside of its table"));
    }
}
