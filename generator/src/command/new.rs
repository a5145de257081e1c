//! `generator new KIND`.

use std::{path::PathBuf, process::ExitCode};

use contract::Locale;
use findings::messages;
use generator::scaffold::{EntryKind, NewEntry, create};
use jiff::tz::TimeZone;

use super::{fail, note, now, write};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    generator new publication --tr \"Uzaktan çalışma sözleşmesi\" --en \"Remote work agreements\"\n  \
    generator new publication --tr \"Yalnız Türkçe bir yazı\"\n  \
    generator new publication --en \"A translation added later\" --key yalniz-turkce-bir-yazi\n  \
    generator new team-member --en \"Elif Saygıner\" --tr \"Elif Saygıner\"\n  \
    generator new page --en \"Careers\" --tr \"Kariyer\"")]
pub(crate) struct Arguments {
    /// Kind of entry: `publication`, `practice-area`, `team-member`, `network-firm` or `page`.
    #[arg(value_parser = EntryKind::find)]
    kind: EntryKind,
    /// English title or name; writes the English file.
    #[arg(long, value_name = "TITLE", required_unless_present = "tr")]
    en: Option<String>,
    /// Turkish title or name; writes the Turkish file.
    #[arg(long, value_name = "TITLE")]
    tr: Option<String>,
    /// Name of the folder, by which other entries refer to this one [default: made from the title]. To add a language
    /// to an existing entry, give the name of its folder
    #[arg(long)]
    key: Option<String>,
    /// Folder that contains the content.
    #[arg(long, default_value = "content")]
    content: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let titles = [(Locale::En, &arguments.en), (Locale::Tr, &arguments.tr)];
    let entry = NewEntry {
        kind: arguments.kind,
        titles: titles.into_iter().filter_map(|(locale, title)| Some((locale, title.as_deref()?))).collect(),
        key: arguments.key.as_deref(),
        today: now().to_zoned(TimeZone::UTC).date().to_string(),
    };
    let started = create(&arguments.content, &entry).map_err(|error| fail(&error))?;
    let files: Vec<_> = started.files.iter().map(|file| file.display().to_string()).collect();
    write(&(files.join("\n") + "\n"))?;
    let is_article = arguments.kind == EntryKind::Publication;
    // A new article is a draft, which `check` ignores without `--drafts`.
    let check = if is_article { "generator check --drafts" } else { "generator check" };
    note(&messages::entry_to_fill_in(check));
    if arguments.kind == EntryKind::Page && !started.is_added {
        note(&messages::page_to_be_linked());
    }
    if started.is_added {
        note(&messages::entry_inherits());
    }
    if started.is_added && is_article {
        note(&messages::added_text_not_held_back());
    }
    Ok(())
}
