//! `generator import FILE…`.

use std::{collections::BTreeSet, path::PathBuf, process::ExitCode};

use content::Kind;
use contract::Locale;
use findings::{
    Finding, Findings,
    messages::{self, Text},
};
use generator::scaffold::EntryKind;
use import::{ImportSource, Imported, ImportedEntry, Loss, WordPress, read_documents, read_wordpress};
use jiff::tz::TimeZone;
use serde_json::json;
use site::{Loading, PageKind, load};

use super::{FindingsFormat, Input, TextOrJson, clean_lines, fail, language, note, now, write};

#[derive(Debug, clap::Args)]
#[expect(clippy::doc_markdown, reason = "help names programs as they are written")]
#[command(after_help = "Examples:\n  \
    generator import \"Kira artışı.docx\" --kind publications --locale tr\n  \
    generator import lease.tr.docx lease.en.docx --kind publications --key lease\n  \
    generator import export.xml --uploads wp-content/uploads --dry-run")]
pub(crate) struct Arguments {
    /// Documents of Word or LibreOffice (`.docx`, `.odt`), or one export of WordPress (`.xml`).
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Kind of the entries: `publications`, `pages` or another folder of the content. Required for documents; without it,
    /// an export gives publications and pages
    #[arg(long, value_parser = EntryKind::find)]
    kind: Option<EntryKind>,
    /// Name of the entry's folder [default: made from the title].
    #[arg(long)]
    key: Option<String>,
    /// Language of texts whose file name states none (`name.tr.docx`).
    #[arg(long, value_parser = parse_locale)]
    locale: Option<Locale>,
    /// Copy of the folder `wp-content/uploads`, with the pictures and documents of an export.
    #[arg(long, value_name = "FOLDER")]
    uploads: Option<PathBuf>,
    /// Folder that contains the content.
    #[arg(long, default_value = "content")]
    content: PathBuf,
    /// Write nothing; list the entries and what would not be carried over.
    #[arg(long)]
    dry_run: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = TextOrJson::Text)]
    format: TextOrJson,
}

