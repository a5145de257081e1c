//! `generator translations`.

use std::{path::PathBuf, process::ExitCode};

use contract::Locale;
use findings::messages;
use generator::translations::{History, TranslatedEntry, TranslationState, history, survey};
use jiff::Timestamp;

use super::{language, note, write, write_error};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folder that contains the content.
    #[arg(long, default_value = "content")]
    content: PathBuf,
    /// List every entry, not only those that need attention.
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let (entries, findings) = survey(&arguments.content);
    if !findings.is_empty() {
        write_error(&findings.to_text(language(), false));
    }
    if findings.errors() > 0 && entries.is_empty() {
        return Err(ExitCode::FAILURE);
    }
    let (history, content) = (history(&arguments.content), arguments.content.display());
    let listed: Vec<_> = entries
        .iter()
        .filter(|entry| arguments.all || entry.missing().is_some() || entry.behind.is_some())
        .map(|entry| {
            [
                entry.kind.to_owned(),
                entry.key.clone(),
                cell(entry, Locale::En, history),
                cell(entry, Locale::Tr, history),
            ]
        })
        .collect();
    if !listed.is_empty() {
        write(&table(&listed))?;
    }
    let missing = entries.iter().filter(|entry| entry.missing().is_some()).count();
    let older = entries.iter().filter(|entry| entry.behind.is_some()).count();
    let older = match history {
        History::Whole => messages::translations_older(older),
        History::Shallow => messages::translations_known_older(older),
        History::Unknown => messages::translations_of_unknown_age(),
    };
    note(&messages::translations_counted(entries.len(), missing, older));
    match history {
        History::Whole => {}
        History::Shallow => note(&messages::history_cut_short(content)),
        History::Unknown => note(&messages::history_absent(content)),
    }
    // The list lacks entries that could not be read.
    if findings.errors() > 0 { Err(ExitCode::FAILURE) } else { Ok(()) }
}

fn cell(entry: &TranslatedEntry, locale: Locale, history: History) -> String {
    let day =
        |seconds| Timestamp::from_second(seconds).map_or_else(|_| "?".to_owned(), |at| at.strftime("%F").to_string());
    match entry.state[locale] {
        TranslationState::Missing if entry.may_lack_translation => "-".to_owned(),
        TranslationState::Missing => messages::translation_missing()[language()].to_owned(),
        TranslationState::Present if history == History::Unknown => "?".to_owned(),
        TranslationState::Present => messages::translation_not_committed()[language()].to_owned(),
        TranslationState::Committed(commit) if entry.behind == Some(locale) => {
            messages::translation_older(day(commit.seconds))[language()].to_owned()
        }
        TranslationState::Committed(commit) => day(commit.seconds),
    }
}

fn table(rows: &[[String; 4]]) -> String {
    let (kinds, keys) = (messages::column_of_kinds(), messages::column_of_keys());
    let head = [&kinds[language()], &keys[language()], "EN", "TR"].map(str::to_owned);
    let mut widths = [0; 4];
    for row in rows.iter().chain([&head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut table = String::new();
    for row in [&head].into_iter().chain(rows) {
        let [kind, key, en, tr] = row;
        let line = format!("{kind:a$}  {key:b$}  {en:c$}  {tr}", a = widths[0], b = widths[1], c = widths[2]);
        table.extend([line.trim_end(), "\n"]);
    }
    table
}
