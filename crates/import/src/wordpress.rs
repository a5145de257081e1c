//! Reads an export of `WordPress` (WXR): posts and pages, in two languages where WPML or Polylang joins them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::{Component, Path, PathBuf},
    sync::LazyLock,
};

use content::{Kind, RESERVED_PAGES};
use contract::{
    Locale,
    manifest::is_former_address,
    text::{Date, Slug},
};
use findings::messages::{self, Text};
use markdown::turkish;
use rayon::prelude::*;
use regex_lite::Regex;
use roxmltree::{Document, ParsingOptions};

use crate::{
    Imported, ImportedEntry, ImportedText, Loss, Picture,
    entries::{key_of, yaml},
    in_file, pandoc,
    post::{Item, content_of, path_of, unescaped, with_footnotes},
    tree::{self, Resolve, excerpt},
    word::to_markdown,
};

/// The longest export and the most nodes in it. `WordPress` itself limits an export to what it can read again, about 50 MB.
const MAX_FILE: u64 = 256 << 20;
const MAX_NODES: u32 = 5_000_000;
/// The longest picture or document, in bytes, as the site publishes it.
const MAX_UPLOAD: u64 = 32 << 20;

/// Elements whose content is elsewhere, or works with scripts only.
static EMBEDDED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)<(iframe|video|audio|embed|object|form|script)\b").ok());
static SHORTCODE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[(/?)([a-z][a-z0-9_-]*)((?:\s[^\]]*)?)\]").ok());
/// What `WordPress` adds to the names of smaller copies.
static SIZE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"-\d+x\d+(\.[a-zA-Z]+)$").ok());
/// Shortcodes without attributes.
const SHORTCODES: [&str; 8] = ["gallery", "embed", "audio", "video", "playlist", "caption", "toc", "more"];
/// Tags that begin a block of their own, so that `WordPress` puts no paragraph around them.
const BLOCKS: [&str; 16] = [
    "<p",
    "<h",
    "<ul",
    "<ol",
    "<li",
    "<table",
    "<tr",
    "<td",
    "<th",
    "<div",
    "<blockquote",
    "<figure",
    "<pre",
    "<hr",
    "</",
    "<!--",
];

/// What the import needs beside the export.
#[derive(Debug)]
pub struct WordPress<'a> {
    /// The copy of `wp-content/uploads`.
    pub uploads: Option<&'a Path>,
    /// The language of texts that name none.
    pub locale: Option<Locale>,
    /// Import only this kind.
    pub kind: Option<Kind>,
    /// Day of the import.
    pub today: &'a str,
    /// Keys of the site's categories, with their names and slugs in both languages.
    pub categories: Vec<(String, Vec<String>)>,
    /// Paths of the lists of publications, by language, below which they get their addresses.
    pub sections: Vec<(Locale, String)>,
    /// Keys of people, with their names.
    pub people: Vec<(String, String)>,
}

/// Returns an address without the slash at its end, by which links are compared.
fn bare(address: &str) -> String {
    let (path, query) = address.split_once('?').map_or((address, None), |(path, query)| (path, Some(query)));
    let path = path.trim_end_matches('/');
    match query {
        Some(query) => format!("{}?{query}", if path.is_empty() { "/" } else { path }),
        None => path.to_owned(),
    }
}

/// The texts of one entry, by language.
struct TextGroup<'i> {
    kind: Kind,
    key: String,
    items: BTreeMap<&'static str, &'i Item>,
}

