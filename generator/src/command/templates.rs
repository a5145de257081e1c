//! `generator templates`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use findings::messages;
use generator::templates::{ThemeFile, accept, copy, diff, list};

use super::{TEMPLATES, fail, language, note, write};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
    /// Folder whose files and words replace built-in ones.
    #[arg(long, global = true, default_value = TEMPLATES)]
    templates: PathBuf,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List every file of the theme, its size, and whether the folder replaces it.
    List,
    /// Copy built-in files to the folder for editing; existing files are not overwritten.
    Copy {
        /// Name of a file, such as `pages/team.html`, or of a folder, such as `forms`.
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Show how the files of the folder differ from the built-in ones.
    Diff {
        /// Names of files [default: all that differ]
        names: Vec<String>,
    },
    /// Record that files of the folder were compared with the current built-in ones.
    Accept {
        /// Names of files.
        #[arg(required = true)]
        names: Vec<String>,
    },
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let folder = &arguments.templates;
    match &arguments.action {
        Action::List => {
            let entries = list(Some(folder.as_path()).filter(|folder| must_read(folder)));
            write(&table(&entries.map_err(|error| fail(&error))?))
        }
        Action::Copy { names } => {
            let files = copy(folder, names).map_err(|error| fail(&error))?;
            let files: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
            write(&(files.join("\n") + "\n"))
        }
        Action::Diff { names } => {
            if !must_read(folder) {
                note(&messages::templates_folder_absent(folder.display()));
                return Ok(());
            }
            write(&diff(folder, names, language()).map_err(|error| fail(&error))?)
        }
        Action::Accept { names } => accept(folder, names).map_err(|error| fail(&error)),
    }
}

/// Returns whether a folder must be read: the default one need not exist.
fn must_read(folder: &Path) -> bool {
    folder != Path::new(TEMPLATES) || folder.is_dir()
}

fn table(entries: &[ThemeFile]) -> String {
    let width = entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or_default();
    let row = |entry: &ThemeFile| {
        format!("{:width$}  {:>7}  {}\n", entry.name, entry.bytes, &entry.state.words()[language()])
    };
    entries.iter().map(row).collect()
}
