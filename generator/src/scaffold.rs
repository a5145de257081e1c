//! Creates an entry: a folder with a file for each language, in which the fields to fill in are empty. Or adds the
//! missing language to an entry.
//!
//! Existing files are never changed: every file is created with `create_new`.

use std::{
    fmt, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use content::{Kind, PageKind, RESERVED_PAGES, language_of};
use contract::{Locale, text::Slug};
use findings::{
    is_slip,
    messages::{self, Text},
};
use markdown::turkish;

contract::names! {
    /// A kind of entry without a fixed number; the contact entry is not one.
    pub enum EntryKind {
        /// An article.
        Publication "publication",
        /// A field of law.
        PracticeArea "practice-area",
        /// A person.
        TeamMember "team-member",
        /// An associated firm abroad.
        NetworkFirm "network-firm",
        /// A single page.
        Page "page",
    }
}

impl EntryKind {
    /// Parses the name of one entry of the kind, or the name of the kind's folder.
    ///
    /// # Errors
    /// If `text` is none of them.
    pub fn find(text: &str) -> Result<Self, UnknownKind> {
        let found = Self::ALL.into_iter().find(|kind| text == kind.as_str() || text == kind.kind().folder());
        found.ok_or(UnknownKind)
    }

    pub const fn kind(self) -> Kind {
        match self {
            Self::PracticeArea => Kind::PracticeAreas,
            Self::TeamMember => Kind::Team,
            Self::Publication => Kind::Publications,
            Self::NetworkFirm => Kind::Network,
            Self::Page => Kind::Pages,
        }
    }

    /// Returns the fields after the title: those of each file, and those that are shared by both languages. The notes
    /// beside them are in the language of the file.
    fn fields(self, locale: Locale) -> (String, String) {
        let required = |name: &str, note: Text| format!("{name}: # {}\n", &note[locale]);
        let optional = |name: &str, note: Text| format!("# {name}: {}\n", &note[locale]);
        match self {
            Self::PracticeArea => {
                (required("summary", messages::sentences_note()), optional("order", messages::order_note()))
            }
            Self::TeamMember => (
                required("title", messages::professional_title_note())
                    + &required("summary", messages::sentence_note()),
                optional("order", messages::order_of_people_note())
                    + &optional("email", messages::email_note())
                    + &optional("practice_areas", messages::keys_note()),
            ),
            Self::Publication => (
                optional("excerpt", messages::sentences_note()),
                optional("author", messages::author_note()) + &optional("category", messages::category_note()),
            ),
            Self::NetworkFirm => (
                required("city", messages::city_note()),
                required("country", messages::country_note()) + &required("relation", messages::relation_note()),
            ),
            Self::Page => (required("description", messages::description_note()), String::new()),
        }
    }
}

/// The error of a text that names no kind of entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownKind;

impl UnknownKind {
    pub fn message(self) -> Text {
        messages::entry_kind_unknown(EntryKind::ALL.map(EntryKind::as_str).join("`, `"))
    }
}

impl fmt::Display for UnknownKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message()[Locale::En])
    }
}

impl std::error::Error for UnknownKind {}

/// An entry to create, or to extend by the other language.
#[derive(Clone, Debug)]
pub struct NewEntry<'a> {
    pub kind: EntryKind,
    /// The title or name in each language for which to write a file.
    pub titles: Vec<(Locale, &'a str)>,
    /// Name of the folder; `None` to make it from the title, preferably the English one.
    pub key: Option<&'a str>,
    /// The date to write, `YYYY-MM-DD`.
    pub today: String,
}

/// The files that were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    pub files: Vec<PathBuf>,
    /// Whether they were added to an entry that existed in the other language.
    pub is_added: bool,
}

