//! `generator check`.

use std::process::ExitCode;

use super::Input;

/// What to look at.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
}

/// Reports what is wrong with the content and with the theme.
pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    arguments.input.check()
}
