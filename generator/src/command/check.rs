//! `generator check`.

use std::process::ExitCode;

use super::Input;

/// What to look at.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Rewrite what has one right form, and show the difference: line ends, quotation marks, days, levels of headings,
    /// names of pictures and the like.
    #[arg(long)]
    fix: bool,
    /// With `--fix`: show the difference, and what would remain, and change nothing.
    #[arg(long, requires = "fix")]
    dry_run: bool,
}

/// Reports what is wrong with the content and with the theme.
pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    if arguments.fix {
        let left = arguments.input.fix(arguments.dry_run)?;
        if arguments.dry_run {
            arguments.input.print(&left)?;
            return if left.errors() > 0 { Err(ExitCode::FAILURE) } else { Ok(()) };
        }
    }
    arguments.input.check()
}