/// Writes the files of `entry` below `content`.
///
/// # Errors
/// If the entry is not possible, before anything is written; or if the disk fails, after which new files are removed.
pub fn create(content: &Path, entry: &NewEntry<'_>) -> Result<Started, Text> {
    if !content.is_dir() {
        return Err(messages::content_folder_absent(content.display()));
    }
    let key = key(entry)?;
    if entry.kind == EntryKind::Page && RESERVED_PAGES.contains(&key.as_str()) {
        return Err(messages::key_kept_for_a_page(key));
    }
    let kind = content.join(entry.kind.kind().folder());
    let folder = kind.join(&key);
    if Locale::ALL.into_iter().any(|locale| existing_text(&folder, &key, locale).is_some()) {
        return add(content, &folder, &key, entry);
    }
    if let Some(near) = entry.key.and_then(|key| near_key(&kind, key, entry)) {
        return Err(messages::entry_key_near(key, near));
    }
    if !entry.kind.kind().may_lack_translation(&key) {
        let missing = Locale::ALL.into_iter().find(|locale| entry.titles.iter().all(|(titled, _)| titled != locale));
        if let Some(locale) = missing {
            return Err(messages::translation_title_missing(entry.kind.as_str(), locale));
        }
    }
    fs::create_dir_all(&kind).map_err(|error| Text::at_path(&kind, error))?;
    fs::create_dir(&folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => messages::entry_folder_exists(folder.display()),
        _ => Text::at_path(&folder, error),
    })?;
    let written = entry.titles.iter().enumerate().map(|(at, (locale, title))| {
        let part = if at == 0 { FileRole::First } else { FileRole::Second };
        write(folder.join(name_of_text(content, *locale)), &front_matter((content, entry), &key, *locale, title, part))
    });
    let files = written.collect::<Result<_, _>>().inspect_err(|_| {
        // This function created the folder, so it contains nothing else.
        let _ = fs::remove_dir_all(&folder);
    })?;
    Ok(Started { files, is_added: false })
}

/// Returns the key of an entry below `kind` of which `key` is a slip, and to which the only title would be a translation.
fn near_key(kind: &Path, key: &str, entry: &NewEntry<'_>) -> Option<String> {
    let [(locale, _)] = entry.titles[..] else { return None };
    let mut folders = fs::read_dir(kind).ok()?.flatten().filter_map(|folder| folder.file_name().into_string().ok());
    let lacks = |name: &String| {
        let has = |locale| existing_text(&kind.join(name), name, locale).is_some();
        has(locale.other()) && !has(locale)
    };
    folders.find(|name| lacks(name) && is_slip(name, key))
}

/// Adds the missing language to the entry in `folder`.
fn add(content: &Path, folder: &Path, key: &str, entry: &NewEntry<'_>) -> Result<Started, Text> {
    let lacking = Locale::ALL.into_iter().find(|locale| existing_text(folder, key, *locale).is_none());
    let existing = entry.titles.iter().find_map(|(locale, _)| existing_text(folder, key, *locale));
    if let Some(file) = existing {
        return Err(match lacking {
            Some(locale) => messages::entry_text_exists_other_lacking(file.display(), locale),
            None => messages::entry_text_exists(file.display()),
        });
    }
    // Titles of different articles, such as an abbreviation, may make the same key.
    if entry.key.is_none() {
        return Err(messages::entry_exists_in_other_language(folder.display(), key));
    }
    let written = entry.titles.iter().map(|(locale, title)| {
        let text = front_matter((content, entry), key, *locale, title, FileRole::Added);
        write(folder.join(name_of_text(content, *locale)), &text)
    });
    Ok(Started { files: written.collect::<Result<_, _>>()?, is_added: true })
}

/// Returns the name of a text: `index.tr.md`, or `tr.md` in a content folder whose contact entry has such a name.
fn name_of_text(content: &Path, locale: Locale) -> String {
    let contact = content.join(Kind::Contact.folder());
    let is_short = Locale::ALL.iter().any(|locale| contact.join(format!("{locale}.md")).is_file());
    if is_short { format!("{locale}.md") } else { format!("index.{locale}.md") }
}

