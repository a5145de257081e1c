//! The typed model of a firm's site, from which every public answer is rendered.
//!
//! A [`Site`] exists only if no check found an error. It contains facts, not texts: the body of a document is read
//! again when its page is rendered, so memory grows with the number of entries and not with their length.

mod assemble;
mod attachments;
mod body;
pub mod check;
mod dimensions;
mod document;
mod document_file;
mod draft;
mod drawing;
mod entries;
mod file_facts;
mod files;
mod known_files;
mod known_pages;
mod laws;
mod links;
mod load;
mod metadata;
mod pages;
mod photograph;
mod picture;
mod postal;
mod published;
mod redirects;
mod schedule;
mod settings;
mod share;

/// A digest of the sources that read and check texts.
pub const CHECKS_DIGEST: &str = env!("CHECKS_DIGEST");

pub use assemble::assemble;
pub use attachments::{beside, document_path, linked_file, referenced_files, well_known};
pub use content::{
    Agents, ChangeOfLaw, Crawlers, EditorSettings, Focus, MenuEntry, MenuTarget, OpeningHours, PageKind,
};
pub use dimensions::decoder_bytes;
pub use document::{Document, Origin, card_paths, office_path, twin_path};
pub use draft::{Draft, Status};
pub use drawing::{Undrawn, UndrawnReason, drawable};
pub use entries::{AreaEntry, ArticleChange, ArticleEntry, Contact, MemberEntry, NetworkFirm, Office, Page, Portrait};
pub use file_facts::FileFacts;
pub use files::{MAX_DECODING_BYTES, inspect};
pub use known_files::KnownFiles;
pub use known_pages::{KnownPage, KnownPages, Question};
pub use laws::{CitedLaw, laws_path};
pub use links::{LinkForm, Links, SiteTargets};
pub use load::{
    CheckedDraft, HeldBack, Loaded, Loading, examine, load, load_into_memory, load_with_known_files, report,
};
pub use pages::Pages;
pub use photograph::{MAX_FORM_BYTES, Photograph, PhotographForm, Usage};
pub use redirects::{Paths, redirects};
pub use settings::{Category, Firm, Mcp, Security, SiteSettings};
pub use share::share;

use std::collections::HashSet;

use content::Folder;
use contract::{Locale, PerLocale, routes, text::Date};
use jiff::Timestamp;
use markdown::Size;
use sha2::{Digest as _, Sha256};

/// Returns the fingerprint in the public name of a file: the first 16 hexadecimal digits of its SHA-256.
pub fn fingerprint(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes)[..8])
}

/// The published content, per locale and in the order of the site.
#[derive(Clone, Debug)]
pub struct Site {
    /// The settings in `content/site.toml`.
    pub settings: SiteSettings,
    pub content: PerLocale<Content>,
    /// Portraits, figures, documents, the logo and other files, by path below the content folder.
    pub files: Vec<Attachment>,
    /// The next moment at which the site changes without an edit; `None` if nothing is scheduled.
    pub next_change: Option<Timestamp>,
    /// Whether the site shows drafts; then every page has a notice, and search engines are excluded.
    pub drafts: bool,
    /// The files of the editor in the browser; empty if the site has none.
    pub editor: Vec<EditorFile>,
    folder: Folder,
}

/// A file of the editor in the browser.
#[derive(Clone, Debug)]
pub struct EditorFile {
    /// Public path.
    pub path: String,
    pub media_type: &'static str,
    pub bytes: Vec<u8>,
}

/// The entries of one locale.
#[derive(Clone, Debug)]
pub struct Content {
    /// By `order`, then by name under the locale's collation; those without `order` last.
    pub practice_areas: Vec<AreaEntry>,
    /// By `order`, then by name under the locale's collation; those without `order` last.
    pub team: Vec<MemberEntry>,
    /// Newest first, then by title under the locale's collation; undated ones last.
    pub publications: Vec<ArticleEntry>,
    /// By country name, then by name, under the locale's collation.
    pub network: Vec<NetworkFirm>,
    pub contact: Contact,
    pub pages: Pages,
}