fn parse_locale(text: &str) -> Result<Locale, String> {
    text.parse().map_err(|_| "expected `en` or `tr`".to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let failed = |error: Text| fail(&error);
    let imported = read(arguments).map_err(failed)?;
    if !arguments.content.is_dir() {
        return Err(fail(&messages::content_folder_absent(arguments.content.display())));
    }
    let findings = if arguments.dry_run {
        None
    } else {
        import::write(&arguments.content, &imported.entries).map_err(failed)?;
        Some(findings_of(arguments, &imported))
    };
    match arguments.format {
        TextOrJson::Text => report(arguments, &imported, findings.as_ref()),
        TextOrJson::Json => {
            let entries = imported.entries.iter().map(|entry| {
                json!({
                    "kind": entry.kind.folder(),
                    "key": entry.key,
                    "source": entry.source,
                    "files": entry.files().collect::<Vec<_>>(),
                })
            });
            let losses = imported.losses.iter().map(|(source, loss)| {
                json!({
                    "source": source,
                    "heading": loss.heading,
                    "words": loss.words,
                    "message": &loss.message[language()],
                })
            });
            let report = json!({
                "written": !arguments.dry_run,
                "entries": entries.collect::<Vec<_>>(),
                "not_carried_over": losses.collect::<Vec<_>>(),
                "errors": findings.as_ref().map_or(0, Findings::errors),
                "warnings": findings.as_ref().map_or(0, Findings::warnings),
            });
            write(&format!("{report:#}\n"))
        }
    }
}

fn read(arguments: &Arguments) -> Result<Imported, Text> {
    let today = now().to_zoned(TimeZone::UTC).date().to_string();
    let kind = arguments.kind.map(EntryKind::kind);
    let is_export = |file: &PathBuf| file.extension().is_some_and(|end| end.eq_ignore_ascii_case("xml"));
    if let Some(export) = arguments.files.iter().find(|file| is_export(file)) {
        if arguments.files.len() > 1 {
            return Err(messages::import_mixed());
        }
        if let Some(uploads) = arguments.uploads.as_ref().filter(|uploads| !uploads.is_dir()) {
            return Err(messages::import_uploads_absent(uploads.display()));
        }
        let KnownNames { categories, people, sections } = known(arguments);
        let settings = WordPress {
            uploads: arguments.uploads.as_deref(),
            locale: arguments.locale,
            kind,
            today: &today,
            categories,
            sections,
            people,
        };
        let mut imported = read_wordpress(export, &settings)?;
        leave_existing_pages(arguments, &mut imported);
        return Ok(imported);
    }
    let kind = kind.ok_or_else(messages::import_needs_kind)?;
    let sources = arguments.files.iter().map(|file| ImportSource::of(file, arguments.locale));
    read_documents(&sources.collect::<Result<Vec<_>, _>>()?, kind, arguments.key.as_deref(), &today)
}

/// Leaves out pages that the site has already: every site has some, such as `contact`, and so has every export.
fn leave_existing_pages(arguments: &Arguments, imported: &mut Imported) {
    let folder = |entry: &ImportedEntry| arguments.content.join(entry.kind.folder()).join(&entry.key);
    let is_there = |entry: &mut ImportedEntry| entry.kind == Kind::Pages && folder(entry).exists();
    for entry in imported.entries.extract_if(.., is_there).collect::<Vec<_>>() {
        let of_text = entry.texts.values().flat_map(|text| &text.fields);
        let addresses: Vec<&str> =
            of_text.filter(|(name, _)| *name == "aliases").map(|(_, list)| list.as_str()).collect();
        let words = entry.texts.values().next().map(|text| text.title.clone()).unwrap_or_default();
        let message = messages::lost_existing_page(format!("pages/{}", entry.key), addresses.join(" "));
        imported.losses.push((entry.source, Loss { heading: String::new(), words, message }));
    }
}

/// What the site has that an export names: see [`WordPress`].
#[derive(Default)]
struct KnownNames {
    categories: Vec<(String, Vec<String>)>,
    people: Vec<(String, String)>,
    sections: Vec<(Locale, String)>,
}

/// Returns the names that the site has; none if its content has errors.
fn known(arguments: &Arguments) -> KnownNames {
    let loading = Loading { content: &arguments.content, site_url: None, now: now(), drafts: true };
    let Ok(loaded) = load(&loading) else { return KnownNames::default() };
    let categories = loaded.site.settings.categories.iter().map(|category| {
        let names = Locale::ALL.into_iter().flat_map(|it| [category.name[it].clone(), category.slug[it].to_string()]);
        (category.key.clone(), names.collect())
    });
    let documents = loaded.site.content.iter().flat_map(|(_, content)| content.documents());
    let people: BTreeSet<(String, String)> = documents
        .filter(|(_, document, _)| document.origin.file.starts_with(Kind::Team.folder()))
        .map(|(_, document, _)| (document.key.clone(), document.title.clone()))
        .collect();
    let section = |locale| Some((locale, loaded.site.page(locale, PageKind::Publications)?.document.path.clone()));
    KnownNames {
        categories: categories.collect(),
        people: people.into_iter().collect(),
        sections: Locale::ALL.into_iter().filter_map(section).collect(),
    }
}

/// Returns the findings in the new files.
fn findings_of(arguments: &Arguments, imported: &Imported) -> Findings {
    let loading = Loading { content: &arguments.content, site_url: None, now: now(), drafts: true };
    let all = load(&loading).map_or_else(|findings| findings, |loaded| loaded.warnings);
    let files: BTreeSet<String> = imported.entries.iter().flat_map(ImportedEntry::files).collect();
    let found: Vec<Finding> =
        all.items().iter().filter(|finding| files.contains(&finding.place.file)).cloned().collect();
    Findings::new(found, arguments.content.display().to_string(), files.len())
}

fn report(arguments: &Arguments, imported: &Imported, findings: Option<&Findings>) -> Result<(), ExitCode> {
    let language = language();
    let mut files: Vec<String> = imported.entries.iter().flat_map(ImportedEntry::files).collect();
    files.sort();
    let lines = files.iter().map(|file| format!("{}/{file}\n", arguments.content.display()));
    write(&clean_lines(&lines.collect::<String>()))?;
    note(&messages::imported(imported.entries.len(), files.len()));
    if imported.losses.is_empty() {
        note(&messages::import_no_losses());
    } else {
        let mut text = format!("\n{}\n", &messages::import_losses(imported.losses.len())[language]);
        for (source, Loss { heading, words, message }) in &imported.losses {
            let mut place = vec![source.clone()];
            if !heading.is_empty() {
                place.push(messages::lost_under(heading)[language].to_owned());
            }
            if !words.is_empty() {
                place.push(format!("“{words}”"));
            }
            text.extend(["  ", &place.join(", "), ": ", &message[language], "\n"]);
        }
        write(&clean_lines(&text))?;
    }
    match findings {
        None => note(&messages::import_would_write()),
        Some(findings) if findings.is_empty() => note(&messages::import_check_clean()),
        Some(findings) => {
            note(&messages::import_check());
            let input = Input { format: FindingsFormat::Text, ..Input::of(arguments.content.clone(), None) };
            input.print(findings)?;
        }
    }
    Ok(())
}