/// Returns the text of an entry in a language, under any of its possible names.
fn existing_text(folder: &Path, key: &str, locale: Locale) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.flatten();
    files.map(|file| file.path()).find(|path| {
        path.file_name().and_then(|name| name.to_str()).and_then(|name| language_of(name, key)) == Some(locale)
    })
}

/// Creates a file; removes it if the disk fails.
fn write(file: PathBuf, text: &str) -> Result<PathBuf, Text> {
    let created = fs::File::create_new(&file).and_then(|mut new| {
        new.write_all(text.as_bytes()).inspect_err(|_| {
            let _ = fs::remove_file(&file);
        })
    });
    created.map_err(|error| Text::at_path(&file, error))?;
    Ok(file)
}

fn key(entry: &NewEntry<'_>) -> Result<String, Text> {
    if let Some(key) = entry.key {
        return Slug::parse(key).map(|_| key.to_owned()).map_err(|_| messages::key_not_possible(key));
    }
    let english = entry.titles.iter().find(|(locale, _)| *locale == Locale::En);
    let Some((locale, title)) = english.or(entry.titles.first()) else {
        return Err(messages::translation_title_missing(entry.kind.as_str(), Locale::En));
    };
    match turkish::slug(title, *locale) {
        key if key.is_empty() => Err(messages::key_not_made(title)),
        key => Ok(key),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileRole {
    /// The file with the shared fields.
    First,
    /// The second file of a new entry, which inherits the shared fields.
    Second,
    /// The second file of an existing entry.
    Added,
}

/// Returns the text of a file.
fn front_matter(
    (content, entry): (&Path, &NewEntry<'_>),
    key: &str,
    locale: Locale,
    title: &str,
    part: FileRole,
) -> String {
    let (own, shared) = entry.kind.fields(locale);
    let name = if matches!(entry.kind, EntryKind::Publication | EntryKind::Page) { "title" } else { "name" };
    // A JSON string is also a double-quoted YAML string, so any title can be written.
    let mut text = format!("---\n{name}: {}\n", serde_json::Value::from(title));
    let has_slug = match entry.kind {
        EntryKind::NetworkFirm => false,
        EntryKind::Page => PageKind::of(key).has_slug(),
        _ => true,
    };
    if has_slug {
        let slug = content::new_slug(content, (entry.kind.kind(), key, locale), title);
        // Unquoted, `null` is no value in YAML.
        let slug = if slug == "null" { "\"null\"" } else { &slug };
        text.extend(["slug: ", slug, "\n"]);
    }
    text += &own;
    if part == FileRole::First {
        let date = if entry.kind == EntryKind::Publication { "date" } else { "updated" };
        if entry.kind != EntryKind::NetworkFirm {
            text.extend([date, ": ", &entry.today, "\n"]);
        }
        text += &shared;
    }
    // `draft` in an added file would withdraw the other language, which may be published.
    if entry.kind == EntryKind::Publication && part != FileRole::Added {
        text += "draft: true\n";
    }
    text + "---\n\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry<'a>(kind: EntryKind, titles: &[(Locale, &'a str)]) -> NewEntry<'a> {
        NewEntry { kind, titles: titles.to_vec(), key: None, today: "2026-11-20".to_owned() }
    }

    #[test]
    fn publication_may_start_in_one_language() {
        let content = tempfile::tempdir().unwrap();
        let new = entry(EntryKind::Publication, &[(Locale::Tr, "İş \"güvencesi\" & ihbar")]);
        let files = create(content.path(), &new).unwrap().files;
        assert_eq!(files, [content.path().join("publications/is-guvencesi-ve-ihbar/index.tr.md")]);
        let text = fs::read_to_string(&files[0]).unwrap();
        assert!(
            text.starts_with("---\ntitle: \"İş \\\"güvencesi\\\" & ihbar\"\nslug: is-guvencesi-ve-ihbar\n"),
            "{text}"
        );
        assert!(text.contains("date: 2026-11-20\n") && text.contains("draft: true\n"), "{text}");
    }

    #[test]
    fn entry_with_the_title_of_another_one_gets_its_key_as_slug() {
        let content = tempfile::tempdir().unwrap();
        let titles = [(Locale::En, "Rent"), (Locale::Tr, "Kira")];
        let first = entry(EntryKind::Publication, &titles);
        create(content.path(), &first).unwrap();
        let second = create(content.path(), &NewEntry { key: Some("rent-2"), ..first }).unwrap();
        for file in second.files {
            assert!(fs::read_to_string(&file).unwrap().contains("\nslug: rent-2\n"), "{}", file.display());
        }
    }

    #[test]
    fn mistyped_key_of_a_translation_names_the_near_one() {
        let content = tempfile::tempdir().unwrap();
        let new = entry(EntryKind::Publication, &[(Locale::Tr, "Kira artışı")]);
        create(content.path(), &new).unwrap();
        let english = |key| NewEntry { key: Some(key), ..entry(EntryKind::Publication, &[(Locale::En, "Rent")]) };
        let error = create(content.path(), &english("kira-artsi")).unwrap_err();
        assert!(error[Locale::En].contains("did you mean --key kira-artisi"), "{error:?}");
        assert!(!content.path().join("publications/kira-artsi").exists());
        assert!(create(content.path(), &english("kira-artisi")).unwrap().is_added);
        assert!(!create(content.path(), &english("kira-artsi")).unwrap().is_added, "no language is lacking");
    }

    #[test]
    fn entries_that_must_exist_in_both_languages_start_in_both() {
        let content = tempfile::tempdir().unwrap();
        let alone = entry(EntryKind::PracticeArea, &[(Locale::En, "Tax")]);
        let error = create(content.path(), &alone).unwrap_err()[Locale::En].to_owned();
        assert!(error.contains("--tr"), "{error}");
        assert!(fs::read_dir(content.path()).unwrap().next().is_none(), "nothing is written before all is known");
        let both = entry(EntryKind::PracticeArea, &[(Locale::En, "Tax"), (Locale::Tr, "Vergi")]);
        let files = create(content.path(), &both).unwrap().files;
        assert_eq!(files.len(), 2);
        assert!(fs::read_to_string(&files[0]).unwrap().contains("updated: 2026-11-20"));
        assert!(!fs::read_to_string(&files[1]).unwrap().contains("updated"), "shared facts stand in one file");
    }

    #[test]
    fn page_of_the_firm_may_start_in_one_language_and_one_that_every_site_has_in_both() {
        let content = tempfile::tempdir().unwrap();
        let careers = entry(EntryKind::Page, &[(Locale::Tr, "Kariyer")]);
        let files = create(content.path(), &careers).unwrap().files;
        assert_eq!(files, [content.path().join("pages/kariyer/index.tr.md")]);
        let text = fs::read_to_string(&files[0]).unwrap();
        assert!(text.starts_with("---\ntitle: \"Kariyer\"\nslug: kariyer\ndescription: #"), "{text}");
        assert!(text.contains("updated: 2026-11-20\n") && !text.contains("draft"), "{text}");
        let home = entry(EntryKind::Page, &[(Locale::En, "Home")]);
        let refused = create(content.path(), &home).unwrap_err();
        assert_eq!(refused, messages::translation_title_missing("page", Locale::Tr));
        let home = entry(EntryKind::Page, &[(Locale::En, "Home"), (Locale::Tr, "Ana sayfa")]);
        let files = create(content.path(), &home).unwrap().files;
        assert!(!fs::read_to_string(&files[0]).unwrap().contains("slug"), "the home page has no address of its own");
    }

    #[test]
    fn existing_files_are_not_touched() {
        let content = tempfile::tempdir().unwrap();
        let new = entry(EntryKind::Publication, &[(Locale::En, "Remote work")]);
        let files = create(content.path(), &new).unwrap().files;
        fs::write(&files[0], "mine").unwrap();
        let both = entry(EntryKind::Publication, &[(Locale::En, "Remote work"), (Locale::Tr, "Uzaktan çalışma")]);
        for new in [&new, &both] {
            let error = create(content.path(), new).unwrap_err()[Locale::En].to_owned();
            assert!(error.contains("en.md exists: edit it") && error.ends_with("with --tr"), "{error}");
        }
        assert_eq!(fs::read_to_string(&files[0]).unwrap(), "mine");
        fs::create_dir(content.path().join("publications/empty")).unwrap();
        let error = create(content.path(), &NewEntry { key: Some("empty"), ..both }).unwrap_err();
        assert_eq!(error, messages::entry_folder_exists(content.path().join("publications/empty").display()));
    }

    #[test]
    fn both_files_of_a_new_article_are_drafts() {
        let content = tempfile::tempdir().unwrap();
        let both = entry(EntryKind::Publication, &[(Locale::En, "True"), (Locale::Tr, "Null")]);
        let texts = create(content.path(), &both).unwrap().files;
        let [en, tr] = [0, 1].map(|at: usize| fs::read_to_string(&texts[at]).unwrap());
        assert!(en.contains("slug: true\n") && en.contains("date: ") && en.contains("draft: true\n"), "{en}");
        assert!(tr.contains("slug: \"null\"\n") && !tr.contains("date: ") && tr.contains("draft: true\n"), "{tr}");
    }

    #[test]
    fn language_that_an_entry_lacks_is_added_without_what_it_inherits() {
        let content = tempfile::tempdir().unwrap();
        let english = content.path().join("practice-areas/tax/en.md");
        fs::create_dir_all(english.parent().unwrap()).unwrap();
        fs::write(&english, "mine").unwrap();
        let turkish = entry(EntryKind::PracticeArea, &[(Locale::Tr, "Vergi")]);
        let added = create(content.path(), &NewEntry { key: Some("tax"), ..turkish }).unwrap();
        assert!(added.is_added);
        assert_eq!(added.files, [english.with_file_name("index.tr.md")]);
        let text = fs::read_to_string(&added.files[0]).unwrap();
        assert!(text.contains("slug: vergi\nsummary: ") && !text.contains("updated"), "{text}");
        assert_eq!(fs::read_to_string(&english).unwrap(), "mine");
    }

    #[test]
    fn key_that_is_not_a_folder_name_is_refused() {
        let content = tempfile::tempdir().unwrap();
        for key in ["../out", "a/b", "Ünlü", "", "-a", "a b"] {
            let new = NewEntry { key: Some(key), ..entry(EntryKind::Publication, &[(Locale::En, "Remote work")]) };
            assert_eq!(create(content.path(), &new), Err(messages::key_not_possible(key)));
        }
        let nameless = entry(EntryKind::Publication, &[(Locale::En, "???")]);
        assert_eq!(create(content.path(), &nameless), Err(messages::key_not_made("???")));
    }

    #[test]
    fn key_of_a_page_that_the_program_makes_is_refused_before_anything_is_written() {
        let content = tempfile::tempdir().unwrap();
        let start = entry(EntryKind::Page, &[(Locale::En, "Start"), (Locale::Tr, "Giriş")]);
        let error = create(content.path(), &start).unwrap_err();
        assert_eq!(error, messages::key_kept_for_a_page("start"));
        assert!(error[Locale::En].contains("--key"), "{error:?}");
        assert!(fs::read_dir(content.path()).unwrap().next().is_none());
        // The name of a page says nothing about articles.
        let article = entry(EntryKind::Publication, &[(Locale::En, "Search")]);
        assert!(create(content.path(), &article).is_ok());
    }

    #[test]
    fn kinds_are_known_by_their_noun_and_by_their_folder() {
        assert_eq!(EntryKind::find("team-member"), Ok(EntryKind::TeamMember));
        assert_eq!(EntryKind::find("team"), Ok(EntryKind::TeamMember));
        assert_eq!(EntryKind::find("pages"), Ok(EntryKind::Page));
        assert!(EntryKind::find("contact").unwrap_err().to_string().contains("publication"));
    }
}