/// Reads an export.
///
/// # Errors
/// If the file is no complete export.
pub fn read(file: &Path, settings: &WordPress) -> Result<Imported, Text> {
    let name = file.display().to_string();
    let failed = |error: Text| in_file(&name, &error);
    let length = fs::metadata(file).map_err(|error| failed(Text::verbatim(&error)))?.len();
    if length > MAX_FILE {
        return Err(failed(messages::import_too_large()));
    }
    let text = fs::read_to_string(file).map_err(|error| failed(Text::verbatim(&error)))?;
    // Control characters that editors paste are stored as they are, and no XML may contain them.
    let text = text.replace(|letter: char| letter < ' ' && !matches!(letter, '\n' | '\r' | '\t'), "");
    // Security: entities could make a small file large, so that no document type is read.
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&text, options)
        .map_err(|error| failed(messages::import_broken_export(error.to_string())))?;
    let channel = document.root_element().children().find(|node| node.tag_name().name() == "channel");
    let channel = channel.filter(|channel| channel.children().any(|node| node.tag_name().name() == "wxr_version"));
    let Some(channel) = channel else { return Err(failed(messages::import_no_export())) };
    let site_language = channel.children().find(|node| node.tag_name().name() == "language").map(content_of);
    let default = settings.locale.or_else(|| site_language?.get(..2)?.parse().ok());
    let authors: HashMap<String, String> = channel
        .children()
        .filter(|node| node.tag_name().name() == "author")
        .map(|author| {
            let text = |name| {
                author.children().find(|node| node.tag_name().name() == name).map(content_of).unwrap_or_default()
            };
            (text("author_login"), text("author_display_name"))
        })
        .collect();
    let items: Vec<Item> = channel.children().filter(|node| node.tag_name().name() == "item").map(Item::of).collect();
    let files: HashMap<&str, &Item> =
        items.iter().filter(|item| item.kind == "attachment").map(|item| (item.id.as_str(), item)).collect();
    let mut imported = Imported::default();
    let groups = groups(&items, settings, default, &name, &mut imported)?;
    let targets: HashMap<String, String> = groups
        .iter()
        .flat_map(|group| {
            let target = format!("@/{}/{}", group.kind.folder(), group.key);
            group.items.values().flat_map(|item| item.addresses()).map(move |address| (bare(&address), target.clone()))
        })
        .collect();
    let export = WordPressExport { name: &name, settings, authors, files, targets };
    let entries: Vec<_> = groups.par_iter().map(|group| export.entry(group)).collect::<Result<_, _>>()?;
    for (entry, losses) in entries {
        imported.entries.push(entry);
        imported.losses.extend(losses);
    }
    Ok(imported)
}

