//! Tools that return texts of pages, whole or in parts that end with a paragraph.

use contract::{
    mcp::{
        Cut, DocumentMetadata, DocumentResult, PageMarkdown,
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
    pages::{Elsewhere, PreparedPage},
};

/// An undocumented alias of [`URL`] that models use for paths.
const PATH: &str = "path";

type PageMetadata<'a> = DocumentMetadata<&'a str, String>;

/// Writes the text of a search result.
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
    let document = DocumentResult {
        id: &*id,
        title: page.title(),
        text,
        url: address(catalogue, page.path()),
        metadata: metadata(catalogue, page, cut),
    };
    let object = serde_json::to_vec(&document).map_err(|error| error.to_string())?;
    structured(&object, &remarks, out)
}

/// Writes the text of the page at an address as text content, and its metadata as structured content.
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
    // Remarks are a second text.
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

/// Returns the page that `text` names. The error for `llms.txt`, which is no page, names the tools that list its
/// content.
fn find<'a>(catalogue: &'a Catalogue, text: &str) -> Result<PreparedPage<'a>, ToolError> {
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

fn metadata<'a>(catalogue: &Catalogue, page: PreparedPage<'a>, cut: Cut) -> PageMetadata<'a> {
    PageMetadata {
        locale: page.locale(),
        markdown_url: address(catalogue, page.twin()),
        updated: page.updated(),
        translation: page.translation_state(catalogue.pages.site_url()),
        stale: page.is_stale(),
        law_changed: page.law_changed(),
        cut,
    }
}

/// Returns at most `most` characters of `text` from `offset`. A part other than the last ends with a paragraph, or else
/// a line, if one ends in its last quarter.
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

/// Returns the length in bytes of the first `characters` characters of `text`.
fn bytes(text: &str, characters: u64) -> usize {
    // A character takes at least one byte, so most texts need no scan.
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
