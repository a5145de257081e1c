//! `generator diff OLD NEW`.

use std::{path::PathBuf, process::ExitCode};

use clap::ValueEnum;
use generator::diff::diff;

use super::{fail, language, write};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folder of the earlier build.
    old: PathBuf,
    /// Folder of the later build.
    new: PathBuf,
    /// Output format.
    #[arg(long, value_enum, default_value_t = DiffFormat::Text)]
    format: DiffFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DiffFormat {
    /// For a terminal.
    Text,
    /// One JSON object.
    Json,
    /// A comment on a pull request.
    Markdown,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let difference = diff(&arguments.old, &arguments.new).map_err(|error| fail(&error))?;
    write(&match arguments.format {
        DiffFormat::Text => difference.to_text(language()),
        DiffFormat::Json => difference.to_json(),
        DiffFormat::Markdown => difference.to_markdown(language()),
    })
}