/// Joins the languages of each text, and gives each a key of its own.
fn groups<'i>(
    items: &'i [Item],
    settings: &WordPress,
    default: Option<Locale>,
    name: &str,
    imported: &mut Imported,
) -> Result<Vec<TextGroup<'i>>, Text> {
    let mut joined: BTreeMap<(String, String), Vec<(Locale, &Item)>> = BTreeMap::new();
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    let mut lose = |words: String, message: Text| {
        imported.losses.push((name.to_owned(), Loss { heading: String::new(), words, message }));
    };
    for item in items {
        let Some(kind) = item.kind_of_entry() else {
            if !matches!(item.kind.as_str(), "attachment" | "nav_menu_item" | "wp_global_styles" | "wp_navigation") {
                *others.entry(&item.kind).or_default() += 1;
            }
            continue;
        };
        if settings.kind.is_some_and(|only| only != kind) {
            continue;
        }
        let left_out = match item.status.as_str() {
            "trash" => Some(messages::lost_from_trash()),
            "auto-draft" => Some(messages::lost_unsaved()),
            _ if item.title.is_empty() && item.body.is_empty() => Some(messages::lost_empty()),
            _ => None,
        };
        if let Some(message) = left_out {
            let words = if item.title.is_empty() { path_of(&item.link).to_owned() } else { excerpt(&item.title) };
            lose(words, message);
            continue;
        }
        let Some(locale) = item.locale().or(default) else { return Err(messages::import_language(name)) };
        if item.comments > 0 {
            lose(excerpt(&item.title), messages::lost_reader_comments(item.comments));
        }
        joined.entry((item.kind.clone(), item.group())).or_default().push((locale, item));
    }
    for (kind, count) in others {
        match kind {
            "revision" => lose(String::new(), messages::lost_revisions(count)),
            kind => lose(kind.to_owned(), messages::lost_items(kind, count)),
        }
    }
    let archives = archives(joined.values().flatten().map(|(_, item)| *item));
    if !archives.is_empty() {
        lose(String::new(), messages::lost_archives(format!("{archives:?}")));
    }
    let mut keys: BTreeSet<(Kind, String)> =
        RESERVED_PAGES.iter().map(|key| (Kind::Pages, (*key).to_owned())).collect();
    let mut groups = Vec::new();
    for texts in joined.into_values() {
        let mut pairs: Vec<BTreeMap<&'static str, &Item>> = Vec::new();
        for (locale, item) in texts {
            // A second text in the same language is an entry of its own.
            match pairs.iter_mut().find(|pair| !pair.contains_key(locale.as_str())) {
                Some(pair) => {
                    pair.insert(locale.as_str(), item);
                }
                None => pairs.push([(locale.as_str(), item)].into()),
            }
        }
        for mut items in pairs {
            keep_publishable(&mut items, &mut lose);
            let Some(kind) = items.values().next().and_then(|item| item.kind_of_entry()) else { continue };
            let titles = Locale::ALL.into_iter().filter_map(|it| Some((it, items.get(it.as_str())?.title.as_str())));
            let key = key_of(titles).unwrap_or_else(|| {
                format!("text-{}", items.values().map(|it| it.id.as_str()).collect::<Vec<_>>().join("-"))
            });
            let key =
                (1..).map(
                    |number| if number == 1 { key.clone() } else { format!("{}-{number}", &key[..key.len().min(74)]) },
                );
            let key = key.into_iter().find(|key| keys.insert((kind, key.clone()))).unwrap_or_default();
            groups.push(TextGroup { kind, key, items });
        }
    }
    Ok(groups)
}

/// Removes the texts that were not public, or reports those that become drafts. An entry is a draft in both languages.
fn keep_publishable(items: &mut BTreeMap<&'static str, &Item>, lose: &mut impl FnMut(String, Text)) {
    let has_public = items.values().any(|item| item.is_public());
    items.retain(|_, item| {
        if item.is_public() {
            return true;
        }
        let (status, is_page) = (item.held_back(), item.kind_of_entry() == Some(Kind::Pages));
        let is_draft = !is_page && !has_public;
        let message = if is_draft {
            messages::kept_as_draft(status)
        } else if has_public {
            messages::lost_translation_not_public(status)
        } else {
            messages::lost_page_not_public(status)
        };
        lose(excerpt(&item.title), message);
        is_draft
    });
}

/// Returns the addresses at which the former site lists public posts by category, tag, author and year, unless it was set up otherwise.
fn archives<'i>(items: impl Iterator<Item = &'i Item>) -> Vec<String> {
    let mut archives = BTreeSet::new();
    for item in items.filter(|item| item.kind == "post" && item.status == "publish") {
        for (domain, folder) in [("category", "category"), ("post_tag", "tag")] {
            archives.extend(item.term(domain).map(|(_, name, _)| format!("/{folder}/{name}/")));
        }
        archives.extend((!item.creator.is_empty()).then(|| format!("/author/{}/", item.creator)));
        archives.extend(item.date.get(..4).map(|year| format!("/{year}/")));
    }
    archives.into_iter().collect()
}

struct WordPressExport<'a> {
    name: &'a str,
    settings: &'a WordPress<'a>,
    /// Names of authors by their names at the sign-in.
    authors: HashMap<String, String>,
    /// Files by number.
    files: HashMap<&'a str, &'a Item>,
    /// Entries by the addresses of their texts.
    targets: HashMap<String, String>,
}

type EntryWithLosses = (ImportedEntry, Vec<(String, Loss)>);

