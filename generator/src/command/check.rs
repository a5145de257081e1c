//! `generator check`.

use std::process::ExitCode;

use citations::Cited;
use clap::ValueEnum;
use findings::messages;

use super::{Input, fail};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Correct what has only one right form, and show the difference: line ends, quotation marks, days, levels of
    /// headings, names of pictures and the like.
    #[arg(long)]
    fix: bool,
    /// With `--fix`: show the difference and the remaining findings; change nothing.
    #[arg(long, requires = "fix")]
    dry_run: bool,
    /// List only the places that cite a law, or one article of it, such as `6102` or `6102/553`.
    #[arg(long, value_name = "LAW", conflicts_with = "fix")]
    law_changed: Option<Cited>,
    /// Findings to treat as errors.
    #[arg(long, value_enum)]
    deny: Option<DeniedSeverity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DeniedSeverity {
    Warnings,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let findings = if arguments.dry_run {
        let left = arguments.input.fix(true)?;
        arguments.input.print(&left)?;
        left
    } else {
        if arguments.fix {
            arguments.input.fix(false)?;
        }
        match &arguments.law_changed {
            Some(law) => arguments.input.list_citing(law)?,
            None => arguments.input.check()?,
        }
    };
    if findings.errors() > 0 {
        return Err(ExitCode::FAILURE);
    }
    if arguments.deny == Some(DeniedSeverity::Warnings) && findings.warnings() > 0 {
        return Err(fail(&messages::warnings_denied()));
    }
    Ok(())
}