/// A published file for one usage: a picture under a name with its fingerprint, or a document under its own name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Path below the content folder, with `/` between its segments.
    pub file: String,
    pub usage: Usage,
    /// Public path, such as `/assets/portrait.0123456789abcdef.svg` or `/files/form.pdf`; for a photograph that of its
    /// widest form.
    pub path: String,
    pub fingerprint: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Width and height of the published file, if they are known.
    pub size: Option<Size>,
    /// Whether it is a drawing with its own rule for dark mode.
    pub adapts: bool,
    /// The forms made from the file; `None` if it is published unchanged.
    pub photograph: Option<Photograph>,
}

impl Attachment {
    /// Returns whether the file is a document that readers download.
    pub fn is_document(&self) -> bool {
        markdown::is_document(&self.path) && !self.is_well_known()
    }

    /// Returns whether the file is published unchanged below `/.well-known/`.
    pub fn is_well_known(&self) -> bool {
        self.path.starts_with(routes::WELL_KNOWN)
    }
}

impl Site {
    /// Returns the origin of the site, without a trailing slash.
    pub fn url(&self) -> &str {
        self.settings.site_url.as_str()
    }

    /// Returns the absolute address of a public `path`.
    pub fn absolute(&self, path: &str) -> String {
        [self.url(), path].concat()
    }

    /// Returns the page of `kind`, if the firm has it in this locale.
    pub fn page(&self, locale: Locale, kind: PageKind) -> Option<&Page> {
        self.content[locale].pages.of(kind)
    }

    /// Marks the entries in `files`, paths below the content folder, as older than the same text in the other locale.
    /// An entry without a published translation is not marked.
    pub fn mark_stale(&mut self, files: &HashSet<String>) {
        for content in [&mut self.content.en, &mut self.content.tr] {
            let Content { practice_areas, team, publications, pages, .. } = content;
            let areas = practice_areas.iter_mut().map(|area| &mut area.document);
            let people = team.iter_mut().map(|member| &mut member.document);
            let articles = publications.iter_mut().map(|publication| &mut publication.document);
            let pages = pages.all_mut().iter_mut().map(|page| &mut page.document);
            for document in areas.chain(people).chain(articles).chain(pages) {
                document.is_stale = document.translation.is_some() && files.contains(&document.origin.file);
            }
        }
    }

    /// Returns the files of the publications whose review is due.
    pub fn unreviewed(&self) -> impl Iterator<Item = &str> {
        let all = self.content.iter().flat_map(|(_, content)| &content.publications);
        all.filter(|publication| publication.is_unreviewed).map(|publication| publication.document.origin.file.as_str())
    }

    pub fn home(&self, locale: Locale) -> &Page {
        self.content[locale].pages.home()
    }
}

impl Content {
    pub fn practice_area(&self, key: &str) -> Option<&AreaEntry> {
        self.practice_areas.iter().find(|area| area.document.key == key)
    }

    /// Returns the date of the last change of a page: the date of the last review of its text or, if later, that of the
    /// newest publication in its list.
    pub fn updated<'a>(&'a self, page: &'a Page) -> Option<&'a Date> {
        let lists_newest = matches!(page.kind, PageKind::Home | PageKind::Publications);
        let newest = self.publications.first().filter(|_| lists_newest);
        page.document.updated.as_ref().max(newest.and_then(|publication| publication.date.as_ref()))
    }

    /// Returns all documents in the order of the site, without archives, each with its section, if any, and the date of
    /// its last change.
    pub fn documents(&self) -> impl Iterator<Item = (Option<PageKind>, &Document, Option<&Date>)> {
        let areas = self.practice_areas.iter().map(|area| (PageKind::PracticeAreas, &area.document));
        let team = self.team.iter().map(|member| (PageKind::Team, &member.document));
        let entries = areas.chain(team).map(|(section, it)| (Some(section), it, it.updated.as_ref()));
        let articles = self.publications.iter().map(|it| (Some(PageKind::Publications), &it.document, it.updated()));
        let pages = self.pages.addressed();
        pages.map(|page| (None, &page.document, self.updated(page))).chain(entries).chain(articles)
    }

    pub fn team_member(&self, key: &str) -> Option<&MemberEntry> {
        self.team.iter().find(|member| member.document.key == key)
    }
}