impl WordPressExport<'_> {
    fn entry(&self, group: &TextGroup) -> Result<EntryWithLosses, Text> {
        let mut entry = ImportedEntry {
            kind: group.kind,
            key: group.key.clone(),
            texts: BTreeMap::new(),
            pictures: Vec::new(),
            source: self.name.to_owned(),
        };
        let mut losses = Vec::new();
        for (locale, item) in &group.items {
            let place = format!("{}: {}", self.name, excerpt(&item.title));
            let mut found: Vec<Loss> = Vec::new();
            let language: Locale = locale.parse().unwrap_or(Locale::Tr);
            let slug = Slug::parse(&item.slug).ok().map(|slug| slug.as_str().to_owned());
            let present = self.address(group.kind, language, slug.as_deref());
            let fields = self.fields(group.kind, item, present.as_deref(), &mut found);
            let body = self.body(item, language, &mut entry.pictures, &mut found)?;
            let title = if item.title.is_empty() { group.key.clone() } else { item.title.clone() };
            entry.texts.insert(locale, ImportedText { title, slug, fields, body });
            losses.extend(found.into_iter().map(|loss| (place.clone(), loss)));
        }
        share_fields(&mut entry);
        Ok((entry, losses))
    }

    /// Returns the address that a text gets, if its slug stays.
    fn address(&self, kind: Kind, locale: Locale, slug: Option<&str>) -> Option<String> {
        let section = match kind {
            Kind::Publications => self.settings.sections.iter().find(|(of, _)| *of == locale)?.1.clone(),
            _ => format!("/{locale}"),
        };
        Some(format!("{section}/{}", slug?))
    }

    fn fields(
        &self,
        kind: Kind,
        item: &Item,
        present: Option<&str>,
        losses: &mut Vec<Loss>,
    ) -> Vec<(&'static str, String)> {
        let mut fields: Vec<(&'static str, String)> = Vec::new();
        let mut lose = |message: Text| losses.push(Loss { heading: String::new(), words: String::new(), message });
        let day = |moment: &str| moment.get(..10).filter(|day| Date::parse(day).is_ok()).map(str::to_owned);
        let summary = unescaped(&item.excerpt);
        let summary = if summary.is_empty() {
            item.meta(&["_yoast_wpseo_metadesc", "rank_math_description", "_aioseo_description"])
                .map(unescaped)
                .unwrap_or_default()
        } else {
            summary
        };
        let summary = Some(summary).filter(|summary| !summary.is_empty());
        let list = |values: &[String]| {
            format!("[{}]", values.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", "))
        };
        if kind == Kind::Publications {
            fields.extend(summary.map(|summary| ("excerpt", yaml(&summary))));
            fields.extend(day(&item.date).map(|day| ("date", day)));
            let author = self.authors.get(&item.creator).filter(|name| !name.is_empty()).unwrap_or(&item.creator);
            let person = self.settings.people.iter().find(|(_, name)| is_same(name, author));
            match person {
                Some((key, _)) => fields.push(("author", key.clone())),
                None if author.is_empty() => {}
                None => lose(messages::lost_author(author)),
            }
            let mut category = None;
            for (_, short, name) in item.term("category").filter(|(_, short, _)| short != "uncategorized") {
                let known = self.settings.categories.iter().find(|(key, names)| {
                    is_same(key, short) || names.iter().any(|own| is_same(own, name) || is_same(own, short))
                });
                match known {
                    Some((key, _)) if category.is_none() => category = Some(key.clone()),
                    Some((key, _)) if category.as_ref() == Some(key) => {}
                    _ => lose(messages::lost_category(name.as_str())),
                }
            }
            fields.extend(category.map(|category| ("category", category)));
            let tags: Vec<String> = item.term("post_tag").map(|(_, _, name)| name.clone()).take(20).collect();
            if !tags.is_empty() {
                fields.push(("tags", list(&tags)));
            }
        } else {
            fields.extend(summary.map(|summary| ("description", yaml(&summary))));
            let updated = day(&item.modified).or_else(|| day(&item.date));
            fields.push(("updated", updated.unwrap_or_else(|| self.settings.today.to_owned())));
        }
        if !item.is_public() {
            fields.push(("draft", "true".to_owned()));
        }
        let mut addresses = Vec::new();
        for address in item.addresses().into_iter().filter(|_| item.is_public()) {
            let decoded = percent_decoded(&bare(&address));
            if decoded.as_deref() == present && present.is_some() {
                continue;
            }
            if decoded.as_deref().is_some_and(is_former_address) {
                addresses.push(address);
            } else {
                lose(messages::lost_address(address.as_str()));
            }
        }
        if !addresses.is_empty() {
            fields.push(("aliases", list(&addresses)));
        }
        fields
    }

    fn body(
        &self,
        item: &Item,
        locale: Locale,
        pictures: &mut Vec<Picture>,
        losses: &mut Vec<Loss>,
    ) -> Result<String, Text> {
        let mut html = with_footnotes(&paragraphs(&item.body), item.meta(&["footnotes"]), losses);
        html = without_shortcodes(&html, losses);
        if let Some(embedded) = &*EMBEDDED {
            for found in embedded.captures_iter(&html) {
                let tag = found.get(1).map_or("", |tag| tag.as_str()).to_lowercase();
                losses.push(Loss {
                    heading: String::new(),
                    words: excerpt(&html[found.get(0).map_or(0, |it| it.start())..]),
                    message: messages::lost_embedded(tag),
                });
            }
        }
        if let Some(featured) = item.meta(&["_thumbnail_id"]).and_then(|id| self.files.get(id)) {
            let alt = featured.meta(&["_wp_attachment_image_alt"]).unwrap_or(&featured.title);
            let name = featured.attachment.rsplit('/').next().unwrap_or_default();
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            if !html.contains(stem) {
                let quoted = |text: &str| text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
                html = format!("<p><img src=\"{}\" alt=\"{}\"></p>\n{html}", quoted(&featured.attachment), quoted(alt));
            }
        }
        let folder = tempfile::tempdir().map_err(|error| Text::verbatim(&error))?;
        let copy = folder.path().join("text.html");
        fs::write(&copy, &html).map_err(|error| Text::verbatim(&error))?;
        let failed = |error: Text| in_file(format!("{}: {}", self.name, item.title), &error);
        // The extension reads footnotes.
        let read = pandoc::read(&copy, "html+epub_html_exts").map_err(failed)?;
        let mut name_picture = |target: &str| self.upload(target, pictures, markdown::is_picture);
        let mut adapted_files: Vec<Picture> = Vec::new();
        let resolve = |target: &str| -> Resolve {
            match self.targets.get(&bare(path_of(target))) {
                Some(entry) => Resolve::To(entry.clone()),
                None if target.contains("/wp-content/uploads/") => Resolve::File,
                None => Resolve::Outside,
            }
        };
        let mut name_file = |target: &str| self.upload(target, &mut adapted_files, markdown::is_document);
        let adapted = tree::adapt(read, locale, false, &mut name_picture, &resolve, &mut name_file);
        for file in adapted_files {
            if !pictures.contains(&file) {
                pictures.push(file);
            }
        }
        losses.extend(adapted.losses);
        to_markdown(&adapted.tree).map_err(failed)
    }

    /// Returns the name beside the text of a file from the uploads.
    fn upload(&self, target: &str, files: &mut Vec<Picture>, is_published: fn(&str) -> bool) -> Result<String, Text> {
        let Some((_, path)) = target.split_once("/wp-content/uploads/") else {
            return Err(messages::lost_foreign_picture(target));
        };
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let path = percent_decoded(path).unwrap_or_else(|| path.to_owned());
        let Some(uploads) = self.settings.uploads else { return Err(messages::lost_without_uploads(path)) };
        // The full size, if it is there.
        let whole = SIZE.as_ref().map(|size| size.replace(&path, "$1").into_owned());
        let found = whole.iter().chain([&path]).find_map(|path| inside(uploads, path));
        let Some(found) = found else { return Err(messages::lost_upload(path)) };
        let name = found.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if !is_published(&name) {
            return Err(messages::lost_picture_form(name));
        }
        let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
        let stem = turkish::slug(stem, Locale::Tr);
        let extension = extension.to_ascii_lowercase();
        let length = fs::metadata(&found).map_err(|error| Text::verbatim(&error))?.len();
        if length > MAX_UPLOAD {
            return Err(messages::lost_large_upload(path));
        }
        let bytes = fs::read(&found).map_err(|error| Text::verbatim(&error))?;
        if let Some(known) = files.iter().find(|file| file.bytes == bytes) {
            return Ok(known.name.clone());
        }
        let names =
            (1..).map(
                |number| {
                    if number == 1 { format!("{stem}.{extension}") } else { format!("{stem}-{number}.{extension}") }
                },
            );
        let name = names.into_iter().find(|name| files.iter().all(|file| file.name != *name)).unwrap_or_default();
        files.push(Picture { name: name.clone(), bytes });
        Ok(name)
    }
}

