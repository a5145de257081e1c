//! `site.toml`, field by field.

use contract::{
    Locale, PerLocale,
    text::{Date, Email, Slug, Uri, host_of, is_this_machine},
};
use findings::{Code, Finding, Span, messages};
use markdown::{is_picture, mailto};
use serde_json::json;

use super::{
    Agents, At, MenuEntry, SynonymGroup, agent_settings,
    fields::Fields,
    menus::menu,
    node::{Node, Pair, Value},
    problem::{Problem, Reading},
    text::Lines,
    theme_settings::{self, ThemeSettings},
    toml,
    types::{self, Field},
    values::{self, LINE, SENTENCES},
    web_addresses,
};

/// The patterns of values that occur only in this file.
const ORIGIN: &str = "^(?!https:.*:443$|http:.*:80$)https?://([a-z0-9.-]+|\\[[0-9a-f:.]+\\])(:[0-9]{1,5})?$";
const SANDBOX_KEY: &str = "^(?!at_|ak_)[A-Za-z0-9_-]{8,128}$";
const SHARE_PICTURE: &str = "^[^/\\\\]+[.](png|jpg|webp)$";
const SECURITY_CONTACT: &str = concat!("^(mailto:", types::email!(), "|https://", types::address!(), ")$");
const MCP_NAME: &str = "^[A-Za-z0-9-]*[.][A-Za-z0-9.-]*/[A-Za-z0-9._-]+$";

/// The longest period of review in months: ten years.
const MAX_REVIEW_AFTER: u16 = 120;

/// The longest title of an MCP server, in characters, according to the schema of server cards.
const SERVER_TITLE: usize = 100;

/// Keys that occur in one table only, with the name of that table. They detect a line that was added at the end of the
/// file and so belongs to the last table.
const TABLES: [(&str, &str); 27] = [
    ("site_url", ""),
    ("service", ""),
    ("sandbox_key", ""),
    ("review_after", ""),
    ("short_name", "firm"),
    ("tagline", "firm"),
    ("description", "firm"),
    ("disclaimer", "firm"),
    ("logo", "firm"),
    ("share_picture", "firm"),
    ("contact", "security"),
    ("expires", "security"),
    ("search", "crawlers"),
    ("ai_input", "crawlers"),
    ("ai_train", "crawlers"),
    ("identity_types", "agents"),
    ("assertion_types", "agents"),
    ("anonymous_credentials", "agents"),
    ("assertion_credentials", "agents"),
    ("profiles", "agents"),
    ("icon", "theme"),
    ("text", "theme.fonts"),
    ("text_bold", "theme.fonts"),
    ("text_italic", "theme.fonts"),
    ("headings", "theme.fonts"),
    ("advertising", "checks"),
    ("kvkk", "checks"),
];

/// The values of an advisory check.
const SWITCH: [(&str, bool); 2] = [("warn", true), ("off", false)];

/// The readable values of `site.toml`.
#[derive(Debug, Default)]
pub struct SettingsDraft {
    /// From `synonyms.toml`.
    pub synonyms: Vec<SynonymGroup>,
    pub site_url: Option<At<Uri>>,
    pub service: Option<At<String>>,
    pub sandbox_key: Option<At<String>>,
    /// Whole months.
    pub review_after: Option<At<u16>>,
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
    pub checks: Checks,
    pub categories: Vec<CategoryDraft>,
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
    let mut fields = Fields::new(file, Span { line: 1, column: 1, length: 1 }, &pairs).with_groups(&TABLES);
    let mut draft = read(&mut fields, &pairs);
    let (more, failed) = fields.finish();
    draft.lost_categories = failed.contains(&"category");
    findings.extend(more);
    (draft, findings)
}

/// Returns the allowed fields of `site.toml`.
pub fn settings_fields() -> Vec<Field> {
    Fields::table(|fields| drop(read(fields, &[])))
}

