//! `generator check`.

use std::process::ExitCode;

use clap::ValueEnum;
use generator::site::KnownFiles;

use super::{Examine, Input, fail};

/// What to look at.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Findings that count as errors, besides errors.
    #[arg(long, value_enum)]
    deny: Option<Denied>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Denied {
    Warnings,
}

/// Reports what is wrong with the content and with the theme.
pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let (findings, read) = arguments.input.examine(Examine::Pages, &mut KnownFiles::default())?;
    arguments.input.print(&findings)?;
    if read.is_none() || findings.errors() > 0 {
        return Err(ExitCode::FAILURE);
    }
    if arguments.deny == Some(Denied::Warnings) && findings.warnings() > 0 {
        return Err(fail(&"`--deny warnings` was given, and there are warnings"));
    }
    Ok(())
}
