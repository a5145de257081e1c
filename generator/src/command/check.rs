//! `generator check`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use super::{Input, TEMPLATES, theme};

/// What to look at.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Folder of templates, interface words and assets to check as well [default: templates, if it exists]
    #[arg(long)]
    templates: Option<PathBuf>,
}

/// Reports what is wrong with the content and with the theme.
pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let loaded = arguments.input.load().map(drop);
    let templates = arguments.templates.as_deref().or_else(|| Some(Path::new(TEMPLATES)).filter(|it| it.is_dir()));
    // Both are checked, whatever the result of the first.
    let theme = templates.map_or(Ok(()), |folder| theme(folder).map(drop));
    loaded.and(theme)
}