/// Removes shortcodes; what stands between two of them stays.
fn without_shortcodes(html: &str, losses: &mut Vec<Loss>) -> String {
    let Some(shortcode) = &*SHORTCODE else { return html.to_owned() };
    let closed: BTreeSet<&str> = shortcode
        .captures_iter(html)
        .filter(|found| &found[1] == "/")
        .filter_map(|found| found.get(2).map(|name| name.as_str()))
        .collect();
    let mut lost = BTreeSet::new();
    let text = shortcode.replace_all(html, |found: &regex_lite::Captures| {
        let (name, attributes) = (&found[2], &found[3]);
        // `[sic]` and `[…]` are words of a text.
        let is_shortcode = closed.contains(name) || attributes.contains('=') || SHORTCODES.contains(&name);
        if !is_shortcode {
            return found[0].to_owned();
        }
        if name != "caption" && &found[1] != "/" {
            lost.insert(found[0].to_owned());
        }
        String::new()
    });
    let text = text.into_owned();
    losses.extend(lost.into_iter().map(|code| Loss {
        heading: String::new(),
        words: excerpt(&code),
        message: messages::lost_shortcode(excerpt(&code)),
    }));
    text
}

/// Returns a file below `folder`. Security: neither `..` nor a link leads out of it.
fn inside(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let file = folder.join(path).canonicalize().ok().filter(|_| is_plain)?;
    file.starts_with(folder.canonicalize().ok()?).then_some(file).filter(|file| file.is_file())
}

