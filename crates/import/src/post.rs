//! A post, a page or a file of an export of `WordPress`.

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use content::Kind;
use contract::Locale;
use findings::messages::{self, Text};
use regex_lite::{Captures, Regex};
use roxmltree::Node;
use serde_json::{Value, json};

use crate::{Loss, tree::excerpt};

/// A mark of the block Footnotes.
static MARK: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?is)<sup\b[^>]*\sdata-fn="([^"]*)"[^>]*>.*?</sup>"#).ok());

/// A post, a page or a file.
#[derive(Debug, Default)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) title: String,
    pub(crate) link: String,
    pub(crate) slug: String,
    pub(crate) status: String,
    pub(crate) is_locked: bool,
    pub(crate) date: String,
    pub(crate) modified: String,
    pub(crate) creator: String,
    pub(crate) body: String,
    pub(crate) excerpt: String,
    pub(crate) attachment: String,
    /// Domain, short name and name.
    pub(crate) terms: Vec<(String, String, String)>,
    pub(crate) meta: HashMap<String, String>,
    pub(crate) comments: usize,
}

impl Item {
    pub(crate) fn of(item: Node) -> Self {
        let text = |name: &str| {
            let found = item.children().find(|node| node.tag_name().name() == name && !is_excerpt(*node));
            found.map(content_of).unwrap_or_default()
        };
        let named = |name: &'static str| item.children().filter(move |node| node.tag_name().name() == name);
        let of_child = |node: Node, name: &str| {
            node.children().find(|child| child.tag_name().name() == name).map(content_of).unwrap_or_default()
        };
        Self {
            id: text("post_id"),
            kind: text("post_type"),
            title: unescaped(&text("title")),
            link: text("link"),
            slug: text("post_name"),
            status: text("status"),
            is_locked: !text("post_password").is_empty(),
            date: text("post_date"),
            modified: text("post_modified"),
            creator: text("creator"),
            body: text("encoded"),
            excerpt: item.children().find(|node| is_excerpt(*node)).map(content_of).unwrap_or_default(),
            attachment: text("attachment_url"),
            terms: named("category")
                .map(|term| {
                    let attribute = |name| term.attribute(name).unwrap_or_default().to_owned();
                    (attribute("domain"), attribute("nicename"), unescaped(&content_of(term)))
                })
                .collect(),
            meta: named("postmeta").map(|meta| (of_child(meta, "meta_key"), of_child(meta, "meta_value"))).collect(),
            comments: named("comment").count(),
        }
    }

    pub(crate) fn is_public(&self) -> bool {
        self.status == "publish" && !self.is_locked
    }

    /// Returns why the text was not public.
    pub(crate) fn held_back(&self) -> Text {
        match self.status.as_str() {
            "private" => messages::status_private(),
            "draft" => messages::status_draft(),
            "pending" => messages::status_pending(),
            "future" => messages::status_scheduled(),
            _ if self.is_locked => messages::status_locked(),
            other => Text::verbatim(other),
        }
    }

    pub(crate) fn kind_of_entry(&self) -> Option<Kind> {
        match self.kind.as_str() {
            "post" => Some(Kind::Publications),
            "page" => Some(Kind::Pages),
            _ => None,
        }
    }

    pub(crate) fn term<'i>(&'i self, domain: &'i str) -> impl Iterator<Item = &'i (String, String, String)> {
        self.terms.iter().filter(move |(of, _, _)| of == domain)
    }

    pub(crate) fn meta(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.meta.get(*name)).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the language that Polylang or WPML states, or the address.
    pub(crate) fn locale(&self) -> Option<Locale> {
        let language = |code: &str| code.get(..2)?.parse().ok();
        let polylang = self.term("language").find_map(|(_, code, _)| language(code));
        let wpml = self.meta(&["_wpml_import_language_code", "_wpml_language", "wpml_language"]).and_then(language);
        let address =
            || language(path_of(&self.link).trim_start_matches('/').split('/').next().filter(|it| it.len() == 2)?);
        polylang.or(wpml).or_else(address)
    }

