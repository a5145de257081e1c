//! Texts of pages: whole, or in parts that end where a paragraph does.

use contract::{
    mcp::{
        Cut, Document, DocumentMetadata, PageMarkdown,
        arguments::{ID, MAX_CHARS, OFFSET, URL},
        limits::{ADDRESS, CHARACTERS, MAX_CHARACTERS, MIN_CHARACTERS},
    },
    routes::{LLMS_FULL_TXT, LLMS_TXT, SITEMAP},
};

use super::{
    ToolError,
    arguments::{Arguments, excerpt},
    structured, with_members,
};
use crate::{
    catalogue::Catalogue,
    json,
    pages::{Elsewhere, Page},
};

/// The name that models use for [`URL`] when they give a path; no schema mentions it.
const PATH: &str = "path";

/// The metadata of a page, borrowing its texts from the build.
type PageMetadata<'a> = DocumentMetadata<&'a str, String>;

/// The text of a page that a search returned.
pub(crate) fn fetch(catalogue: &Catalogue, arguments: &str, out: &mut Vec<u8>) -> Result<(), ToolError> {
    let mut read = Arguments::parse(arguments)?;
    let id = read.text(ID, ADDRESS);
    let offset = read.number(OFFSET, 0..=u64::MAX).unwrap_or(0);
    let remarks = read.finish()?;
    let page = find(catalogue, &id).map_err(|_| {
        let id = excerpt(&id);
        format!("There is no document with the id `{id}`. Use an `id` that `search` returned, as it is.")
    })?;
    let (text, cut) = part(page.text(), offset, CHARACTERS)?;
    let document = Document {
        id: &*id,
        title: page.title(),
        text,
        url: address(catalogue, page.path()),
        metadata: metadata(catalogue, page, cut),
    };
    let object = serde_json::to_vec(&document).map_err(|error| error.to_string())?;
    structured(&object, &remarks, out)
}

/// The text of the page at an address. The text appears once, as text content; its metadata is structured content.
pub(crate) fn page(catalogue: &Catalogue, arguments: &str, out: &mut Vec<u8>) -> Result<(), ToolError> {
    let mut read = Arguments::parse(arguments)?;
    read.one_of(URL, PATH);
    let url = read.text(if read.has(PATH) && !read.has(URL) { PATH } else { URL }, ADDRESS);
    let locale = read.locale();
    let offset = read.number(OFFSET, 0..=u64::MAX).unwrap_or(0);
    let most = read.number(MAX_CHARS, MIN_CHARACTERS..=MAX_CHARACTERS).unwrap_or(CHARACTERS);
    let remarks = read.finish()?;
    let mut page = find(catalogue, &url)?;
    if let Some(locale) = locale.filter(|locale| *locale != page.locale()) {
        let translation = page.translation().and_then(|path| catalogue.pages.at(path));
        page = translation
            .ok_or_else(|| format!("`{}` exists in `{}` only, not in `{locale}`.", page.path(), page.locale()))?;
    }
    let (text, cut) = part(page.text(), offset, most)?;
    out.extend_from_slice(b"\"content\":[{\"type\":\"text\",\"text\":");
    json::quote(text, out);
    // The text has no place for remarks, so that they are a text of their own.
    if !remarks.ignored_arguments.is_empty() {
        out.extend_from_slice(b"},{\"type\":\"text\",\"text\":");
        let ignored = remarks.ignored_arguments.join("`, `");
        json::quote(&format!("This tool does not have the arguments `{ignored}`; they changed nothing."), out);
    }
    out.extend_from_slice(b"}],\"structuredContent\":");
    let about = PageMarkdown {
        title: page.title(),
        url: address(catalogue, page.path()),
        metadata: metadata(catalogue, page, cut),
    };
    let about = serde_json::to_vec(&about).map_err(|error| error.to_string())?;
    let about = if remarks.ignored_arguments.is_empty() { about } else { with_members(&about, &remarks)? };
    out.extend_from_slice(&about);
    Ok(())
}

