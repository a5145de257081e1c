//! `generator convert`.

use std::{path::PathBuf, process::ExitCode};

use findings::messages;
use generator::arrange::arrange;

use super::{clean_lines, fail, language, note, write};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folder that contains the content.
    #[arg(long, default_value = "content")]
    content: PathBuf,
    /// Only rename the texts; commit this step by itself, so that the history of each text is kept.
    #[arg(long)]
    names_only: bool,
    /// Show the difference; change nothing.
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let content = &arguments.content;
    if !content.is_dir() {
        return Err(fail(&messages::content_folder_absent(content.display())));
    }
    let arrangement = arrange(content, arguments.names_only);
    let root = content.display().to_string();
    for change in &arrangement.changes {
        write(&clean_lines(&change.diff(&root, language())))?;
        if !arguments.dry_run {
            change
                .apply()
                .map_err(|error| fail(&messages::file_not_rewritten(format_args!("{root}/{}", change.file), error)))?;
        }
    }
    for file in &arrangement.commented {
        note(&messages::fields_with_comments(format_args!("{root}/{file}")));
    }
    for file in &arrangement.unreadable {
        note(&messages::fields_not_arranged(format_args!("{root}/{file}")));
    }
    note(&match (arrangement.changes.len(), arguments.dry_run) {
        (0, _) => messages::nothing_to_rewrite(),
        (files, true) => messages::files_to_rewrite(files),
        (files, false) => messages::files_rewritten(files),
    });
    Ok(())
}