/// Facts that are the same in both languages may differ in the two posts: the site takes those of the first language.
fn share_fields(entry: &mut ImportedEntry) {
    let mut known: BTreeSet<&'static str> = BTreeSet::new();
    for text in entry.texts.values_mut() {
        let shared = ["date", "author", "category", "draft", "updated"];
        text.fields.retain(|(name, _)| !shared.contains(name) || known.insert(name));
    }
}

fn is_same(one: &str, other: &str) -> bool {
    let folded = |text: &str| turkish::slug(text, Locale::Tr);
    !folded(one).is_empty() && folded(one) == folded(other)
}

/// Returns a text in quotation marks of YAML.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn percent_decoded(text: &str) -> Option<String> {
    percent_encoding::percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// Sets paragraphs as `WordPress` does when it shows a text of the classic editor, where an empty line ends one.
fn paragraphs(html: &str) -> String {
    if html.contains("<!-- wp:") || html.contains("<p") {
        return html.to_owned();
    }
    let text = html.replace("\r\n", "\n");
    let blocks = text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()).map(|block| {
        let lower = block.to_ascii_lowercase();
        if BLOCKS.iter().any(|tag| lower.starts_with(tag)) {
            block.to_owned()
        } else {
            format!("<p>{}</p>", block.replace('\n', "<br>\n"))
        }
    });
    blocks.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> WordPress<'static> {
        WordPress {
            uploads: None,
            locale: Some(Locale::Tr),
            kind: None,
            today: "2026-01-05",
            categories: Vec::new(),
            sections: Vec::new(),
            people: Vec::new(),
        }
    }

    #[test]
    fn text_of_the_classic_editor_gets_its_paragraphs() {
        assert_eq!(paragraphs("Bir\niki\n\nüç\r\n\r\n<h2>Dört</h2>"), "<p>Bir<br>\niki</p>\n<p>üç</p>\n<h2>Dört</h2>");
        assert_eq!(paragraphs("<!-- wp:paragraph --><p>Bir</p>"), "<!-- wp:paragraph --><p>Bir</p>");
    }

    #[test]
    fn texts_that_were_not_public_are_drafts_or_left_out_and_reported() {
        let item = |kind: &str, title: &str, status: &str, locale: &str, group: &str| Item {
            id: title.to_owned(),
            kind: kind.to_owned(),
            title: title.to_owned(),
            body: title.to_owned(),
            status: status.trim_end_matches(" locked").to_owned(),
            is_locked: status.ends_with("locked"),
            terms: [("language", locale), ("post_translations", group)]
                .into_iter()
                .filter(|(_, name)| !name.is_empty())
                .map(|(domain, name)| (domain.to_owned(), name.to_owned(), String::new()))
                .collect(),
            ..Item::default()
        };
        let items = [
            item("post", "public", "publish", "tr", ""),
            item("post", "locked", "publish locked", "tr", ""),
            item("post", "private", "private", "tr", ""),
            item("post", "scheduled", "future", "tr", ""),
            item("post", "deleted", "trash", "tr", ""),
            item("post", "unsaved", "auto-draft", "tr", ""),
            item("post", "", "publish", "tr", ""),
            item("revision", "old", "inherit", "tr", ""),
            item("page", "locked page", "publish locked", "tr", ""),
            item("page", "draft page", "draft", "tr", ""),
            item("post", "half", "publish", "tr", "pair"),
            item("post", "other half", "private", "en", "pair"),
        ];
        let settings = settings();
        let mut imported = Imported::default();
        let groups = groups(&items, &settings, None, "export.xml", &mut imported).unwrap();
        let texts = groups.iter().flat_map(|group| group.items.values());
        let mut kept: Vec<(&str, bool)> = texts.map(|item| (item.title.as_str(), item.is_public())).collect();
        kept.sort_unstable();
        assert_eq!(
            kept,
            [("half", true), ("locked", false), ("private", false), ("public", true), ("scheduled", false)]
        );
        for (title, message) in [
            ("locked", "(with a password): it is carried over as a draft"),
            ("private", "(private): it is carried over as a draft"),
            ("scheduled", "(scheduled): it is carried over as a draft"),
            ("deleted", "in the trash"),
            ("unsaved", "never saved"),
            ("", "neither a title nor a text"),
            ("", "earlier versions of texts are left out: 1"),
            ("locked page", "(with a password); it is left out"),
            ("draft page", "(a draft); it is left out"),
            ("other half", "(private); it is left out"),
        ] {
            let is_it = |(_, loss): &&(String, Loss)| loss.words == title && loss.message[Locale::En].contains(message);
            assert_eq!(imported.losses.iter().filter(is_it).count(), 1, "{title}: {message} in {:?}", imported.losses);
        }
        assert_eq!(imported.losses.len(), 10, "{:?}", imported.losses);
        let export = WordPressExport {
            name: "export.xml",
            settings: &settings,
            authors: HashMap::new(),
            files: HashMap::new(),
            targets: HashMap::new(),
        };
        for (item, is_draft) in items.iter().zip([false, true, true, true]) {
            let fields = export.fields(Kind::Publications, item, None, &mut Vec::new());
            assert_eq!(fields.contains(&("draft", "true".to_owned())), is_draft, "{}", item.title);
        }
    }

    #[test]
    fn addresses_are_compared_without_host_and_slash() {
        assert_eq!(bare(path_of("https://old.example/2019/05/12/kira/")), "/2019/05/12/kira");
        assert_eq!(bare(path_of("https://old.example/?p=12")), "/?p=12");
        assert_eq!(path_of("/a/#b"), "/a/");
    }

    #[test]
    fn uploads_outside_of_their_folder_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("uploads")).unwrap();
        fs::write(folder.path().join("secret.png"), "x").unwrap();
        fs::write(folder.path().join("uploads/a.png"), "x").unwrap();
        let uploads = folder.path().join("uploads");
        assert!(inside(&uploads, "a.png").is_some());
        assert!(inside(&uploads, "../secret.png").is_none());
        assert!(inside(&uploads, "/etc/hostname").is_none());
    }

    #[test]
    fn footnotes_of_the_block_editor_are_carried_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("export.xml");
        let mark =
            |id: &str| format!("<sup data-fn=\"{id}\" class=\"fn\"><a href=\"#{id}\" id=\"{id}-link\">1</a></sup>");
        let body = format!(
            "<!-- wp:paragraph -->\n<p>Two years{} in <strong>all{}</strong> cases.</p>\n<!-- /wp:paragraph -->\n\n\
             <!-- wp:paragraph -->\n<p>A &amp; b{}.</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:footnotes /-->",
            mark("n-1"),
            mark("n-2"),
            mark("gone")
        );
        let notes = r#"[{"content":"Unless a <em>statute</em> <a href=\"https:\/\/law.example\">shortens<\/a> it.","id":"n-1"},
            {"content":"Rent, art. 3.","id":"n-2"},{"content":"","id":"gone"},{"content":"Left &amp; alone","id":"n-4"}]"#;
        let export = |notes: &str| {
            let item = format!(
                "<item><title>Post</title><encoded><![CDATA[{body}]]></encoded><post_id>1</post_id><status>publish</status>\
                 <post_type>post</post_type><postmeta><meta_key>footnotes</meta_key><meta_value><![CDATA[{notes}]]></meta_value></postmeta></item>"
            );
            fs::write(&file, format!("<rss><channel><wxr_version>1.2</wxr_version>{item}</channel></rss>")).unwrap();
            let imported = read(&file, &settings()).unwrap();
            let lost = imported.losses.into_iter().map(|(_, loss)| (loss.words, loss.message[Locale::En].to_owned()));
            let lost: Vec<_> = lost.filter(|(_, message)| message.contains("footnote")).collect();
            (imported.entries[0].texts["tr"].body.clone(), lost)
        };
        let (text, lost) = export(notes);
        assert_eq!(
            text,
            "Two years[^1] in **all[^2]** cases.\n\nA & b.\n\n\
             [^1]: Unless a *statute* [shortens](https://law.example) it.\n\n[^2]: Rent, art. 3.\n"
        );
        let mark = "the mark of a footnote is left out: the export has no text for it".to_owned();
        let note = "a footnote without a mark in the text is left out: “Left & alone”".to_owned();
        assert_eq!(lost, [("A & b".to_owned(), mark), (String::new(), note)]);
        let (text, lost) = export("{broken");
        assert_eq!(text, "Two years in **all** cases.\n\nA & b.\n");
        assert_eq!(lost.len(), 4, "{lost:?}");
    }

    #[test]
    fn entities_are_not_expanded() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("export.xml");
        let types = "<!DOCTYPE rss [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>";
        fs::write(&file, format!("{types}<rss><channel><title>&b;</title></channel></rss>")).unwrap();
        let error = read(&file, &settings()).unwrap_err();
        assert!(error[Locale::En].contains("DTD"), "{}", &error[Locale::En]);
    }
}