/// Returns the page that `text` names. `llms.txt` is no page: the `list_` tools give what it lists, and the error says
/// so.
fn find<'a>(catalogue: &'a Catalogue, text: &str) -> Result<Page<'a>, ToolError> {
    let site = catalogue.pages.site_url();
    match catalogue.pages.resolve(text) {
        Ok(Some(page)) => Ok(page),
        Ok(None) if [LLMS_TXT, LLMS_FULL_TXT].iter().any(|file| text.trim().ends_with(file)) => Err(format!(
            "`{}` is no page, and is read over HTTP only. The `list_` tools, `get_contact` and `resources/list` give what \
             it lists.",
            excerpt(text),
        )),
        Ok(None) => Err(format!(
            "There is no page at `{}`. Use a `url` that another tool returned, or a path below {site}; `resources/list` \
             and {site}{} name every page.",
            excerpt(text),
            SITEMAP,
        )),
        Err(Elsewhere) => {
            Err(format!("`{}` is not an address of this site. Only pages of {site} can be read here.", excerpt(text)))
        }
    }
}

fn address(catalogue: &Catalogue, path: &str) -> String {
    format!("{}{path}", catalogue.pages.site_url())
}

fn metadata<'a>(catalogue: &Catalogue, page: Page<'a>, cut: Cut) -> PageMetadata<'a> {
    PageMetadata { locale: page.locale(), markdown_url: address(catalogue, page.twin()), updated: page.updated(), cut }
}

/// Returns at most `most` characters of `text`, starting at `offset`. A part that is not the last ends with a
/// paragraph, or else with a line, if one ends in its last quarter.
fn part(text: &str, offset: u64, most: u64) -> Result<(&str, Cut), ToolError> {
    let total = text.chars().count() as u64;
    if offset > total {
        return Err(format!("`offset` must be a whole number from 0 to {total}, the length of this text."));
    }
    let rest = &text[bytes(text, offset)..];
    let mut part = &rest[..bytes(rest, most)];
    if part.len() < rest.len() {
        let least = part.len() / 4 * 3;
        let paragraph = part.rfind("\n\n").map(|at| at + 2).filter(|end| *end > least);
        let line = || part.rfind('\n').map(|at| at + 1).filter(|end| *end > least);
        part = &part[..paragraph.or_else(line).unwrap_or(part.len())];
    }
    let characters = if part.len() == rest.len() { total - offset } else { part.chars().count() as u64 };
    let next = offset + characters;
    let truncated = next < total;
    Ok((part, Cut { offset, characters, total, truncated, next_offset: truncated.then_some(next) }))
}

/// The number of bytes in the first `characters` characters of `text`.
fn bytes(text: &str, characters: u64) -> usize {
    // Every character takes at least one byte, so most texts need not be scanned.
    if characters == 0 || characters >= text.len() as u64 {
        return text.len().min(characters as usize);
    }
    let place = usize::try_from(characters).ok().and_then(|at| text.char_indices().nth(at));
    place.map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn part_ends_with_a_paragraph_where_one_ends_near() {
        let text = format!("{}\n\n{}\n\n{}", "a".repeat(90), "b".repeat(300), "c".repeat(300));
        assert_eq!(part(&text, 0, 100).unwrap().0, format!("{}\n\n", "a".repeat(90)));
        assert_eq!(part(&text, 92, 100).unwrap().0, "b".repeat(100));
    }

    #[test]
    fn cursor_beyond_the_end_is_rejected() {
        assert_eq!(part("abc", 3, 10).unwrap().0, "");
        assert!(part("abc", 4, 10).is_err());
    }

    proptest! {
        #[test]
        fn parts_put_together_are_the_text(text in "[aışİ\n ]{0,400}", most in 1_u64..60) {
            let (mut offset, mut whole) = (0, String::new());
            loop {
                let (piece, cut) = part(&text, offset, most).unwrap();
                prop_assert_eq!(piece.chars().count() as u64, cut.characters);
                prop_assert!(cut.characters <= most);
                whole.push_str(piece);
                match cut.next_offset {
                    Some(next) => { prop_assert!(next > offset); offset = next }
                    None => break,
                }
            }
            prop_assert_eq!(whole, text);
        }
    }
}