    /// Returns what joins the languages of a text.
    pub(crate) fn group(&self) -> String {
        let polylang = self.term("post_translations").next().map(|(_, name, _)| format!("polylang {name}"));
        let wpml = || self.meta(&["_wpml_import_translation_group", "_icl_trid"]).map(|group| format!("wpml {group}"));
        polylang.or_else(wpml).unwrap_or_else(|| format!("alone {}", self.id))
    }

    /// Returns the addresses at which readers find the text today.
    pub(crate) fn addresses(&self) -> Vec<String> {
        let own = match self.kind.as_str() {
            "page" => format!("/?page_id={}", self.id),
            _ => format!("/?p={}", self.id),
        };
        let mut addresses = vec![path_of(&self.link).to_owned(), own];
        addresses.retain(|address| !matches!(address.as_str(), "" | "/"));
        addresses.dedup();
        addresses
    }
}

/// Returns a text with its footnotes in the form of EPUB, which pandoc reads. `field` is a JSON list of their `id` and
/// `content`, which `WordPress` stores beside the text.
pub(crate) fn with_footnotes(html: &str, field: Option<&str>, losses: &mut Vec<Loss>) -> String {
    let mut lose = |words: &str, message| losses.push(Loss { heading: String::new(), words: excerpt(words), message });
    let Some(mark) = &*MARK else { return html.to_owned() };
    let field = field.unwrap_or("[]");
    let list: Vec<Value> = serde_json::from_str(field).unwrap_or_else(|_| vec![json!({ "content": field })]);
    let text = |note: &Value, name: &str| note[name].as_str().unwrap_or_default().trim().to_owned();
    let mut notes: Vec<_> = list.iter().map(|note| (text(note, "id"), text(note, "content"))).collect();
    notes.retain(|(_, content)| !content.is_empty());
    let mut marked = BTreeSet::new();
    let written = mark.replace_all(html, |found: &Captures| {
        let Some(at) = notes.iter().position(|(id, _)| *id == found[1]) else {
            let before = &html[..found.get(0).map_or(0, |it| it.start())];
            lose(&unescaped(before.lines().last().unwrap_or_default()), messages::lost_note_mark());
            return String::new();
        };
        marked.insert(at);
        format!("<a epub:type=\"noteref\" href=\"#footnote-{at}\">{at}</a>")
    });
    let mut written = written.into_owned();
    for (at, (_, content)) in notes.iter().enumerate() {
        if marked.contains(&at) {
            written.extend([
                "\n<aside epub:type=\"footnote\" id=\"footnote-",
                &at.to_string(),
                "\">",
                content,
                "</aside>",
            ]);
        } else {
            lose("", messages::lost_note(excerpt(&unescaped(content))));
        }
    }
    written
}

fn is_excerpt(node: Node) -> bool {
    node.tag_name().namespace().is_some_and(|namespace| namespace.contains("excerpt"))
}

pub(crate) fn content_of(node: Node) -> String {
    node.children().filter_map(|child| child.text()).collect::<String>().trim().to_owned()
}

/// Titles are stored as HTML.
pub(crate) fn unescaped(text: &str) -> String {
    let plain = without_tags(text);
    let named = [
        ("&#8217;", "’"),
        ("&#8216;", "‘"),
        ("&#8220;", "“"),
        ("&#8221;", "”"),
        ("&#8211;", "–"),
        ("&#8212;", "—"),
        ("&#8230;", "…"),
        ("&#038;", "&"),
        ("&#039;", "'"),
        ("&nbsp;", " "),
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    named.iter().fold(plain, |text, (entity, letter)| text.replace(entity, letter)).trim().to_owned()
}

fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut is_tag = false;
    for letter in text.chars() {
        match letter {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            letter if !is_tag => plain.push(letter),
            _ => {}
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the path and the query of an address.
pub(crate) fn path_of(address: &str) -> &str {
    let rest =
        address.split_once("://").map_or(address, |(_, rest)| rest.find(['/', '?']).map_or("", |at| &rest[at..]));
    rest.split('#').next().unwrap_or_default()
}