fn read(fields: &mut Fields, pairs: &[Pair]) -> SettingsDraft {
    let mut draft = SettingsDraft {
        site_url: fields.required("site_url", &types::pattern(web_addresses::site_url, ORIGIN, messages::form_origin)),
        service: fields.required("service", &types::text(LINE)),
        sandbox_key: fields
            .required("sandbox_key", &types::pattern(sandbox_key, SANDBOX_KEY, messages::form_sandbox_key)),
        review_after: fields.optional("review_after", &months()),
        readable: true,
        ..SettingsDraft::default()
    };
    let firm = fields.required_group("firm", |firm| {
        draft.name = per_locale(firm, "name", LINE);
        draft.short_name = firm.required("short_name", &types::text(LINE));
        draft.tagline = per_locale(firm, "tagline", LINE);
        draft.description = per_locale(firm, "description", SENTENCES);
        draft.disclaimer = per_locale(firm, "disclaimer", SENTENCES);
        draft.logo = firm.required("logo", &types::file_name());
        draft.share_picture =
            firm.optional("share_picture", &types::pattern(share_picture, SHARE_PICTURE, messages::form_share_picture));
    });
    draft.theme = theme_settings::theme(fields);
    draft.lost_pictures = firm
        .is_some_and(|firm| ["logo", "share_picture"].into_iter().any(|name| firm.failed.contains(&name)))
        || name_others(pairs, &draft);
    fields.required_group("security", |security| {
        draft.security_contact = security
            .required("contact", &types::pattern(security_contact, SECURITY_CONTACT, messages::form_security_contact));
        draft.security_expires = security.required_day("expires");
    });
    fields.required_group("crawlers", |crawlers| {
        let mut flag = |name| crawlers.required(name, &types::boolean()).map(|flag| flag.value);
        let (search, ai_input, ai_train) = (flag("search"), flag("ai_input"), flag("ai_train"));
        draft.crawlers = search.zip(ai_input).zip(ai_train).map(|((search, ai_input), ai_train)| Crawlers {
            search,
            ai_input,
            ai_train,
        });
    });
    draft.agents = agent_settings::agents(fields);
    fields.group("checks", |checks| {
        let mut is_on = |name| checks.optional(name, &types::one_of(&SWITCH)).is_none_or(|switch| switch.value);
        draft.checks = Checks { advertising: is_on("advertising"), personal_data: is_on("kvkk") };
    });
    fields.required_group("mcp", |mcp| {
        draft.mcp_name = mcp.required("name", &types::pattern(mcp_name, MCP_NAME, messages::form_mcp_name));
        draft.mcp_title = per_locale(mcp, "title", SERVER_TITLE);
    });
    let origin = draft.site_url.as_ref().map(|url| url.value.as_str());
    (draft.navigation, draft.footer) = (menu(fields, "navigation", origin), menu(fields, "footer", origin));
    draft.categories = fields.groups("category", None, category).into_iter().map(|group| group.value).collect();
    warn_of_plain_http(fields, draft.site_url.as_ref());
    draft
}

/// Returns whether one of `pairs` names a picture in a field that is not read: outside its group, or misspelt.
fn name_others(pairs: &[Pair], draft: &SettingsDraft) -> bool {
    pairs.iter().any(|pair| match &pair.node.value {
        Value::Scalar { text, .. } => is_picture(text) && draft.pictures().all(|picture| picture.value != *text),
        Value::Map(inner) => name_others(inner, draft),
        Value::List(_) | Value::Refused => false,
    })
}

fn category(category: &mut Fields) -> CategoryDraft {
    CategoryDraft {
        key: category.required("key", &types::key()),
        name: per_locale(category, "name", LINE),
        slug: category
            .required_group("slug", |slugs| PerLocale {
                en: slugs.required("en", &types::slug(Locale::En)),
                tr: slugs.required("tr", &types::slug(Locale::Tr)),
            })
            .map(|group| group.value)
            .unwrap_or_default(),
        practice_area: category.optional("practice_area", &types::key()),
    }
}

/// Reads a group `{ en = "…", tr = "…" }`.
fn per_locale(fields: &mut Fields, name: &'static str, longest: usize) -> Option<PerLocale<String>> {
    let group = fields.required_group(name, |group| {
        let mut text = |locale: Locale| group.required(locale.as_str(), &types::text(longest)).map(|text| text.value);
        let (en, tr) = (text(Locale::En), text(Locale::Tr));
        Some(PerLocale { en: en?, tr: tr? })
    });
    group.and_then(|group| group.value)
}

fn months() -> impl types::Type<u16> {
    let read = |node: &Node| match values::integer(node).map(u16::try_from)? {
        Ok(months) if (1..=MAX_REVIEW_AFTER).contains(&months) => Ok(months),
        _ => {
            let (text, _) = values::scalar(node)?;
            Err(Some(Problem::new(Code::BAD_INTEGER, values::expected(messages::months_wanted(), text))))
        }
    };
    (read, || types::ValueForm {
        schema: json!({ "type": "integer", "minimum": 1, "maximum": MAX_REVIEW_AFTER }),
        words: messages::form_months(),
    })
}

fn sandbox_key(node: &Node) -> Reading<String> {
    let key = values::text(LINE)(node)?;
    let is_fine = (8..=128).contains(&key.len())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        && !key.starts_with("at_")
        && !key.starts_with("ak_");
    if is_fine {
        return Ok(key);
    }
    Err(Some(Problem::new(Code::BAD_SANDBOX_KEY, values::expected(messages::sandbox_key_wanted(), &key))))
}

fn security_contact(node: &Node) -> Reading<String> {
    let contact = values::text(LINE)(node)?;
    let is_fine = match contact.strip_prefix("mailto:") {
        // A mailbox may contain characters that a link must not: `?` would begin header fields.
        Some(mailbox) => Email::parse(mailbox).is_ok() && mailto(mailbox) == contact,
        None => contact.starts_with("https://") && web_addresses::web_address(&contact).is_ok(),
    };
    if is_fine {
        return Ok(contact);
    }
    let message = values::expected(messages::security_contact_wanted(), &contact);
    let problem = Problem::new(Code::BAD_SECURITY_CONTACT, message);
    Err(Some(match Email::parse(&contact) {
        Ok(email) => problem.label(messages::words_to_write(format!("mailto:{email}"))),
        Err(_) => problem,
    }))
}

/// Reads the name of the share picture. Other sites do not accept drawings.
fn share_picture(node: &Node) -> Reading<String> {
    let name = values::file_name(node)?;
    if name.rsplit_once('.').is_some_and(|(_, ending)| matches!(ending, "png" | "jpg" | "webp")) {
        return Ok(name);
    }
    let problem = Problem::new(Code::NOT_ONE_OF, values::expected(messages::share_picture_wanted(), &name));
    Err(Some(problem.help(messages::share_picture_help())))
}

/// Reads the name of the MCP server, in the form that the schema of server cards requires.
fn mcp_name(node: &Node) -> Reading<String> {
    let name = values::text(LINE)(node)?;
    let word = |part: &str, marks: &[u8]| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || marks.contains(&byte))
    };
    let is_fine = name
        .split_once('/')
        .is_some_and(|(domain, rest)| word(domain, b"-.") && domain.contains('.') && word(rest, b"-._"));
    if is_fine {
        return Ok(name);
    }
    let problem = Problem::new(Code::BAD_MCP_NAME, values::expected(messages::server_name_wanted(), &name));
    Err(Some(problem.help(messages::server_name_help())))
}

fn warn_of_plain_http(fields: &mut Fields, site_url: Option<&At<Uri>>) {
    let Some(At { value, span, .. }) = site_url else { return };
    if is_plain_http(value) {
        let finding = fields.finding(Code::ORIGIN_WITHOUT_TLS, *span, messages::origin_without_tls());
        fields.report(finding.help(messages::origin_without_tls_help()));
    }
}

/// Returns whether an address uses plain HTTP and another host than this machine.
fn is_plain_http(uri: &Uri) -> bool {
    uri.as_str().starts_with("http://") && !is_this_machine(host_of(uri.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the findings about unknown fields.
    fn unknown(text: &str) -> Vec<Finding> {
        let (_, findings) = read_settings(text, "site.toml");
        findings.into_iter().filter(|finding| finding.code == Code::UNKNOWN_FIELD).collect()
    }

    #[test]
    fn finding_about_a_misplaced_key_names_its_table() {
        for (key, table) in TABLES {
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
